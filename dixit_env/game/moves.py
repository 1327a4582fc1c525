"""The three things a seat can do: which are legal, and how they look as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from numbers import Integral
from typing import Any
from unicodedata import category

from dixit_env.errors import IllegalMove


@dataclass(frozen=True, slots=True)
class GiveClue:
    """The storyteller's move: a card of the hand, and the clue as text."""

    card: int
    clue: str


@dataclass(frozen=True, slots=True)
class PlayCards:
    """Another player's decoy: one card of the hand (two with three players), in any order."""

    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CastVotes:
    """The slots that a voter's dials show, counted from 0, in any order: `(2, 2)` stacks, `(1, 2)` spreads."""

    slots: tuple[int, ...]


Move = GiveClue | PlayCards | CastVotes

MAX_CLUE = 300
"""Characters in a clue. Chosen: the rulebooks set no limit; this one only keeps floods out of prompts and records."""

MOST_NUMBERS = 100
"""Numbers that are read from a list in a move. Chosen: far above any hand, and a huge list costs nothing."""


def plain_move(move: object) -> Move:
    """The move with exact Python values in it: `int`, `str` and tuples.

    Whole numbers of other types (numpy's, a tensor's) and lists or arrays of them are converted. Raises `IllegalMove`
    for what is no move, and for values that would have to be guessed: booleans, floats, texts in place of numbers.
    """
    kind = type(move)
    try:
        if kind is CastVotes and _exact(move.slots):  # type: ignore[attr-defined]
            return move  # type: ignore[return-value]
        if kind is PlayCards and _exact(move.cards):  # type: ignore[attr-defined]
            return move  # type: ignore[return-value]
        if kind is GiveClue and type(move.card) is int and type(move.clue) is str:  # type: ignore[attr-defined]
            return move  # type: ignore[return-value]
        return _converted(move)
    except IllegalMove:
        raise
    except Exception as error:  # an agent's own number or list type may raise anything
        raise IllegalMove(f"the move can't be read: {type(error).__name__} from {shown(move)}") from error


def whole_number(value: object) -> int | None:
    """The `int` that a value of any whole-number type stands for; None for everything else, booleans included."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    return int(value)


def numbers_in(move: Move) -> tuple[int, ...]:
    """The numbers of a move: its card, its cards or its slots."""
    match move:
        case GiveClue(card, _):
            return (card,)
        case PlayCards(cards):
            return cards
        case CastVotes(slots):
            return slots


def move_to_json(move: Move, cards: Sequence[str]) -> dict[str, Any]:
    """A move as a JSON value, cards by their ids: `card` and `clue`, or `cards`, or `slots`."""
    match move:
        case GiveClue(card, clue):
            return {"card": cards[card], "clue": clue}
        case PlayCards(given):
            return {"cards": [cards[card] for card in given]}
        case CastVotes(slots):
            return {"slots": list(slots)}


def move_from_json(value: Mapping[str, Any], numbers: Mapping[str, int]) -> Move:
    """The inverse of `move_to_json`; `numbers` are the card numbers by id. Raises `KeyError` where one is missing."""
    if "clue" in value:
        return GiveClue(numbers[value["card"]], value["clue"])
    if "cards" in value:
        return PlayCards(tuple(numbers[card] for card in value["cards"]))
    return CastVotes(tuple(value["slots"]))


def clue_fault(clue: str) -> str:
    """What is wrong with a clue, or "". Any visible text of 1 to `MAX_CLUE` characters on one line is right.

    A word, a sentence, a quotation or a sound (Odyssey en l. 52 and 117), so a single character is enough.
    """
    if len(clue) > MAX_CLUE:
        return f"the clue has {len(clue)} characters: {MAX_CLUE} are the limit"
    return _text_fault(clue)


@lru_cache(maxsize=4096)
def _text_fault(clue: str) -> str:
    kinds = {category(character) for character in clue}
    if kinds & {"Cc", "Cs", "Zl", "Zp"}:
        return "the clue has a line break or a control character: write it on one line"
    if not any(kind[0] in "LMNPS" for kind in kinds):
        return "the clue is empty: say a word, a phrase or a sound"
    return ""


@lru_cache(maxsize=4096)
def _clue(card: int, clue: str) -> GiveClue:
    return GiveClue(card, clue)


def legal_clues(cards: tuple[int, ...], clue: str) -> tuple[GiveClue, ...]:
    """The clue with each card of a hand."""
    return tuple([_clue(card, clue) for card in cards])


@cache
def _play(*cards: int) -> PlayCards:
    return PlayCards(cards)


def legal_plays(cards: tuple[int, ...], gives: int) -> tuple[PlayCards, ...]:
    """Every choice of `gives` cards of a hand (Odyssey en l. 52; two cards with three players: l. 155)."""
    if gives == 1:  # the usual case, and twice as fast
        return tuple(map(_play, cards))
    return tuple([_play(*choice) for choice in combinations(cards, gives)])


@lru_cache(maxsize=4096)
def legal_votes(slots: int, own: tuple[int, ...], least: int, most: int, may_stack: bool) -> tuple[CastVotes, ...]:
    """Every way to set the dials over slots 0 … slots − 1 without the own ones, each once, slots ascending.

    Two different cards or the same one twice (Odyssey en l. 62 and 63), never an own card (l. 65).
    """
    open_slots = [slot for slot in range(slots) if slot not in own]
    choose = combinations_with_replacement if may_stack else combinations
    return tuple(CastVotes(vote) for dials in range(least, most + 1) for vote in choose(open_slots, dials))


def shown(value: object) -> str:
    """A value for an error message: at most 80 characters, whatever its `repr` does."""
    try:
        text = repr(value)
    except Exception:  # an agent's own class may raise anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _converted(move: object) -> Move:
    match move:
        case GiveClue():
            card = whole_number(move.card)
            if card is None:
                raise IllegalMove(f"card {shown(move.card)} is not in the hand: cards are whole numbers")
            if not isinstance(move.clue, str):
                raise IllegalMove(f"a clue is text, not {shown(move.clue)}")
            return GiveClue(card, str.__str__(move.clue))  # the exact text, also of a subclass
        case PlayCards():
            return PlayCards(_whole_numbers(move.cards, "cards"))
        case CastVotes():
            return CastVotes(_whole_numbers(move.slots, "slots"))
    raise IllegalMove(f"a move is a GiveClue, PlayCards or CastVotes, not {shown(move)}")


def _exact(values: object) -> bool:
    if type(values) is not tuple:
        return False
    for value in values:  # noqa: SIM110  # asked of every move, and `all` takes twice as long for two values
        if type(value) is not int:
            return False
    return True


def _whole_numbers(values: object, what: str) -> tuple[int, ...]:
    """The whole numbers in a tuple, list or array."""
    given = shown(values)
    if hasattr(values, "tolist"):  # an array or a tensor
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or len(values) > MOST_NUMBERS:
        raise IllegalMove(f"{what} are a tuple of whole numbers, not {given}")
    numbers = [whole_number(value) for value in values]
    exact = tuple([number for number in numbers if number is not None])
    if len(exact) < len(numbers):
        raise IllegalMove(f"{what} are whole numbers, not {given}")
    return exact
