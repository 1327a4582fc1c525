"""Many games in step: the same phase of all games at once, so that agents can decide for many seats together."""

import time
from collections.abc import Iterator, Sequence

from dixit_env.game.view import View
from dixit_env.table.play import FAULTS, Answer, Event, Seat, Table, answer_of

Question = tuple[Seat, View]


def play_many(tables: Sequence[Table]) -> Iterator[tuple[Table, Event]]:
    """Play games in step and yield their events, each with its table.

    The events of each table are those of `play`, in the same order; only `seconds` differ: of decisions that were made
    together, each counts for an equal share. A table that is stopped (`Table.stop`) gives no more events.
    """
    for table in tables:
        yield table, table.started
    while open_tables := [table for table in tables if not table.over]:
        asked = {table: table.questions() for table in open_tables}
        together = answers([question for questions in asked.values() for question in questions])
        for table, questions in asked.items():
            for seat, seen in questions:
                if table.over:
                    break
                yield table, table.settle(seat, *(together.get(seat) or seat.ask(seen)))
            if not table.over:
                for event in table.scored():
                    yield table, event


def answers(questions: Sequence[Question]) -> dict[Seat, tuple[Answer, float]]:
    """The answers of seats that can be asked together, with the seconds that each took."""
    groups: dict[tuple[type, str], list[Question]] = {}
    for seat, seen in questions:
        if seat.can_share:
            groups.setdefault((type(seat.agent), seat.agent.name), []).append((seat, seen))
    answered: dict[Seat, tuple[Answer, float]] = {}
    for (kind, _), group in groups.items():
        start = time.perf_counter()
        try:
            decisions = kind.act_many([seat.agent for seat, _ in group], [seen for _, seen in group])  # type: ignore[attr-defined]
            given = [answer_of(decision) for decision in decisions]
        except FAULTS:
            continue  # each is asked alone, so that one that fails doesn't fail the others
        share = (time.perf_counter() - start) / len(group)
        answered.update((seat, (answer, share)) for (seat, _), answer in zip(group, given, strict=True))
    return answered
