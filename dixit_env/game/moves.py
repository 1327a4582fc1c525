"""The three things a seat can do, and which of them are legal."""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from unicodedata import category


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

MAX_CLUE = 300  # characters; a bound against floods, far above any sentence


@lru_cache(maxsize=4096)
def clue_fault(clue: str) -> str:
    """What is wrong with a clue, or "". Any visible text of 1 to `MAX_CLUE` characters on one line is right."""
    kinds = {category(character) for character in clue}
    if len(clue) > MAX_CLUE:
        return f"the clue has {len(clue)} characters: {MAX_CLUE} are the limit"
    if kinds & {"Cc", "Cs", "Zl", "Zp"}:
        return "the clue has a line break or a control character: write it on one line"
    if not any(kind[0] in "LMNPS" for kind in kinds):
        return "the clue is empty: say a word, a phrase or a sound"
    return ""


@cache
def _play(*cards: int) -> PlayCards:
    return PlayCards(cards)


def legal_plays(cards: tuple[int, ...], gives: int) -> tuple[PlayCards, ...]:
    """Every choice of `gives` cards of a hand."""
    return tuple([_play(*choice) for choice in combinations(cards, gives)])


@lru_cache(maxsize=4096)
def legal_votes(slots: int, own: tuple[int, ...], least: int, most: int, may_stack: bool) -> tuple[CastVotes, ...]:
    """Every way to set the dials over slots 0 … slots − 1 without the own ones, each once, slots ascending."""
    open_slots = [slot for slot in range(slots) if slot not in own]
    choose = combinations_with_replacement if may_stack else combinations
    return tuple(CastVotes(vote) for dials in range(least, most + 1) for vote in choose(open_slots, dials))
