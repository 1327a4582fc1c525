"""What a table remembers: its durable events, and the state that they add up to.

`advance(state, event)` is a pure fold: whoever has the events has the table, on any machine and after any crash. Cards
stand by their numbers in the deck that `Started` names. People are known by the hash of their secret token; a name is
a label.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce
from typing import Any

import msgspec

from dixit_env.game.engine import GameState, Phase, apply, move_in, new_game
from dixit_env.game.moves import GiveClue, Move, numbers_in
from dixit_env.game.rules import rules_from_dict
from dixit_env.web.protocol import Effort, Settings


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """Something that happened and stays so."""

    by: str = ""  # the person whose command it was
    command: str = ""  # that command's id


class Opened(Event, frozen=True, kw_only=True, tag="opened"):
    """A table."""

    key: str  # secret, hex: card ids are made with it
    settings: Settings
    study: str = ""  # the name of the study that it belongs to …
    file: str = ""  # … and 12 hex digits of the study file's SHA-256
    participant: str = ""  # no table, but a participant of the study with this id, who is `by`


class Placed(Event, frozen=True, kw_only=True, tag="placed"):
    """A participant of a study waits no longer."""

    table: str = ""  # where they sit; "" = too few others came


class Arranged(Event, frozen=True, kw_only=True, tag="arranged"):
    """Other settings."""

    settings: Settings


class Joined(Event, frozen=True, kw_only=True, tag="joined"):
    """A person sat down, or changed name or consent."""

    person: str
    name: str
    consent: bool
    program: bool = False  # no person, but a program of somebody's


class Freed(Event, frozen=True, kw_only=True, tag="freed"):
    """A person's seat was given up."""

    person: str
    removed: bool = False  # by the host: the person can't sit down here again


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """A game: all that is needed to play it again."""

    rules: dict[str, Any]
    deck: str
    cards: tuple[str, ...]  # card ids by number
    people: tuple[str, ...]  # by seat; "" is a bot
    bots: str  # the spec of those without a part in `cast`
    cast: tuple[str, ...] = ()  # by seat, the kind or persona of the bot that plays there; () = all of one kind
    specs: tuple[str, ...] = ()  # their specs
    seed: int


_STANDS_IN = "the person is "


class Moved(Event, frozen=True, kw_only=True, tag="decided"):
    """A seat's move in the open phase."""

    seat: int
    numbers: tuple[int, ...]  # the cards, or for a vote the slots
    clue: str = ""
    bot: str = ""  # the bot that decided; "" = the person
    fault: str = ""  # why a bot decided for a person, or another move for the bot
    why: dict[str, Any] = {}  # msgspec copies it
    seconds: float = 0.0
    effort: Effort | None = None  # in a study, what the participant did before

    def for_person(self, status: str) -> "Moved":
        """The same as the move of a bot that stands in for a person, and why it does."""
        return msgspec.structs.replace(self, fault="; ".join(filter(None, (f"{_STANDS_IN}{status}", self.fault))))

    @property
    def bots_fault(self) -> str:
        """Why another move stands for the bot's, also where it decided for a person."""
        return self.fault.partition("; ")[2] if self.fault.startswith(_STANDS_IN) else self.fault


class Shown(Event, frozen=True, kw_only=True, tag="shown"):
    """The reveal of the last turn was closed."""


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """A participant's answers to a study's questions."""

    game: int
    turn: int  # 0: at the end
    answers: dict[str, int | str]
    seconds: float  # that the questions were on the page


class Judged(Event, frozen=True, kw_only=True, tag="judged"):
    """A participant's answer to a table of a blind test; the last one to a table counts."""

    number: str  # of the table
    place: int  # in the participant's order, from 1
    weights: tuple[int, ...]  # of the cards; only their proportions count
    suits: int  # how well the clue suits the likeliest card
    seconds: float  # that the table was on the page
    effort: Effort


