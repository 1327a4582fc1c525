"""Listeners that need no model: chance, the cards' own popularity, and the words of past clues."""

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Scores
from dixit_env.bench.listeners.rounds import Rounds

Floats = NDArray[np.float64]


def uniform(history: Rounds) -> Scores:
    """Every card alike."""
    return lambda rounds: rounds.by_slot(np.zeros(history.deck))


def prior(history: Rounds) -> Scores:
    """How often a card that was shown was the storyteller's, whatever the clue."""
    told, shown = history.by_card(history.is_target).sum(0), history.by_card(history.shown).sum(0)
    odds = np.log((told + 1) / (shown + 5))
    return lambda rounds: rounds.by_slot(odds)


def tfidf(history: Rounds) -> Scores:
    """A card is the text of its past clues; TF-IDF cosine of character n-grams with the new clue."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [""] * history.deck
    for clue, card in zip(history.clues, history.cards[history.is_target], strict=True):
        texts[card] += f" {clue}"
    vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    cards = vectoriser.fit_transform(texts)  # (deck, terms)

    def scores(rounds: Rounds) -> Floats:
        cosines = (vectoriser.transform(rounds.clues) @ cards.T).toarray()  # (n, deck)
        return rounds.by_slot(np.log(cosines + 0.01))

    return scores
