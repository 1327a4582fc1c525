"""The clue bank: short texts in four languages, from plain things to proverbs, that a storyteller chooses from."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dixit_env.errors import SpecError
from dixit_env.languages import LANGUAGES

BANK = Path(__file__).parent / "clue_bank.tsv"  # text, lang, kind, source, of; scripts/make_clue_bank.py writes it
KINDS = ("concrete", "association", "mood", "abstract", "idiom", "proverb", "title")  # about from literal to remote


@dataclass(frozen=True, slots=True)
class Clue:
    """A clue that anybody might give."""

    text: str
    lang: str  # one of LANGUAGES
    kind: str  # one of KINDS
    of: tuple[str, ...] = ()
    """what it is an association with, such as `thing:owl` or `mood:dusk`, if with anything"""


def load_bank(langs: Sequence[str] = ("en",)) -> tuple[Clue, ...]:
    """The clues in these languages, in the order of the file.

    Raises `SpecError` for a language that the bank doesn't have, and for no language at all.
    """
    return _in_languages(tuple(langs))


@cache
def _in_languages(langs: tuple[str, ...]) -> tuple[Clue, ...]:
    if not langs or (unknown := sorted(set(langs) - set(LANGUAGES))):
        named = ", ".join(unknown) if langs else "no language"
        raise SpecError(f"no clues in {named}: choose from {', '.join(LANGUAGES)}")
    return tuple(clue for clue in _bank() if clue.lang in langs)


@cache
def _bank() -> tuple[Clue, ...]:
    with BANK.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Clue(row["text"], row["lang"], row["kind"], tuple(row["of"].split())) for row in rows)
