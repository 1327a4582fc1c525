"""`viewers.py sheets | tables | read`: from cards to clues, and from games to how often their clues are understood."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy_deck import toy_deck

from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.scripts import play
from dixit_env.scripts.viewing import read, sheets, tables


def key(study: Path) -> dict[str, Any]:
    return json.loads((study / "key.json").read_text(encoding="utf-8"))


def answer(study: Path, lines: list[str], viewer: str = "anna") -> None:
    (study / "answers" / f"{viewer}.tsv").write_text("\n".join(lines), encoding="utf-8")


def knowing(told: dict[str, Any]) -> list[str]:
    """The answer of one who knows the right card, its cells."""
    return [str(100 * (place == told["target"])) for place in range(len(told["cards"]))]


@pytest.fixture
def toy(tmp_path: Path) -> str:
    return str(toy_deck(tmp_path, 9))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of five and one of three, of agents that clue at random."""
    folder = tmp_path_factory.mktemp("games")
    for seats, name in (("random,random,random,random,random", "five"), ("random,random,random", "three")):
        play.main(play.Args(seats=seats, seed=3, record=folder / f"{name}.jsonl"))
    return folder


def test_clues_go_from_sheets_over_viewers_to_a_table_and_onto_tables_again(
    toy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study"
    sheets.main(sheets.Args(deck=(toy,), out=study))
    places = [(sheet, place, name) for sheet, names in key(study).items() for place, name in enumerate(names, 1)]
    said = [
        f"{sheet}\t{place}\t{kind}\t{kind} of {name}" for sheet, place, name in places for kind in ("idea", "plain")
    ]
    answer(study, said)
    read.main(read.Args(study=study))
    assert "18 clues for 9 cards" in capsys.readouterr().out

    understood = tmp_path / "understood"
    tables.main(tables.Args(clues=study / "clues.tsv", deck=(toy,), tables=99, out=understood))
    shown = key(understood).values()
    assert len(shown) == 9
    for told in shown:
        right = told["cards"][told["target"]]
        assert told["control"] or told["clue"] == f"idea of {right}"
        assert not told["control"] or told["clue"].removeprefix("idea of ") not in told["cards"]


def test_turns_of_games_become_tables_and_answers_become_figures(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "tables"
    tables.main(tables.Args(records=games, tables=16, out=study))
    shown = key(study)
    assert len(shown) == len(list((study / "pictures").iterdir())) == 16
    assert {len(told["cards"]) for told in shown.values()} == {5}
    turns = [json.loads(line) for file in games.glob("*.jsonl") for line in file.read_text().splitlines()]
    names = {card.id: card.name for card in Deck.load("dreams").cards}
    played = {
        (turn["clue"], names[turn["slots"][turn["owners"].index(turn["storyteller"])]])
        for turn in turns
        if turn["type"] == "turn"
    }
    for told in shown.values():
        assert ((told["clue"], told["cards"][told["target"]]) in played) != told["control"]
    assert sum(told["control"] for told in shown.values()) == 4

    answer(study, ["\t".join([number, *knowing(told), "3"]) for number, told in shown.items()])
    answer(study, ["\t".join([number, *["20"] * 5, "1"]) for number in shown], "bo")
    read.main(read.Args(study=study))
    results = json.loads((study / "results.json").read_text())
    figures = results["viewers"]["random"]
    assert (figures["tables"], figures["answers"]) == (12, 24)
    assert [figures[name] for name in ("found", "found_low", "found_high", "belief")] == pytest.approx([0.6] * 4)
    assert (figures["suits"], figures["control"]["tables"]) == (2, 4)
    assert results["answered_by"] == ["anna", "bo"]
    said = capsys.readouterr().out
    assert "60 [60–60]" in said
    assert "32 answers of anna, bo" in said


def test_the_same_seed_makes_the_same_study(games: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        tables.main(tables.Args(records=games, tables=6, seed=seed, out=tmp_path / name))
    assert key(tmp_path / "a") == key(tmp_path / "b") != key(tmp_path / "c")


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (lambda games, toy: {}, "nothing to show: give --records"),
        (lambda games, toy: {"records": games.parent / "nowhere"}, "nowhere holds nothing to show"),
        (lambda games, toy: {"records": games, "tables": 0}, "--tables is at least 1, not 0"),
        (lambda games, toy: {"records": games, "deck": (toy,)}, "isn't in the deck: give its --deck"),
    ],
)
def test_what_cannot_be_shown_is_said(
    games: Path, toy: str, tmp_path: Path, args: Callable[[Path, str], dict[str, Any]], fault: str
) -> None:
    with pytest.raises(DixitError, match=fault):
        tables.main(tables.Args(out=tmp_path / "study", **args(games, toy)))
    assert not (tmp_path / "study").exists()


def test_clues_for_another_deck_are_refused(toy: str, tmp_path: Path) -> None:
    (tmp_path / "clues.tsv").write_text("card\tkind\tclue\nother/1\tidea\tHome\n")
    with pytest.raises(DixitError, match="no card other/1"):
        tables.main(tables.Args(clues=tmp_path / "clues.tsv", deck=(toy,), out=tmp_path / "study"))
