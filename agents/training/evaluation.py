"""How often the learner wins against scripted agents, measured on paired games.

Every other seat is the learner's, the rest play one scripted agent; the same deals are played a second time with the
seats exchanged. The share of the victories that falls to the learner's seats is one half between equals.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from agents.training.opponents import Opponent
from agents.training.ppo import SeenHook
from agents.training.scripted import Knowledge, Moment
from dixit_env.envs.batch import BatchedGame
from models.policy import Encoder, Policy


@dataclass(frozen=True, slots=True)
class WinShare:
    """A mean over deals with its 95 % interval."""

    win_share: float
    low: float
    high: float


@torch.no_grad()
def evaluate(
    policy: Policy,
    encoder: Encoder,
    knowledge: Knowledge,
    opponent: Opponent,
    deals: int,
    observe: SeenHook | None = None,
    seed: int = 0,
) -> WinShare:
    """Play two games on each deal, with the most probable move of the policy in every second seat."""
    players = encoder.spaces.rules.players
    seats = torch.arange(players, device=encoder.device)
    shares = torch.stack(
        [_play(policy, encoder, knowledge, opponent, deals, observe, seed, seats % 2 == half) for half in (0, 1)]
    ).mean(0)
    mean = float(shares.mean())
    margin = 1.96 * float(shares.std()) / sqrt(deals)
    return WinShare(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def _play(
    policy: Policy,
    encoder: Encoder,
    knowledge: Knowledge,
    opponent: Opponent,
    deals: int,
    observe: SeenHook | None,
    seed: int,
    mine: Tensor,
) -> Tensor:
    """(deals,) the share of each victory that falls to the seats `mine` (P,) bool."""
    rules, clip, device = encoder.spaces.rules, encoder.spaces.clip, encoder.device
    game = BatchedGame(deals, rules.players, encoder.rules, clip=clip, device=device, seed=seed)
    generator = torch.Generator(device).manual_seed(seed + 1)
    share = torch.full((deals,), torch.nan, device=device)
    while share.isnan().any():
        phase, choices, playing = game.phase, encoder.choices[game.phase], list(game.seats)
        observation = game.observe().flatten(0, 1)
        legal = encoder.legal(game.masks().flatten(0, 1), phase)
        seen = encoder(observation, phase)
        hand = encoder.hand(observation)
        theirs = opponent(Moment(phase, seen, hand, legal, choices, knowledge, generator))
        log_probs, _ = policy(observe(seen) if observe else seen, phase, choices, legal)
        chosen = torch.where(mine[playing], log_probs.argmax(1).view(deals, -1), theirs.view(deals, -1))
        step = game.step(chosen + game.spaces.first[phase])
        won = step.scores == step.scores.amax(dim=1, keepdim=True)
        falls = (won & mine).sum(1) / won.sum(1)
        share = torch.where(step.over & share.isnan(), falls, share)
    return share
