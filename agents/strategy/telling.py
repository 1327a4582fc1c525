"""Which card is the storyteller's? What it tells that one card stands out so far, and the decoys so far.

A storyteller of plainness μ chooses card and clue so that the card stands out from the deck by about μ standard
deviations; plainness 0 is a storyteller whose clues say nothing. Decoys are another matter: a sharp player gives the best
match of a hand of six, so decoys stand out too, and a card that does not is likely the card of somebody who had no choice:
the storyteller. The belief is the ratio of both densities. It need not favour the best match.
"""

from collections.abc import Sequence

import numpy as np

from agents.strategy.sharpness import Floats

PLAINNESS: Floats = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])  # (M,) means in standard deviations
_WIDTH: Floats = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])
_TAIL = 1e-9


def telling(z: Floats) -> Floats:
    """Density of a storyteller's card standing out by z, for each plainness: (…) → (…, M)."""
    return np.exp(-0.5 * ((z[..., None] - PLAINNESS) / _WIDTH) ** 2) / _WIDTH + _TAIL


def leads(z: Floats, weights: Floats) -> Floats:
    """How much likelier than any card of the deck a card with z is the storyteller's: (…) → (…)."""
    return telling(z) @ weights / telling(z)[..., 0]


def belief(z: Floats, own: Sequence[int], weights: Floats, sharp: float, choice: float) -> Floats:
    """The chance that each slot holds the storyteller's card: z (slots,) → (slots,), 0 on own slots.

    `weights` (M,) is what is known of the storyteller's plainness, `sharp` the share of players who give their best
    match, `choice` the cards that each of them chose a decoy from (hand / cards given).
    """
    decoy = sharp * choice * _below(z) ** (choice - 1) + 1 - sharp
    odds = leads(z, weights) / np.maximum(decoy, 1e-3)
    odds[list(own)] = 0.0
    return odds / odds.sum()


def _below(z: Floats) -> Floats:
    """The share of a normal deck that stands out less, by the logistic approximation of the normal distribution."""
    return 1 / (1 + np.exp(-1.702 * np.clip(z, -8, 8)))
