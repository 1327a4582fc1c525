"""Who sits where: the learner among scripted agents and past selves."""

from collections import deque
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from dixit_env.agents.training.scripted import Moment
from dixit_env.models.policy import Policy, Seen

Opponent = Callable[[Moment], Tensor]
SeenHook = Callable[[Seen], Seen]

LEAGUE_SIZE = 16  # past selves that are kept
# Shares of the other seats of a game. A storyteller whose clue the learner alone can read scores whenever one of the
# others is the learner: with five others in .56 of the turns, fewer than with a clue that everybody can read.
CURRENT, PAST = 0.05, 0.10


class Opponents:
    """In every game nearly all of the learner's opponents are somebody else: scripted agents, seat by seat, and now and
    then a past self or the learner again. Without any opponents the learner plays all seats.

    A learner that often meets itself agrees with itself on a code that nobody else can read.

    Args:
        players: P.
        scripted: functions that choose, see `agents.training.scripted`; () for none.
        league: past selves play too, each update another one.
        width: of the policy's hidden layers.
        observe: changes what past selves read.
    """

    def __init__(
        self, players: int, scripted: Sequence[Opponent], league: bool, width: int, observe: SeenHook | None = None
    ) -> None:
        self.players, self.scripted, self.with_league, self.observe = players, tuple(scripted), league, observe
        self.league: deque[dict[str, Tensor]] = deque(maxlen=LEAGUE_SIZE)
        self.past = Policy(width)
        self.learner = torch.empty((0, players), dtype=torch.bool)  # (B, P) seats that the learner plays
        self.kind = torch.empty((0, players), dtype=torch.int64)  # (B, P) who plays in the others, of `kinds`

    @property
    def kinds(self) -> tuple[Opponent, ...]:
        """Who may play against the learner: the scripted agents, then a past self."""
        return (*self.scripted, self._past_self) if self.with_league else self.scripted

    def remember(self, policy: Policy) -> None:
        """Take the policy as it is now into the league."""
        self.league.append({name: value.clone() for name, value in policy.state_dict().items()})

    def seat(self, games: int, generator: torch.Generator) -> None:
        """Draw who sits where in B games, the learner in one seat at least, and the past self that plays."""
        device, shape = generator.device, (games, self.players)
        draw = torch.rand(shape, generator=generator, device=device)
        self.learner = draw < (CURRENT if self.kinds else 1)
        sure = torch.randint(self.players, (games, 1), generator=generator, device=device)
        self.learner.scatter_(1, sure, True)
        self.kind = torch.randint(max(1, len(self.scripted)), shape, generator=generator, device=device)
        if self.with_league:
            past = draw < (CURRENT + PAST if self.scripted else 1)
            self.kind.masked_fill_(past, len(self.scripted))
            index = int(torch.randint(len(self.league), (1,), generator=generator, device=device))
            self.past.to(device).load_state_dict(self.league[index])

    def replace(self, chosen: Tensor, seats: Sequence[int], moment: Moment) -> Tensor:
        """Put the opponents' choices into `chosen` int64 (B, A), which holds the learner's for all `seats`."""
        kind = self.kind[:, seats].masked_fill(self.learner[:, seats], -1).flatten()
        made = chosen.flatten()
        for number, choose in enumerate(self.kinds):
            rows = (kind == number).nonzero().squeeze(1)
            made = made.index_copy(0, rows, choose(moment.rows(rows)))
        return made.view_as(chosen)

    def _past_self(self, moment: Moment) -> Tensor:
        read = self.observe(moment.seen) if self.observe else moment.seen
        logits, _ = self.past(read, moment.phase, moment.choices, moment.legal)
        return sample(logits, moment.generator)


def sample(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draw a choice from log-probabilities (N, C): int64 (N,)."""
    noise = torch.empty_like(log_probs).exponential_(generator=generator)
    return (log_probs - noise.log()).argmax(1)
