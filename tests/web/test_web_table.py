"""A table of people and bots over real sockets: whole games, doing nothing twice, the reveal."""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from web_kit import Person, RandomBot, Running, go_home, play_until, running, sit, start, sync
from websockets.exceptions import ConnectionClosed

from dixit_env.web.events import Started
from dixit_env.web.resources import Timing


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


# playing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "people", "rules"), [(3, 3, "odyssey"), (4, 2, "dixit"), (7, 1, "odyssey-2011"), (12, 2, "odyssey")]
)
def test_a_whole_game_is_played_to_its_end(up: Running, seats: int, people: int, rules: str) -> None:
    table = up.open(seats=seats, rules=rules)
    crowd = sit(up, table, people)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "over")
    last = crowd[0].state
    assert max(entry["score"] for entry in last["seats"]) >= 30
    assert last["winners"]
    assert sorted(crowd[0].turns) == list(range(1, last["turn"] + 1))
    assert crowd[0].turns[last["turn"]]["scores"] == [entry["score"] for entry in last["seats"]]
    hand = 7 if seats == 3 else 6
    sizes = {len(frame["hand"]) for frame in crowd[0].frames if frame["type"] == "state" and frame["phase"] == "clue"}
    assert sizes == {hand}
    assert crowd[0].do("again")["type"] == "done"
    assert crowd[0].state["phase"] == "lobby"
    start(crowd)
    assert crowd[0].state["game"] == 2


def test_bots_speak_the_language_of_the_table_and_what_they_are_made_of_stays_on_the_server(tmp_path: Path) -> None:
    asked = set()

    def make_bot(spec: str, seat: int, seed: int) -> RandomBot:
        asked.add(spec)
        return RandomBot()

    with running(tmp_path, make_bot=make_bot, spec=lambda bot, lang: f"{bot}@secret:{lang}") as up:
        [person] = crowd = sit(up, up.open(seats=3, lang="pt"), 1)
        assert person.do("settings", settings={"lang": "da"})["type"] == "done"
        start(crowd)
        play_until(crowd, lambda state: state["turn"] == 2)
        assert asked == {"random@secret:da"}
        assert "secret" not in json.dumps([*person.frames, up.http.get("/api/info").json()])
        [started] = [event for event in up.server.resources.store.read(person.table) if isinstance(event, Started)]
        assert started.bots == "random@secret:da", "what played can be told from the record"


def test_slots_are_the_same_for_all_from_the_vote_to_the_log(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 3)
    watcher = Person(up.address, crowd[0].table)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "votes")
    everybody = [*crowd, watcher]
    for person in everybody:
        person.wait(lambda state: state["phase"] == "votes")
    voted_on = crowd[0].state["slots"]
    play_until(crowd, lambda state: state["phase"] == "reveal")
    for person in everybody:
        person.wait(lambda state: state["phase"] == "reveal")
        assert person.turns[1]["slots"] == voted_on
        shown = {json.dumps(f["slots"]) for f in person.frames if f["type"] == "state" and f["phase"] == "votes"}
        assert shown == {json.dumps(voted_on)}


def test_the_storyteller_sees_the_own_card_and_why_there_is_nothing_to_do(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    card = teller.state["hand"][2]
    assert teller.do("clue", card=card["id"], clue="雨", **teller.now)["type"] == "done"
    assert teller.state["given"] == [card]
    assert (teller.state["clue"], teller.state["idle"]) == ("雨", "storyteller")
    assert teller.sees(teller.seat)["task"] == "storyteller"
    others = [entry["task"] for entry in teller.state["seats"] if entry["seat"] != teller.seat]
    assert others == ["acts", "acts"]
    play_until(crowd, lambda state: state["phase"] == "votes")
    teller.wait(lambda state: state["phase"] == "votes")
    assert len(teller.state["own_slots"]) == 1
    assert teller.state["idle"] == "storyteller"


@pytest.mark.parametrize("clue", ["Yes", "雨", "?", "I <3 you & <b>me</b>", "سفر 🐇", "x" * 300])
def test_a_clue_arrives_as_it_was_written(up: Running, clue: str) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    assert teller.do("clue", card=teller.state["hand"][0]["id"], clue=clue, **teller.now)["type"] == "done"
    for person in crowd:
        assert person.wait(lambda state: state["phase"] == "cards")["clue"] == clue


@pytest.mark.parametrize("clue", ["", "  ", "a\nb", "x" * 301])
def test_a_clue_that_is_none_is_refused(up: Running, clue: str) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    answer = teller.do("clue", card=teller.state["hand"][0]["id"], clue=clue, **teller.now)
    assert answer["code"] == "bad_clue"
    assert teller.state["phase"] == "clue"


def test_explanations_come_after_the_reveal_and_only_where_wanted(up: Running) -> None:
    for wanted in (True, False):
        crowd = sit(up, up.open(seats=4, explain=wanted), 1)
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == "reveal")
        turn = crowd[0].turns[1]
        assert ("why" in turn) is wanted
        if wanted:
            assert turn["why"]
            for told in turn["why"].values():
                assert set(told) == {"belief", "text"}, "the bot's hand and card numbers stay with the bot"
                assert len(told["belief"]) == 4


