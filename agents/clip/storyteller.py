"""Which card is the storyteller's? A belief from how far each card on the table stands out from the deck.

A storyteller of plainness μ chooses card and clue so that the card's z-score is about μ; plainness 0 is a storyteller
whose clues say nothing. Decoys stand out too, because a sharp player gives the best match of a hand of six. The belief
in a card is therefore a likelihood ratio: the density of its z-score as the storyteller's card, over that as a decoy.
It need not favour the best match: a card that hardly fits the clue is unlikely to have been chosen as a decoy.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.voter_kinds import Floats

Bools = NDArray[np.bool_]

# The grid and the width of each step are chosen: wide enough that neighbours overlap, wider where the steps are.
PLAINNESS: Floats = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])  # (M,) means of the z-score
_WIDTH: Floats = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])  # (M,) standard deviations
_FLOOR = 1e-9  # chosen: no z-score is impossible
_LOGISTIC = 1.702  # known: the logistic function of 1.702 z is within .01 of the normal distribution function
_LOW, _STEP = -6.0, 0.05
_GRID: Floats = _LOW + _STEP * np.arange(301)  # z-scores at which log odds are tabulated


def target_density(z: Floats) -> Floats:
    """Density of the z-score of a storyteller's card, for each plainness: (…) → (…, M)."""
    return np.exp(-0.5 * ((z[..., None] - PLAINNESS) / _WIDTH) ** 2) / _WIDTH + _FLOOR


def best_match_ratio(z: Floats, choice: float) -> Floats:
    """Likelihood ratio of a card that is the best match of `choice` cards against any card of the deck: (…) → (…)."""
    below = 1 / (1 + np.exp(-_LOGISTIC * np.clip(z, -8, 8)))  # share of a normal deck with a lower z-score
    return np.asarray(choice * below ** (choice - 1))


_GRID_DENSITY = target_density(_GRID)  # (301, M)


@dataclass(frozen=True, eq=False)
class Storyteller:
    """What the table knows of a storyteller and of those who give decoys; all of it is public.

    With axes in front, those of as many tables.
    """

    plainness: Floats  # (…, M) probabilities over the grid of plainness
    best_decoys: float | Floats  # (…) the share of givers who give their best match
    choice: float  # cards that each of them chose a decoy from: hand / cards given

    def likelihood_ratio(self, z: Floats) -> Floats:
        """How much likelier a z-score is for the storyteller's card than for any card of the deck: (…, n) → (…, n)."""
        return self._ratio(target_density(z))

    def log_odds(self, z: Floats) -> Floats:
        """The log of how likely a card on the table is the storyteller's, up to a constant: (…, n) → (…, n).

        Interpolated in a table, in the precision of `z`. For one table `z` may have any shape.
        """
        table = self._table.astype(z.dtype)
        step = np.clip((z - _LOW) / _STEP, 0, len(_GRID) - 1)
        left = np.minimum(np.floor(step), len(_GRID) - 2)
        starts = len(_GRID) * np.arange(table.size // len(_GRID))  # of the rows in the flat table
        index = left.astype(np.intp) + starts.reshape(*table.shape[:-1], *[1] * (z.ndim - table.ndim + 1))
        flat = table.ravel()
        before = flat[index]
        return np.asarray(before + (step - left) * (flat[index + 1] - before))

    def _ratio(self, density: Floats) -> Floats:
        """The likelihood ratio of densities (…, n, M) for each plainness, (…, n)."""
        return np.asarray((density @ self.plainness[..., None])[..., 0] / density[..., 0])

    @cached_property
    def _table(self) -> Floats:
        """The log odds on the grid, (…, 301)."""
        best = np.asarray(self.best_decoys)[..., None]
        decoy = best * best_match_ratio(_GRID, self.choice) + 1 - best
        return np.asarray(np.log(self._ratio(_GRID_DENSITY)) - np.log(np.maximum(decoy, 1e-3)))


def target_belief(log_odds: Floats, own: Bools) -> Floats:
    """The probability that each slot holds the storyteller's card, 0 on own slots: log odds (…, slots) and which slots
    are own (…, slots) → (…, slots)."""
    odds = np.where(own, 0.0, np.exp(log_odds - log_odds.max(-1, keepdims=True)))
    return np.asarray(odds / odds.sum(-1, keepdims=True))
