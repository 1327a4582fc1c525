"""Which card is the storyteller's? A belief from how far each card on the table stands out from the deck.

A storyteller of plainness μ chooses card and clue so that the card's z-score is about μ; plainness 0 is a storyteller
whose clues say nothing. Decoys stand out too, because a sharp player gives the best match of a hand of six. The belief
in a card is therefore a likelihood ratio: the density of its z-score as the storyteller's card, over that as a decoy.
It need not favour the best match: a card that hardly fits the clue is unlikely to have been chosen as a decoy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dixit_env.agents.clip.voter_kinds import Floats

# The grid and the width of each step are chosen: wide enough that neighbours overlap, wider where the steps are.
PLAINNESS: Floats = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])  # (M,) means of the z-score
_WIDTH: Floats = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])  # (M,) standard deviations
_FLOOR = 1e-9  # chosen: no z-score is impossible
_LOGISTIC = 1.702  # known: the logistic function of 1.702 z is within .01 of the normal distribution function
_GRID: Floats = np.linspace(-6, 9, 301)  # z-scores at which log odds are tabulated


def target_density(z: Floats) -> Floats:
    """Density of the z-score of a storyteller's card, for each plainness: (…) → (…, M)."""
    return np.exp(-0.5 * ((z[..., None] - PLAINNESS) / _WIDTH) ** 2) / _WIDTH + _FLOOR


def best_match_ratio(z: Floats, choice: float) -> Floats:
    """Likelihood ratio of a card that is the best match of `choice` cards against any card of the deck: (…) → (…)."""
    below = 1 / (1 + np.exp(-_LOGISTIC * np.clip(z, -8, 8)))  # share of a normal deck with a lower z-score
    return choice * below ** (choice - 1)


@dataclass(frozen=True, eq=False)
class Storyteller:
    """What the table knows of a storyteller and of those who give decoys; all of it is public."""

    plainness: Floats  # (M,) probabilities over the grid of plainness
    best_decoys: float  # the share of givers who give their best match
    choice: float  # cards that each of them chose a decoy from: hand / cards given

    def likelihood_ratio(self, z: Floats) -> Floats:
        """How much likelier a z-score is for the storyteller's card than for any card of the deck: (…) → (…)."""
        density = target_density(z)
        return density @ self.plainness / density[..., 0]

    def log_odds(self, z: Floats) -> Floats:
        """The log of how likely a card on the table is the storyteller's, up to a constant: (…) → (…)."""
        return np.interp(z, _GRID, self._table)

    @cached_property
    def _table(self) -> Floats:
        decoy = self.best_decoys * best_match_ratio(_GRID, self.choice) + 1 - self.best_decoys
        return np.log(self.likelihood_ratio(_GRID)) - np.log(np.maximum(decoy, 1e-3))


def target_belief(z: Floats, own: Sequence[int], storyteller: Storyteller) -> Floats:
    """The probability that each slot holds the storyteller's card: z-scores (slots,) → (slots,), 0 on own slots."""
    log_odds = storyteller.log_odds(z)
    odds = np.exp(log_odds - log_odds.max())
    odds[list(own)] = 0.0
    return odds / odds.sum()
