"""The blind test of clues as a study: tables are judged one after another, and viewers.py reads what was answered."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from httpx import Response
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from toy_deck import toy_deck
from web_kit import Running, running

from dixit_env.bench.viewers.folder import ViewersError, answer_files, read_key, write_folder
from dixit_env.bench.viewers.guesses import BEST_SUIT, Table, answered, figures, write_tables
from dixit_env.bench.viewers.online import TABLES, export_blind, shown_tables, viewer_name
from dixit_env.decks.deck import Card, Deck
from dixit_env.web import blind
from dixit_env.web.blind import BlindTable, order_for
from dixit_env.web.events import Judged, Opened
from dixit_env.web.export import expired
from dixit_env.web.protocol import Effort, Settings
from dixit_env.web.store import Store
from dixit_env.web.study import Study, read_study

STUDY = """
name = "blind"
languages = ["en"]
code = "SECRET-2"
tables = "sealed"
title.en = "Clues"
consent.en = "Do you agree?"
[[end]]
key = "remarks"
kind = "text"
ask.en = "Remarks?"
optional = true
"""
SEALED = [
    Table("hearth", "the best agent", ("toy/00", "toy/01", "toy/02", "toy/03"), 1),
    Table("sea", "the best agent", ("toy/02", "toy/00", "toy/01"), 0, control=True),
    Table("雨, a \t quiet one", "viewers", ("toy/03", "toy/02", "toy/01"), 2),
]
EFFORT = {"looks": 2, "changes": 5, "edits": 0, "hidden": 0.5}


@pytest.fixture
def cards(tmp_path: Path) -> tuple[Card, ...]:
    return tuple(Deck.from_folder(toy_deck(tmp_path, 4)).cards)


@pytest.fixture
def study(tmp_path: Path, cards: tuple[Card, ...]) -> Study:
    write_tables(SEALED, cards, tmp_path / "sealed")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return read_study(tmp_path / "study.toml")


@pytest.fixture
def shown(study: Study, cards: tuple[Card, ...]) -> tuple[BlindTable, ...]:
    return shown_tables(Path(study.tables), cards)


class Participant:
    """Somebody at the page of a blind test."""

    def __init__(self, up: Running, participant: str = "P1", token: str = "") -> None:
        self.up = up
        if not token:
            begun = up.http.post("/api/study", json={"participant": participant, "lang": "en"})
            assert begun.status_code == 201, begun.text
            token = begun.json()["token"]
        self.token = token
        self.headers = {"Authorization": f"Bearer {token}"}

    def told(self) -> dict[str, Any]:
        return dict(self.up.http.get("/api/study/tables", headers=self.headers).json())

    def judge(self, number: str, weights: list[int], suits: object = 2, **more: object) -> Response:
        told = {"number": number, "weights": weights, "suits": suits, "seconds": 3.5, "effort": EFFORT, **more}
        return self.up.http.post("/api/study/tables", json=told, headers=self.headers)

    def answer(self, answers: Mapping[str, object]) -> Response:
        told = {"answers": answers, "seconds": 9}
        return self.up.http.post("/api/study/answers", json=told, headers=self.headers)


def code(answer: Response) -> object:
    return answer.json().get("error", {}).get("code", answer.json().get("code"))


def export(folder: Path, study: Study) -> dict[str, list[dict[str, str]]]:
    """The exported tables as CSV; the other forms hold the same."""
    store = Store(str(folder / "games.sqlite"))
    try:
        export_blind(store, study, folder / "out")
    finally:
        store.close()
    found = {}
    for name in TABLES:
        with (folder / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            found[name] = list(csv.DictReader(file))
        lines = [json.loads(line) for line in (folder / "out" / f"{name}.jsonl").read_text("utf-8").splitlines()]
        assert parquet.read_table(folder / "out" / f"{name}.parquet").to_pylist() == lines
        assert [{key: "" if value is None else str(value) for key, value in line.items()} for line in lines] == [
            dict(row) for row in found[name]
        ]
    return found


def test_what_participants_judge_is_read_as_any_viewers_answers(
    tmp_path: Path, study: Study, shown: tuple[BlindTable, ...]
) -> None:
    with running(tmp_path, study=study, tables=shown) as up:
        ana = Participant(up)
        assert up.http.get("/api/study").json()["tables"] == 3
        assert code(ana.answer({})) == "stale"
        assert code(ana.judge("001", [1, 6, 0, 1], 3)) == ""
        assert code(ana.judge("002", [1, 1, 1], 0)) == ""
        assert ana.told()["judged"] == {
            "001": {"weights": [1, 6, 0, 1], "suits": 3},
            "002": {"weights": [1, 1, 1], "suits": 0},
        }
        assert code(ana.judge("001", [0, 9, 0, 3], 2)) == "", "an answer can be changed"
    with running(tmp_path, study=study, tables=shown) as up:
        ana = Participant(up, token=ana.token)
        assert code(ana.judge("003", [0, 10, 0], 1)) == "", "the last questions are still to come"
        done = ana.answer({"remarks": "雨, |\n" + "é" * 1990})
        assert done.json() == {"answered": True, "code": "SECRET-2"}
        assert ana.told()["code"] == "SECRET-2"
        assert code(ana.judge("003", [0, 0, 1])) == "stale", "nothing is changed once the code is shown"
        assert code(Participant(up, "..P@2").judge("003", [0, 0, 1], 3)) == ""
    tables = export(tmp_path, study)

    out = tmp_path / "out"
    guesses = answered(read_key(out), answer_files(out))
    told = {(guess.viewer.rpartition("-")[0], guess.number): (guess.belief, guess.suits) for guess in guesses}
    assert told == {
        ("P1", "001"): ((0, 0.75, 0, 0.25), 2),
        ("P1", "002"): ((pytest.approx(1 / 3),) * 3, 0),
        ("P1", "003"): ((0, 1, 0), 1),
        ("_P_2", "003"): ((0, 0, 1), 3),
    }
    assert figures(guesses)["viewers"]["found"] == 0.5

    people = {row["participant"]: row for row in tables["participants"]}
    assert (people["P1"]["judged"], people["P1"]["finished"], people["P1"]["file"]) == ("3", "1", study.digest)
    assert {row["viewer"] for row in tables["participants"]} == {guess.viewer for guess in guesses}
    rows = {(row["participant"], row["table"]): row for row in tables["judgements"]}
    first = rows["P1", "001"]
    assert [first[key] for key in ("source", "control", "target", "clue")] == ["the best agent", "0", "1", "hearth"]
    assert [first[key] for key in ("belief", "found", "suits")] == ["[0.0, 0.75, 0.0, 0.25]", "1.0", "2"]
    assert [first[key] for key in ("answers", "seconds", "looks", "changes", "hidden")] == [
        "2",
        "7.0",
        "4",
        "10",
        "1.0",
    ]
    assert sorted(rows["P1", number]["place"] for number in ("001", "002", "003")) == ["1", "2", "3"]
    assert [row["text"][:5] for row in tables["answers"]] == ["雨, |\n"]
    codebook = (out / "codebook.md").read_text(encoding="utf-8")
    for columns in TABLES.values():
        assert all(f"| `{column.name}` | {column.type} | {column.meaning} |" in codebook for column in columns)


def test_what_is_sealed_stays_on_the_server(tmp_path: Path, study: Study, shown: tuple[BlindTable, ...]) -> None:
    with running(tmp_path, study=study, tables=shown) as up:
        ana = Participant(up)
        told = ana.told()
        said = json.dumps([up.http.get("/api/study").json(), told, ana.judge("001", [0, 1, 0, 0]).json()])
    assert [set(table) for table in told["tables"]] == [{"number", "clue", "cards"}] * 3
    assert not [secret for secret in ("best agent", "toy/", "target", "control", "SECRET", "sealed") if secret in said]


WRONG: list[tuple[str, list[Any], object, dict[str, object]]] = [
    ("004", [1, 1, 1], 1, {}),
    ("001", [1, 1, 1], 1, {}),
    ("002", [0, 0, 0], 1, {}),
    ("002", [11, 0, 0], 1, {}),
    ("002", [-1, 2, 0], 1, {}),
    ("002", [1.5, 0, 0], 1, {}),
    ("002", [1, 0, 0], BEST_SUIT + 1, {}),
    ("002", [1, 0, 0], None, {}),
    ("002", [1, 0, 0], 1, {"seconds": -1}),
    ("002", [1, 0, 0], 1, {"place": 1}),
]


def test_an_answer_that_could_not_be_read_is_refused(
    tmp_path: Path, study: Study, shown: tuple[BlindTable, ...]
) -> None:
    with running(tmp_path, study=study, tables=shown) as up:
        ana = Participant(up)
        for number, weights, suits, more in WRONG:
            refused = code(ana.judge(number, weights, suits, **more))
            assert refused in ("bad_answer", "bad_frame"), (number, weights, suits, more)
        assert ana.told()["judged"] == {}


def test_an_id_begins_once_and_only_its_token_leads_in(
    tmp_path: Path, study: Study, shown: tuple[BlindTable, ...]
) -> None:
    with running(tmp_path, study=study, tables=shown) as up:
        Participant(up)
        again = up.http.post("/api/study", json={"participant": "P1", "lang": "en"})
        assert (again.status_code, code(again)) == (409, "begun")
        assert code(up.http.get("/api/study/tables")) == "no_token"
        assert Participant(up, token="x" * 32).told()["error"]["code"] == "not_seated"
        assert code(Participant(up, token="x" * 32).judge("001", [1, 0, 0, 0])) == "not_seated"
        evil = {"Origin": "http://elsewhere.example", "Authorization": f"Bearer {Participant(up, 'P2').token}"}
        assert code(up.http.post("/api/study/answers", json={}, headers=evil)) == "origin"
    with running(tmp_path, study=study, tables=shown) as up:
        assert up.http.post("/api/study", json={"participant": "P1", "lang": "en"}).status_code == 409


def test_a_folder_that_holds_no_tables_of_this_deck_is_said_before_anybody_comes(
    tmp_path: Path, study: Study, cards: tuple[Card, ...]
) -> None:
    with pytest.raises(ViewersError, match=r"no card toy/03.*--deck"):
        shown_tables(Path(study.tables), cards[:3])
    write_folder(tmp_path / "sheets", "", {"001": ["toy/00"]}, {})
    with pytest.raises(ViewersError, match="holds sheets"):
        shown_tables(tmp_path / "sheets", cards)
    with pytest.raises(ViewersError, match="key"):
        shown_tables(tmp_path / "none", cards)


def test_answers_are_not_exported_over_another_study_nor_with_another_key(
    tmp_path: Path, study: Study, shown: tuple[BlindTable, ...], cards: tuple[Card, ...]
) -> None:
    with running(tmp_path, study=study, tables=shown) as up:
        Participant(up).judge("001", [0, 1, 0, 0])
    write_tables(SEALED[:1], cards, tmp_path / "out")
    with pytest.raises(ViewersError, match="another study"):
        export(tmp_path, study)
    write_tables(SEALED[1:], cards, tmp_path / "others")
    with pytest.raises(ViewersError, match="no table 001 as P1 judged it"):
        export(tmp_path, msgspec.structs.replace(study, tables=str(tmp_path / "others")))
    assert not list((tmp_path / "out" / "answers").iterdir())


def test_judgements_outlive_the_tables_that_expire() -> None:
    opened = Opened(key="", settings=Settings(), study="blind", participant="P1")
    effort = msgspec.convert(EFFORT, Effort)
    judged = Judged(number="001", place=1, weights=(1,), suits=0, seconds=1, effort=effort)
    assert expired([opened, judged]) == [opened, judged]
    assert expired([opened]) == []


NUMBERS = st.lists(st.integers(1, 999).map("{:03}".format), unique=True, max_size=8)


@settings(max_examples=25)
@given(NUMBERS, st.text(max_size=8))
def test_everybody_sees_all_tables_in_an_order_that_stays(numbers: list[str], participant: str) -> None:
    tables = [BlindTable(number, "", ()) for number in numbers]
    order = order_for(participant, "blind", tables)
    assert sorted(table.number for table in order) == sorted(numbers)
    assert order_for(participant, "blind", tables[::-1]) == order


def test_orders_differ_between_participants() -> None:
    tables = [BlindTable(f"{number:03}", "", ()) for number in range(20)]
    assert len({tuple(order_for(f"P{number}", "blind", tables)) for number in range(10)}) == 10


@settings(max_examples=50)
@given(st.sets(st.text(min_size=1, max_size=100), min_size=2, max_size=2))
def test_answer_files_of_two_participants_have_two_names_on_any_file_system(ids: set[str]) -> None:
    names = {viewer_name(participant).casefold() for participant in ids}
    assert len(names) == 2
    assert all(
        name.isascii() and len(name) < 60 and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")
        for name in names
    )


def test_the_page_and_the_reader_know_the_same_grades() -> None:
    assert blind.BEST_SUIT == BEST_SUIT