class Reopened(Event, frozen=True, kw_only=True, tag="reopened"):
    """Back to the lobby after a game."""


AnyEvent = Opened | Placed | Arranged | Joined | Freed | Started | Moved | Shown | Reopened | Answered | Judged


class Stage(StrEnum):
    """Where a table stands: the engine's phases, and what lies around them."""

    LOBBY = "lobby"
    CLUE = "clue"
    CARDS = "cards"
    VOTES = "votes"
    REVEAL = "reveal"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a seat."""

    person: str
    name: str
    consent: bool
    program: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """What a finished turn's log adds to the engine's."""

    stand_ins: tuple[int, ...] = ()  # seats of people for whom a bot decided something
    beliefs: tuple[tuple[int, list[float]], ...] = ()  # of bots that voted: by slot, is it the storyteller's card?
    why: tuple[tuple[int, dict[str, Any]], ...] = ()  # what bots said about their votes


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that was played to its end at a table."""

    number: int  # from 1
    names: tuple[str, ...]  # of the people, by seat; "" is a bot
    bots: tuple[str, ...]  # by seat, its kind or persona; "" is a person
    scores: tuple[int, ...]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoomState:
    """A table as it stands."""

    key: bytes
    settings: Settings
    people: tuple[Person, ...] = ()  # as they came
    removed: frozenset[str] = frozenset()  # people whom a host took off the table
    seats: tuple[str, ...] = ()  # in a game, the person in each seat; "" is a bot
    game: int = 0  # the number of the last game
    cards: tuple[str, ...] = ()  # card ids by number
    cast: tuple[str, ...] = ()  # in a game, the kind or persona of the bot in each seat
    specs: tuple[str, ...] = ()  # their specs
    play: GameState | None = None  # None in the lobby
    shown: int = 0  # reveals that are closed
    notes: tuple[Note, ...] = field(default=(Note(),))  # (turns begun,)
    finished: tuple[FinishedGame, ...] = ()  # with the last reveal closed
    study: str = ""  # the study that the table belongs to
    answered: frozenset[tuple[str, int, int]] = frozenset()  # person, game and turn; turn 0: the questions at the end

    @property
    def stage(self) -> Stage:
        if self.play is None:
            return Stage.LOBBY
        if self.shown < len(self.play.history):
            return Stage.REVEAL
        return Stage(str(self.play.phase))

    @property
    def turn(self) -> int:
        """The turn on the table; during a reveal the one that is shown."""
        if self.play is None:
            return 0
        return len(self.play.history) if self.stage is Stage.REVEAL else self.play.turn

    @property
    def seated(self) -> tuple[str, ...]:
        """The person in each seat, "" for a bot; in the lobby people sit as they came."""
        if self.play is not None:
            return self.seats
        people = tuple(person.person for person in self.people)
        return people + ("",) * (self.settings.seats - len(people))

    @property
    def bots(self) -> tuple[str, ...]:
        """By seat, the kind or persona of the bot there; in a person's seat of the one that plays while they are away.

        In the lobby people sit first, and the bots of the settings after them.
        """
        if self.play is not None:
            return self.cast
        chosen = ("",) * len(self.people) + self.settings.cast + ("",) * self.settings.seats
        return tuple(bot or self.settings.bots for bot in chosen[: self.settings.seats])

    @property
    def programs(self) -> frozenset[str]:
        """Those with a seat who are programs."""
        return frozenset(person.person for person in self.people if person.program)

    def seat_of(self, person: str) -> int | None:
        return self.seated.index(person) if person and person in self.seated else None


