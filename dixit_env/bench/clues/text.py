"""What can be said of clues as texts: whether they are clues at all, how plain, how new, how varied."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dixit_env.bench.listeners.rounds import same_clue
from dixit_env.decks.deck import Card

LONGEST = 40  # words; the longest caption has 34
COPIED = 6  # words in a row
FAULTS = ("failed", "empty", "json", "instructions", "long")
"""Why a reply is no valid clue: no reply that could be read; nothing to read in it; a piece of JSON or code; talk about
the task or a piece of the instructions; more than `LONGEST` words."""

_CODE = re.compile(r"^\s*[\[{`<]|[\]}]\s*$|[\"']\s*:|\\n|</?\w+>|```")
_TALK = re.compile(
    r"\b(as an ai|language model|json|storyteller|my clue|the clue is|here is|here's"
    r"|i (?:would|will|'ll) (?:choose|give)|(?:card|picture|image|slot|option) \d)\b"
    r"|^\s*(?:clue|answer|output|thought)\s*:",
    re.IGNORECASE,
)


def clue_fault(clue: str | None, instructions: str = "") -> str:
    """Which of `FAULTS` a clue has, or "". `instructions` are what the clue giver was told."""
    if clue is None:
        return "failed"
    said = same_clue(clue)
    if not said:
        return "empty"
    if _CODE.search(clue):
        return "json"
    words = said.split()
    told = f" {same_clue(instructions)} "
    runs = (" ".join(words[start : start + COPIED]) for start in range(len(words) - COPIED + 1))
    if _TALK.search(clue) or any(f" {run} " in told for run in runs):
        return "instructions"
    return "long" if len(words) > LONGEST else ""


def content_words(*texts: str) -> frozenset[str]:
    """Words of four letters and more, in lower case, without a plural s."""
    words = [word for text in texts for word in same_clue(text).split() if len(word) >= 4]
    return frozenset(word.removesuffix("s") for word in words)


def names_card(clue: str, card: Card) -> bool:
    """Does a clue name what the card's own title, captions or tags name?"""
    tags = [tag for tags in card.tags.values() for tag in tags]
    return bool(content_words(clue) & content_words(*card.title.values(), *card.captions.values(), *tags))


def distinct(clues: Iterable[str], n: int) -> float:
    """Different n-grams of words over all of them; NaN without any."""
    grams: Counter[tuple[str, ...]] = Counter()
    for clue in clues:
        words = same_clue(clue).split()
        grams.update(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
    return len(grams) / grams.total() if grams else float("nan")


def variety(
    told: Sequence[tuple[int, str]], others: Mapping[str, Iterable[str]], known: frozenset[str]
) -> dict[str, float]:
    """How varied and how new are clues, given as (card, clue)?

    Returns `words` (mean length), `distinct_1`, `distinct_2` (distinct n-grams), `repeats` (share of clues that were
    given before in the run), `per_card` (different clues over clues, for cards that were told more than once),
    `overlap` (share that another clue giver gave too) and `known` (share that is in a list of known clues).
    """
    said = [same_clue(clue) for _, clue in told]
    nan = float("nan")
    if not said:
        return dict.fromkeys(("words", "distinct_1", "distinct_2", "repeats", "per_card", "overlap", "known"), nan)
    by_card: dict[int, list[str]] = {}
    for (card, _), clue in zip(told, said, strict=True):
        by_card.setdefault(card, []).append(clue)
    again = [clues for clues in by_card.values() if len(clues) > 1]
    elsewhere = {same_clue(clue) for clues in others.values() for clue in clues}
    return {
        "words": sum(len(clue.split()) for clue in said) / len(said),
        "distinct_1": distinct(said, 1),
        "distinct_2": distinct(said, 2),
        "repeats": 1 - len(set(said)) / len(said),
        "per_card": sum(len(set(clues)) for clues in again) / sum(map(len, again)) if again else nan,
        "overlap": sum(clue in elsewhere for clue in said) / len(said),
        "known": sum(clue in known for clue in said) / len(said) if known else nan,
    }
