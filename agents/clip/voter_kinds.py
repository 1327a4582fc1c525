"""How voters choose among cards, as a grid of kinds of voters, with Bayes' rule for what their votes tell.

Most kinds are softmaxes of a sharpness β: card i is taken with probability ∝ exp(β z_i), where z is the z-score of the
card's similarity to the clue, so that the grid fits any CLIP. β = 0 is blind chance, the largest nearly the argmax. The
last kinds weigh instead how likely each card is the storyteller's (`storyteller.Storyteller.log_odds`), as the CLIP
agent does. What is known of a voter is a probability for each kind.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Luck = NDArray[np.float32]  # random numbers from 0 to 1, drawn by the caller from the stream of its seat

# Both grids are chosen: from random votes to nearly the argmax, in steps of about a factor of two.
SHARPNESS: Floats = np.array([0.0, 0.4, 0.8, 1.5, 3.0, 6.0, 15.0])
LOG_ODDS_WEIGHTS: Floats = np.array([1.0, 4.0])  # 1: votes in proportion to its belief; 4: nearly always the likeliest
KINDS = len(SHARPNESS) + len(LOG_ODDS_WEIGHTS)  # K


def choice_logits(z: Floats, log_odds: Floats, axis: int = -1) -> Floats:
    """Logits by which each kind of voter chooses: z-scores (…) and log odds (…) of cards → (…, K).

    The axis of the kinds may be another than the last, counted from the end.
    """

    def times(weights: Floats, values: Floats) -> Floats:
        return weights.astype(values.dtype).reshape(-1, *[1] * (-1 - axis)) * np.expand_dims(values, axis)

    return np.concatenate([times(SHARPNESS, z), times(LOG_ODDS_WEIGHTS, log_odds)], axis)


def softmax(logits: Floats) -> Floats:
    """Softmax over the cards: logits (…, cards, K) → probabilities (…, cards, K). A logit of -inf is never taken."""
    odds = np.exp(logits - logits.max(-2, keepdims=True))
    return odds / odds.sum(-2, keepdims=True)


def posterior(prior: Floats, likelihood: Floats) -> Floats:
    """Bayes' rule over a grid: prior probabilities and likelihoods of what was seen, both (…, K) → (…, K)."""
    joint = prior * likelihood
    return np.asarray(joint / joint.sum(-1, keepdims=True))
