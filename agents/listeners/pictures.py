"""A listener that looks at the cards."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Listener, Scores
from dixit_env.bench.listeners.rounds import Rounds

Floats = NDArray[np.float64]


def picture_listener(similarity: Callable[[Sequence[str]], Floats], scale: float = 100.0) -> Listener:
    """CLIP's cosine of clue and picture, (n, deck), times `scale`; it learns nothing from past rounds."""

    def fit(history: Rounds) -> Scores:
        return lambda rounds: rounds.by_slot(scale * similarity(rounds.clues))

    return fit
