"""Programs at the table: seats over HTTP and sockets, in the form of records, within the page's limits."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from test_web_projection import live, scrambled, states
from web_kit import AT_ONCE, PATIENCE, Person, Running, go_home, running, sit, start
from websockets.sync.client import connect

from dixit_env.game.moves import move_from_json, move_to_json
from dixit_env.game.view import view
from dixit_env.table.records import read, replay, turn_to_json
from dixit_env.table.views import view_to_json
from dixit_env.web.events import Joined, Stage, advance
from dixit_env.web.export import export_games
from dixit_env.web.projection import awaited_seats, host, paused, view_frame, visible
from dixit_env.web.protocol import PROTOCOL
from dixit_env.web.security import Limits

Frame = dict[str, Any]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("seats")) as server:
        yield server


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


class Program:
    """A program that knows nothing but the documented requests."""

    def __init__(self, up: Running, table: str, name: str = "program", consent: bool = True) -> None:
        self.base = f"/api/tables/{table}"
        self.http = up.http
        taken = up.http.post(f"{self.base}/seats", json={"name": name, "consent": consent})
        assert taken.status_code == 201, taken.text
        self.seat, self.token = taken.json()["seat"], taken.json()["token"]
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.http.request(method, self.base + path, headers=self.headers, **options)

    def view(self, **query: int) -> Frame:
        answer = self.ask("GET", "/view", params=query)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def move(self, seen: Frame, move: object) -> httpx.Response:
        return self.ask("POST", "/moves", json={key: seen[key] for key in ("game", "turn", "phase")} | {"move": move})

    def post(self, path: str) -> httpx.Response:
        return self.ask("POST", path, json={})

    def play(self, phase: str) -> Frame:
        """Play until the game is over, or the program must decide in that phase; its view then."""
        end = time.monotonic() + 2 * PATIENCE
        seen = self.view()
        while seen["phase"] != phase or not (seen["acts"] or phase == "over"):
            assert time.monotonic() < end, seen
            if seen["acts"]:
                move = seen["view"]["moves"][0]
                assert self.move(seen, {**move, "clue": "a door"} if "clue" in move else move).status_code == 200
                seen = self.view()
            else:
                seen = self.view(after=seen["revision"], wait=5)
        return seen


def test_a_program_plays_a_whole_game_and_the_record_says_so(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        program = Program(up, up.open(seats=3), "R2")
        assert program.view()["phase"] == "lobby"
        assert program.view()["view"] is None
        assert program.post("/start").status_code == 200
        end = program.play("over")
        assert max(end["view"]["scores"]) >= 30
        export_games(up.server.resources.store, tmp_path / "out")
        assert program.post("/again").status_code == 200
        assert program.view()["phase"] == "lobby"
    record = read(next((tmp_path / "out").iterdir()))
    assert replay(record).scores == tuple(end["view"]["scores"])
    assert record.game["agents"] == ["program", "random", "random"]
    assert {line["why"]["by"] for line in record.decisions if line["seat"] == 0} == {"program"}
    assert list(record.turns) == [
        {"type": "turn", **turn, "scores": scored["scores"]}
        for turn, scored in zip(end["view"]["history"], record.turns, strict=True)
    ], "a view's history is the record's turns"


def test_bots_take_no_time_where_programs_play_alone(tmp_path: Path) -> None:
    with running(tmp_path, replace(AT_ONCE, pace=1000)) as up:
        program = Program(up, up.open(seats=3))
        program.post("/start")
        program.play("votes")


def test_views_have_the_form_of_records_and_legal_moves_read_back() -> None:
    for state in states(4, "odyssey", 3, turns=2):
        assert state.play is not None
        numbers = {card: number for number, card in enumerate(state.cards)}
        for seat in range(4):
            seen = view(state.play, seat)
            told = json.loads(json.dumps(view_to_json(seen, state.cards)))
            assert set(told) == {*seen._fields, "moves"}
            assert [numbers[card] for card in told["hand"]] == list(seen.hand)
            assert told["rules"] == asdict(seen.rules)
            assert told["history"] == [turn_to_json(turn, state.cards) for turn in seen.history]
            assert tuple(move_from_json(move, numbers) for move in told["moves"]) == seen.moves
            assert told["moves"] == [move_to_json(move, state.cards) for move in seen.moves]


@pytest.mark.parametrize(("seats", "rules"), [(3, "odyssey"), (6, "dixit")])
def test_no_view_depends_on_what_the_seat_cant_see(seats: int, rules: str) -> None:
    rng = Random(seats)
    words = [{"en": f"picture {number}"} for number in range(100)]
    stages = set()
    for state in states(seats, rules, seats, turns=4, describe=True):
        assert state.play is not None
        for seat in range(seats):
            viewer = f"person{seat}"
            other = replace(state, play=scrambled(state.play, seat, rng))
            frames = [view_frame("T", one, live(one), viewer, words) for one in (state, other)]
            assert frames[0] == frames[1]
            assert visible(other, viewer) == visible(state, viewer)
        stages.add(state.stage)
        assert view_frame("T", state, live(state), "stranger", words)["view"] is None
    assert stages >= {Stage.CLUE, Stage.CARDS, Stage.VOTES, Stage.REVEAL}


def test_a_program_sees_pictures_of_its_view_only(up: Running) -> None:
    program = Program(up, up.open(seats=3))
    program.post("/start")
    seen = program.play("votes")
    own = [*seen["view"]["hand"], *seen["view"]["slots"]]
    for card in own:
        answer = program.ask("GET", f"/cards/{card}/small.webp")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    deck = {card.id for card in up.server.resources.offer.deck.cards}
    hidden = deck - set(own) - set(seen["view"]["discard"])
    assert {program.ask("GET", f"/cards/{card}/small.webp").status_code for card in hidden} == {404}
    assert up.http.get(f"{program.base}/cards/{own[0]}/small.webp").status_code == 401


def test_people_are_told_who_is_a_program_and_stay_the_hosts(up: Running) -> None:
    table = up.open(seats=4)
    program = Program(up, table, "Marvin")
    assert program.view()["host"]
    person = Person(up.address, table).join("Ana")
    person.wait(lambda state: state["you"]["host"])
    assert [seat["name"] for seat in person.state["seats"][:2]] == ["Marvin", "Ana"]
    assert [seat["kind"] for seat in person.state["seats"]] == ["program", "person", "bot", "bot"]
    assert program.post("/start").json()["error"]["code"] == "not_host"
    assert person.do("start")["type"] == "done"
    while person.state["phase"] != "reveal":
        seen = program.view()
        if seen["acts"]:
            program.move(seen, {**seen["view"]["moves"][0]})
        if person.may_act():
            person.act()
        else:
            person.do("back")
    assert person.state["waiting"] == [person.seat], "a program needs no time to look at the result"
    assert person.do("remove", seat=program.seat, name="Marvin")["type"] == "done"
    assert program.ask("GET", "/view").json()["error"]["code"] == "removed"


def test_without_people_programs_keep_the_game_going() -> None:
    start_of_game = next(states(4, "odyssey", 1))
    half = reduce_to_programs(start_of_game, "person0", "person1")
    here = live(half)
    assert not paused(half, here)
    only_programs = replace(here, status={"person0": "here", "person1": "here"})
    assert paused(half, only_programs), "programs don't stand in for people"
    everybody = reduce_to_programs(half, "person2", "person3")
    assert not paused(everybody, only_programs)
    assert host(half, here) == "person2"
    assert host(everybody, only_programs) == "person0"
    for state in states(4, "odyssey", 1, turns=1):
        if state.stage is Stage.REVEAL:
            assert awaited_seats(reduce_to_programs(state, "person0", "person1"), live(state)) == (2, 3)


def reduce_to_programs(state: Any, *people: str) -> Any:
    for person in people:
        state = advance(state, Joined(person=person, name=person, consent=True, program=True))
    return state


def test_the_same_seat_over_a_socket(up: Running) -> None:
    program = Program(up, up.open(seats=3))
    with connect(f"ws://{up.address}/ws", proxy=None, close_timeout=1) as socket:
        table = program.base.rpartition("/")[2]

        def tell(**frame: object) -> None:
            socket.send(json.dumps({"table": table, **frame}))

        def hear(kind: str) -> Frame:
            while (frame := json.loads(socket.recv(timeout=PATIENCE)))["type"] != kind:
                assert frame["type"] in ("view", "done"), frame
            return dict(frame)

        tell(type="hello", protocol=PROTOCOL, token=program.token, views=True)
        assert hear("welcome")["seat"] == program.seat
        assert hear("view")["phase"] == "lobby"
        tell(type="start", id="go")
        seen = hear("view")
        while seen["phase"] != "reveal" and seen["turn"] < 2:
            if seen["acts"]:
                now = {key: seen[key] for key in ("game", "turn", "phase")}
                tell(type="move", id=f"move in {now}", move={**seen["view"]["moves"][-1]}, **now)
            seen = hear("view")
        tell(type="move", id="late", game=1, turn=1, phase="votes", move={"slots": [0, 0]})
        answer = hear("error")
        assert (answer["id"], answer["code"]) == ("late", "stale")


MOVES: list[tuple[object, str]] = [
    ({"cards": ["0" * 16, "1" * 16]}, "illegal"),
    ({"cards": []}, "illegal"),
    ({"cards": {}}, "illegal"),
    ({"cards": [["x"]]}, "illegal"),
    ({"slots": [0, 0]}, "illegal"),
    ({"slots": "00"}, "illegal"),
    ({"slots": 3}, "illegal"),
    ({"slots": [True, 0.5]}, "illegal"),
    ({"card": "x", "clue": "y"}, "illegal"),
    ({}, "illegal"),
    ([], "bad_frame"),
    ("cards", "bad_frame"),
    (None, "bad_frame"),
    ({"cards": ["x" * 5000]}, "bad_frame"),
]


def test_a_wrong_move_is_refused_in_words_and_changes_nothing(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 1)
    program = Program(up, crowd[0].table)
    start(crowd)
    while (seen := program.view())["phase"] != "cards" or not seen["acts"]:
        if seen["acts"]:
            bad = program.move(seen, {"card": seen["view"]["hand"][0], "clue": "\n"})
            assert bad.json()["error"]["code"] == "bad_clue"
            program.move(seen, {"card": seen["view"]["hand"][0], "clue": "a door"})
        elif crowd[0].may_act():
            crowd[0].act()
        elif crowd[0].is_reading():
            crowd[0].do("seen", **crowd[0].now)
        else:
            crowd[0].do("back")
    for move, code in MOVES:
        answer = program.move(seen, move)
        assert answer.json()["error"]["code"] == code, (move, answer.text)
        assert answer.status_code in (400, 409)
    now = program.view()
    assert now["acts"]
    assert {**now["view"], "acted": []} == {**seen["view"], "acted": []}, "others may have decided meanwhile"
    stale = program.ask("POST", "/moves", json={"game": 9, "turn": 1, "phase": "cards", "move": {}})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale")
    good = {"cards": seen["view"]["hand"][:2]}
    assert program.move(seen, good).status_code == 200
    assert set(program.view()["view"]["given"]) == set(good["cards"])


def test_without_the_seats_token_there_is_nothing(up: Running) -> None:
    program, other = Program(up, up.open(seats=3)), Program(up, up.open(seats=3))
    for header in ("", "Bearer", "Bearer short", f"Basic {program.token}"):
        assert up.http.get(f"{program.base}/view", headers={"Authorization": header}).status_code == 401
    foreign = up.http.get(f"{program.base}/view", headers=other.headers)
    assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "not_seated")
    assert up.http.get("/api/tables/23456789AB/view", headers=program.headers).status_code == 404
    evil = {**program.headers, "Origin": "http://elsewhere.example"}
    assert up.http.post(f"{program.base}/start", headers=evil, json={}).status_code == 403
    assert up.http.post(f"{program.base}/seats", headers=evil, json={"name": "x"}).status_code == 403


def test_a_full_table_and_bad_names_are_refused(up: Running) -> None:
    table = up.open(seats=3)
    for name in ("", "\u200b", "x" * 300):
        assert up.http.post(f"/api/tables/{table}/seats", json={"name": name}).json()["error"]["code"] == "bad_name"
    for _ in range(3):
        Program(up, table)
    full = up.http.post(f"/api/tables/{table}/seats", json={"name": "one more"})
    assert (full.status_code, full.json()["error"]["code"]) == (409, "full")


def test_a_program_that_leaves_gives_its_seat_up_before_the_game_and_lends_it_after(up: Running) -> None:
    program = Program(up, up.open(seats=3))
    assert program.ask("DELETE", "/seat").status_code == 200
    assert program.ask("GET", "/view").status_code == 403
    crowd = sit(up, up.open(seats=3), 1)
    program = Program(up, crowd[0].table)
    start(crowd)
    program.ask("DELETE", "/seat")
    crowd[0].wait(lambda state: state["seats"][program.seat]["status"] == "left")
    assert program.view()["players"][program.seat]["status"] == "here"


def test_only_tables_that_want_it_are_listed(up: Running) -> None:
    hidden, open_to_all = up.open(seats=3), up.open(seats=4, listed=True, lang="da")
    Program(up, hidden)
    assert up.http.get("/api/tables").json() == {"tables": []}, "a table where nobody is is not listed"
    Program(up, open_to_all)
    assert up.http.get("/api/tables").json() == {
        "tables": [{"table": open_to_all, "phase": "lobby", "free": 3, "seats": 4, "rules": "odyssey", "lang": "da"}]
    }


def test_a_program_has_the_rates_of_a_page(tmp_path: Path) -> None:
    with running(tmp_path, limits=replace(Limits(), frames=(5, 0.001), sockets_of_person=1)) as up:
        program = Program(up, up.open(seats=3))
        codes = [program.ask("GET", "/view").status_code for _ in range(6)]
        assert codes == [200] * 5 + [429]


def test_news_are_waited_for_and_come_at_once(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 1)
    program = Program(up, crowd[0].table)
    seen = program.view()
    begun = time.monotonic()
    assert program.view(after=seen["revision"], wait=1)["revision"] == seen["revision"]
    assert 0.9 < time.monotonic() - begun < 5
    start(crowd)
    assert program.view(after=seen["revision"], wait=20)["phase"] != "lobby"
    for wrong in ({"after": "x"}, {"wait": "9" * 40}):
        assert program.ask("GET", "/view", params=wrong).status_code == 400
