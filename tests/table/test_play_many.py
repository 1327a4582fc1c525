"""Many games in step: every one of them goes as it would alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import ClassVar

import pytest

from dixit_env import DIXIT, DIXIT_2008, ODYSSEY, ODYSSEY_2011, Agent, Decision, Deck, Rules, View, play
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decided, Event, GameEnded, GameStarted, Table
from dixit_env.table.play_many import play_many
from dixit_env.table.records import encoded, to_line

Seating = Callable[[int], Sequence[Agent]]
"""The agents of a game by its seed."""


class Chance:
    """Any legal move, decided for many seats at once."""

    name = "chance"
    batches: ClassVar[list[int]] = []

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        return Decision(self.rng.choice(view.moves), {"turn": view.turn})

    @classmethod
    def act_many(cls, agents: Sequence["Chance"], views: Sequence[View]) -> list[Decision]:
        cls.batches.append(len(agents))
        return [agent.act(view) for agent, view in zip(agents, views, strict=True)]


class Failing(Chance):
    """Can't decide together, and fails alone on every third turn."""

    name = "failing"

    def act(self, view: View) -> Decision:
        if view.turn % 3 == 0:
            raise RuntimeError("out of ideas")
        return super().act(view)

    @classmethod
    def act_many(cls, agents: Sequence[Chance], views: Sequence[View]) -> list[Decision]:
        raise RuntimeError("one of us has no idea")


class Otherwise(Chance):
    """Inherits what its kind does together, and does otherwise."""

    name = "otherwise"

    def act(self, view: View) -> Decision:
        return Decision(view.moves[-1])


def record(events: Sequence[Event]) -> list[str]:
    """The lines of a game's record, without the time that decisions took."""
    started = events[0]
    assert isinstance(started, GameStarted)
    cards = tuple(card.id for card in started.deck.cards)
    timeless = [replace(event, seconds=0.0) if isinstance(event, Decided) else event for event in events]
    return [encoded(to_line(event, cards)) for event in timeless]


def alone(seating: Seating, rules: Rules, deck: Deck, seeds: Sequence[int]) -> list[list[str]]:
    return [record(list(play(seating(seed), rules, deck, seed, salt="s"))) for seed in seeds]


def in_step(seating: Seating, rules: Rules, deck: Deck, seeds: Sequence[int]) -> list[list[str]]:
    tables = [Table(seating(seed), rules, deck, seed, salt="s") for seed in seeds]
    events: dict[Table, list[Event]] = {table: [] for table in tables}
    for table, event in play_many(tables):
        events[table].append(event)
    return [record(some) for some in events.values()]


def test_games_in_step_are_those_that_are_played_alone_faults_included() -> None:
    def seating(seed: int) -> list[Agent]:
        kinds = (Chance, Failing, Otherwise, Chance)
        return [kinds[(seat + seed) % 4]() for seat in range(4)]

    deck, seeds = Deck.blank(84), range(5)
    separate = alone(seating, ODYSSEY, deck, seeds)
    Chance.batches.clear()
    assert in_step(seating, ODYSSEY, deck, seeds) == separate
    assert max(Chance.batches) > 5  # seats of several games were asked together
    assert any("out of ideas" in line for line in separate[0])


@pytest.mark.parametrize(
    ("rules", "players"), [(ODYSSEY, 5), (ODYSSEY, 3), (DIXIT, 3), (DIXIT, 4), (ODYSSEY_2011, 7), (DIXIT_2008, 4)]
)
def test_a_clip_agent_decides_for_many_seats_as_for_one_in_every_edition(
    sight: Sight, rules: Rules, players: int
) -> None:
    specs = ["clip", "clip", "greedy", "clip:votes=points,decoy=points", "clip:clue=win,memory=off,temperature=0.5"]

    def seating(seed: int) -> list[Agent]:
        return make_agents([specs[(seat + seed) % len(specs)] for seat in range(players)], sight)

    short = replace(rules, target=9)
    assert in_step(seating, short, sight.deck, range(3)) == alone(seating, short, sight.deck, range(3))


def test_a_table_that_is_stopped_gives_no_more_events_and_the_others_go_on() -> None:
    tables = [Table([Chance() for _ in range(3)], seed=seed) for seed in range(2)]
    events: dict[Table, list[Event]] = {table: [] for table in tables}
    for table, event in play_many(tables):
        events[table].append(event)
        if table is tables[0] and len(events[table]) == 3:
            table.stop()
    assert len(events[tables[0]]) == 3
    assert isinstance(events[tables[1]][-1], GameEnded)