def advance(state: RoomState | None, event: AnyEvent) -> RoomState:
    """The state after an event; raises `IllegalMove` for a decision that the engine refuses."""
    if isinstance(event, Opened):
        return RoomState(bytes.fromhex(event.key), event.settings, study=event.study)
    assert state is not None, "a table's first event opens it"
    match event:
        case Arranged():
            return replace(state, settings=event.settings)
        case Joined():
            return _joined(state, event)
        case Freed():
            people = tuple(person for person in state.people if person.person != event.person)
            seats = tuple("" if person == event.person else person for person in state.seats)
            removed = state.removed | {event.person} if event.removed else state.removed
            return replace(state, people=people, seats=seats, removed=removed)
        case Started():
            play = new_game(rules_from_dict(event.rules), len(event.people), len(event.cards), event.seed)
            game = state.game + 1
            cast = event.cast or (state.settings.bots,) * len(event.people)
            specs = event.specs or (event.bots,) * len(event.people)
            state = replace(state, seats=event.people, game=game, cards=event.cards, cast=cast, specs=specs)
            return replace(state, play=play, shown=0, notes=(Note(),))
        case Moved():
            return _decided(state, event)
        case Shown():
            return _shown(replace(state, shown=state.shown + 1))
        case Answered():
            return replace(state, answered=state.answered | {(event.by, event.game, event.turn)})
        case Judged() | Placed():
            return state  # of a participant, not of a table
        case Reopened():
            return replace(state, seats=(), play=None, shown=0)


def restore(events: list[AnyEvent]) -> RoomState:
    """The state that all events of a table, from the first, add up to."""
    state: RoomState | None = reduce(advance, events, None)
    assert state is not None, "a table has at least the event that opened it"
    return state


def move_fields(move: Move) -> dict[str, Any]:
    """The fields of `Moved` for a move."""
    return {"numbers": numbers_in(move), "clue": move.clue if isinstance(move, GiveClue) else ""}


def _joined(state: RoomState, event: Joined) -> RoomState:
    new = Person(event.person, event.name, event.consent, event.program)
    if state.seat_of(event.person) is not None:
        people = tuple(new if person.person == event.person else person for person in state.people)
        return replace(state, people=people)
    seats = state.seats
    if state.play is not None:
        free = seats.index("")
        seats = (*seats[:free], event.person, *seats[free + 1 :])
    return replace(state, people=(*state.people, new), seats=seats)


def _shown(state: RoomState) -> RoomState:
    """A reveal was closed; that of the last turn closes the game. A study's games are not looked back on."""
    play = state.play
    if play is None or state.stage is not Stage.OVER or state.study:
        return state
    names = {person.person: person.name for person in state.people}
    seated = tuple(names.get(person, "") for person in state.seats)
    bots = tuple("" if person else bot for person, bot in zip(state.seats, state.cast, strict=True))
    game = FinishedGame(state.game, seated, bots, play.scores, play.winners)
    return replace(state, finished=(*state.finished, game))


def _decided(state: RoomState, event: Moved) -> RoomState:
    assert state.play is not None, "decisions belong to a game"
    phase = state.play.phase
    play = apply(state.play, event.seat, move_in(phase, event.numbers, event.clue))
    note = state.notes[-1]
    if event.bot and state.seats[event.seat] and event.seat not in note.stand_ins:
        note = replace(note, stand_ins=(*note.stand_ins, event.seat))
    if event.bot and phase is Phase.VOTES:
        if belief := belief_in(event.why, len(state.play.slots)):
            note = replace(note, beliefs=(*note.beliefs, (event.seat, belief)))
        if event.why and state.settings.explain:
            note = replace(note, why=(*note.why, (event.seat, event.why)))
    ended = len(play.history) > len(state.play.history)
    notes = (*state.notes[:-1], note, Note()) if ended else (*state.notes[:-1], note)
    return replace(state, play=play, notes=notes)


def belief_in(why: Mapping[str, Any], slots: int) -> list[float]:
    """A voter's belief over the slots among its reasons, rounded; [] when it told none.

    Whole numbers are no belief: they could be cards of a hand.
    """
    belief = why.get("belief")
    if not isinstance(belief, list) or len(belief) != slots or any(type(share) is not float for share in belief):
        return []
    return [round(share, 4) for share in belief]
