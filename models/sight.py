"""What an agent with CLIP knows of a deck: every card as a vector, and any text beside them."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dixit_env.deck import Deck
from models.clip import Clip, load_clip
from models.embeddings import embed_deck, embed_texts

Vectors = NDArray[np.float32]


class Sight:
    """A deck seen through a CLIP. Vectors of texts are kept, so asking again costs nothing."""

    def __init__(self, deck: Deck, clip: Clip) -> None:
        self.deck = deck
        self.clip = clip
        self._texts: dict[str, Vectors] = {}

    @classmethod
    def load(cls, decks: Sequence[str] = ("dreams",), clip: str = "embedded") -> "Sight":
        """The named decks (or folders), combined, through the named CLIP; raises `DeckError`, `SpecError`."""
        return cls(Deck.load(*decks), load_clip(clip))

    @cached_property
    def cards(self) -> Vectors:
        """Unit vectors of the cards, (cards, dim)."""
        return embed_deck(self.deck, self.clip)

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, (n, dim); the new ones are embedded in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        if new:
            self._texts.update(zip(new, embed_texts(new, self.clip), strict=True))
        return np.stack([self._texts[text] for text in texts]) if texts else np.empty((0, self.clip.dim), np.float32)

    def similarity(self, texts: Sequence[str]) -> Vectors:
        """Cosines of texts and cards, (n, cards)."""
        return self.texts(texts) @ self.cards.T
