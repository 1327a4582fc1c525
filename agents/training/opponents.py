"""The opponent pool: who plays the seats beside the learner."""

from collections import deque
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from dixit_env.agents.training.decisions import DecisionBatch, Opponent
from dixit_env.models.policy import Inputs, Policy

InputsHook = Callable[[Inputs], Inputs]

LEAGUE_SIZE = 16  # past policies that are kept; chosen
# Shares of the other seats that are played by the learner itself and by a past policy. Chosen low enough that a
# private code doesn't pay. A clue that only the learner understands can score only when the learner or a past policy
# sits in one of the other five seats, which is so in 1 - 0.85 ** 5 = 56 % of the games; a clue that everybody
# understands scores more often.
LEARNER_SHARE, PAST_SHARE = 0.05, 0.10


class OpponentPool:
    """Draws for every game which seats the learner plays, and who plays the others: mostly scripted agents, now and
    then a past policy. Without any opponents the learner plays all seats.

    Args:
        players: P.
        scripted: opponents, see `agents.training.scripted`; () for none.
        league: past policies play too, each update another one.
        width: of the policy's hidden layers.
        observe: changes what past policies read.
        learner_share: of the seats beyond the learner's one, how many are the learner's too.
    """

    def __init__(
        self,
        players: int,
        scripted: Sequence[Opponent],
        league: bool,
        width: int,
        observe: InputsHook | None = None,
        learner_share: float = LEARNER_SHARE,
    ) -> None:
        self.players, self.scripted, self.with_league, self.observe = players, tuple(scripted), league, observe
        self.learner_share = learner_share
        self.league: deque[dict[str, Tensor]] = deque(maxlen=LEAGUE_SIZE)
        self.past_policy = Policy(width)
        self.learner_seats = torch.empty((0, players), dtype=torch.bool)  # (B, P)
        self.opponent_of = torch.empty((0, players), dtype=torch.int64)  # (B, P) index in `opponents`; other seats

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Who may play against the learner: the scripted agents, then the past policy."""
        return (*self.scripted, self._past) if self.with_league else self.scripted

    def add_snapshot(self, policy: Policy) -> None:
        """Keep a copy of the policy in the league; the oldest makes room."""
        self.league.append({name: value.clone() for name, value in policy.state_dict().items()})

    def assign_seats(self, games: int, generator: torch.Generator) -> None:
        """Draw who sits where in B games, the learner in one seat at least, and the past policy that plays."""
        device, shape = generator.device, (games, self.players)
        draw = torch.rand(shape, generator=generator, device=device)
        self.learner_seats = draw < (self.learner_share if self.opponents else 1)
        one_seat = torch.randint(self.players, (games, 1), generator=generator, device=device)
        self.learner_seats.scatter_(1, one_seat, True)
        self.opponent_of = torch.randint(max(1, len(self.scripted)), shape, generator=generator, device=device)
        if self.with_league:
            past = draw < (self.learner_share + PAST_SHARE if self.scripted else 1)
            self.opponent_of.masked_fill_(past, len(self.scripted))
            snapshot = int(torch.randint(len(self.league), (1,), generator=generator, device=device))
            self.past_policy.to(device).load_state_dict(self.league[snapshot])

    def override(self, choices: Tensor, seats: Sequence[int], batch: DecisionBatch) -> Tensor:
        """int64 (B, A): the opponents' choices in their seats, `choices` (B, A) in the learner's.

        `seats` are the A seats that decide, and `batch` holds their N = B · A decisions.
        """
        opponent = self.opponent_of[:, seats].masked_fill(self.learner_seats[:, seats], -1).flatten()
        result = choices.flatten()
        for number, choose in enumerate(self.opponents):
            rows = (opponent == number).nonzero().squeeze(1)
            if len(rows):
                result = result.index_copy(0, rows, choose(batch.rows(rows)))
        return result.view_as(choices)

    def _past(self, batch: DecisionBatch) -> Tensor:
        inputs = self.observe(batch.inputs) if self.observe else batch.inputs
        log_probs, _ = self.past_policy(inputs, batch.phase, batch.choices, batch.legal)
        return sample(log_probs, batch.generator)


def sample(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draw a choice from log-probabilities (N, C) by the Gumbel-max trick: int64 (N,)."""
    noise = torch.empty_like(log_probs).exponential_(generator=generator)
    return (log_probs - noise.log()).argmax(1)
