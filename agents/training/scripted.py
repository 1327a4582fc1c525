"""The players that training meets beside the learner and its past.

`clip` is the agent of tournaments (`clip_seats`). `random` and `greedy` are one line each, so they are written anew for
tensors: their clues are of the ladders, and greedy reads the words of the cards too. The viewer stands for listeners
that are less sure than bots: it does what the prior of players expects (`HABITS`), which is fitted to guesses of a
vision–language model.
"""

from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dixit_env.agents.clip.agent import ClipOptions
from dixit_env.agents.clip.player_models import HABITS, PlayerModels
from dixit_env.agents.clip.storyteller import PLAINNESS, Storyteller
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits
from dixit_env.agents.training.clip_seats import ClipSeats
from dixit_env.agents.training.decisions import DecisionBatch, Opponent
from dixit_env.game.engine import Phase
from dixit_env.game.rules import TableRules

PENALTY = 1e3  # more than any two values of choices differ by: a choice that loses it comes after all others


def random(batch: DecisionBatch) -> Tensor:
    """Any legal choice."""
    return batch.best(batch.noise())


def greedy(batch: DecisionBatch) -> Tensor:
    """The most literal clue for any card, the best match as decoy, every dial on the best match."""
    if batch.phase is Phase.CLUE:
        values = batch.noise()
        values[:, :: batch.game.ladders.shape[2]] += 1
        return batch.best(values)
    return batch.best(batch.choices.total(batch.z))


clip = ClipSeats(ClipOptions())
"""The CLIP agent."""


def viewer(batch: DecisionBatch) -> Tensor:
    """A player drawn for each decision: for any card the clue that is nearest to its plainness; the best match or any
    card as decoy; a vote of its kind, whose choice is drawn too."""
    draw = batch.noise()
    if batch.phase is Phase.CLUE:
        rungs = batch.game.ladders.shape[2]
        card = draw[:, :1] * (draw.shape[1] // rungs)
        of_card = torch.arange(draw.shape[1], device=draw.device) // rungs == card.long()
        plainness = _drawn(PLAINNESS, HABITS.plainness, batch)
        return batch.best(-(batch.z - plainness[:, None]).abs() - PENALTY * ~of_card)
    if batch.phase is Phase.CARDS:
        return torch.where(draw[:, 0] < HABITS.giving, greedy(batch), random(batch))
    z = batch.z.cpu().numpy()
    by_kind = choice_logits(z, _teller(batch.game.rules).log_odds(z))  # (N, slots, K)
    kind = _drawn(np.arange(by_kind.shape[2]), HABITS.voting, batch)
    logits = torch.as_tensor(by_kind, device=draw.device).gather(2, kind[:, None, None].expand(-1, z.shape[1], 1))
    luck = torch.empty_like(logits[..., 0]).exponential_(generator=batch.generator)
    values = batch.choices.total(logits[..., 0] - luck.log())  # the best of these is drawn by the logits
    stacked, spread = HABITS.stacking
    spreads = draw[:, :1] >= stacked / (stacked + spread)
    return batch.best(values - torch.where(spreads & (batch.choices.kind < 2), PENALTY, 0.0))


def _drawn(values: NDArray[Any], chances: Floats, batch: DecisionBatch) -> Tensor:
    """(N,) values drawn with these chances, one for each decision."""
    weights = torch.as_tensor(chances, dtype=torch.float32, device=batch.place.device)
    drawn = torch.multinomial(weights, len(batch.place), replacement=True, generator=batch.generator)
    return torch.as_tensor(values, device=drawn.device)[drawn]


@cache
def _teller(rules: TableRules) -> Storyteller:
    """A storyteller of whom nothing is known."""
    return PlayerModels(rules.players).storyteller(0, rules)


SCRIPTED: dict[str, Opponent] = {"random": random, "greedy": greedy, "clip": clip, "viewer": viewer}
