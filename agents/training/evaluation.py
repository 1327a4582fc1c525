"""How often the learner wins against scripted agents, measured on paired games.

Against one of them, every other seat is the learner's; the same deals are played a second time with the seats
exchanged. The share of the victories that falls to the learner's seats is one half between equals. Seats of one policy
may win so because they understand one another, in a code that nobody else reads. So it also sits `alone` at mixed
tables, to be compared with who plays in its place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from dixit_env.agents.training.opponents import Opponent, Opponents
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.scripted import SCRIPTED, Moment


@dataclass(frozen=True, slots=True)
class WinShare:
    """A mean over deals with its 95 % interval."""

    win_share: float
    low: float
    high: float


def evaluate(learner: Learner, opponent: Opponent, deals: int, seed: int) -> WinShare:
    """Play two games on each deal, with the most probable choice of the policy in every second seat."""
    halves = (range(half, learner.ppo.players, 2) for half in (0, 1))
    return _share(_play(learner, _best(learner), [opponent], deals, seed, half) for half in halves)


def alone(learner: Learner, player: Opponent | None, deals: int, seed: int) -> WinShare:
    """Play a game for each seat on each deal: `player`, or the policy, sits there among scripted agents at random."""
    player, others = player or _best(learner), list(SCRIPTED.values())
    return _share(_play(learner, player, others, deals, seed, [seat]) for seat in range(learner.ppo.players))


def _share(games: Iterable[Tensor]) -> WinShare:
    """From shares of the victories (deals,), one tensor for each way to sit."""
    shares = torch.stack(list(games)).mean(0)
    mean, margin = float(shares.mean()), 1.96 * float(shares.std()) / sqrt(len(shares))
    return WinShare(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def _best(learner: Learner) -> Opponent:
    """The most probable choice of what was learned."""

    def choose(moment: Moment) -> Tensor:
        read = learner.observe(moment.seen) if learner.observe else moment.seen
        return learner.learned(read, moment.phase, moment.choices, moment.legal)[0].argmax(1)

    return choose


@torch.no_grad()
def _play(
    learner: Learner, player: Opponent, others: Sequence[Opponent], deals: int, seed: int, mine: Sequence[int]
) -> Tensor:
    """(deals,) the share of each victory that falls to `player` in the seats `mine`."""
    home, device, players = learner.home, learner.device, learner.ppo.players
    game, generator = home.deal(deals, seed), torch.Generator(device).manual_seed(seed)
    table = Opponents(players, others, league=False, width=1)
    table.seat(deals, generator)
    table.learner = torch.zeros((deals, players), dtype=torch.bool, device=device)
    table.learner[:, list(mine)] = True
    share = torch.full((deals,), torch.nan, device=device)
    while share.isnan().any():
        moment = home.moment(game.phase, game.observe(), game.masks(), generator)
        chosen = table.replace(player(moment).view(deals, -1), game.seats, moment)
        step = game.step(chosen + game.spaces.first[game.phase])
        won = step.scores == step.scores.amax(dim=1, keepdim=True)
        falls = (won & table.learner).sum(1) / won.sum(1)
        share = torch.where(step.over & share.isnan(), falls, share)
    return share
