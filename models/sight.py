"""What an agent with CLIP knows of a deck: every card as a vector, and any text beside them."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dixit_env.decks.deck import Deck
from dixit_env.models.own_files import OWN

if TYPE_CHECKING:
    from dixit_env.models.embeddings import DualEncoder

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

EYES_KEPT = 12  # sights of which more than vectors is kept: one for each seat of the largest table
KEPT = 50_000  # texts whose vectors are kept in memory; a server meets new clues for ever


def z_scores(similarity: Vectors | Floats) -> Floats:
    """Cosines of one or more clues with the whole deck, (…, cards), as z-scores over the deck."""
    values = similarity.astype(np.float64)
    deviation = values.std(-1, keepdims=True)
    return (values - values.mean(-1, keepdims=True)) / np.where(deviation > 0, deviation, 1.0)


class Sight:
    """A deck seen through a CLIP that is loaded when first needed. Vectors of texts are kept: asking again is free."""

    def __init__(self, deck: Deck, clip: str = "embedded") -> None:
        self.deck = deck
        self.clip_name = clip
        self.clear: Sight = self
        """the sight without noise of a seat's own"""
        self._texts: dict[str, Vectors] = {}

    @classmethod
    def load(cls, decks: Sequence[str] = ("dreams",), clip: str = "embedded") -> "Sight":
        """The named decks (or folders), combined, through the named CLIP; raises `DeckError`."""
        return cls(Deck.load(*decks), clip)

    @cached_property
    def clip(self) -> "DualEncoder":
        """The model; raises `SpecError` for an unknown name, `ClipUnavailable` when it can't be had."""
        if self.clip_name in OWN:
            from dixit_env.models.own_clip import OwnClip

            return OwnClip(self.clip_name)
        from dixit_env.models.clip import load_clip  # imports torch and open_clip, which takes seconds and 700 MB

        return load_clip(self.clip_name)

    @cached_property
    def cards(self) -> Vectors:
        """Unit vectors of the cards, (cards, dim)."""
        from dixit_env.models.embeddings import embed_deck

        return embed_deck(self.deck, self.clip)

    def own(self, vectors: Vectors) -> Vectors:
        """Other vectors of the cards, (cards, dim), as this seat knows them: here as they are."""
        return vectors

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, (n, dim); the new ones are embedded in one batch."""
        from dixit_env.models.embeddings import embed_texts

        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        if len(self._texts) + len(new) > KEPT:
            self._texts.clear()
            new = list(dict.fromkeys(texts))
        if new:
            self._texts.update(zip(new, embed_texts(new, self.clip, progress=len(new) > 500), strict=True))
        return np.stack([self._texts[text] for text in texts]) if texts else np.empty((0, self.clip.dim), np.float32)

    def similarity(self, texts: Sequence[str]) -> Vectors:
        """Cosines of texts and cards, (n, cards)."""
        return self.texts(texts) @ self.cards.T
