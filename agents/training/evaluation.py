"""How often the learner wins against a scripted agent, measured on paired games.

Every other seat is the learner's, the rest play the scripted agent; the same deals are played a second time with the
seats exchanged. The share of the victories that falls to the learner's seats is one half between equals.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from agents.training.opponents import Opponent
from agents.training.ppo import Learner
from agents.training.scripted import Moment


@dataclass(frozen=True, slots=True)
class WinShare:
    """A mean over deals with its 95 % interval."""

    win_share: float
    low: float
    high: float


@torch.no_grad()
def evaluate(learner: Learner, opponent: Opponent, deals: int, seed: int) -> WinShare:
    """Play two games on each deal, with the most probable choice of the policy in every second seat."""
    seats = torch.arange(learner.ppo.players, device=learner.device)
    halves = [_play(learner, opponent, deals, seed, seats % 2 == half) for half in (0, 1)]
    shares = torch.stack(halves).mean(0)
    mean, margin = float(shares.mean()), 1.96 * float(shares.std()) / sqrt(deals)
    return WinShare(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def _play(learner: Learner, opponent: Opponent, deals: int, seed: int, mine: Tensor) -> Tensor:
    """(deals,) the share of each victory that falls to the seats `mine`, bool (P,)."""
    encoder, knowledge, device = learner.home.encoder, learner.home.knowledge, learner.device
    game = learner.home.deal(deals, seed)
    generator = torch.Generator(device).manual_seed(seed)
    share = torch.full((deals,), torch.nan, device=device)
    while share.isnan().any():
        phase, choices, playing = game.phase, encoder.choices[game.phase], list(game.seats)
        observation = game.observe().flatten(0, 1)
        legal = encoder.legal(game.masks().flatten(0, 1), phase)
        seen = encoder(observation, phase)
        hand = encoder.hand(observation)
        theirs = opponent(Moment(phase, seen, hand, legal, choices, knowledge, generator))
        read = learner.observe(seen) if learner.observe else seen
        ours = learner.learned(read, phase, choices, legal)[0].argmax(1)
        chosen = torch.where(mine[playing], ours.view(deals, -1), theirs.view(deals, -1))
        step = game.step(chosen + game.spaces.first[phase])
        won = step.scores == step.scores.amax(dim=1, keepdim=True)
        falls = (won & mine).sum(1) / won.sum(1)
        share = torch.where(step.over & share.isnan(), falls, share)
    return share
