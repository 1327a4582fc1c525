"""A table of agents: games are played to the end whatever an agent does."""

import random
import threading

import pytest

from dixit_env import ODYSSEY, CastVotes, Decision, Deck, Phase, RulesError, View, play
from dixit_env.table.play import AgentFault, Decided, Event, GameEnded, GameStarted, TurnEnded


class Chance:
    name = "chance"

    def begin(self, seat: int, rng: random.Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        return Decision(self.rng.choice(view.moves), {"moves": len(view.moves)})


class Raising(Chance):
    name = "raising"

    def act(self, view: View) -> Decision:
        raise RuntimeError("out of ideas")


class Cheating(Chance):
    name = "cheating"

    def act(self, view: View) -> Decision:
        return Decision(CastVotes((99, 99)))


class Silent(Chance):
    name = "silent"

    def act(self, view: View) -> Decision:
        return None  # type: ignore[return-value]


class Stalling(Chance):
    """Never answers its first vote."""

    name = "stalling"

    def __init__(self) -> None:
        self.release = threading.Event()

    def act(self, view: View) -> Decision:
        if view.phase is Phase.VOTES:
            self.release.wait(20)
        return super().act(view)


def decisions(events: list[Event], seat: int) -> list[Decided]:
    return [event for event in events if isinstance(event, Decided) and event.seat == seat]


def test_a_game_is_a_stream_of_events() -> None:
    events = list(play([Chance() for _ in range(4)], seed=1))
    assert isinstance(events[0], GameStarted)
    assert isinstance(events[-1], GameEnded)
    turns = [event for event in events if isinstance(event, TurnEnded)]
    assert turns[-1].scores == events[-1].scores
    assert len(decisions(events, 0)) == sum(1 if turn.turn.storyteller == 0 else 2 for turn in turns)
    assert all(event.decision.why for event in events if isinstance(event, Decided))


def test_bots_that_draw_numbers_or_fail_do_not_change_the_deals() -> None:
    def first_hands(kind: type[Chance]) -> list[tuple[int, ...]]:
        hands: dict[int, tuple[int, ...]] = {}

        class Watching(kind):  # type: ignore[misc, valid-type]
            def act(self, view: View) -> Decision:
                hands.setdefault(view.seat, (*view.hand, *view.given))  # type: ignore[arg-type]
                decision: Decision = super().act(view)
                return decision

        list(play([Watching() for _ in range(4)], seed=3))
        return [hands[seat] for seat in range(4)]

    class Drawing(Chance):
        def begin(self, seat: int, rng: random.Random) -> None:
            super().begin(seat, rng)
            self.extra = [rng.random() for _ in range(seat)]

    assert first_hands(Chance) == first_hands(Drawing) == first_hands(Raising)


@pytest.mark.parametrize(
    ("kind", "fault"), [(Raising, "RuntimeError: out of ideas"), (Cheating, "illegal move"), (Silent, "not a Decision")]
)
def test_a_faulty_agent_is_replaced_for_the_decision(kind: type[Chance], fault: str) -> None:
    events = list(play([Chance(), kind(), Chance()], seed=2))
    assert isinstance(events[-1], GameEnded)
    assert all(fault in event.fault for event in decisions(events, 1))
    assert not any(event.fault for event in decisions(events, 0))
    with pytest.raises(AgentFault, match=f"seat 1 .*{fault}"):
        list(play([Chance(), kind(), Chance()], seed=2, strict=True))


def test_a_stalling_agent_is_replaced_when_its_time_is_up() -> None:
    stalling = Stalling()
    events = list(play([Chance(), stalling, Chance()], seed=2, time_limit=0.05))
    stalling.release.set()
    faults = [event.fault for event in decisions(events, 1) if event.fault]
    assert faults[0] == "no decision within 0.05 s"
    assert set(faults[1:]) == {"still busy with an earlier decision"}
    assert isinstance(events[-1], GameEnded)


def test_a_table_that_the_rules_do_not_allow_is_refused_before_the_game() -> None:
    with pytest.raises(RulesError, match="not 2"):
        next(play([Chance(), Chance()], ODYSSEY))
    with pytest.raises(RulesError, match="need 72 cards"):
        next(play([Chance() for _ in range(12)], ODYSSEY, Deck.blank(60)))


def test_the_salt_changes_tables_and_streams_but_not_the_deals() -> None:
    class Watching(Chance):
        def begin(self, seat: int, rng: random.Random) -> None:
            super().begin(seat, rng)
            self.drawn = rng.random()
            self.hands: list[tuple[int, ...]] = []
            self.rng = random.Random(seat)  # the same moves whatever the stream

        def act(self, view: View) -> Decision:
            self.hands.append(view.hand)
            return super().act(view)

    def game(salt: str) -> tuple[list[tuple[int, ...]], list[float], list[int]]:
        agents = [Watching() for _ in range(4)]
        turn = next(event for event in play(agents, seed=3, first=0, salt=salt) if isinstance(event, TurnEnded)).turn
        return [agent.hands[0] for agent in agents], [agent.drawn for agent in agents], list(turn.slots)

    assert game("a") == game("a")
    (hands, drawn, slots), (other_hands, other_drawn, other_slots) = game("a"), game("b")
    assert hands == other_hands
    assert not set(drawn) & set(other_drawn)
    assert sorted(slots) == sorted(other_slots)
    assert len({tuple(game(salt)[2]) for salt in "abcdef"}) > 1


def test_no_view_holds_the_salt() -> None:
    class Prying(Chance):
        def act(self, view: View) -> Decision:
            assert "pepper" not in repr(view)
            return super().act(view)

    assert not any(
        event.fault for event in play([Prying() for _ in range(3)], salt="pepper") if isinstance(event, Decided)
    )
