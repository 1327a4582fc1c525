"""What a listener believes of a card that it never met: one logit for all such cards, fitted on past rounds.

Without it a card with no history gets the least score there is, and the listener does worse than chance on new cards.
"""

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Listener, Scores
from dixit_env.bench.listeners.rounds import Rounds, folds

Floats = NDArray[np.float64]


def with_unknown_cards(listener: Listener) -> Listener:
    """The same listener with a fitted logit for cards that never lay on a table of its history.

    The logit is fitted on a fifth of the history that the listener hasn't learned from.
    """

    def fit(history: Rounds) -> Scores:
        learned, kept = next(folds(len(history), 5, seed=0))
        part = history[kept]
        return unknown_as(unknown_logit(listener(history[learned])(part), part), history, listener(history))

    return fit


def unknown_logit(logits: Floats, rounds: Rounds) -> float:
    """The logit with which a card is the likeliest on its table as often as cards are on average: once in n.

    It is found by hiding each card on each table in turn. `logits`, (n, SLOTS), are of rounds that the listener hasn't
    learned from.
    """
    rows, slots = np.nonzero(rounds.shown)
    others = np.where(np.arange(logits.shape[1]) == slots[:, None], -np.inf, logits[rows])
    return float(np.quantile(others.max(1), len(rounds) / len(rows)))


def unknown_as(logit: float, history: Rounds, scores: Scores) -> Scores:
    """The scores with `logit` for every card that never lay on a table of `history`."""
    known = np.zeros(history.deck, bool)
    known[history.cards[history.shown]] = True
    return lambda rounds: np.where(rounds.shown & ~known[rounds.cards], logit, scores(rounds))
