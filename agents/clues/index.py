"""The clue bank against a deck: every card's z-score for every clue. Computed once for a deck and a CLIP."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dixit_env.agents.clues.bank import load_bank
from dixit_env.models.sight import EYES_KEPT, Floats, Sight, z_scores
from dixit_env.words import card_words, content_words


class ClueIndex:
    """Clues of one or more languages over the cards of a sight."""

    def __init__(self, sight: Sight, langs: Sequence[str]) -> None:
        self.texts = tuple(dict.fromkeys(clue.text for clue in load_bank(langs)))
        self.z: Floats = z_scores(sight.similarity(self.texts))  # (clues, cards)
        self.by_card = np.argsort(-self.z, axis=0).T  # (cards, clues), best match first
        self._card_words = [card_words(card) for card in sight.deck.cards]
        self._clue_words = [content_words(text) for text in self.texts]

    def literal(self, clue: int, card: int) -> bool:
        """Does the clue name what the card's own title, tags or captions name?"""
        return bool(self._clue_words[clue] & self._card_words[card])


@lru_cache(maxsize=EYES_KEPT)
def clue_index(sight: Sight, langs: tuple[str, ...] = ("en",)) -> ClueIndex:
    """The index of a sight, shared by all agents of a process."""
    return ClueIndex(sight, langs)


@lru_cache(maxsize=8192)
def clue_z_scores(sight: Sight, clue: str) -> Floats:
    """The z-score of each card's similarity to a clue, over the deck, (cards,)."""
    return z_scores(sight.similarity([clue]))[0]
