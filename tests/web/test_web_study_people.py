"""Studies with several participants at one table: they wait for one another, play, answer, and are exported."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from test_web_study import SMALL, agree, export, place, play_game, sit_down, study_in
from web_kit import AT_ONCE, Person, Running, go_home, running

from dixit_env.web import waiting_room
from dixit_env.web.events import Opened, Placed
from dixit_env.web.export import expired
from dixit_env.web.protocol import Settings
from dixit_env.web.study import Study

PAIR = SMALL.replace('bots = ["one", "two"]', 'people = 2\nbots = ["one"]')


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return study_in(tmp_path, PAIR)


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


def pair(up: Running) -> list[Person]:
    """Two participants at their table."""
    tokens = [agree(up, "P1"), agree(up, "P2")]
    for token in tokens:
        place(up, token)
    return [sit_down(up, token) for token in tokens]


def test_participants_wait_for_one_another_also_through_a_restart(tmp_path: Path, study: Study) -> None:
    with running(tmp_path, study=study) as up:
        ana = agree(up, "P1")
        assert place(up, ana) == {"missing": 1, "table": "", "code": ""}
        again = up.http.post("/api/study", json={"participant": "P1", "lang": "en"})
        assert again.json()["error"]["code"] == "begun"
    with running(tmp_path, study=study) as up, ThreadPoolExecutor() as pool:
        assert place(up, ana)["missing"] == 1
        held = pool.submit(place, up, ana, missing=1)
        ben = agree(up, "P2")
        table = place(up, ben)["table"]
        assert held.result()["table"] == table != ""
        assert place(up, ana)["table"] == table, "the link leads back to the table"
        assert [sit_down(up, token).seat for token in (ana, ben)] == [0, 1]
        assert place(up, agree(up, "P3"))["missing"] == 1, "the next one waits for the next table"
    with running(tmp_path, study=study) as up:
        assert place(up, ben)["table"] == table


def test_people_alone_are_a_table_too_and_wait_for_those_of_their_language(tmp_path: Path) -> None:
    crowd = study_in(tmp_path, SMALL.replace('bots = ["one", "two"]', "people = 3"))
    with running(tmp_path, study=msgspec.structs.replace(crowd, languages=("en", "da"))) as up:
        tokens = [agree(up, f"P{number}", lang) for number, lang in enumerate(("en", "da", "en", "en"))]
        assert [place(up, token)["missing"] for token in tokens] == [2, 2, 1, 0]
        assert place(up, tokens[1])["missing"] == 2
        people = [sit_down(up, token) for token in (tokens[0], tokens[2], tokens[3])]
        assert [person.seat for person in people] == [0, 1, 2]
        assert {seat["kind"] for seat in people[0].state["seats"]} == {"person"}


def test_who_is_not_here_is_not_waited_with_and_loses_the_place(
    tmp_path: Path, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_room, "HERE", 0.2)
    monkeypatch.setattr(waiting_room, "MISSED", 0.2)
    with running(tmp_path, study=study) as up:
        ana, ben = agree(up, "P1"), agree(up, "P2")
        assert place(up, ana)["missing"] == 1
        time.sleep(0.3)
        assert place(up, ben)["missing"] == 1, "the first one has gone"
        monkeypatch.setattr(waiting_room, "HERE", 60.0)
        assert place(up, ana)["table"]
        assert [sit_down(up, token).seat for token in (ben, ana)] == [0, 1]


def test_who_waits_in_vain_gets_the_code(tmp_path: Path, study: Study) -> None:
    with running(tmp_path, study=study) as up:
        ana, _ = agree(up, "P1"), agree(up, "P2")
        assert place(up, ana)["missing"] == 1
    with sqlite3.connect(tmp_path / "games.sqlite") as database:  # a time later
        database.execute("UPDATE events SET at = at - ?", (60 * study.wait,))
    with running(tmp_path, study=study) as up:
        for _ in range(2):
            assert place(up, ana) == {"missing": 0, "table": "", "code": "SECRET-1"}
        assert place(up, agree(up, "P3"))["missing"] == 1, "who has the code waits no longer"
    tables = export(tmp_path, study, 3)
    rows = {row["participant"]: row for row in tables["participants"]}
    assert {who: (row["released"], row["finished"], row["table"], row["seat"]) for who, row in rows.items()} == {
        "P1": ("1", "0", "", ""),
        "P2": ("0", "0", "", ""),
        "P3": ("0", "0", "", ""),
    }
    assert float(rows["P1"]["waited"]) >= 60 * study.wait
    assert [tables["moves"], tables["answers"]] == [[], []]


def test_nobody_takes_anothers_seat_or_sees_what_is_anothers(tmp_path: Path, study: Study) -> None:
    with running(tmp_path, study=study) as up:
        ana, ben = pair(up)
        stranger = Person(up.address, ana.table)
        assert stranger.do("join", name="Eva", consent=True)["code"] == "full"
        assert stranger.state["hand"] == []
        for headers, code in (({}, "no_token"), ({"Authorization": f"Bearer {'x' * 32}"}, "not_seated")):
            assert up.http.get("/api/study/place", headers=headers).json()["error"]["code"] == code
        told = [[seat[key] for key in ("name", "bot", "host")] for seat in ana.state["seats"]]
        assert told == [["", "", False]] * 3
        hands = [{card["id"] for card in person.state["hand"]} for person in (ana, ben)]
        assert not hands[0] & hands[1]
        assert ana.do("remove", seat=1, name="")["code"] == "not_host"
        assert ana.do("react", face="smile")["code"] == "stale", "what participants tell one another is in the export"
        assert "P2" not in str(ana.frames)


def test_everything_is_exported_with_who_sat_where(tmp_path: Path, study: Study) -> None:
    with running(tmp_path, study=study) as up, ThreadPoolExecutor() as pool:
        people = pair(up)
        list(pool.map(play_game, people))
        assert people[1].do("again")["type"] == "done", "any participant goes on to the next game"
        for person in people:
            person.wait(lambda state: state["game"] == 2)
        list(pool.map(play_game, people))
        assert people[0].do("answer", game=2, turn=0, answers={"fun": 5}, seconds=9)["type"] == "done"
        codes = [person.wait(lambda state: state["phase"] == "over")["study"]["code"] for person in people]
        assert codes == ["SECRET-1", ""]
    tables = export(tmp_path, study, 2)
    keys = ("table", "seat", "games", "finished")
    sat = {row["participant"]: tuple(row[key] for key in keys) for row in tables["participants"]}
    [table] = {row["table"] for row in tables["moves"]}
    assert sat == {"P1": (table, "0", "2", "1"), "P2": (table, "1", "2", "0")}
    moves = tables["moves"]
    agents = {(row["seat"], row["participant"], row["agent"]) for row in moves}
    assert agents == {("0", "P1", "participant"), ("1", "P2", "participant"), ("2", "", "one")}
    assert {row["looks"] for row in moves if row["participant"]} == {"3"}
    told = {(row["game"], row["turn"], row["seat"]) for row in moves if row["storyteller"] == "1"}
    turns = {turn[:2] for turn in told}
    answers = tables["answers"]
    rated = [row for row in answers if row["question"] == "suits"]
    voted = {(row["game"], row["turn"], sat[row["participant"]][1]) for row in rated}
    assert voted == {(*turn, seat) for turn in turns for seat in "01"} - told, "who voted is asked, each on their own"
    assert {row["participant"] for row in answers if row["turn"] == "0"} == {"P1"}


def test_a_bot_decides_for_who_has_left_but_not_for_who_is_on_the_way(tmp_path: Path, study: Study) -> None:
    with running(tmp_path, AT_ONCE, study=study) as up:
        tokens = [agree(up, "P1"), agree(up, "P2")]
        for token in tokens:
            place(up, token)
        ana = sit_down(up, tokens[0])
        while ana.state["waiting"] != [1]:
            if ana.may_act():
                ana.act()
            else:
                ana.read()
        with pytest.raises(TimeoutError):
            ana.socket.recv(timeout=0.3)
        ben = sit_down(up, tokens[1])
        ben.close()
        while not ana.is_reading():
            if ana.may_act():
                ana.act()
            else:
                ana.read()
        assert 0 < ana.state["seconds_left"] <= 120, "nobody holds up the others for longer"
        ben.connect()
        assert ben.seat == 1, "who comes back takes over"
        ben.wait(lambda state: 1 in state["waiting"])
    moves = export(tmp_path, study, 2)["moves"]
    assert {row["agent"] for row in moves if row["participant"] == "P2"} == {"random"}


def test_the_places_of_participants_are_kept() -> None:
    opened = Opened(key="", by="0" * 32, settings=Settings(), study="small", participant="P1")
    assert expired([opened, Placed()]) == [opened, Placed()]
