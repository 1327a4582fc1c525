"""How often the learner wins against scripted agents, measured on paired games.

Against one of them, every other seat is the learner's; the same deals are played a second time with the seats
exchanged. The share of the victories that falls to the learner's seats is one half between equals. Seats of one policy
may win so because they understand one another, in a private code. So the policy also sits `alone` at mixed tables, to
be compared with the scripted agents in the same seat.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from dixit_env.agents.training.opponents import Opponent, OpponentPool
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.scripted_ports import SCRIPTED, DecisionBatch
from dixit_env.agents.training.seeds import derived_seed, generator


@dataclass(frozen=True, slots=True)
class WinShare:
    """A mean over deals with its 95 % interval."""

    win_share: float
    low: float
    high: float


def evaluate(learner: Learner, opponent: Opponent, deals: int, seed: int) -> WinShare:
    """Play two games on each deal, with the most probable choice of the policy in every second seat."""
    halves = (range(half, learner.ppo.players, 2) for half in (0, 1))
    return _mean(_play(learner, _policy_mode(learner), [opponent], deals, seed, half) for half in halves)


def alone(learner: Learner, player: Opponent | None, deals: int, seed: int) -> WinShare:
    """Play a game for each seat on each deal: `player`, or the policy, sits there among scripted agents at random."""
    player, others = player or _policy_mode(learner), list(SCRIPTED.values())
    return _mean(_play(learner, player, others, deals, seed, [seat]) for seat in range(learner.ppo.players))


def _mean(games: Iterable[Tensor]) -> WinShare:
    """From shares of the victories (deals,), one tensor for each seating."""
    shares = torch.stack(list(games)).mean(0)
    mean, margin = float(shares.mean()), 1.96 * float(shares.std()) / sqrt(len(shares))
    return WinShare(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def _policy_mode(learner: Learner) -> Opponent:
    """The most probable choice of the averaged policy."""

    def choose(batch: DecisionBatch) -> Tensor:
        inputs = learner.observe(batch.inputs) if learner.observe else batch.inputs
        return learner.averaged_policy(inputs, batch.phase, batch.choices, batch.legal)[0].argmax(1)

    return choose


@torch.no_grad()
def _play(
    learner: Learner, player: Opponent, others: Sequence[Opponent], deals: int, seed: int, seats: Sequence[int]
) -> Tensor:
    """(deals,) the share of each victory that falls to `player` in the seats `seats`."""
    task, device, players = learner.eval_task, learner.device, learner.ppo.players
    game = task.new_games(deals, derived_seed(seed, "evaluation, deals"))
    choices_generator = generator(device, seed, "evaluation, choices")
    pool = OpponentPool(players, others, league=False, width=1)
    pool.assign_seats(deals, choices_generator)
    pool.learner_seats = torch.zeros((deals, players), dtype=torch.bool, device=device)
    pool.learner_seats[:, list(seats)] = True
    share = torch.full((deals,), torch.nan, device=device)
    while share.isnan().any():
        batch = task.decisions(game.phase, game.observe(), game.masks(), choices_generator)
        choices = pool.override(player(batch).view(deals, -1), game.seats, batch)
        step = game.step(choices + game.spaces.first[game.phase])
        won = step.scores == step.scores.amax(dim=1, keepdim=True)
        own_share = (won & pool.learner_seats).sum(1) / won.sum(1)
        share = torch.where(step.over & share.isnan(), own_share, share)
    return share
