"""How clues read to people, as far as a bot can know.

A storyteller who takes the best of thousands of clues by one reader takes those where that reader errs most: the
winner's curse. So a clue is read in several ways whose errors differ, and what counts is the mean of its z-scores: the
less the ways agree, the less the clue says of any card.

1. the clue beside the pictures,
2. the clue beside words: the captions of the cards, or the names of what the CLIP sees on cards without captions,
3. beside the pictures everything that the clue bank holds of the same thing, taken together: the errors of single clues
   cancel. Nothing vouches so for a clue that is no known association; there all cards are alike.

What the bank holds of a thing, beside words, told nothing more of viewers' beliefs than these three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clues.bank import KINDS, Clue, load_bank
from dixit_env.models.sight import EYES_KEPT, Floats, Sight, Vectors, z_scores
from dixit_env.words import card_words, content_words

NEAREST = 240  # clues of the bank that fit a card best, from which candidates are drawn
KEPT = 8192  # clues whose z-scores are kept; a server meets new ones for ever
_SEEN = 8  # names of what a card shows, the likeliest, that stand for its words where it has none


class Reads(Protocol):
    """What tells how a seat reads any clue."""

    def z(self, clue: str) -> Floats:
        """The z-score over the deck of each card, (cards,)."""
        ...


class Reading:
    """The ways in which a seat reads texts beside the cards of its deck."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._cards = np.stack([sight.cards, sight.own(_words(sight.clear))])  # (2, cards, dim)
        self._read: dict[str, Floats] = {}

    def ways(self, vectors: Vectors) -> Floats:
        """z-scores over the deck of text vectors (n, dim), beside pictures and beside words: (2, n, cards)."""
        return z_scores(vectors @ self._cards.transpose(0, 2, 1))

    def z(self, clue: str) -> Floats:
        """The z-score over the deck of each card for any clue, both ways taken together, (cards,). It is kept."""
        z = self._read.get(clue)
        if z is None:
            if len(self._read) >= KEPT:
                self._read.clear()
            z = self._read[clue] = z_scores(self.ways(self._sight.texts([clue])).mean(0))[0]
        return z


@lru_cache(maxsize=EYES_KEPT)
def reading(sight: Sight) -> Reading:
    """The reading of a sight, shared by all agents of a process."""
    return Reading(sight)


def read_z_scores(sight: Sight, clue: str) -> Floats:
    """`Reading.z` of a sight."""
    return reading(sight).z(clue)


@dataclass(frozen=True, eq=False)
class DeckBank:
    """The clue bank in one language beside a deck: what all eyes of a CLIP share."""

    texts: tuple[str, ...]  # (clues,)
    kinds: NDArray[np.str_]  # (clues,)
    names: NDArray[np.bool_]  # (clues, cards) which clues name what which cards show
    vectors: Vectors  # (clues, dim), of unit length
    of_the_same: Vectors  # (clues, dim) the mean of all clues of the same thing; zero where that isn't known

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each clue by its text."""
        return {text: number for number, text in enumerate(self.texts)}


def bank_ways(sight: Sight, lang: str) -> Floats:
    """The z-scores of the clues of the bank in each of the three ways, (3, clues, cards); the third is 0 where nothing
    vouches for a clue."""
    bank = deck_bank(sight.clear, lang)
    return np.concatenate([reading(sight).ways(bank.vectors), z_scores(bank.of_the_same @ sight.cards.T)[None]])


class ReadBank:
    """The clue bank as a seat reads it.

    Args:
        bank: the bank beside the deck.
        z: the mean of the z-scores in all three ways, (clues, cards).
    """

    def __init__(self, bank: DeckBank, z: NDArray[np.float32]) -> None:
        self.texts, self.numbers = bank.texts, bank.numbers
        self.z = z
        self._kinds, self._names = bank.kinds, bank.names
        self._nearest: dict[tuple[str, ...], NDArray[np.intp]] = {}

    def nearest(self, kinds: tuple[str, ...] = KINDS) -> NDArray[np.intp]:
        """Clues of these kinds that fit each card best, in no order: (cards, `NEAREST`), or as many as there are."""
        if kinds not in self._nearest:
            clues = np.flatnonzero(np.isin(self._kinds, kinds))
            best = min(NEAREST, len(clues))
            self._nearest[kinds] = clues[np.argpartition(-self.z[clues], best - 1, axis=0)[:best]].T
        return self._nearest[kinds]

    def literal(self, clues: NDArray[np.intp], cards: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which clues (n,) name what these cards (n,) show, (n,)."""
        return self._names[clues, cards]


@lru_cache(maxsize=EYES_KEPT)
def read_bank(sight: Sight, lang: str) -> ReadBank:
    """The bank as a sight reads it, shared by all agents of a process."""
    return ReadBank(deck_bank(sight.clear, lang), bank_ways(sight, lang).mean(0).astype(np.float32))


@lru_cache(maxsize=EYES_KEPT)
def deck_bank(sight: Sight, lang: str) -> DeckBank:
    """The bank in a language beside the deck of a sight, which is one without noise."""
    clues = load_bank((lang,))
    texts = tuple(clue.text for clue in clues)
    vectors = sight.texts(texts)
    shown = [card_words(card) for card in sight.deck.cards]
    names = np.array([[not words.isdisjoint(card) for card in shown] for words in map(content_words, texts)])
    kinds = np.array([clue.kind for clue in clues])
    return DeckBank(texts, kinds, names, vectors, _of_the_same(clues, vectors))


def _of_the_same(clues: Sequence[Clue], vectors: Vectors) -> Vectors:
    """For each clue the mean vector of all that are of the same thing, (clues, dim); zero where that isn't known."""
    rows: dict[str, list[int]] = {}
    for row, clue in enumerate(clues):
        for key in clue.of:
            rows.setdefault(key, []).append(row)
    mean = {key: vectors[of].mean(0) for key, of in rows.items()}
    together = np.zeros_like(vectors)
    for row, clue in enumerate(clues):
        if clue.of:
            together[row] = np.mean([mean[key] for key in clue.of], axis=0)
    return together


def _words(sight: Sight) -> Vectors:
    """What is written of each card, (cards, dim): the mean of its captions. Of a card without captions: the mean of the
    names of what the CLIP sees on it, the likelier the more."""
    cards = sight.deck.cards
    written = [row for row, card in enumerate(cards) if card.captions]
    bare = [row for row, card in enumerate(cards) if not card.captions]
    words = np.empty_like(sight.cards)
    for row in written:
        words[row] = sight.texts(list(cards[row].captions.values())).mean(0)
    if bare:
        named = sight.texts([clue.text for clue in load_bank() if clue.kind == "concrete"])
        logits = sight.clip.logit_scale * sight.cards[bare] @ named.T  # (cards, names)
        logits[logits < np.sort(logits, axis=1)[:, -_SEEN, None]] = -np.inf
        odds = np.exp(logits - logits.max(1, keepdims=True))
        words[bare] = odds / odds.sum(1, keepdims=True) @ named
    return words / np.linalg.norm(words, axis=1, keepdims=True)
