"""People at a table over real sockets: who comes, who goes, who comes back, and who may do what."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_kit import Person, Running, go_home, play_until, running, sit, start, sync

from dixit_env.web.resources import Timing


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


# leaving and coming back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["storyteller", "other"])
@pytest.mark.parametrize("phase", ["clue", "cards", "votes", "reveal"])
@pytest.mark.parametrize("way", ["socket", "leave"])
def test_who_goes_is_played_by_a_bot_and_gets_the_seat_back(up: Running, phase: str, role: str, way: str) -> None:
    crowd = sit(up, up.open(seats=4), 3)
    start(crowd)
    while crowd[0].state["storyteller"] == 3:  # the bot's turn
        play_until(crowd, lambda state: state["phase"] == "reveal")
        play_until(crowd, lambda state: state["phase"] == "clue")
    play_until(crowd, lambda state: state["phase"] == phase)
    sync(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    gone = teller if role == "storyteller" else next(person for person in crowd if person is not teller)
    where, hand, number = gone.state["seats"][gone.seat], gone.state["hand"], gone.seat
    waited_for = gone.may_act()
    others = [person for person in crowd if person is not gone]
    turn = gone.state["turn"]
    if way == "leave":
        gone.do("leave")
    gone.close()
    status = "left" if way == "leave" else "away"
    others[0].wait(lambda state: state["seats"][number]["status"] == status)
    assert others[0].sees(number)["name"] == where["name"], "the seat stays the person's"
    if waited_for:
        others[0].wait(lambda state: number not in state["waiting"])
    gone.connect()
    assert gone.seat == number
    assert gone.sees(number)["status"] == "here"
    if gone.state["turn"] == turn:
        kept = [card for card in hand if card in gone.state["hand"] + gone.state["given"]]
        assert kept == hand or gone.state["phase"] != phase
    play_until(crowd, lambda state: state["turn"] > turn and state["phase"] == "votes")
    voter = next(person for person in crowd if person.state["storyteller"] != person.seat)
    assert len(voter.state["slots"]) == 4, "every seat has given its card"
    told = crowd[0].turns[turn]
    assert told["stand_ins"] == ([number] if waited_for else [])


def test_who_returns_in_time_decides_alone(tmp_path: Path) -> None:
    with running(tmp_path, Timing(pace=0, grace=0.5)) as up:
        crowd = sit(up, up.open(seats=3), 3)
        start(crowd)
        teller = crowd[crowd[0].state["storyteller"]]
        teller.close()
        watcher = next(person for person in crowd if person is not teller)
        watcher.wait(lambda state: state["seats"][teller.seat]["status"] == "away")
        number = teller.seat
        teller.connect()
        time.sleep(0.7)
        sync([teller])
        assert teller.state["phase"] == "clue", "the page was only loaded again"
        assert teller.may_act()
        assert teller.act()["type"] == "done"
        assert number == teller.seat


def test_who_runs_out_of_time_is_asleep_until_a_tap(up: Running) -> None:
    crowd = sit(up, up.open(seats=3, limit=1), 3)
    start(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    others = [person for person in crowd if person is not teller]
    others[0].wait(lambda state: state["phase"] == "cards")
    assert others[0].sees(teller.seat)["status"] == "asleep"
    assert teller.do("back")["type"] == "done"
    others[0].wait(lambda state: state["seats"][teller.seat]["status"] == "here")
    play_until(crowd, lambda state: state["phase"] == "reveal")
    assert teller.seat in crowd[0].turns[1]["stand_ins"]


def test_a_clock_runs_for_people_and_starts_afresh_after_a_return(up: Running) -> None:
    crowd = sit(up, up.open(seats=3, limit=60), 2)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "votes")
    sync(crowd)
    left = {person.state["seconds_left"] for person in crowd if person.state["seconds_left"] is not None}
    assert left
    assert all(50 < seconds <= 60 for seconds in left)


def test_too_few_people_pause_the_game_and_nothing_moves(up: Running) -> None:
    crowd = sit(up, up.open(seats=5, least=2), 2)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "cards")
    stays, goes = crowd
    goes.close()
    stays.wait(lambda state: state["paused"])
    assert stays.state["idle"] == "paused"
    time.sleep(0.2)  # a bot's decision that was on its way to the database is still made
    sync([stays])
    before = [entry["task"] for entry in stays.state["seats"]]
    if before[stays.seat] == "acts":
        fields = {"cards": [stays.state["hand"][0]["id"]], **stays.now}
        assert stays.do("cards", **fields)["code"] == "paused"
    time.sleep(0.2)
    sync([stays])
    assert [entry["task"] for entry in stays.state["seats"]] == before
    goes.connect()
    stays.wait(lambda state: not state["paused"])
    play_until(crowd, lambda state: state["turn"] == 3)


def test_a_game_waits_for_its_only_person(up: Running) -> None:
    [person] = sit(up, up.open(seats=6), 1)
    watcher = Person(up.address, person.table)
    start([person])
    play_until([person], lambda state: state["phase"] == "votes" and state["idle"] == "")
    person.close()
    watcher.wait(lambda state: state["paused"])
    time.sleep(0.2)
    person.connect()
    sync([person])
    assert person.state["phase"] == "votes"
    assert not person.state["paused"]


def test_the_host_moves_on_and_comes_back(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 3)
    assert crowd[0].state["you"]["host"]
    assert crowd[1].do("start")["code"] == "not_host"
    assert crowd[1].do("settings", settings={"seats": 5})["code"] == "not_host"
    assert crowd[1].do("remove", seat=0, name="P0")["code"] == "not_host"
    crowd[0].close()
    crowd[1].wait(lambda state: state["you"]["host"])
    assert crowd[1].do("start")["type"] == "done"
    crowd[0].connect()
    assert crowd[0].state["you"]["host"]
    assert crowd[1].do("remove", seat=2, name="P2")["code"] == "not_host"


@pytest.mark.parametrize("phase", ["lobby", "clue", "cards", "votes", "reveal", "over"])
def test_the_host_can_remove_somebody_in_every_phase(up: Running, phase: str) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    if phase != "lobby":
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == phase)
    assert crowd[0].do("remove", seat=2, name="P1")["code"] == "stale", "the host meant somebody else"
    assert crowd[0].do("remove", seat=2, name="P2")["type"] == "done"
    gone = crowd[2].wait(lambda state: state["you"]["seat"] is None)
    assert gone["hand"] == []
    assert gone["idle"] == "spectator"
    assert gone["you"]["status"] == "removed", "who is taken off the table is told so …"
    assert crowd[2].do("join", name="P2")["code"] == "removed", "… and stays off it"
    assert crowd[0].sees(2)["kind"] == "bot"
    if phase in ("clue", "cards", "votes", "reveal"):
        turn = crowd[0].state["turn"]
        play_until(crowd[:2], lambda state: state["turn"] > turn)


def test_people_come_and_go_in_the_lobby_and_everybody_is_dealt_a_full_hand(up: Running) -> None:
    table = up.open(seats=12)
    crowd = sit(up, table, 3)
    for round_ in range(10):
        guest = Person(up.address, table).join(f"guest {round_}")
        assert guest.do("leave")["type"] == "done"
        assert guest.state["you"]["seat"] is None
        guest.close()
    crowd[0].do("leave")
    sync(crowd)
    assert [person.state["you"]["seat"] for person in crowd] == [None, 0, 1]
    crowd[0].join("late")
    start(crowd[1:])
    sync(crowd)
    assert [len(person.state["hand"]) for person in crowd] == [6, 6, 6]
    assert crowd[0].state["pile"] == 100 - 12 * 6


def test_who_comes_late_takes_a_bots_seat_or_looks_on(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 2)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "votes")
    late = Person(up.address, crowd[0].table)
    assert late.state["hand"] == []
    late.join("late")
    assert late.seat == 2
    assert len(late.state["hand"]) + len(late.state["given"]) == 7
    too_late = Person(up.address, crowd[0].table)
    assert too_late.do("join", name="x")["code"] == "full"
    assert too_late.do("start")["code"] == "not_seated"
    assert too_late.do("votes", slots=[0, 0], **late.now)["code"] == "not_seated"
    crowd[1].close()
    crowd[0].wait(lambda state: state["seats"][1]["status"] == "away")
    assert too_late.do("join", name="P1")["code"] == "full", "a stranger doesn't get an absent person's seat"
    play_until([crowd[0], late], lambda state: state["turn"] == 2)


def test_names_are_labels(up: Running) -> None:
    names = ["Ana", "🐇", "עברית", "../../etc/passwd", "<script>alert(1)</script>", "x" * 200, "I <3 雨"]
    table = up.open(seats=12)
    crowd = [Person(up.address, table).join(name) for name in names]
    sync(crowd)
    assert [person.seat for person in crowd] == list(range(len(names)))
    assert [entry["name"] for entry in crowd[0].state["seats"]][: len(names)] == names
    for name in ("", " \t", "x" * 201, "\u200b", "\u3164", "\u2800\ufe0f", "\u0301"):
        assert crowd[0].do("join", name=name)["code"] == "bad_name"
    assert crowd[0].do("join", name=" a\n b ")["type"] == "done"
    assert crowd[0].sees(0)["name"] == "a b"


def test_the_same_name_gets_a_number(up: Running) -> None:
    table = up.open(seats=12)
    for name in ("Ana", "ana", "Ａｎａ", "A\u200bna", "x" * 200, "X" * 200):
        last = Person(up.address, table).join(name)
    names = [entry["name"] for entry in last.state["seats"]][:6]
    assert names == ["Ana", "ana 2", "Ａｎａ 3", "A\u200bna 4", "x" * 200, "X" * 196 + " 2"]
    last.join("Ana")
    assert last.sees(5)["name"] == "Ana 5"
    before = last.state["revision"]
    last.join("Ana")
    assert last.state["revision"] == before, "one's own name is not taken"


def test_names_can_be_changed_a_few_times_only(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 2)
    codes = [crowd[0].do("join", name=f"name {number}").get("code") for number in range(10)]
    assert codes[:3] == [None] * 3
    assert codes[-1] == "renames"
    assert crowd[1].do("join", name="other")["type"] == "done", "others may"


def test_a_big_screen_sees_what_a_spectator_sees_and_is_nobodys_presence(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 2)
    start(crowd)
    screen = Person(up.address, crowd[0].table, crowd[0].token, watch=True)
    assert screen.state["you"] == {"seat": None, "host": False, "status": ""}
    assert screen.state["hand"] == []
    assert screen.do("leave")["code"] == "not_seated"
    crowd[0].close()
    crowd[1].wait(lambda state: state["seats"][0]["status"] == "away")
    assert crowd[1].state["watchers"] == 1
