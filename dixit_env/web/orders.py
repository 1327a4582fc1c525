"""What a person's command means: the events that it brings about, or a refusal.

`plan` is a pure function. A command that asks for the present state gives no events and is no error, so a frame sent
twice, a double click or a second tab has no effect.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import reduce
from itertools import chain, count
from typing import Protocol
from unicodedata import category, normalize

from dixit_env.decks.deck import Deck
from dixit_env.errors import IllegalMove
from dixit_env.game.engine import Phase, apply, move_in
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards, clue_fault, move_from_json, plain_move
from dixit_env.web.blind import BlindTable
from dixit_env.web.events import (
    Answered,
    AnyEvent,
    Arranged,
    Freed,
    Joined,
    Moved,
    Reopened,
    RoomState,
    Stage,
    Started,
    advance,
    move_fields,
)
from dixit_env.web.projection import Live, hand_id, host, paused
from dixit_env.web.protocol import (
    Again,
    Answer,
    AnyCommand,
    Arrange,
    Back,
    Cards,
    Clue,
    InTurn,
    Join,
    Leave,
    Play,
    React,
    Refused,
    Remove,
    Seen,
    Start,
    Votes,
    changed_settings,
    rules_of,
)
from dixit_env.web.study import Study, answers_fault

LONGEST_NAME = 200  # characters
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing; Unicode calls most of them default ignorable."""


class Persona(Protocol):
    """A bot with a name, a face and a manner of its own."""

    @property
    def name(self) -> str:
        """A first name."""

    @property
    def face(self) -> str:
        """An emoji."""

    @property
    def manner(self) -> Mapping[str, str]:
        """One sentence about it, by language."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server has on offer."""

    deck: Deck
    bots: tuple[str, ...]  # kinds; the first is the default
    spec: Callable[[str, str], str] = lambda bot, lang: bot  # of a kind or persona that gives its clues in a language
    personas: Mapping[str, Persona] = field(default_factory=dict)  # by key
    study: Study | None = None  # whose participants play at tables of their own, …
    tables: tuple[BlindTable, ...] = ()  # … or judge these


def plan(state: RoomState, live: Live, person: str, order: AnyCommand, offer: Offer) -> list[AnyEvent]:
    """The events that the command of a person brings about; raises `Refused`."""
    match order:
        case Join():
            return _join(state, person, order, offer)
        case Back() | Seen():
            _seat(state, person)
            return []
        case React():
            _seat(state, person)
            if state.study:
                raise Refused("stale", "a study keeps all that its participants tell one another: there are no faces")
            return []
        case Leave():
            _seat(state, person)
            kept = state.stage not in (Stage.LOBBY, Stage.OVER) or state.study  # a participant may come back
            return [] if kept else [Freed(person=person)]
        case Clue() | Cards() | Votes() | Play():
            return _decide(state, live, person, order)
        case Answer():
            return _answer(state, person, order, offer)
    _seat(state, person)
    if host(state, live) != person and not (state.study and isinstance(order, Again)):
        raise Refused("not_host", "only the host may do this")
    match order:
        case Arrange():
            return _arrange(state, order, offer)
        case Start():
            return _start(state, offer)
        case Again():
            return _again(state, live, order, offer)
        case Remove():
            return _remove(state, order)