# doing nothing twice -----------------------------------------------------------------------------------------------


def test_a_frame_sent_twice_is_done_once(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 4)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "cards")
    giver = next(person for person in crowd if person.may_act())
    frame = {"type": "cards", "id": "same", **giver.move()}
    for _ in range(3):
        giver.send(**frame)
        giver.answers.clear()
        assert giver.answer("same")["type"] == "done"
    assert len(giver.state["given"]) == 1
    assert len(giver.state["hand"]) == 5


def test_two_cards_clicked_quickly_give_one(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 4)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "cards")
    giver = next(person for person in crowd if person.may_act())
    first, second = giver.state["hand"][:2]
    giver.send(type="cards", id="one", cards=[first["id"]], **giver.now)
    giver.send(type="cards", id="two", cards=[second["id"]], **giver.now)
    assert giver.answer("one")["type"] == "done"
    assert giver.answer("two")["code"] == "illegal"
    assert giver.state["given"] == [first]


def test_the_same_choice_from_a_second_tab_is_no_error(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 4)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "votes")
    voter = next(person for person in crowd if person.may_act())
    tab = Person(up.address, voter.table, voter.token)
    assert tab.state["hand"] == voter.state["hand"]
    fields = voter.move()
    assert voter.do("votes", **fields)["type"] == "done"
    assert tab.do("votes", **fields)["type"] == "done"
    assert tab.state["dials"] == voter.state["dials"] == fields["slots"]
    other = [slot for slot in range(4) if slot not in voter.state["own_slots"]][1]
    assert tab.do("votes", **{**fields, "slots": [other, other]})["code"] == "illegal"
    tab.close()
    sync([voter])
    assert voter.sees(voter.seat)["status"] == "here", "one of two tabs was closed"


def test_joining_twice_takes_one_seat(up: Running) -> None:
    person = Person(up.address, up.open(seats=4))
    for name in ("Ana", "Ana", "Bea"):
        assert person.do("join", name=name)["type"] == "done"
    assert [entry["name"] for entry in person.state["seats"]] == ["Bea", "", "", ""]


def test_a_command_of_another_turn_or_phase_is_stale(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "cards")
    giver = next(person for person in crowd if person.may_act())
    fields = giver.move()
    assert giver.do("cards", **{**fields, "turn": 2})["code"] == "stale"
    assert giver.do("cards", **{**fields, "game": 2})["code"] == "stale"
    assert giver.do("cards", **{**fields, "phase": "votes"})["code"] == "stale"
    assert giver.do("votes", slots=[0, 0], **giver.now)["code"] == "stale"


