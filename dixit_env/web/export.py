"""Games that people played, as the project's records: for research, with everybody's consent, without names."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dixit_env.decks.deck import Card, Deck
from dixit_env.game.engine import GameState, Phase, move_in
from dixit_env.game.rules import rules_from_dict
from dixit_env.table.play import Decided, Decision, Event, GameEnded, GameStarted, TurnEnded
from dixit_env.table.records import Line, encoded, to_line
from dixit_env.web.events import AnyEvent, Joined, Judged, Moved, Placed, RoomState, Started, advance
from dixit_env.web.store import Store


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game out of a table's history."""

    number: int  # from 1, at its table
    agreed: bool  # everybody who held a seat agreed to the export
    events: tuple[Event, ...]  # as of `dixit_env.table.play.play`


def export_games(store: Store, folder: Path, names: bool = False) -> tuple[int, int]:
    """Write every game that may be exported as a record; how many were written, and how many left out.

    In a record a seat's agent is `person`, `program` or the bot's spec. What a bot decided for a person who was away
    says so in `fault`; `why.by` of every decision tells who made it, also where somebody took over a bot's seat.

    Args:
        names: write the people's names for `person`, and the programs' for `program`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = left_out = 0
    for table, events in store.history():
        for game in games(events, names):
            if not game.agreed:
                left_out += 1
                continue
            text = "\n".join(map(encoded, lines_of(game))) + "\n"
            (folder / f"{record_name(table, game.number)}.jsonl").write_text(text, encoding="utf-8", newline="\n")
            written += 1
    return written, left_out


def record_name(table: str, game: int) -> str:
    """What the record of a table's game is called."""
    return f"{table_name(table)}-{game}"


def table_name(table: str) -> str:
    """What a table is called outside: not by its code, which opens it."""
    return hashlib.sha256(table.encode()).hexdigest()[:12]


def games(events: Sequence[AnyEvent], names: bool = False) -> Iterator[PlayedGame]:
    """The games in a table's history that saw at least one decision."""
    consent = {event.person: event.consent for event in events if isinstance(event, Joined)}
    state: RoomState | None = None
    played: list[Event] = []
    sat: set[str] = set()
    for event in events:
        before, state = state, advance(state, event)
        if isinstance(event, Started):
            if len(played) > 1:
                yield _game(state.game - 1, played, sat, consent)
            played, sat = [_start(event, state, names)], set()
        if isinstance(event, Moved) and before is not None:
            played += _decision(event, before, state)
        sat |= {person for person in state.seats if person}
    if state is not None and len(played) > 1:
        yield _game(state.game, played, sat, consent)


def lines_of(game: PlayedGame) -> list[Line]:
    """The lines of the game's record."""
    first = game.events[0]
    assert isinstance(first, GameStarted)
    cards = tuple(card.id for card in first.deck.cards)
    return [to_line(event, cards) for event in game.events]


def expired(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """What stays of a table that expires: [] when nobody may export anything, else its events without names."""
    took_part = any(isinstance(event, Judged | Placed) for event in events)
    if not took_part and not any(game.agreed for game in games(events)):
        return []
    return [msgspec.structs.replace(event, name="") if isinstance(event, Joined) else event for event in events]


def _game(number: int, played: list[Event], sat: set[str], consent: dict[str, bool]) -> PlayedGame:
    return PlayedGame(number, all(consent[person] for person in sat), tuple(played))


def _start(event: Started, state: RoomState, names: bool) -> GameStarted:
    labels = {person.person: person.name for person in state.people if names}
    agents = tuple(
        labels.get(person) or _kind(state, person) if person else spec
        for person, spec in zip(event.people, state.specs, strict=True)
    )
    deck = Deck(event.deck, tuple(Card(card, card) for card in event.cards))
    return GameStarted(rules_from_dict(event.rules), deck, agents, event.seed, None)


def _kind(state: RoomState, person: str) -> str:
    return "program" if person in state.programs else "person"


def _decision(event: Moved, before: RoomState, after: RoomState) -> list[Event]:
    old, new = before.play, after.play
    assert old is not None
    assert new is not None
    why = {"by": event.bot or _kind(before, event.by), **event.why}
    decision = Decision(move_in(old.phase, event.numbers, event.clue), why)
    events: list[Event] = [Decided(old.turn, old.phase, event.seat, decision, event.seconds, event.fault)]
    return events + _ends(old, new)


def _ends(old: GameState, new: GameState) -> list[Event]:
    if len(new.history) == len(old.history):
        return []
    turn = TurnEnded(new.history[-1], new.scores)
    return [turn, GameEnded(new.scores, new.winners)] if new.phase is Phase.OVER else [turn]
