"""Rows of every clue benchmark that no agent plays: an attack without meaning, and clues that surely mean something.

| row | its clue |
|---|---|
| `nonsense` | the one of many invented strings that the main panel's own eyes place best on a card of its hand |
| `title` | the title of a card, or its caption where the deck has no titles |
| `tags` | two words that go with a card |
| `viewers` | what somebody who saw only the picture wrote for it |

A benchmark that `nonsense` gains by measures a code. One that the others gain nothing by measures nothing.
"""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np

from dixit_env.agents.base import Player, legal_clues
from dixit_env.agents.vocabulary import known_words
from dixit_env.bench.clues.panels import Eye
from dixit_env.bench.viewers.measure import clues_for
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import SpecError
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.languages import LANGUAGES
from dixit_env.table.play import Decision

ROWS = ("nonsense", "title", "tags", "viewers")
INVENTED = 1000  # strings in all, of which each deal has some; chosen
TRIED = 200  # strings for each deal; chosen
CONSONANTS, VOWELS = "bcdfghjklmnprstvwxz", "aeiou"


class NonsenseGiver(Player):
    """Looks for the string and the card of which the main panel would be half sure: some find it, but not all.

    Args:
        listeners: eyes and sharpness values of the main panel, whose lapses are the same for all strings. The eyes see
            every string, known words or not, which is the stronger attack.
    """

    name = "nonsense"

    def __init__(self, listeners: Sequence[tuple[Eye, float]]) -> None:
        self.texts = invented(INVENTED)
        self.logits = np.stack([sharpness * eye(self.texts) for eye, sharpness in listeners])  # (listeners, n, cards)

    def clue(self, view: View) -> Decision:
        """The best of the strings that this deal has."""
        hand = [move.card for move in legal_clues(view)]
        rows = self.rng.sample(range(len(self.texts)), TRIED)
        logits = self.logits[:, rows][:, :, hand]
        odds = np.exp(logits - logits.max(-1, keepdims=True))
        belief = (odds / odds.sum(-1, keepdims=True)).mean(0)  # (TRIED, hand)
        row, column = np.unravel_index(np.abs(belief - 0.5).argmin(), belief.shape)
        return Decision(GiveClue(hand[int(column)], self.texts[rows[int(row)]]))


class TextGiver(Player):
    """Tells a random card of its hand by a random one of the texts that belong to it.

    Args:
        name: of the row.
        texts: for each card of the deck.
    """

    def __init__(self, name: str, texts: Sequence[Sequence[str]]) -> None:
        self.name = name
        self.texts = texts

    def clue(self, view: View) -> Decision:
        """A card, then its text."""
        card = self.rng.choice(legal_clues(view)).card
        return Decision(GiveClue(card, self.rng.choice(self.texts[card])))


def invented(count: int) -> list[str]:
    """Different pronounceable strings of two or three syllables that are no words, such as "ixoo"."""
    rng, words = Random("invented"), known_words(LANGUAGES)
    found: dict[str, None] = {}
    while len(found) < count:
        syllables = rng.choice((2, 2, 3))
        text = "".join(_syllable(rng) for _ in range(syllables))
        if text not in words:
            found[text] = None
    return list(found)


def texts_for(row: str, deck: Deck) -> list[tuple[str, ...]]:
    """The texts of each card for a row of `ROWS` other than nonsense; raises `SpecError` that says what is missing."""
    if row == "viewers":
        if (written := clues_for(deck)) is None:
            raise SpecError(f"nobody who saw only the pictures wrote clues for the deck {deck.name}")
        return [tuple(one.clue for one in written[card.name] if one.measures == "evocative_en") for card in deck.cards]
    texts = [_title(card) if row == "title" else _tags(card) for card in deck.cards]
    if lacking := [card.name for card, told in zip(deck.cards, texts, strict=True) if not told]:
        raise SpecError(f"{len(lacking)} cards of the deck {deck.name} have no {row} in English ({lacking[0]}, …)")
    return texts


def rows_for(deck: Deck) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rows that this deck allows, and a sentence for each of the others."""
    rows, left_out = ["nonsense"], []
    for row in ROWS[1:]:
        try:
            texts_for(row, deck)
            rows.append(row)
        except SpecError as error:
            left_out.append(f"The row {row} is left out: {error}.")
    return tuple(rows), tuple(left_out)


def _title(card: Card) -> tuple[str, ...]:
    return tuple(text for text in (card.title.get("en") or card.captions.get("en"),) if text)


def _tags(card: Card) -> tuple[str, ...]:
    return tuple(" ".join(pair) for pair in combinations(card.tags.get("en", ()), 2))


def _syllable(rng: Random) -> str:
    start, end = rng.choice(("", rng.choice(CONSONANTS))), rng.choice(("", rng.choice(VOWELS), rng.choice(CONSONANTS)))
    return start + rng.choice(VOWELS) + end
