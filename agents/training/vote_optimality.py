"""Does a policy spread its two dials where the rule for its objective does?

With p₁ ≥ p₂ the chances of the two likeliest cards, A the chance that all other dials are on the first when it is the
storyteller's, and Z₂ the chance that none is on the second when that is, a voter gains more points by spreading when
p₁ · (3 − 2A) < p₂ · (3 − 2Z₂). Here p, A and Z₂ are measured on turns that are played as in training, among the same
opponents.

For the difference to the others' mean the rule is never to spread. With V others, a second dial on the first card is
worth 3 + 1 / V or more when that card is the storyteller's: a dial elsewhere gives its owner a point, and turns "all"
into "some", which pays the others more than it pays oneself. It costs 3 + 1 / V or less when the second card is, and
nothing when another is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dixit_env.agents.training.opponents import sample
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.seeds import derived_seed, generator
from dixit_env.game.engine import Phase
from dixit_env.game.expectations import stacking_gain
from dixit_env.models.policy import MARKS

# All of these are chosen.
GAMES, TURNS = 512, 30  # some 15,000 turns, about 18,000 votes of the learner's
RATIOS = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)  # edges of the bins of p₁ / p₂
HITS = (0.0, 0.3, 0.5, 0.7, 1.0)  # edges of the bins of the other voters' hit rate
STEPS = 150  # of the fit of p
BINS = 25  # of p, for how often others find a card

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Spreading:
    """By the others' hit rate and p₁ / p₂, each (len(HITS) − 1, len(RATIOS) − 1)."""

    spread: Floats  # the policy's mean probability to spread
    rule: Floats  # the share of votes in which the rule for the objective spreads; for win, the rule for points
    counts: NDArray[np.int64]
    agrees: float  # the mean probability to do as the rule says
    lost: float  # points by doing otherwise, the mean over all votes; of the rule for points


def spreading(learner: Learner, seed: int = 0) -> Spreading:
    """Play and measure; for tables where dials can be stacked and spread."""
    votes = _play(learner, seed)
    target, spread = votes.target, votes.spread
    chance = _fitted(votes.marks, votes.own, target)  # (N, S)
    of_target = np.take_along_axis(chance, target[:, None], axis=1)[:, 0]
    best = -np.sort(-chance, axis=1)[:, :2]
    hit = _at(of_target, votes.on_target, best[:, 0])
    everybody = _at(of_target, (votes.on_target == 1).astype(float), best)  # (N, 2)
    nobody = _at(of_target, (votes.on_target == 0).astype(float), best)
    gain = -stacking_gain(learner.eval_task.spaces.rules, best, everybody, nobody)  # points by spreading
    rule = (gain > 0) & (learner.ppo.objective != "difference")
    otherwise = np.where(rule, 1 - spread, spread)
    column = np.digitize(best[:, 0] / np.maximum(best[:, 1], 1e-9), RATIOS) - 1
    row = np.clip(np.digitize(hit, HITS) - 1, 0, len(HITS) - 2)
    shape = (len(HITS) - 1, len(RATIOS) - 1)
    spreads, rules, counts = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, np.int64)
    for cell in np.ndindex(*shape):
        inside = (row == cell[0]) & (column == cell[1])
        counts[cell] = inside.sum()
        if counts[cell]:
            spreads[cell], rules[cell] = spread[inside].mean(), rule[inside].mean()
    return Spreading(spreads, rules, counts, float(1 - otherwise.mean()), float((otherwise * abs(gain)).mean()))


class Votes(NamedTuple):
    """N votes of the learner's; S slots."""

    marks: Tensor  # (N, S, MARKS) float32
    own: Tensor  # (N, S) bool
    target: NDArray[np.int64]  # (N,) the slot of the storyteller's card
    spread: Floats  # (N,) the policy's probability to put its dials on two cards
    on_target: Floats  # (N,) the share of the other voters' dials on the target


@torch.no_grad()
def _play(learner: Learner, seed: int) -> Votes:
    """Every vote of the learner's in TURNS turns of GAMES games."""
    task, pool, device = learner.eval_task, learner.pool, learner.device
    game = task.new_games(GAMES, derived_seed(seed, "vote optimality, deals"))
    choices_generator = generator(device, seed, "vote optimality, choices")
    kept: list[tuple[Tensor, ...]] = []
    for _ in range(3 * TURNS):
        phase, seats = game.phase, list(game.seats)
        if phase is Phase.CLUE:
            pool.assign_seats(GAMES, choices_generator)
        batch = task.decisions(game, game.observe(), game.masks(), choices_generator)
        choices = batch.choices
        inputs = learner.observe(batch.inputs) if learner.observe else batch.inputs
        log_probs, _ = learner.averaged_policy(inputs, phase, choices, batch.legal)
        sampled = sample(log_probs, choices_generator).view(GAMES, -1)
        chosen = pool.override(sampled, seats, batch)
        if phase is Phase.VOTES:
            target = game.slot_of[:, game.storyteller * game.rules.gives, None]  # (B, 1)
            dials = choices.count(chosen, target).float()  # (B, A)
            on_target = (dials.sum(1, keepdim=True) - dials) / (2 * (len(seats) - 1))
            spread = log_probs.exp()[:, choices.kind == 2].sum(1)
            items = batch.inputs.items
            own = items[..., MARKS] > 0
            votes = (items[..., :MARKS], own, target.expand_as(dials).flatten(), spread, on_target.flatten())
            is_learner = pool.learner_seats[:, seats].flatten()
            kept.append(tuple(values[is_learner] for values in votes))
        game.step(chosen + game.spaces.first[phase])
    marks, own, target, spread, on_target = (torch.cat(parts).cpu() for parts in zip(*kept, strict=True))
    return Votes(marks, own, target.numpy(), spread.numpy().astype(float), on_target.numpy().astype(float))


def _fitted(marks: Tensor, own: Tensor, target: NDArray[np.int64]) -> Floats:
    """(N, S) the chance of each slot to be the storyteller's, by a small network fitted to the marks on the table."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        width = 24
        item = nn.Sequential(
            nn.Linear(2 * MARKS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )
    features = torch.cat((marks, marks - marks.amax(1, keepdim=True)), dim=2)
    optimizer = torch.optim.Adam(item.parameters(), lr=0.01)
    truth = torch.as_tensor(target)
    for _ in range(STEPS):
        logits = item(features).squeeze(2).masked_fill(own, -torch.inf)
        loss = nn.functional.cross_entropy(logits, truth)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return logits.softmax(1).detach().numpy().astype(float)


def _at(chance: Floats, values: Floats, where: Floats) -> Floats:
    """The mean of `values` as a function of `chance`, from bins of equally many, read at `where`."""
    order = np.argsort(chance)
    middles, means = ([part.mean() for part in np.array_split(some[order], BINS)] for some in (chance, values))
    return np.interp(where, middles, means)
