"""A listener that remembers: the new clue is compared with every past one by sentence vectors."""

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Scores
from dixit_env.bench.listeners.rounds import Rounds
from dixit_env.models.sentences import sentence_vectors

SHARPNESS = 10.0  # of the softmax over past clues


def past_clues(history: Rounds) -> Scores:
    """MiniLM and a softmax over past clues: a card's score is the weight of the clues that were told about it."""
    past = sentence_vectors(history.clues, "minilm")
    told = history.by_card(history.is_target)  # (past, deck)

    def scores(rounds: Rounds) -> NDArray[np.float64]:
        weights = np.exp(SHARPNESS * (sentence_vectors(rounds.clues, "minilm") @ past.T - 1))  # (n, past)
        return rounds.by_slot(np.log(weights @ told + 1e-9))

    return scores
