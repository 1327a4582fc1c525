"""The frames that a page may send, and the error that refuses one.

Frames are JSON objects; `type` names the kind. A frame that doesn't fit one of these shapes exactly is refused before
any other code sees it.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from dixit_env.errors import RulesError
from dixit_env.game.rules import Rules, edition
from dixit_env.languages import LANGUAGES

PROTOCOL = 1
LARGEST_FRAME = 8192  # bytes: a clue or a name of 300 characters, each escaped, fits

Id = Annotated[str, Meta(min_length=1, max_length=64)]
Seat = Annotated[int, Meta(ge=0, le=11)]
Face = Literal["smile", "laugh", "wonder", "doubt", "sorry"]


class Refused(Exception):
    """A frame or request that is refused: `code` for the page, `message` for the console."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """A table's settings, made in the lobby."""

    rules: Annotated[str, Meta(max_length=32)] = "odyssey"  # an edition's name
    seats: Annotated[int, Meta(ge=3, le=12)] = 6  # bots sit where nobody does
    bots: Annotated[str, Meta(max_length=200)] = "random"  # how strong they are: one of those that the server offers
    cast: Annotated[tuple[Annotated[str, Meta(max_length=200)], ...], Meta(max_length=12)] = ()
    """The bots of the free seats, in their order: a persona or a kind; "" and what is missing is as `bots` says."""
    lang: Annotated[str, Meta(max_length=8)] = "en"  # the language of the bots' clues
    limit: Annotated[int, Meta(ge=1, le=3600)] | None = 120  # seconds for a decision
    rounds: Annotated[int, Meta(ge=0, le=2)] = 0  # the game ends when everybody has told so often; 0: by points
    least: Annotated[int, Meta(ge=1, le=12)] = 1  # people who must be here, or the game pauses
    explain: bool = False  # bots' reasons after the reveal
    describe: bool = False  # pictures described in words
    listed: bool = False  # programs find the table without its code


