"""Viewers' clues: sheets of numbered cards, what was written for them, and the folder that a study lives in."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from toy_deck import toy_deck

from dixit_env.bench.viewers.clues import KINDS, ViewersClue, answered, read_clues, write_clues, write_sheets
from dixit_env.bench.viewers.folder import ViewersError, answer_files, read_key
from dixit_env.decks.deck import Deck

KEY = {"001": ["toy/a", "toy/b"]}


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck.from_folder(toy_deck(tmp_path, 11))


def answers(folder: Path, text: str | bytes, viewer: str = "anna") -> list[Path]:
    file = folder / f"{viewer}.tsv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [file]


def test_every_card_is_on_one_sheet_under_the_number_that_the_key_says(deck: Deck, tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert write_sheets(deck.cards, study, seed=3) == 2
    key = json.loads((study / "key.json").read_text())
    assert sorted(name for sheet in key.values() for name in sheet) == sorted(card.name for card in deck.cards)
    colour = {card.name: card.picture().getpixel((0, 0)) for card in deck.cards}
    for number, names in key.items():
        with Image.open(study / "pictures" / f"{number}.png") as sheet:
            middles = [(12 + place % 4 * 268 + 128, 12 + place // 4 * 436 + 192) for place in range(len(names))]
            assert [sheet.getpixel(middle) for middle in middles] == [colour[name] for name in names]
    assert [name for sheet in key.values() for name in sheet] != [card.name for card in deck.cards]


def test_the_folder_for_viewers_holds_pictures_and_nothing_else(deck: Deck, tmp_path: Path) -> None:
    study = tmp_path / "study"
    write_sheets(deck.cards, study, seed=3)
    assert sorted(file.name for file in (study / "pictures").iterdir()) == ["001.png", "002.png"]
    for file in [*(study / "pictures").iterdir(), study / "prompt.txt"]:
        assert not any(card.name.encode() in file.read_bytes() for card in deck.cards)
    with Image.open(study / "pictures" / "001.png") as sheet:
        assert sheet.info == {}


def test_a_study_can_be_written_again_but_not_over_another_one(deck: Deck, tmp_path: Path) -> None:
    study = tmp_path / "study"
    write_sheets(deck.cards, study, seed=3)
    before = (study / "key.json").read_bytes(), (study / "pictures" / "001.png").read_bytes()
    write_sheets(deck.cards, study, seed=3)
    with pytest.raises(ViewersError, match="study holds another study: name an empty folder"):
        write_sheets(deck.cards, study, seed=4)
    assert before == ((study / "key.json").read_bytes(), (study / "pictures" / "001.png").read_bytes())


LINES = "1\t2\tidea\tÀ la carte\n\n001\t1\tda\tHjem igen\n"


@pytest.mark.parametrize(
    "data",
    [
        LINES.encode(),
        LINES.encode("utf-8-sig"),
        LINES.replace("\n", "\r\n").encode(),
        LINES.encode("utf-16"),
        LINES.rstrip().encode(),
    ],
    ids=["plain", "byte order mark", "Windows line ends", "UTF-16", "no last line end"],
)
def test_answers_are_read_in_whatever_form_an_editor_leaves_them(tmp_path: Path, data: bytes) -> None:
    found = answered(KEY, answers(tmp_path, data))
    assert found == [ViewersClue("toy/b", "idea", "À la carte"), ViewersClue("toy/a", "da", "Hjem igen")]


def test_two_viewers_who_say_the_same_say_it_once(tmp_path: Path) -> None:
    line = "1\t1\tidea\tHome\n"
    files = [*answers(tmp_path, line), *answers(tmp_path, f"{line}1\t2\tidea\tHome\n", "bo")]
    assert answered(KEY, files) == [ViewersClue("toy/a", "idea", "Home"), ViewersClue("toy/b", "idea", "Home")]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("2\t1\tidea\tHome", "there is no picture 1 on a sheet 2"),
        ("1\t3\tidea\tHome", "there is no picture 3 on a sheet 1"),
        ("1\t0\tidea\tHome", "there is no picture 0"),
        ("1\t-1\tidea\tHome", "there is no picture -1"),
        ("1\t1\tmood\tHome", "'mood' is no kind of clue; there are idea, saying"),
        ("1\t1\tidea\t", "the clue is empty"),
        ("1\t1\tidea\t" + "x" * 301, "the clue has 301 characters"),
        ("1\t1\tHome", "3 cells, separated by tabs, instead of 4"),
        ("1 1 idea Home", "1 cells"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(tmp_path: Path, line: str, fault: str) -> None:
    with pytest.raises(ViewersError, match=rf"anna\.tsv, line 2: .*{fault}"):
        answered(KEY, answers(tmp_path, f"1\t1\tidea\tHome\n{line}\n"))


words = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20)


@settings(max_examples=50, deadline=None)
@given(clues=st.lists(st.builds(ViewersClue, words, st.sampled_from(sorted(KINDS)), words), min_size=1, max_size=9))
def test_a_table_of_clues_reads_back(tmp_path_factory: pytest.TempPathFactory, clues: list[ViewersClue]) -> None:
    file = tmp_path_factory.mktemp("clues") / "clues.tsv"
    write_clues(clues, file)
    assert read_clues(file) == clues


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("toy/a\tidea\tHome\n", "line 1: the columns card, kind, clue were wanted"),
        ("card\tkind\tclue\ntoy/a\tmood\tHome\n", "line 2: 'mood' is no kind"),
        ("card\tkind\tclue\n", "holds no clue"),
    ],
)
def test_a_table_of_something_else_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "clues.tsv").write_text(text)
    with pytest.raises(ViewersError, match=rf"clues\.tsv.*{fault}"):
        read_clues(tmp_path / "clues.tsv")


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({}, "key.json can't be read"),
        ({"key.json": "["}, "key.json is no JSON"),
        ({"key.json": "{}"}, "key.json names no picture"),
        ({"key.json": "[1]"}, "key.json names no picture"),
        (
            {"key.json": json.dumps(KEY), "answers/.anna.tsv": "x", "answers/notes.md": "x"},
            r"holds no answers \(\.tsv\)",
        ),
    ],
)
def test_a_folder_that_is_no_answered_study_says_why(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    (tmp_path / "answers").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=fault):
        [read_key(tmp_path), answer_files(tmp_path)]
