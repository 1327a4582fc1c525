"""How voters choose among cards, as a grid of kinds, and what is learned of a voter from what it does.

Most kinds are softmaxes of a sharpness β: card i is taken with probability ∝ exp(β z_i), where z is the similarity of
clue and card in standard deviations over the deck, so that the grid fits any CLIP. β = 0 is blind chance, the largest
nearly the argmax. The last kinds are readers: they weigh how likely each card is the storyteller's
(`telling.Teller.log_odds`), as the CLIP agent does. What is known of a voter is a weight for each kind; the mean over
the kinds keeps the doubt.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARPNESS: Floats = np.array([0.0, 0.4, 0.8, 1.5, 3.0, 6.0, 15.0])
READING: Floats = np.array([1.0, 4.0])
KINDS = len(SHARPNESS) + len(READING)  # K


def standard(similarity: NDArray[np.float32]) -> Floats:
    """Cosines of one or more clues with the whole deck, (…, cards), in standard deviations over the deck."""
    values = similarity.astype(np.float64)
    spread = values.std(-1, keepdims=True)
    return (values - values.mean(-1, keepdims=True)) / np.where(spread > 0, spread, 1.0)


def appeal(z: Floats, log_odds: Floats) -> Floats:
    """How cards draw each kind of voter, as logits: (…) and (…) → (…, K)."""
    return np.concatenate([z[..., None] * SHARPNESS, log_odds[..., None] * READING], -1)


def choices(logits: Floats) -> Floats:
    """Softmax over cards: logits (…, n, K) → probabilities (…, n, K). A logit of -inf is never taken."""
    odds = np.exp(logits - logits.max(-2, keepdims=True))
    return odds / odds.sum(-2, keepdims=True)


def learned(weights: Floats, likelihood: Floats) -> Floats:
    """Bayes: weights after something that each kind does with the given likelihood, both (K,)."""
    after = weights * likelihood
    return after / after.sum()
