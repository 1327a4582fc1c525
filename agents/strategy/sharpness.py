"""Choices among cards as softmaxes of unknown sharpness, learned from what a seat does.

A chooser of sharpness β takes card i with probability ∝ exp(β z_i), where z is the similarity of clue and card in
standard deviations over the deck, so that the grid fits any CLIP. β = 0 is blind chance, the last entry nearly the
argmax. What is known of a chooser is a weight for each entry; the mean over the grid is a calibrated belief,
because it keeps the doubt about the sharpness.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARPNESS: Floats = np.array([0.0, 0.4, 0.8, 1.5, 3.0, 6.0, 15.0])  # (K,)
SHARP_GIVER = 0.6  # from this sharpness on, a player's decoy is taken to be the best match of the hand


def standard(similarity: NDArray[np.float32]) -> Floats:
    """Cosines of one or more clues with the whole deck, (…, cards), in standard deviations over the deck."""
    values = similarity.astype(np.float64)
    spread = values.std(-1, keepdims=True)
    return (values - values.mean(-1, keepdims=True)) / np.where(spread > 0, spread, 1.0)


def choices(z: Floats, grid: Floats = SHARPNESS) -> Floats:
    """What choosers of every sharpness take: z (…, n) → probabilities (…, K, n). A z of -inf is never taken."""
    logits = np.where(np.isinf(z)[..., None, :], -np.inf, grid[:, None] * np.where(np.isinf(z), 0, z)[..., None, :])
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return odds / odds.sum(-1, keepdims=True)


def learned(weights: Floats, likelihood: Floats) -> Floats:
    """Bayes: weights (K,) after a choice that an entry of the grid makes with probability `likelihood` (K,)."""
    after = weights * likelihood
    return after / after.sum()
