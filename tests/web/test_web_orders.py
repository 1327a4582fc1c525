"""Commands, one after another and in any order: what they bring about, and that nothing breaks the table."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dixit_env.decks.deck import Deck
from dixit_env.game.engine import legal_moves
from dixit_env.web.events import Moved, Opened, RoomState, Shown, Stage, Started, advance, move_fields, restore
from dixit_env.web.orders import Offer, clean_name, plan
from dixit_env.web.projection import Live, awaited_seats, state_frame
from dixit_env.web.protocol import (
    Again,
    AnyCommand,
    Arrange,
    Back,
    Cards,
    Clue,
    Join,
    Leave,
    Refused,
    Remove,
    Seen,
    Settings,
    Start,
    Votes,
    read_frame,
)

OFFER = Offer(Deck.blank(84), ("random",))
PEOPLE = [f"person{number}" for number in range(5)]
CODES = {
    *("bad_frame", "not_seated", "not_host", "full", "bad_name", "bad_clue", "bad_settings", "stale", "illegal"),
    *("paused", "reveal", "removed"),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
TYPES = ["hello", "ping", "join", "leave", "back", "settings", "start", "again", "remove", "clue", "cards", "votes"]


def code_of(work: Callable[[], object]) -> str:
    """The code of a refusal, or ""."""
    try:
        work()
    except Refused as error:
        return error.code
    return ""


@given(st.text() | st.binary() | JSON.map(json.dumps))
@settings(max_examples=200, deadline=None)
def test_whatever_is_no_frame_is_refused(text: str | bytes) -> None:
    with pytest.raises(Refused, match=r"."):
        read_frame(text)


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(["id", "table", "name", "token", "card"]), JSON))
@settings(max_examples=200, deadline=None)
def test_a_frame_with_fields_of_any_kind_is_read_or_refused(kind: str, fields: dict[str, Any]) -> None:
    assert code_of(lambda: read_frame(json.dumps({"type": kind, **fields}))) in ("", "bad_frame")


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "hello"}',
        '{"type": "hello", "protocol": 1, "table": "T", "token": "short"}',
        '{"type": "hello", "protocol": 1, "table": "T", "token": "../../../../../../../../etc/passwd"}',
        '{"type": "join", "table": "T", "name": "Ana"}',
        '{"type": "join", "id": "", "table": "T", "name": "Ana"}',
        '{"type": "join", "id": "1", "table": "T", "name": "Ana", "seat": 3}',
        '{"type": "join", "id": "1", "table": "T", "name": "\\ud800"}',
        '{"type": "votes", "id": "1", "table": "T", "game": 1, "turn": 1, "phase": "votes", "slots": [1, 1, 1]}',
        '{"type": "votes", "id": "1", "table": "T", "game": 1, "turn": 1, "phase": "votes", "slots": [-1]}',
        '{"type": "votes", "id": "1", "table": "T", "game": 1, "turn": 1, "phase": "votes", "slots": [true]}',
        '{"type": "votes", "id": "1", "table": "T", "game": 1, "turn": true, "phase": "votes", "slots": [1]}',
        '{"type": "shutdown", "id": "1", "table": "T"}',
        "[" * 5000,
    ],
)
def test_frames_that_almost_fit_are_refused(text: str) -> None:
    with pytest.raises(Refused) as error:
        read_frame(text)
    assert error.value.code == "bad_frame"


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_a_name_is_one_visible_line_or_refused(text: str) -> None:
    code = code_of(lambda: clean_name(text))
    assert code in ("", "bad_name")
    if not code:
        name = clean_name(text)
        assert name == clean_name(name)
        assert 1 <= len(name) <= 200
        assert "\n" not in name


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "seats": st.integers(2, 13),
        "rules": st.sampled_from(["odyssey", "dixit", "chess"]),
        "least": st.integers(0, 3),
    },
)


class Table(RuleBasedStateMachine):
    """Five people send whatever they like; absent ones come and go; bots play when it is their turn."""

    @initialize(seats=st.sampled_from([3, 4, 6]), people=st.integers(0, 3))
    def open(self, seats: int, people: int) -> None:
        self.state = restore([Opened(key="00" * 32, settings=Settings(seats=seats))])
        self.here = set(PEOPLE[:3])
        self.seen: set[str] = set()
        for person in PEOPLE[:people]:
            self.join(person, "Ana", consent=True)
        if people > 1:
            self.simple(PEOPLE[0], Start)

    @property
    def live(self) -> Live:
        status = {p.person: "here" if p.person in self.here else "away" for p in self.state.people}
        return Live(status, frozenset(self.seen))

    def send(self, person: str, order: AnyCommand) -> None:
        """Carry out a command, or be refused."""
        before, stage = self.state, self.state.stage

        def carry_out() -> None:
            for event in plan(before, self.live, person, order, OFFER):
                dealt = msgspec.structs.replace(event, seed=5) if isinstance(event, Started) else event
                self.state = advance(
                    self.state, dealt
                )  # the same deal every time, so that a failure can be shown again

        code = code_of(carry_out)
        assert code in CODES | {""}
        if code:
            assert self.state == before
        elif isinstance(order, Clue | Cards | Votes) and self.state.stage is stage:
            assert plan(self.state, self.live, person, order, OFFER) == [], "the same decision is not made twice"
        elif isinstance(order, Seen):
            self.seen.add(person)

    @rule(person=st.sampled_from(PEOPLE), name=st.text(max_size=5), consent=st.booleans())
    def join(self, person: str, name: str, consent: bool) -> None:
        self.send(person, Join(id="1", table="T", name=name or "Ana", consent=consent))

    @rule(person=st.sampled_from(PEOPLE))
    def come_or_go(self, person: str) -> None:
        self.here ^= {person}

    @rule(person=st.sampled_from(PEOPLE), kind=st.sampled_from([Leave, Back, Start, Start, Start, Again]))
    def simple(self, person: str, kind: type[Any]) -> None:
        self.send(person, kind(id="1", table="T"))

    @rule(person=st.sampled_from(PEOPLE), seat=st.integers(0, 11))
    def remove(self, person: str, seat: int) -> None:
        self.send(person, Remove(id="1", table="T", seat=seat, name="Ana"))

    @rule(person=st.sampled_from(PEOPLE), changes=CHANGES)
    def arrange(self, person: str, changes: dict[str, object]) -> None:
        self.send(person, Arrange(id="1", table="T", settings=changes))

    @rule(person=st.sampled_from(PEOPLE), data=st.data())
    def decide(self, person: str, data: st.DataObject) -> None:
        """A decision that may be right, late, early, somebody else's or nonsense."""
        frame = state_frame("T", self.state, self.live, person)
        game = data.draw(st.sampled_from([frame["game"], 1]))
        turn = data.draw(st.sampled_from([frame["turn"]] * 3 + [frame["turn"] + 1]))
        phase = data.draw(st.sampled_from([frame["phase"]] * 3 + ["votes", "cards"]))
        ids = [card["id"] for card in frame["hand"] + frame["given"] + frame["slots"]] or ["x"]
        where: dict[str, Any] = {"id": "1", "table": "T", "game": game, "turn": turn, "phase": phase}
        if phase == "clue":
            self.send(person, Clue(card=data.draw(st.sampled_from(ids)), clue=data.draw(st.text(max_size=3)), **where))
        elif phase == "cards":
            cards = data.draw(st.lists(st.sampled_from(ids), max_size=2))
            self.send(person, Cards(cards=tuple(cards), **where))
        elif phase == "votes":
            self.send(person, Votes(slots=tuple(data.draw(st.lists(st.integers(0, 5), max_size=2))), **where))
        else:
            self.send(person, Seen(**where))

    @rule(steps=st.integers(1, 12), rng=st.randoms(use_true_random=False))
    def bots_go_on(self, steps: int, rng: Any) -> None:
        """What the table does by itself."""
        for _ in range(steps):
            play = self.state.play
            if play is None or self.state.stage is Stage.OVER:
                return
            if self.state.stage is Stage.REVEAL:
                self.state, self.seen = advance(self.state, Shown()), set()
                continue
            seat = rng.choice(awaited_seats(self.state, self.live))
            move = rng.choice(legal_moves(play, seat))
            self.state = advance(self.state, Moved(seat=seat, bot="random", **move_fields(move)))

    @invariant()
    def the_table_is_whole(self) -> None:
        state: RoomState = self.state
        people = [person.person for person in state.people]
        assert len(set(people)) == len(people) <= len(state.seated)
        sitting = [person for person in state.seated if person]
        assert sorted(sitting) == sorted(people)
        if state.play is not None:
            lying = [card for hand in state.play.hands for card in hand]
            cards = sorted([*lying, *state.play.pile, *state.play.discard])
            assert cards == list(range(84)), "no card is lost, none is there twice"
            if state.stage not in (Stage.OVER, Stage.REVEAL):
                assert awaited_seats(state, self.live), "somebody is always awaited"
        for person in [*PEOPLE, ""]:
            frame = state_frame("T", state, self.live, person)
            assert sum(entry["host"] for entry in frame["seats"]) == bool(people)


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
