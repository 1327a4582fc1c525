"""Which card is the storyteller's? What it tells that one card stands out so far, and the decoys so far.

A storyteller of plainness μ chooses card and clue so that the card stands out from the deck by about μ standard
deviations; plainness 0 is a storyteller whose clues say nothing. Decoys are another matter: a sharp player gives the
best match of a hand of six, so decoys stand out too, and a card that does not is likely the card of somebody who had
no choice: the storyteller. The belief is the ratio of both densities. It need not favour the best match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dixit_env.agents.clip.sharpness import Floats

PLAINNESS: Floats = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])  # (M,) means in standard deviations
_WIDTH: Floats = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])
_TAIL = 1e-9
_GRID: Floats = np.linspace(-6, 9, 301)


def telling(z: Floats) -> Floats:
    """Density of a storyteller's card standing out by z, for each plainness: (…) → (…, M)."""
    return np.exp(-0.5 * ((z[..., None] - PLAINNESS) / _WIDTH) ** 2) / _WIDTH + _TAIL


def best_of(z: Floats, choice: float) -> Floats:
    """How much likelier than any card of the deck a card is the best match of `choice` cards: (…) → (…)."""
    below = 1 / (1 + np.exp(-1.702 * np.clip(z, -8, 8)))  # the share of a normal deck that stands out less, nearly
    return choice * below ** (choice - 1)


@dataclass(frozen=True, eq=False)
class Teller:
    """What the table knows of a storyteller and of those who give decoys; all of it is public."""

    weights: Floats  # (M,) over the grid of plainness
    sharp: float  # the share of givers who give their best match
    choice: float  # cards that each of them chose a decoy from: hand / cards given

    def lead(self, z: Floats) -> Floats:
        """How much likelier than any card of the deck a card is the storyteller's: (…) → (…)."""
        return telling(z) @ self.weights / telling(z)[..., 0]

    def log_odds(self, z: Floats) -> Floats:
        """The log of how likely a card on the table is the storyteller's, up to a constant: (…) → (…)."""
        return np.interp(z, _GRID, self._table)

    @cached_property
    def _table(self) -> Floats:
        decoy = self.sharp * best_of(_GRID, self.choice) + 1 - self.sharp
        return np.log(self.lead(_GRID)) - np.log(np.maximum(decoy, 1e-3))


def belief(z: Floats, own: Sequence[int], teller: Teller) -> Floats:
    """The chance that each slot holds the storyteller's card: z (slots,) → (slots,), 0 on own slots."""
    log_odds = teller.log_odds(z)
    odds = np.exp(log_odds - log_odds.max())
    odds[list(own)] = 0.0
    return odds / odds.sum()