def test_what_the_rules_forbid_is_refused(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    teller = crowd[crowd[0].state["storyteller"]]
    giver = next(person for person in crowd if person is not teller)
    assert giver.do("clue", card=giver.state["hand"][0]["id"], clue="me", **giver.now)["code"] == "illegal"
    stolen = teller.state["hand"][1]["id"]
    teller.act()
    giver.wait(lambda state: state["phase"] == "cards")
    one = giver.state["hand"][0]["id"]
    for cards in ([one], [one, one], [one, stolen], [one, "x"], []):
        assert giver.do("cards", cards=cards, **giver.now)["code"] == "illegal"
    assert teller.do("cards", cards=[stolen, teller.state["hand"][1]["id"]], **teller.now)["code"] == "illegal"
    play_until(crowd, lambda state: state["phase"] == "votes")
    sync(crowd)
    own, free = giver.state["own_slots"], [slot for slot in range(5) if slot not in giver.state["own_slots"]]
    assert len(own) == 2
    for slots in ([own[0], own[0]], [free[0], own[1]], [free[0]], [], [free[0], 5]):
        assert giver.do("votes", slots=slots, **giver.now)["code"] == "illegal"
    assert teller.do("votes", slots=[free[0], free[0]], **teller.now)["code"] == "illegal", "the storyteller votes not"


# settings and reveal -----------------------------------------------------------------------------------------------


def test_settings_are_changed_in_the_lobby_and_checked(up: Running) -> None:
    crowd = sit(up, up.open(seats=6), 4)
    host = crowd[0]
    assert host.do("settings", settings={"seats": 4, "rules": "dixit", "bots": "other"})["type"] == "done"
    assert host.state["rules"]["dials_most"] == 1
    assert host.state["settings"]["bots"] == "other"
    wrong = [
        {"seats": 3},  # four people sit
        {"seats": 9},  # Dixit is for eight
        {"seats": "6"},
        {"rules": "chess"},
        {"bots": "learned:/etc/passwd"},
        {"bots": "language:x@http://10.0.0.1/v1"},
        {"limit": 0},
        {"limit": 10**6},
        {"least": 5},
        {"fast": True},
    ]
    for settings in wrong:
        assert host.do("settings", settings=settings)["code"] == "bad_settings", settings
    assert host.do("settings", settings={"limit": None})["type"] == "done"
    start(crowd)
    assert host.do("settings", settings={"seats": 5})["code"] == "stale"
    assert host.do("start")["code"] == "stale"
    assert host.do("again")["code"] == "stale"


def test_a_deck_too_small_for_the_seats_is_refused(tmp_path: Path) -> None:
    with running(tmp_path, cards=40) as up:
        assert up.http.post("/api/tables", json={"seats": 12}).json()["error"]["code"] == "bad_settings"
        up.open(seats=6)


def test_the_next_turn_waits_for_the_reveal_but_not_for_ever(tmp_path: Path) -> None:
    with running(tmp_path, Timing(pace=0, grace=0, reveal=0.5)) as up:
        crowd = sit(up, up.open(seats=3), 3)
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == "reveal")
        sync(crowd)
        first, *rest = crowd
        next_teller = crowd[(first.state["storyteller"] + 1) % 3]
        early = {"card": next_teller.state["hand"][0]["id"], "clue": "early", **next_teller.now}
        answer = next_teller.do("clue", **{**early, "turn": 2, "phase": "clue"})
        assert answer["code"] == "reveal"
        first.do("seen", **first.now)
        assert first.state["seen"] == [first.seat]
        assert first.state["waiting"] == [person.seat for person in rest]
        for person in crowd:
            person.wait(lambda state: state["phase"] == "clue" and state["turn"] == 2)


def test_one_table_knows_nothing_of_another(up: Running) -> None:
    here, there = sit(up, up.open(seats=3), 1)[0], sit(up, up.open(seats=3), 1)[0]
    answer = here.do("start")
    assert answer["type"] == "done"
    stranger = Person(up.address, there.table, here.token)
    assert stranger.state["you"]["seat"] is None
    here.send(type="leave", id="x1", table=there.table)
    assert here.answer("x1")["code"] == "bad_frame"


def test_a_slow_reader_delays_nobody(up: Running) -> None:
    crowd = sit(up, up.open(seats=4), 2)
    slow = Person(up.address, crowd[0].table)  # never reads again
    start(crowd)
    with suppress(ConnectionClosed):  # the server may end it before the last is sent
        for _ in range(300):
            slow.socket.send('{"type": "ping"}')
    begun = time.monotonic()
    play_until(crowd, lambda state: state["turn"] == 3)
    assert time.monotonic() - begun < 5


def test_a_bot_that_fails_is_replaced_for_that_decision(tmp_path: Path) -> None:
    class Broken:
        name = "broken"

        def begin(self, seat: int, rng: object) -> None:
            self.seat = seat

        def act(self, view: object) -> object:
            match self.seat:
                case 1:
                    raise RuntimeError("no idea")
                case 2:
                    return "a move"
                case _:
                    time.sleep(0.4)
                    raise AssertionError("too late")

    timing = Timing(pace=0, grace=0, reveal=30, bot=0.1)
    with running(tmp_path, timing, make_bot=lambda *seated: Broken()) as up:  # type: ignore[arg-type]
        crowd = sit(up, up.open(seats=4), 1)
        start(crowd)
        play_until(crowd, lambda state: state["turn"] == 3)


def test_the_token_is_made_by_the_server_and_never_shown_again(up: Running) -> None:
    people = [Person(up.address, up.open(seats=3)) for _ in range(3)]
    tokens = [person.token for person in people]
    assert len(set(tokens)) == 3
    assert all(token is not None and len(token) == 32 for token in tokens)
    for person in people:
        person.join()
        later = [frame for frame in person.frames if frame["type"] != "welcome"]
        assert str(person.token) not in json.dumps(later)
        again = Person(up.address, person.table, person.token)
        assert "token" not in again.frames[0]
        assert again.seat == 0


def test_commands_need_a_fresh_id_each(up: Running) -> None:
    person = Person(up.address, up.open(seats=3))
    person.send(type="join", id="1", name="Ana")
    assert person.answer("1")["type"] == "done"
    person.answers.clear()
    person.send(type="leave", id="1")
    assert person.answer("1")["type"] == "done"
    assert person.state["you"]["seat"] == 0, "an id that is done is not done again, whatever it says"
    person.send(type="leave", id=secrets.token_hex(8))
    person.wait(lambda state: state["you"]["seat"] is None)