def clean_name(text: str) -> str:
    """A name on one line, normalised; raises `Refused` when nothing is to be seen of it or it is too long."""
    name = " ".join("".join(" " if category(c) in ("Cc", "Zl", "Zp") else c for c in normalize("NFC", text)).split())
    if len(name) > LONGEST_NAME:
        raise Refused("bad_name", f"a name has at most {LONGEST_NAME} characters")
    if not any(category(character)[0] in "LNPS" for character in _seen(name)):
        raise Refused("bad_name", "write a name")
    return name


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with a number where it looks like one that is taken."""
    looks = {_seen(other) for other in taken}
    names = chain([name], (f"{name[: LONGEST_NAME - 4]} {number}" for number in count(2)))
    return next(one for one in names if _seen(one) not in looks)


def _seen(name: str) -> str:
    """What the eye tells names apart by."""
    folded = normalize("NFKC", name).casefold()
    return "".join(c for c in folded if category(c) != "Cf" and not INVISIBLE.match(c))


def _seat(state: RoomState, person: str) -> int:
    seat = state.seat_of(person)
    if seat is None:
        raise Refused("not_seated", "join the table first")
    return seat


def _join(state: RoomState, person: str, order: Join, offer: Offer) -> list[AnyEvent]:
    if person in state.removed:
        raise Refused("removed", "the host took you off this table")
    if state.study:
        raise Refused("full", "only participants sit here, and they have no names")
    others = [sitter.name for sitter in state.people if sitter.person != person]
    personas = [offer.personas[bot].name for bot in state.bots if bot in offer.personas]
    name = free_name(clean_name(order.name), [*others, *personas])
    if state.seat_of(person) is None and "" not in state.seated:
        raise Refused("full", "every seat is taken")
    known = [(sitter.name, sitter.consent, sitter.program) for sitter in state.people if sitter.person == person]
    if known == [(name, order.consent, order.program)]:
        return []
    return [Joined(person=person, name=name, consent=order.consent, program=order.program)]


def _remove(state: RoomState, order: Remove) -> list[AnyEvent]:
    sitter = state.seated[order.seat] if order.seat < len(state.seated) else ""
    if not sitter:
        raise Refused("illegal", f"nobody sits in seat {order.seat}")
    if [order.name] != [known.name for known in state.people if known.person == sitter]:
        raise Refused("stale", f"somebody else sits in seat {order.seat} now")
    return [Freed(person=sitter, removed=True)]


def _arrange(state: RoomState, order: Arrange, offer: Offer) -> list[AnyEvent]:
    if state.stage is not Stage.LOBBY or state.study:
        raise Refused("stale", "settings can be changed in the lobby only")
    new = changed_settings(state.settings, order.settings, offer.bots, len(offer.deck), offer.personas)
    if new.seats < len(state.people):
        raise Refused("bad_settings", f"{len(state.people)} people are seated already")
    return [] if new == state.settings else [Arranged(settings=new)]


def _again(state: RoomState, live: Live, order: Again, offer: Offer) -> list[AnyEvent]:
    if state.stage is not Stage.OVER:
        raise Refused("stale", "the game is not over")
    if state.study and state.game >= _study(offer).games:
        raise Refused("stale", "the study has no more games")
    gone = [person for person, status in live.status.items() if status == "left" and not state.study]
    events: list[AnyEvent] = [*[Freed(person=person) for person in gone], Reopened()]
    lobby = reduce(advance, events, state)
    return [*events, started(lobby, offer)] if order.deal or state.study else events


def _start(state: RoomState, offer: Offer) -> list[AnyEvent]:
    if state.stage is not Stage.LOBBY:
        raise Refused("stale", "the game has begun")
    return [started(state, offer)]


def started(state: RoomState, offer: Offer) -> Started:
    """The next game at a table, dealt at random; raises `Refused` when the settings can't be played with."""
    settings = changed_settings(state.settings, {}, offer.bots, len(offer.deck), offer.personas)
    cast = (*[""] * len(state.people), *_study(offer).bots) if state.study else state.bots
    cast = tuple(bot or settings.bots for bot in cast)
    return Started(
        rules=asdict(rules_of(settings)),
        deck=offer.deck.name,
        cards=tuple(card.id for card in offer.deck.cards),
        people=state.seated,
        bots=offer.spec(settings.bots, settings.lang),
        cast=cast,
        specs=tuple(offer.spec(bot, settings.lang) for bot in cast),
        seed=secrets.randbits(63),
    )


def _study(offer: Offer) -> Study:
    assert offer.study is not None, "a table of a study is only loaded by a server with that study"
    return offer.study


