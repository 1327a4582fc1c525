"""The blind test of clues as a study: what participants are shown of its tables, and how far each of them is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated

from msgspec import Meta, Struct

from dixit_env.web.events import Answered, AnyEvent, Judged
from dixit_env.web.protocol import Effort
from dixit_env.web.study import Study

MOST_WEIGHT = 10  # of a card
BEST_SUIT = 3  # 0 no relation … 3 lovely
Seconds = Annotated[float, Meta(ge=0, le=10_000_000)]


@dataclass(frozen=True, slots=True)
class BlindTable:
    """What a participant is shown of a table: neither who gave the clue, nor which card it is for."""

    number: str
    clue: str
    cards: tuple[str, ...]  # ids in the deck, as they lie


class Judgement(Struct, frozen=True, forbid_unknown_fields=True):
    """A participant's answer to a table."""

    number: Annotated[str, Meta(max_length=16)]
    weights: Annotated[tuple[Annotated[int, Meta(ge=0, le=MOST_WEIGHT)], ...], Meta(max_length=100)]
    suits: Annotated[int, Meta(ge=0, le=BEST_SUIT)]
    seconds: Seconds
    effort: Effort

    def fault(self, table: BlindTable) -> str:
        """What is wrong with it as an answer to this table, or ""."""
        if len(self.weights) != len(table.cards):
            return f"table {table.number} has {len(table.cards)} cards"
        return "" if sum(self.weights) > 0 else "one card at least has a weight"


class LastAnswers(Struct, frozen=True, forbid_unknown_fields=True):
    """A participant's answers to the questions at the end, by their keys."""

    answers: dict[str, int | str]
    seconds: Seconds


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a participant is."""

    judged: dict[str, Judged]  # by table, the answer that counts
    answered: bool  # the questions at the end

    @classmethod
    def of(cls, events: Sequence[AnyEvent]) -> "Progress":
        """What a participant's events add up to."""
        judged = {event.number: event for event in events if isinstance(event, Judged)}
        return cls(judged, any(isinstance(event, Answered) for event in events))

    def through(self, tables: Iterable[str]) -> bool:
        """Are all tables judged, of which these are the numbers?"""
        return all(number in self.judged for number in tables)

    def finished(self, study: Study, tables: Iterable[str]) -> bool:
        """Has the participant earned the completion code?"""
        return self.through(tables) and (self.answered or not study.end)


def order_for(participant: str, study: str, tables: Iterable[BlindTable]) -> list[BlindTable]:
    """The tables in an order of the participant's own, the same one whenever they come."""
    order = sorted(tables, key=lambda table: table.number)
    Random(f"{study} {participant}").shuffle(order)
    return order
