"""What a seat is sent: compared seat by seat, over whole games, with what it may know."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from random import Random

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from dixit_env.game.engine import GameState, Phase, legal_moves, waiting_for
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import edition
from dixit_env.web.events import (
    AnyEvent,
    Joined,
    Moved,
    Opened,
    RoomState,
    Shown,
    Stage,
    Started,
    advance,
    move_fields,
    restore,
)
from dixit_env.web.projection import Live, explanation, hand_id, pictures, slot_id, state_frame, turns_frame
from dixit_env.web.protocol import Settings

WORDS = [{"en": f"picture {number}"} for number in range(100)]
STATE_KEYS = {
    *("type", "revision", "table", "phase", "game", "turn", "paused", "you", "settings", "seats", "watchers", "rules"),
    *(
        "storyteller",
        "waiting",
        "idle",
        "clue",
        "hand",
        "given",
        "slots",
        "own_slots",
        "dials",
        "needs",
        "seen",
        "pile",
    ),
    *("discard", "seconds_left", "winners", "games", "study"),
}
SEAT_KEYS = {"seat", "name", "kind", "bot", "status", "host", "score", "task", "reaction"}


def opening(seats: int, people: int, rules: str, seed: int, **options: bool) -> list[AnyEvent]:
    """A table at the start of a game."""
    names = tuple(f"person{number}" for number in range(people))
    chosen = Settings(rules=rules, seats=seats, **options)  # type: ignore[arg-type]
    return [
        Opened(key=bytes(range(32)).hex(), settings=chosen),
        *[Joined(person=name, name=f"N{name}", consent=True) for name in names],
        Started(
            rules=asdict(edition(rules)),
            deck="blank",
            cards=tuple(f"{number:016x}" for number in range(100)),
            people=names + ("",) * (seats - people),
            bots="random",
            seed=seed,
        ),
    ]


def states(seats: int, rules: str, seed: int, turns: int = 40, **options: bool) -> Iterator[RoomState]:
    """Every state of a game of random moves; decisions of a phase come in random order."""
    rng = Random(seed)
    state = restore(opening(seats, seats, rules, seed, **options))
    yield state
    while state.stage is not Stage.OVER and state.turn <= turns:
        if state.stage is Stage.REVEAL:
            state = advance(state, Shown())
        else:
            assert state.play is not None
            seat = rng.choice(waiting_for(state.play))
            move = rng.choice(legal_moves(state.play, seat))
            state = advance(state, Moved(seat=seat, **move_fields(move)))
        yield state


def live(state: RoomState) -> Live:
    return Live({person.person: "here" for person in state.people}, watchers=1, revision=7, seconds_left=9.5)


def frames(state: RoomState, viewer: str) -> str:
    """All that a viewer is sent in this state."""
    return json.dumps([state_frame("T", state, live(state), viewer, WORDS), turns_frame(state, 0, WORDS)])


def scrambled(play: GameState, viewer: int | None, rng: Random) -> GameState:
    """Another game that looks the same from a seat: other cards in other hands and in the pile, other owners, votes."""
    others = [seat for seat in range(play.players) if seat != viewer]
    lying = set(play.slots)
    hidden = [card for seat in others for card in play.hands[seat] if card not in lying] + list(play.pile)
    laid = [card for seat in others for card in play.given[seat] if card in lying]
    change = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    change |= dict(zip(laid, rng.sample(laid, len(laid)), strict=True))

    def changed(row: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(
            cards if seat == viewer else tuple(change.get(card, card) for card in cards)
            for seat, cards in enumerate(row)
        )

    votes = tuple(
        tuple(rng.randrange(len(play.slots)) for _ in dials) if seat != viewer else dials
        for seat, dials in enumerate(play.votes)
    )
    pile = tuple(change.get(card, card) for card in play.pile)
    return play._replace(
        seed=rng.getrandbits(64), hands=changed(play.hands), given=changed(play.given), pile=pile, votes=votes
    )


@pytest.mark.parametrize(("seats", "rules"), [(3, "odyssey"), (4, "dixit"), (7, "odyssey-2011"), (12, "odyssey")])
def test_no_frame_depends_on_what_a_seat_cant_see(seats: int, rules: str) -> None:
    rng = Random(seats)
    looked = set()
    for state in states(seats, rules, seats, turns=6, explain=True, describe=True):
        assert state.play is not None
        for seat in [None, *range(seats)]:
            viewer = "" if seat is None else f"person{seat}"
            other = scrambled(state.play, seat, rng)
            assert frames(replace(state, play=other), viewer) == frames(state, viewer)
            looked.add((state.stage, seat))
    stages = {Stage.CLUE, Stage.CARDS, Stage.VOTES, Stage.REVEAL}
    assert looked >= {(stage, seat) for stage in stages for seat in [None, *range(seats)]}


def test_the_comparison_above_can_fail() -> None:
    rng = Random(1)
    state = next(state for state in states(4, "odyssey", 1) if state.stage is Stage.VOTES)
    assert state.play is not None
    other = replace(state, play=scrambled(state.play, None, rng))
    seats = [f"person{seat}" for seat in range(4)]
    assert any(frames(other, viewer) != frames(state, viewer) for viewer in seats)


@pytest.mark.parametrize("seats", [3, 5, 12])
def test_a_frame_holds_what_the_seat_needs_and_nothing_else(seats: int) -> None:
    for state in states(seats, "odyssey", 5, turns=3):
        play = state.play
        assert play is not None
        for seat in range(seats):
            frame = state_frame("T", state, live(state), f"person{seat}")
            assert set(frame) == STATE_KEYS
            assert all(set(entry) == SEAT_KEYS for entry in frame["seats"])
            ids = pictures(state)
            given = play.given[seat]
            assert [ids[card["id"]] for card in frame["hand"]] == [c for c in play.hands[seat] if c not in given]
            assert [ids[card["id"]] for card in frame["given"]] == list(given)
            assert [ids[card["id"]] for card in frame["slots"]] == list(play.slots)
            assert all(set(card) == {"id"} for card in frame["hand"] + frame["given"] + frame["slots"])
            assert [play.slots[slot] for slot in frame["own_slots"]] == [c for c in play.slots if c in given]
            assert (frame["idle"] == "") == (seat in waiting_for(play) and state.stage is not Stage.REVEAL)
            acting = [entry["seat"] for entry in frame["seats"] if entry["task"] == "acts"]
            assert acting == ([] if state.stage is Stage.REVEAL else list(waiting_for(play)))


@pytest.mark.parametrize("wanted", [True, False])
def test_pictures_are_described_only_where_the_table_wants_it(wanted: bool) -> None:
    for state in states(3, "odyssey", 9, turns=1, describe=wanted):
        play = state.play
        assert play is not None
        frame = state_frame("T", state, live(state), "person0", WORDS)
        log = turns_frame(state, 0, WORDS)["turns"]
        shown = frame["hand"] + frame["given"] + frame["slots"] + [card for turn in log for card in turn["slots"]]
        ids = pictures(state)
        for card in shown:
            assert card.get("words") == (WORDS[ids[card["id"]]] if wanted else None)


def test_an_id_says_nothing_and_comes_in_its_time() -> None:
    """Slot ids are first sent in the vote, equal for all; a hand's ids go to its owner only and lead nowhere else."""
    sent: dict[str, set[str]] = {}  # id → viewers
    first_stage: dict[str, Stage] = {}
    slots: set[str] = set()
    hands: dict[str, int] = {}  # id → seat
    for state in states(4, "odyssey", 3):
        play = state.play
        assert play is not None
        for viewer in ["", *(f"person{seat}" for seat in range(4))]:
            frame = state_frame("T", state, live(state), viewer)
            log = turns_frame(state, 0)
            for card in frame["hand"] + frame["given"] + frame["slots"] + [c for t in log["turns"] for c in t["slots"]]:
                sent.setdefault(card["id"], set()).add(viewer)
                first_stage.setdefault(card["id"], state.stage)
        for turn in play.history:
            slots |= {slot_id(state.key, 1, turn.number, slot) for slot in range(len(turn.slots))}
        for seat, hand in enumerate(play.hands):
            hands |= {hand_id(state.key, 1, seat, card): seat for card in hand}
    assert set(sent) == slots | set(hands)
    assert not slots & set(hands)
    assert all(len(name) == 22 for name in sent)
    assert all(sent[name] == {f"person{seat}"} for name, seat in hands.items() if name in sent)
    assert all(len(sent[name]) == 5 for name in slots)
    assert {first_stage[name] for name in slots} == {Stage.VOTES}