class Incoming(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Anything that comes from a page."""


class Hello(Incoming, frozen=True, tag="hello"):
    """The first frame: the table and the person's secret token; `watch` makes it a spectator's socket.

    With `views` the socket is a program's: it is sent `view` frames in place of the page's.
    """

    table: Annotated[str, Meta(max_length=32)]
    protocol: int
    token: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{32}$")] | None = None
    watch: bool = False
    views: bool = False


class Ping(Incoming, frozen=True, tag="ping"):
    """Asks for a `pong`: is the connection alive?"""


class Command(Incoming, frozen=True):
    """A person's command. `id` is new for each command: a repeated one is done once."""

    id: Id
    table: Annotated[str, Meta(max_length=32)]


class Join(Command, frozen=True, tag="join"):
    """Sit down, or change name and consent. A `program` says that it is one, and the page tells the others."""

    name: Annotated[str, Meta(max_length=1000)]
    consent: bool = False
    program: bool = False


class Leave(Command, frozen=True, tag="leave"):
    """Leave: a bot plays on."""


class Back(Command, frozen=True, tag="back"):
    """Take over from the bot again."""


class Arrange(Command, frozen=True, tag="settings"):
    """Host, lobby: change some settings."""

    settings: dict[str, object]


class Start(Command, frozen=True, tag="start"):
    """Host, lobby: deal."""


class Again(Command, frozen=True, tag="again"):
    """Host, after a game: back to the lobby, or `deal` the next game at once."""

    deal: bool = False


class Remove(Command, frozen=True, tag="remove"):
    """Host: give somebody's seat to a bot, for good. The name tells whom the host meant: seats may have moved since."""

    seat: Seat
    name: Annotated[str, Meta(max_length=1000)]


class React(Command, frozen=True, tag="react"):
    """Show a face at the own seat for some seconds."""

    face: Face


class InTurn(Command, frozen=True):
    """A command that holds in one phase of one turn only."""

    game: int
    turn: int
    phase: Annotated[str, Meta(max_length=16)]


class Effort(Struct, frozen=True, forbid_unknown_fields=True):
    """What a participant of a study did before a decision."""

    looks: Annotated[int, Meta(ge=0, le=100_000)] = 0  # cards enlarged or put into the preview
    changes: Annotated[int, Meta(ge=0, le=100_000)] = 0  # cards and dials chosen or taken back
    edits: Annotated[int, Meta(ge=0, le=100_000)] = 0  # changes of the clue's text
    hidden: Annotated[float, Meta(ge=0, le=10_000_000)] = 0.0  # seconds for which the page was out of sight


class Clue(InTurn, frozen=True, tag="clue"):
    """The storyteller's card, by its id in the hand, and the clue."""

    card: Id
    clue: Annotated[str, Meta(max_length=1000)]
    effort: Effort | None = None


class Cards(InTurn, frozen=True, tag="cards"):
    """The decoys, by their ids in the hand."""

    cards: Annotated[tuple[Id, ...], Meta(max_length=2)]
    effort: Effort | None = None


class Votes(InTurn, frozen=True, tag="votes"):
    """The slots that the dials show."""

    slots: Annotated[tuple[Annotated[int, Meta(ge=0, le=11)], ...], Meta(max_length=2)]
    effort: Effort | None = None


class Play(InTurn, frozen=True, tag="move"):
    """A program's decision: a move as records have it (`dixit_env.game.moves.move_to_json`)."""

    move: dict[str, object]


class Seen(InTurn, frozen=True, tag="seen"):
    """Close the reveal for this person."""


class Answer(Command, frozen=True, tag="answer"):
    """A participant's answers to a study's questions, by their keys; turn 0 are those at the end."""

    game: int
    turn: Annotated[int, Meta(ge=0)]
    answers: dict[str, int | str]
    seconds: Annotated[float, Meta(ge=0, le=10_000_000)]


AnyCommand = (
    Join | Leave | Back | Arrange | Start | Again | Remove | React | Clue | Cards | Votes | Play | Seen | Answer
)

_frames = msgspec.json.Decoder(Hello | Ping | AnyCommand)
_settings = msgspec.json.Decoder(Settings)


def read_frame(text: str | bytes) -> Hello | Ping | AnyCommand:
    """The frame in a message; raises `Refused` when it is none."""
    try:
        return _frames.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused("bad_frame", str(error)) from error


def rules_of(settings: Settings) -> Rules:
    """What a table plays by."""
    return replace(edition(settings.rules), rounds=settings.rounds)


def changed_settings(
    old: Settings, changes: dict[str, object], offered: tuple[str, ...], cards: int, personas: Collection[str] = ()
) -> Settings:
    """`old` with `changes`; raises `Refused` for values that can't be played with.

    Args:
        offered: the kinds of bots that may be chosen.
        cards: the size of the deck.
        personas: those that may be chosen, each once.
    """
    try:
        new = msgspec.convert({**msgspec.to_builtins(old), **changes}, Settings)
        edition(new.rules).check_deck(new.seats, cards)
    except (msgspec.ValidationError, RulesError) as error:
        raise Refused("bad_settings", str(error)) from error
    if new.bots not in offered:
        raise Refused("bad_settings", f"the bots offered are {', '.join(offered)}")
    if unknown := [bot for bot in new.cast if bot not in ("", *offered, *personas)]:
        raise Refused("bad_settings", f"no bot {unknown[0]!r}: offered are {', '.join((*offered, *personas))}")
    if twice := [bot for bot in new.cast if bot in personas and new.cast.count(bot) > 1]:
        raise Refused("bad_settings", f"{twice[0]} sits at a table once only")
    if new.lang not in LANGUAGES:
        raise Refused("bad_settings", f"bots give clues in {', '.join(LANGUAGES)}")
    if new.least > new.seats:
        raise Refused("bad_settings", "least is at most the number of seats")
    return new


def encode(frame: object) -> str:
    """A frame for the page, as JSON."""
    return msgspec.json.encode(frame).decode()
