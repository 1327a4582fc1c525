"""The clue bank: every entry is a legal clue of a known language and kind, named by its source, and stands once."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from dixit_env.agents.clues.bank import BANK, KINDS, Clue, load_bank
from dixit_env.errors import SpecError
from dixit_env.game.moves import clue_fault
from dixit_env.languages import LANGUAGES

NOTICE = Path(__file__).parents[3] / "NOTICE"
CRUDE = re.compile(
    r"\b(arse|ass|butt|crap|damn|fuck|piss|sex|sexy|shit|tits|whore|slave|suicide|caca|culo|mierda|bunda|lort|røv)\b"
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with BANK.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_bank_is_large_enough_in_each_language() -> None:
    counts = Counter(clue.lang for clue in load_bank(LANGUAGES))
    assert counts.total() >= 20_000
    assert min(counts[lang] for lang in LANGUAGES) >= 4_000
    assert BANK.stat().st_size <= 1_500_000


def test_every_language_spreads_from_literal_to_remote() -> None:
    counts = Counter((clue.lang, clue.kind) for clue in load_bank(LANGUAGES))
    assert set(counts) == {(lang, kind) for lang in LANGUAGES for kind in KINDS}
    assert min(counts.values()) >= 70


def test_every_entry_is_a_legal_short_clue() -> None:
    for clue in load_bank(LANGUAGES):
        assert clue_fault(clue.text) == ""
        assert clue.text == " ".join(clue.text.split())
        assert len(clue.text) <= 60
        assert len(clue.text.split()) <= 9


def test_no_entry_stands_twice() -> None:
    counts = Counter((clue.lang, clue.text.casefold()) for clue in load_bank(LANGUAGES))
    assert [entry for entry, count in counts.items() if count > 1] == []


def test_children_may_sit_at_the_table() -> None:
    assert [clue.text for clue in load_bank(LANGUAGES) if CRUDE.search(clue.text.casefold())] == []


def test_every_source_is_acknowledged(rows: list[dict[str, str]]) -> None:
    notice = NOTICE.read_text(encoding="utf-8")
    for source in {row["source"] for row in rows} - {"own"}:
        assert source in notice


def test_languages_are_chosen_and_the_order_is_the_files() -> None:
    danish = load_bank(("da",))
    assert danish[0] == Clue("Abe", "da", "concrete")  # an ape
    assert {clue.lang for clue in load_bank(("da", "pt"))} == {"da", "pt"}
    assert [clue for clue in load_bank(("da", "pt")) if clue.lang == "da"] == list(danish)
    assert load_bank() == load_bank(("en",))


@pytest.mark.parametrize("langs", [(), ("fr",), ("en", "klingon")])
def test_a_language_without_clues_is_refused(langs: tuple[str, ...]) -> None:
    with pytest.raises(SpecError, match="choose from en, pt, es, da"):
        load_bank(langs)