def test_pictures_can_be_fetched_in_their_time_only() -> None:
    for state in states(3, "odyssey", 4, turns=2):
        play = state.play
        assert play is not None
        for slot in range(5):
            name = slot_id(state.key, 1, play.turn, slot)
            assert (name in pictures(state)) == (play.phase is Phase.VOTES)


def test_own_card_and_dials_are_told_to_their_owner_only() -> None:
    for state in states(4, "odyssey", 6, turns=2):
        spectator = state_frame("T", state, live(state), "stranger")
        assert (spectator["hand"], spectator["given"], spectator["own_slots"], spectator["dials"]) == ([], [], [], [])
        assert spectator["idle"] == "spectator"
        assert spectator["you"] == {"seat": None, "host": False, "status": ""}


def test_points_in_the_log_come_with_their_reasons() -> None:
    state = [state for state in states(5, "odyssey", 2) if state.stage is Stage.OVER][-1]
    log = turns_frame(state, 0)["turns"]
    assert [turn["turn"] for turn in log] == list(range(1, len(log) + 1))
    for turn in log:
        assert turn["points"] == [a + b for a, b in zip(turn["clue_points"], turn["decoy_points"], strict=True)]
        assert turn["owners"][turn["target"]] == turn["storyteller"]
    assert log[-1]["scores"] == [entry["score"] for entry in state_frame("T", state, live(state), "")["seats"]]
    assert turns_frame(state, len(log) - 1)["turns"] == log[-1:]


def test_the_clue_is_gone_with_its_turn() -> None:
    for state in states(3, "odyssey", 8, turns=2):
        frame = state_frame("T", state, live(state), "person0")
        assert bool(frame["clue"]) == (state.stage in (Stage.CARDS, Stage.VOTES))


@drawn(
    st.dictionaries(
        st.text(max_size=5) | st.just("alternatives"),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=5,
    ),
    st.integers(3, 12),
)
@settings(max_examples=100, deadline=None)
def test_an_explanation_lets_no_whole_number_out_but_slots(why: dict[str, object], slots: int) -> None:
    for name, value in explanation(why, slots).items():
        if name == "alternatives" and isinstance(value, list):
            assert all(isinstance(x, float) for one in value for key, x in one.items() if key != "slots")
        elif isinstance(value, list):
            assert len(value) == slots
            assert all(isinstance(x, float) for x in value)
        else:
            assert isinstance(value, float | str)


def test_a_clue_of_any_script_is_told_as_it_is() -> None:
    state = restore(opening(4, 4, "odyssey", 1))
    assert state.play is not None
    teller = state.play.storyteller
    move = GiveClue(state.play.hands[teller][0], "I <3 雨 & 🐇")
    after = advance(state, Moved(seat=teller, **move_fields(move)))
    assert state_frame("T", after, live(after), "")["clue"] == "I <3 雨 & 🐇"
