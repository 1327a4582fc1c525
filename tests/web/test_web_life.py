"""What makes a table lively: bots that take their time, faces at the seats, and what bots believed."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from test_web_projection import live, opening
from web_kit import Person, Running, go_home, running, sit, start

from dixit_env.game.engine import GameState, Phase, apply, legal_moves, new_game, waiting_for
from dixit_env.game.rules import ODYSSEY
from dixit_env.web import reactions
from dixit_env.web.events import Moved, Shown, Stage, advance, move_fields, restore
from dixit_env.web.pace import LOOK, pause
from dixit_env.web.projection import state_frame, turns_frame
from dixit_env.web.resources import Timing


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


# bots take their time ----------------------------------------------------------------------------------------------


def positions(seed: int, seats: int = 6) -> Iterator[GameState]:
    """Every position of a game of random moves."""
    rng = Random(seed)
    play = new_game(ODYSSEY, seats, 100, seed)
    while play.phase is not Phase.OVER:
        yield play
        seat = rng.choice(waiting_for(play))
        play = apply(play, seat, rng.choice(legal_moves(play, seat)))


def test_a_bot_takes_as_long_as_a_person_and_seldom_twice_the_same() -> None:
    games = [list(positions(seed)) for seed in range(8)]
    drawn = {
        (game, play.turn, play.phase, seat): pause(play, seat)
        for game, plays in enumerate(games)
        for play in plays
        for seat in waiting_for(play)
    }
    assert all(0.5 < seconds < 17 for seconds in drawn.values())
    assert len(set(drawn.values())) > 0.9 * len(drawn)
    of_seat = {
        (game, seat): mean(
            seconds for (g, _, phase, s), seconds in drawn.items() if (g, s, phase) == (game, seat, Phase.CARDS)
        )
        for game in range(8)
        for seat in range(6)
    }
    assert max(of_seat.values()) > 1.5 * min(of_seat.values()), "some seats are quick, others slow"


def test_a_bots_pace_is_the_same_whatever_lies_on_the_table() -> None:
    for play in positions(3):
        hidden = play._replace(hands=play.hands[::-1], given=play.given[::-1], slots=play.slots[::-1])
        for seat in range(6):
            assert pause(hidden, seat) == pause(play, seat)


@pytest.mark.parametrize("seats", [4, 12])
def test_the_storyteller_sees_the_cards_before_a_bot_votes(seats: int) -> None:
    votes = [play for play in positions(1, seats) if play.phase is Phase.VOTES]
    assert min(pause(play, seat) for play in votes for seat in waiting_for(play)) > LOOK * seats + 0.5


def test_the_server_scales_the_pace(tmp_path: Path) -> None:
    with running(tmp_path, Timing(pace=0.05)) as up:
        person = Person(up.address, up.open(seats=3)).join()
        assert person.do("start")["type"] == "done"
        while person.state["phase"] != "votes":
            if person.may_act():
                person.act()
            else:
                person.read()
        arrived = time.monotonic()
        if person.may_act():
            person.act()
        person.wait(lambda state: state["phase"] == "reveal")
        assert time.monotonic() - arrived > 0.05 * LOOK * 5


# faces -------------------------------------------------------------------------------------------------------------


def test_a_face_is_seen_by_all_and_fades(up: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactions, "SHOWN", 0.3)
    table = up.open(seats=4)
    ana, ben = sit(up, table, 2)
    watcher = Person(up.address, table, watch=True)
    start([ana, ben])
    assert ana.do("react", face="laugh")["type"] == "done"
    assert ben.do("react", face="doubt")["type"] == "done"
    for person in (ana, ben, watcher):
        person.wait(lambda state: [seat["reaction"] for seat in state["seats"]] == ["laugh", "doubt", "", ""])
        person.wait(lambda state: not any(seat["reaction"] for seat in state["seats"]))


def test_faces_are_few_and_at_a_limited_rate(up: Running) -> None:
    table = up.open(seats=3)
    ana, ben = sit(up, table, 2)
    for face in ("", "😀", "<b>", "laugh" * 1000, 3):
        ana.send(type="react", id="wrong", face=face)
    codes: list[str] = []
    while len(codes) < 5:
        ana.read()
        codes = [frame["code"] for frame in ana.frames if frame["type"] == "error"]
    assert codes == ["bad_frame"] * 5
    answers = [ana.do("react", face="smile") for _ in range(5)]
    assert [answer["type"] for answer in answers] == ["done"] * 3 + ["error"] * 2
    assert answers[-1]["code"] == "faces"
    assert ben.do("react", face="smile")["type"] == "done", "everybody has a rate of their own"
    stranger = Person(up.address, table)
    assert stranger.do("react", face="smile")["code"] == "not_seated"


def test_a_face_is_no_event_and_disturbs_nothing(up: Running) -> None:
    people = sit(up, up.open(seats=3), 3)  # no bot, which would move by itself
    start(people)
    ana = people[0]
    room = next(room for room in up.rooms._loaded() if room.name == ana.table)
    events, before = room.count, ana.state
    assert ana.do("react", face="sorry")["type"] == "done"
    assert room.count == events
    same = ("phase", "turn", "waiting", "idle", "hand", "given", "clue", "storyteller", "needs")
    assert {key: ana.state[key] for key in same} == {key: before[key] for key in same}


# beliefs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize("seats", [3, 6])
def test_what_bots_believe_is_told_after_the_reveal_and_never_before(seats: int, explain: bool) -> None:
    rng = Random(seats)
    state = restore(opening(seats, 1, "odyssey", seats, explain=explain))
    believed: dict[int, dict[str, list[float]]] = {}
    while state.turn <= 4 and state.stage is not Stage.OVER:
        play = state.play
        assert play is not None
        for viewer in ("", "person0"):
            told = turns_frame(state, 0)
            assert {turn["turn"]: turn["beliefs"] for turn in told["turns"]} == {
                turn.number: believed[turn.number] for turn in play.history
            }
            sent = json.dumps([state_frame("T", state, live(state), viewer), told])
            open_turn = believed.get(play.turn, {})
            assert not any(str(share) in sent for belief in open_turn.values() for share in belief)
        if state.stage is Stage.REVEAL:
            state = advance(state, Shown())
            continue
        seat = rng.choice(waiting_for(play))
        move = Moved(seat=seat, **move_fields(rng.choice(legal_moves(play, seat))))
        if play.phase is Phase.VOTES and seat:
            belief = [round(rng.uniform(0.1, 0.9), 4) for _ in play.slots]
            believed.setdefault(play.turn, {})[str(seat)] = belief
            why = {"belief": belief, "text": "a hunch", "hand": list(play.hands[seat])}
            move = Moved(seat=seat, numbers=move.numbers, bot="clip", why=why)
        state = advance(state, move)
    assert len(believed) == 4


@pytest.mark.parametrize("belief", [[1, 2, 3, 4, 5, 6], [0.5], ["a"] * 6, {"0": 1.0}, 0.5, None])
def test_what_is_no_belief_over_the_slots_stays_with_the_bot(belief: object) -> None:
    rng = Random(1)
    state = restore(opening(6, 0, "odyssey", 1))
    while state.stage is not Stage.REVEAL:
        assert state.play is not None
        seat = waiting_for(state.play)[0]
        move = move_fields(rng.choice(legal_moves(state.play, seat)))
        state = advance(state, Moved(seat=seat, bot="clip", why={"belief": belief}, **move))
    assert turns_frame(state, 0)["turns"][0]["beliefs"] == {}
