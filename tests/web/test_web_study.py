"""Studies: the file is checked, a participant is led through, and everything is in the export."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from web_kit import AT_ONCE, Person, Running, go_home, running

from dixit_env.errors import DixitError
from dixit_env.table.records import read
from dixit_env.web.export import export_games
from dixit_env.web.store import Store
from dixit_env.web.study import Study, read_study
from dixit_env.web.study_export import TABLES, export_study

SAMPLE = Path(__file__).parents[2] / "examples" / "study.toml"
SMALL = """
name = "small"
languages = ["en"]
code = "SECRET-1"
bots = ["one", "two"]
games = 2
title.en = "Small"
consent.en = "Do you agree?"
[[turn]]
key = "suits"
of = "voters"
ask.en = "Well?"
[[turn]]
key = "hard"
kind = "choice"
ask.en = "Hard?"
options = [{en = "yes"}, {en = "no"}]
[[end]]
key = "remarks"
kind = "text"
ask.en = "Remarks?"
optional = true
[[end]]
key = "fun"
ask.en = "Fun?"
most = 5
"""


def study_in(folder: Path, text: str = SMALL) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return read_study(folder / "study.toml")


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


def test_the_sample_is_a_study() -> None:
    study = read_study(SAMPLE)
    assert [question.key for question in study.questions(1)] == ["suits"]
    assert study.questions(1, tells=True) == ()
    assert [question.key for question in study.questions(0)] == ["played", "remarks"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("games = 2", "games = two", "Invalid|line"),
        ("games = 2", "games = 99", r"games"),
        ("games = 2", "gmaes = 2", "gmaes"),
        ('name = "small"', 'name = "../x"', "name"),
        ('languages = ["en"]', 'languages = ["en", "da"]', "title has no text in da"),
        ('languages = ["en"]', 'languages = ["fr"]', "languages are some of"),
        ('title.en = "Small"', 'title = {en = "Small", pt = "Pequeno"}', "title has a text in pt"),
        ('bots = ["one", "two"]', 'bots = ["one"]', "players"),
        ('key = "hard"', 'key = "suits"', "two questions of .* are called suits"),
        ('options = [{en = "yes"}, {en = "no"}]', "", "a choice has two options"),
        ("most = 5", 'of = "voters"', "for everybody"),
        ('bots = ["one", "two"]', "", "people or bots to play with, or tables"),
        ('bots = ["one", "two"]', "people = 2", "players"),
        ("games = 2", "people = 0", "people"),
        ("games = 2", "people = 12", "players"),
        ("games = 2", "people = true", "people"),
        ("games = 2", "people = 2\nwait = 0", "wait"),
        ('name = "small"', 'name = "small"\ntables = "blind"', "either games or tables"),
    ],
)
def test_a_wrong_file_is_one_line_that_says_what_and_where(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(DixitError, match=said) as raised:
        study_in(tmp_path, SMALL.replace(old, new))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DixitError, match="can't be read"):
        read_study(tmp_path / "none.toml")


def agree(up: Running, participant: str = "P1", lang: str = "en") -> str:
    """The token of somebody who takes part."""
    answer = up.http.post("/api/study", json={"participant": participant, "lang": lang})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def place(up: Running, token: str, **known: int) -> dict[str, Any]:
    """What the waiting room says to a participant."""
    headers = {"Authorization": f"Bearer {token}"}
    return dict(up.http.get("/api/study/place", params=known, headers=headers).json())


def sit_down(up: Running, token: str) -> Person:
    """Somebody whose table is open."""
    return Person(up.address, place(up, token)["table"], token)


def begin(up: Running, participant: str = "P1") -> Person:
    """A participant at a table of their own."""
    return sit_down(up, agree(up, participant))


def play_game(person: Person) -> None:
    """Play a game through, and answer after every turn."""
    while person.state["phase"] != "over":
        if person.may_act():
            effort = {"looks": 3, "changes": 2, "edits": 1, "hidden": 0.5}
            assert person.do(str(person.state["phase"]), **person.move(), effort=effort)["type"] == "done"
        elif person.is_reading():
            turn = person.state["turn"]
            tells = person.turns[turn]["storyteller"] == person.seat
            answers: dict[str, object] = {"hard": 1} if tells else {"hard": 0, "suits": 2}
            game = person.state["game"]
            wrongs: tuple[dict[str, object], ...] = ({}, {"hard": 2}, {**answers, "hard": "1"}, {**answers, "hair": 1})
            for wrong in wrongs if (game, turn) == (1, 1) else ():
                refused = person.do("answer", game=game, turn=turn, answers=wrong, seconds=1)
                assert refused["code"] == "bad_answer", (wrong, refused)
            told = person.do("answer", game=game, turn=turn, answers=answers, seconds=4.25)
            assert told["type"] == "done"
            assert turn in person.state["study"]["answered"]
            person.do("seen", **person.now)
        else:
            person.read()


def export(folder: Path, study: Study, participants: int = 1) -> dict[str, list[dict[str, Any]]]:
    """The exported tables as CSV; the other forms hold the same."""
    store = Store(str(folder / "games.sqlite"))
    assert export_study(store, study, folder / "out") == participants
    export_games(store, folder / "out")
    store.close()
    found = {}
    for name, columns in TABLES.items():
        with (folder / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            found[name] = list(csv.DictReader(file))
        lines = [json.loads(line) for line in (folder / "out" / f"{name}.jsonl").read_text("utf-8").splitlines()]
        assert parquet.read_table(folder / "out" / f"{name}.parquet").to_pylist() == lines
        assert [{key: "" if value is None else str(value) for key, value in line.items()} for line in lines] == [
            dict(row) for row in found[name]
        ]
        assert all(list(line) == [column.name for column in columns] for line in lines)
    return found


def test_a_participant_is_led_to_the_code_and_everything_is_exported(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    with running(tmp_path, study=study) as up:
        told = up.http.get("/api/study").json()
        assert "SECRET-1" not in json.dumps(told)
        assert "bots" not in told
        assert up.http.get("/study?participant=P1").status_code == 200
        person = begin(up)
        play_game(person)
        assert person.state["study"]["code"] == ""
        early = person.do("answer", game=1, turn=0, answers={"fun": 5}, seconds=1)
        assert early["code"] == "stale", "the last questions come after the last game"
        assert person.do("again")["type"] == "done"
        person.wait(lambda state: state["game"] == 2)
        play_game(person)
        assert person.do("again")["code"] == "stale"
        assert person.state["study"] == {**person.state["study"], "games": 2, "code": ""}
        assert {seat["bot"] for seat in person.state["seats"]} == {""}, "which bots these are is not told"
        assert {*map(len, (turn["beliefs"] for turn in person.turns.values()))} == {0}
        assert person.state["games"] == []
        assert up.http.get(f"/api/tables/{person.table}/games/1").json()["error"]["code"] == "unknown_game"
        assert {seat["bot"] for seat in up.http.get(f"/api/tables/{person.table}").json()[0]["seats"]} == {""}
        last_words = {"fun": 5, "remarks": "雨, |\n"}
        assert person.do("answer", game=2, turn=0, answers=last_words, seconds=9)["type"] == "done"
        assert person.state["study"]["code"] == "SECRET-1"
        watcher = Person(up.address, person.table, watch=True)
        assert watcher.state["study"]["code"] == ""
        turns = len(person.turns)
    tables = export(tmp_path, study)
    [row] = tables["participants"]
    assert (row["seat"], row["released"], {move["table"] for move in tables["moves"]}) == ("0", "0", {row["table"]})
    assert (row["participant"], row["games"], row["finished"], row["file"]) == ("P1", "2", "1", study.digest)
    moves = tables["moves"]
    assert {row["agent"] for row in moves if row["seat"] == "0"} == {"participant"}
    assert [{row["agent"] for row in moves if row["seat"] == str(seat)} for seat in (1, 2)] == [{"one"}, {"two"}]
    mine = [row for row in moves if row["seat"] == "0"]
    assert {(row["looks"], row["changes"], row["edits"], row["hidden"]) for row in mine} == {("3", "2", "1", "0.5")}
    assert {row["looks"] for row in moves if row["seat"] != "0"} == {""}
    assert all(float(row["seconds"]) >= 0 and row["points"] and row["clue"] for row in moves)
    records = {row["record"]: read(tmp_path / "out" / f"{row['record']}.jsonl") for row in moves}
    assert sum(len(record.decisions) for record in records.values()) == len(moves)
    assert [json.loads(row["move"]) for row in moves if row["game"] == "1"] == [
        line["move"] for line in records[moves[0]["record"]].decisions
    ], "moves are in the record in the same form"
    answers = tables["answers"]
    last = {row["question"]: (row["number"], row["text"]) for row in answers if row["turn"] == "0"}
    assert last == {"fun": ("5", ""), "remarks": ("", "雨, |\n")}
    assert {row["text"] for row in answers if row["question"] == "hard"} <= {"yes", "no"}
    assert {row["seconds"] for row in answers if row["turn"] != "0"} == {"4.25"}
    assert len({(row["game"], row["turn"]) for row in answers if row["turn"] != "0"}) >= turns


def test_the_codebook_names_every_column_and_every_question(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    store = Store(str(tmp_path / "games.sqlite"))
    export_study(store, study, tmp_path / "out")
    store.close()
    text = (tmp_path / "out" / "codebook.md").read_text(encoding="utf-8")
    for columns in TABLES.values():
        for column in columns:
            assert f"| `{column.name}` | {column.type} | {column.meaning} |" in text
    assert "| `suits` | voters | Well? | 0 to 3 |" in text
    assert "| `hard` | everybody | Hard? | 0 yes, 1 no |" in text
    assert "may be left blank" in text


def test_each_participant_has_one_table_of_their_own_also_after_a_restart(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    with running(tmp_path, study=study) as up:
        person = begin(up)
        again = up.http.post("/api/study", json={"participant": "P1", "lang": "en"})
        assert (again.status_code, again.json()["error"]["code"]) == (409, "begun")
        guest = Person(up.address, person.table)
        assert guest.do("join", name="Eva", consent=True)["code"] == "full"
        assert person.do("join", name="Eva", consent=True)["code"] == "full", "nobody has a name"
        assert up.http.post(f"/api/tables/{person.table}/seats", json={"name": "x"}).status_code == 409
        assert person.do("settings", settings={"seats": 5})["code"] == "not_host"
        assert person.do("leave")["type"] == "done"
        assert (person.state["you"]["status"], person.state["paused"]) == ("left", True), "the game waits"
        assert person.do("back")["type"] == "done"
        assert not person.state["paused"]
        for wrong in ({"participant": "", "lang": "en"}, {"participant": "P2", "lang": "da"}, {"participant": "P2"}):
            assert up.http.post("/api/study", json=wrong).json()["error"]["code"] == "bad_frame"
        token, table = person.token, person.table
    with running(tmp_path, study=study) as up:
        assert up.http.post("/api/study", json={"participant": "P1", "lang": "en"}).status_code == 409
        assert Person(up.address, table, token).state["you"]["seat"] == 0
    with running(tmp_path) as up:
        assert up.http.get("/api/study").json()["error"]["code"] == "no_study"
        assert up.http.get(f"/t/{table}/link").json()["error"]["code"] == "no_study"


def test_a_reveal_waits_for_its_reader_in_a_study(tmp_path: Path) -> None:
    slow = type(AT_ONCE)(pace=0, grace=0, reveal=0.05, bot=5)
    with running(tmp_path, slow, study=study_in(tmp_path)) as up:
        person = begin(up)
        while not person.is_reading():
            if person.may_act():
                person.act()
            else:
                person.read()
        assert person.state["seconds_left"] is None
        with pytest.raises(TimeoutError):
            person.socket.recv(timeout=0.3)


def test_other_tables_of_the_server_are_no_part_of_the_study(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    with running(tmp_path, study=study) as up:
        person = Person(up.address, up.open(seats=3)).join()
        assert person.do("start")["type"] == "done"
        assert person.state["study"] is None
        assert person.do("answer", game=1, turn=1, answers={}, seconds=0)["code"] == "stale"
        begin(up)
    assert export(tmp_path, study)["participants"][0]["finished"] == "0"
