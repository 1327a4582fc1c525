"""Clues as texts: is a reply a clue at all, does it name its card, how varied and how new are a giver's clues?"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from dixit_env.decks.deck import Card
from dixit_env.words import card_words, content_words, normalised

LONGEST = 40  # words; chosen, a little above the longest caption of the embedded decks, which has 34
COPIED = 6  # words in a row that count as copied from the instructions; chosen, longer than common phrases
FAULTS = ("failed", "empty", "json", "instructions", "long")
"""Why a reply is no valid clue. failed: there is no reply that could be read. empty: it has no letter or digit. json:
it is a piece of JSON or code. instructions: it talks about the task or repeats the instructions. long: it has more than
`LONGEST` words."""

_CODE = re.compile(r"^\s*[\[{`<]|[\]}]\s*$|[\"']\s*:|\\n|</?\w+>|```")
_TALK = re.compile(
    r"\b(as an ai|language model|json|storyteller|my clue|the clue is|here is|here's"
    r"|i (?:would|will|'ll) (?:choose|give)|(?:card|picture|image|slot|option) \d)\b"
    r"|^\s*(?:clue|answer|output|thought)\s*:",
    re.IGNORECASE,
)


def reply_fault(reply: str | None, instructions: str = "") -> str:
    """Which of `FAULTS` a reply has that should be a clue, or "". `instructions` is the prompt of the clue giver."""
    if reply is None:
        return "failed"
    plain = normalised(reply)
    if not plain:
        return "empty"
    if _CODE.search(reply):
        return "json"
    words = plain.split()
    prompt = _prompt(instructions)
    runs = (" ".join(words[start : start + COPIED]) for start in range(len(words) - COPIED + 1))
    if _TALK.search(reply) or any(f" {run} " in prompt for run in runs):
        return "instructions"
    return "long" if len(words) > LONGEST else ""


@lru_cache(maxsize=1)
def _prompt(instructions: str) -> str:
    """Instructions as they are searched for runs of words; all replies of a run are held against the same."""
    return f" {normalised(instructions)} "


def names_card(clue: str, card: Card) -> bool:
    """Does a clue share a content word with what is to be seen on the card?"""
    return bool(content_words(clue) & card_words(card))


def distinct(clues: Iterable[str], n: int) -> float:
    """Distinct-n: different n-grams of words over all of them (Li et al. 2016); NaN without any."""
    grams: Counter[tuple[str, ...]] = Counter()
    for clue in clues:
        words = normalised(clue).split()
        grams.update(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
    return len(grams) / grams.total() if grams else float("nan")


def variety(
    clues: Sequence[tuple[int, str]], others: Mapping[str, Iterable[str]], known: frozenset[str]
) -> dict[str, float]:
    """How varied and how new are a giver's clues?

    Args:
        clues: (card, clue), in the order they were given.
        others: the clues of other givers, by giver.
        known: normalised clues that people gave.

    Returns:
        `words` (mean length), `distinct_1`, `distinct_2` (distinct n-grams), `repeats` (share of clues that were given
        before in the run), `per_card` (different clues over clues, for cards with more than one), `overlap` (share that
        another clue giver gave too) and `known` (share that people gave). NaN where there is nothing to count.
    """
    plain = [normalised(clue) for _, clue in clues]
    nan = float("nan")
    if not plain:
        return dict.fromkeys(("words", "distinct_1", "distinct_2", "repeats", "per_card", "overlap", "known"), nan)
    by_card: dict[int, list[str]] = {}
    for (card, _), clue in zip(clues, plain, strict=True):
        by_card.setdefault(card, []).append(clue)
    again = [same for same in by_card.values() if len(same) > 1]
    elsewhere = {normalised(clue) for theirs in others.values() for clue in theirs}
    return {
        "words": sum(len(clue.split()) for clue in plain) / len(plain),
        "distinct_1": distinct(plain, 1),
        "distinct_2": distinct(plain, 2),
        "repeats": 1 - len(set(plain)) / len(plain),
        "per_card": sum(len(set(same)) for same in again) / sum(map(len, again)) if again else nan,
        "overlap": sum(clue in elsewhere for clue in plain) / len(plain),
        "known": sum(clue in known for clue in plain) / len(plain) if known else nan,
    }
