"""Who sits where: the learner in every seat of some games, among past selves and scripted agents in the others."""

from collections import deque
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from agents.training.scripted import Moment
from models.policy import Policy

Opponent = Callable[[Moment], Tensor]

LEAGUE_SIZE = 16  # past selves that are kept
OPPONENT_SEATS = 0.5  # share of the seats of a mixed game that the learner doesn't play


class Opponents:
    """B games in blocks, one after the other: self-play, with a past self, with scripted agents.

    Args:
        games: B.
        players: P.
        scripted: functions that choose, see `agents.training.scripted`; () for none.
        league: play against past selves.
    """

    def __init__(self, games: int, players: int, scripted: Sequence[Opponent], league: bool, width: int) -> None:
        self.scripted = tuple(scripted)
        self.first_scripted = games - (games // 2 if scripted else 0)
        self.first_league = self.first_scripted - (games // 4 if league else 0)
        self.games, self.players = games, players
        self.league: deque[dict[str, Tensor]] = deque(maxlen=LEAGUE_SIZE)
        self.past = Policy(width)
        self.learner = torch.ones((games, players), dtype=torch.bool)  # seats that the learner plays
        self.kind = torch.zeros((games, players), dtype=torch.int64)  # which scripted agent plays in the others

    def remember(self, policy: Policy) -> None:
        """Take the policy as it is now into the league."""
        self.league.append({name: value.clone() for name, value in policy.state_dict().items()})

    def seat(self, generator: torch.Generator) -> None:
        """Draw anew which seats the learner plays, against which past self, and which scripted agents."""
        device, shape = generator.device, (self.games, self.players)
        others = torch.rand(shape, generator=generator, device=device) < OPPONENT_SEATS
        others[: self.first_league] = False
        self.learner = ~others
        self.kind = torch.randint(max(1, len(self.scripted)), shape, generator=generator, device=device)
        if self.league and self.first_league < self.first_scripted:
            index = int(torch.randint(len(self.league), (1,), generator=generator, device=device))
            self.past.to(device).load_state_dict(self.league[index])

    def replace(self, chosen: Tensor, seats: Sequence[int], moment: Moment) -> Tensor:
        """Put the opponents' choices into `chosen` int64 (B, A), which holds the learner's for all `seats`."""
        count = len(seats)
        learner = self.learner[:, seats]

        def block(first: int, last: int, choose: Opponent) -> Tensor:
            rows = slice(first * count, last * count)
            part = Moment(
                moment.phase,
                moment.seen.rows(rows),
                moment.hand[rows],
                moment.legal[rows],
                moment.choices,
                moment.knowledge,
                moment.generator,
            )
            return choose(part).view(last - first, count)

        first, last = self.first_league, self.first_scripted
        chosen = chosen.clone()
        if self.league and first < last:
            theirs = block(first, last, self._past_self)
            chosen[first:last] = torch.where(learner[first:last], chosen[first:last], theirs)
        for number, choose in enumerate(self.scripted):
            theirs = block(last, self.games, choose)
            mine = learner[last:] | (self.kind[last:, seats] != number)
            chosen[last:] = torch.where(mine, chosen[last:], theirs)
        return chosen

    def _past_self(self, moment: Moment) -> Tensor:
        logits, _ = self.past(moment.seen, moment.phase, moment.choices, moment.legal)
        return sample(logits, moment.generator)


def sample(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draw a choice from log-probabilities (N, C): int64 (N,)."""
    noise = torch.empty_like(log_probs).exponential_(generator=generator)
    return (log_probs - noise.log()).argmax(1)
