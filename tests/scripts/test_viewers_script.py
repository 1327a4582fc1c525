"""`viewers.py sheets | tables | ask | read`: from cards to clues, and from games to whether clues are understood."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from chat_endpoint import Endpoint, completion, running_endpoint, saying, status
from toy_deck import toy_deck

from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.models.sight import Sight
from dixit_env.scripts import play
from dixit_env.scripts.viewing import ask, read, sheets, tables


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


def test_tables_come_from_games_that_are_played_for_them(tmp_path: Path) -> None:
    tables.main(tables.Args(agents="random", players=4, tables=4, page=True, out=tmp_path / "study"))
    shown = key(tmp_path / "study").values()
    assert len(shown) == len(list((tmp_path / "study" / "pictures").iterdir())) == 4
    assert {told["source"] for told in shown} == {"random"}
    assert sum(told["control"] for told in shown) == 1
    assert (tmp_path / "study" / "page.html").exists()


def test_the_same_seed_makes_the_same_study(games: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        tables.main(tables.Args(records=games, tables=6, seed=seed, out=tmp_path / name))
    assert key(tmp_path / "a") == key(tmp_path / "b") != key(tmp_path / "c")


def six_tables(toy: str, tmp_path: Path) -> Path:
    """A study of six tables of the toy deck."""
    rows = [f"toy/{number:02}\tidea\tclue {number}\n" for number in range(6)]
    (tmp_path / "clues.tsv").write_text("".join(["card\tkind\tclue\n", *rows]))
    tables.main(tables.Args(clues=tmp_path / "clues.tsv", deck=(toy,), out=tmp_path / "study"))
    return tmp_path / "study"


def test_a_clip_reads_the_tables_that_viewers_read(
    toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def knows(sight: Sight, texts: Sequence[str]) -> np.ndarray:
        """Cosines of "clue 3" and so on: high for that card."""
        return np.array([[float(int(text.split()[1]) == card) for card in range(len(sight.deck))] for text in texts])

    monkeypatch.setattr(Sight, "similarity", knows)
    monkeypatch.setattr(Sight, "clip", SimpleNamespace(logit_scale=50.0))
    study = six_tables(toy, tmp_path)
    answer(study, ["\t".join([number, *knowing(told), "3"]) for number, told in key(study).items()])
    read.main(read.Args(study=study, clip="embedded", deck=(toy,)))
    told = json.loads((study / "results.json").read_text())["viewers"]["viewers"]["clip"]
    real = sum(not table["control"] for table in key(study).values())
    assert (told["tables"], told["found"], told["same_card"]) == (real, 1, 1)
    assert (told["belief"], told["correlation"]) == (pytest.approx(1), pytest.approx(1))
    assert "CLIP embedded" in capsys.readouterr().out
    with pytest.raises(DixitError, match="give the decks that the tables were drawn from"):
        read.main(read.Args(study=study, clip="embedded"))


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    yield from running_endpoint(tmp_path, monkeypatch)


def judging(request: dict[str, Any]) -> tuple[int, Any]:
    """Finds the second card likeliest."""
    names = request["response_format"]["json_schema"]["schema"]["properties"]
    shares = {name: 80 if name == "picture_2" else 4 for name in names if name.startswith("picture")}
    return completion(json.dumps({"thought": "so", **shares, "suits": "2"}))


def test_a_language_model_answers_tables_like_any_viewer_and_goes_on_after_outages(
    toy: str, tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    study = six_tables(toy, tmp_path)
    args = ask.Args(study=study, language=f"a/toy@{endpoint.url},retries=0")
    mute = saying("I can't tell")
    endpoint.script = [judging, status(500), mute, mute, judging, *[status(500)] * 3]
    ask.main(args)
    file = study / "answers" / "a_toy.tsv"
    said = "\t4\t80\t4\t4\t4\t4\t2\n"
    assert file.read_text() == f"001{said}004{said}"
    assert "2 of 6 tables answered" in (out := capsys.readouterr().out)
    assert "left out: 3 outages (run again), 1 replies" in out

    endpoint.script = [judging] * 3
    before = len(endpoint.requests)
    ask.main(args)
    assert len(endpoint.requests) - before == 3, "only outages are asked again"
    assert [line[:3] for line in file.read_text().splitlines()] == ["001", "002", "004", "005", "006"]
    endpoint.script = [judging]
    ask.main(replace(args, seed=1))
    read.main(read.Args(study=study))
    assert "6 answers of a_toy" in capsys.readouterr().out


def test_sheets_are_not_for_asking(toy: str, tmp_path: Path) -> None:
    sheets.main(sheets.Args(deck=(toy,), out=tmp_path / "study"))
    with pytest.raises(DixitError, match="holds sheets to write clues for"):
        ask.main(ask.Args(study=tmp_path / "study", language="toy@http://127.0.0.1/v1"))


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (lambda games, toy: {}, "nothing to show: give --agents"),
        (lambda games, toy: {"agents": "random,human"}, "take human out"),
        (lambda games, toy: {"agents": "rndom"}, "no agent is called 'rndom'"),
        (lambda games, toy: {"agents": "random", "players": 2}, "players, not 2"),
        (lambda games, toy: {"agents": "random", "deck": (toy,)}, "cards"),
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