def _answer(state: RoomState, person: str, order: Answer, offer: Offer) -> list[AnyEvent]:
    seat = _seat(state, person)
    if not state.study or order.game != state.game or state.play is None:
        raise Refused("stale", "nobody asks for this now")
    study, played = _study(offer), state.play.history
    ended = state.stage is Stage.OVER and state.game == study.games
    if order.turn > len(played) or (order.turn == 0 and not ended):
        raise Refused("stale", "this is not asked yet")
    tells = order.turn > 0 and played[order.turn - 1].storyteller == seat
    if fault := answers_fault(study.questions(order.turn, tells), order.answers):
        raise Refused("bad_answer", fault)
    if (person, order.game, order.turn) in state.answered:
        return []
    return [Answered(game=order.game, turn=order.turn, answers=order.answers, seconds=round(order.seconds, 3))]


def _decide(state: RoomState, live: Live, person: str, order: Clue | Cards | Votes | Play) -> list[AnyEvent]:
    seat = _seat(state, person)
    play = state.play
    if play is None or not _now(state, order):
        if state.stage is Stage.REVEAL and order.turn == state.turn + 1:
            raise Refused("reveal", "the reveal is not closed yet")
        raise Refused("stale", f"the table is at turn {state.turn}, {state.stage}")
    if paused(state, live):
        raise Refused("paused", "the game is paused: too few people are here")
    move = _move(state, seat, order)
    if _same(_made(state, seat), move):
        return []
    try:
        apply(play, seat, move)
    except IllegalMove as error:  # the engine's message has card numbers, which no client may see
        raise Refused("illegal", "the rules don't allow this move now") from error
    effort = getattr(order, "effort", None) if state.study else None
    return [Moved(seat=seat, effort=effort, **move_fields(move))]


def _now(state: RoomState, order: InTurn) -> bool:
    here = (state.game, state.turn, str(state.stage))
    return (order.game, order.turn, order.phase) == here and _phase(order) == order.phase


def _phase(order: InTurn) -> str:
    return {Clue: "clue", Cards: "cards", Votes: "votes", Play: order.phase}[type(order)]


def _move(state: RoomState, seat: int, order: Clue | Cards | Votes | Play) -> Move:
    assert state.play is not None
    phase = state.play.phase
    if isinstance(order, Play):
        return _played(state, seat, order)
    if isinstance(order, Votes):
        return move_in(phase, tuple(sorted(order.slots)))
    clue = order.clue if isinstance(order, Clue) else ""
    if isinstance(order, Clue) and (fault := clue_fault(clue)):
        raise Refused("bad_clue", fault)
    hand = {hand_id(state.key, state.game, seat, card): card for card in state.play.hands[seat]}
    names = (order.card,) if isinstance(order, Clue) else order.cards
    if unknown := [name for name in names if name not in hand]:
        raise Refused("illegal", f"no card {unknown[0]!r} in the hand")
    return move_in(phase, tuple(hand[name] for name in names), clue)


def _played(state: RoomState, seat: int, order: Play) -> Move:
    """The move of a program, which names cards of its own hand by their ids in the deck."""
    assert state.play is not None
    hand = {state.cards[card]: card for card in state.play.hands[seat]}
    try:
        move = plain_move(move_from_json(order.move, hand))
    except (KeyError, TypeError, IllegalMove) as error:
        said = "a move has card and clue, or cards, or slots; cards are those of the hand"
        raise Refused("illegal", f"{said}: {error}") from error
    if isinstance(move, GiveClue) and (fault := clue_fault(move.clue)):
        raise Refused("bad_clue", fault)
    return CastVotes(tuple(sorted(move.slots))) if isinstance(move, CastVotes) else move


def _same(made: Move | None, move: Move) -> bool:
    if isinstance(made, PlayCards) and isinstance(move, PlayCards):
        return set(made.cards) == set(move.cards)
    return made == move


def _made(state: RoomState, seat: int) -> Move | None:
    """The seat's decision in the open phase, if it has made one."""
    play = state.play
    assert play is not None
    made = {Phase.CARDS: play.given, Phase.VOTES: play.votes}.get(play.phase)
    return move_in(play.phase, made[seat]) if made and made[seat] else None
