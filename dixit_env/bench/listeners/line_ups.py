"""Questions in the manner of DixitBench: a clue, six cards, which one is meant?

How hard a question is depends on the other five: they come from the third of the deck that is least like the card that
is meant (easy), from the middle third, or from the third most like it (hard), by the cosine of the cards' vectors.
"""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from dixit_env.decks.deck import Deck
from dixit_env.errors import DeckError

OPTIONS = 6
LEVELS = ("easy", "medium", "hard")
SMALLEST = 1 + len(LEVELS) * (OPTIONS - 1)  # a deck this large has enough cards for each level


class Question(TypedDict):
    """A clue, and cards of which one is meant."""

    id: str
    level: str  # one of LEVELS
    clue: str
    options: list[str]  # ids of the cards
    files: list[str]  # their names
    answer: int  # index into options


class LineUp(Question):
    """A question about a deck's own cards, OPTIONS of them; `files` are deck/file."""

    likeness: float  # mean cosine of the answer and the others


def line_ups(deck: Deck, vectors: NDArray[np.floating], seed: int, language: str = "en") -> list[LineUp]:
    """A question of each level for every card that has a title, which is the clue.

    Args:
        deck: the cards.
        vectors: unit vectors of the cards, (cards, dim).
        seed: of the choice and order of the options.
        language: of the titles.

    Raises `DeckError` for a deck that is too small or has no titles in that language.
    """
    if len(deck) < SMALLEST:
        raise DeckError(f"{deck.name} has {len(deck)} cards: line-ups of three levels need {SMALLEST}")
    titled = [number for number, card in enumerate(deck.cards) if card.title.get(language)]
    if not titled:
        raise DeckError(f"{deck.name} has no titles in {language!r}: line-ups need a cards.json with titles")
    rng = np.random.default_rng(seed)
    cosines = np.asarray(vectors @ vectors.T, np.float64)
    return [
        _line_up(deck, cosines[number], number, level, thirds, language, rng)
        for number in titled
        for level, thirds in enumerate(np.array_split(_from_unlike(cosines[number], number), len(LEVELS)))
    ]


def _from_unlike(cosines: NDArray[np.float64], number: int) -> NDArray[np.intp]:
    """The other cards, from the least like to the most like."""
    order = np.argsort(cosines, kind="stable")
    return order[order != number]


def _line_up(
    deck: Deck,
    cosines: NDArray[np.float64],
    number: int,
    level: int,
    third: NDArray[np.intp],
    language: str,
    rng: np.random.Generator,
) -> LineUp:
    others = rng.choice(third, OPTIONS - 1, replace=False)
    options = [int(card) for card in rng.permutation([number, *others])]
    card = deck.cards[number]
    return LineUp(
        id=f"{card.id}-{LEVELS[level]}",
        level=LEVELS[level],
        clue=card.title[language],
        options=[deck.cards[option].id for option in options],
        files=[deck.cards[option].name for option in options],
        answer=options.index(number),
        likeness=round(float(cosines[others].mean()), 4),
    )
