"""What one seat gets to see: the frames that the server sends, made from `dixit_env.game.view` alone.

Card ids are keyed hashes (HMAC) of where a card lies: the same picture has one id in "seat 2's hand" and another in
"turn 3, slot 1", and nobody can link the two. So an id tells neither whose card it is nor which. The order of the slots
is the engine's, the same for everybody from the vote to the log.
"""

import base64
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec

from dixit_env.game.engine import Phase, PlayedTurn
from dixit_env.game.rules import TableRules
from dixit_env.game.view import View, view
from dixit_env.table.views import view_to_json
from dixit_env.web.events import RoomState, Stage
from dixit_env.web.protocol import rules_of
from dixit_env.web.study import Study

Frame = dict[str, Any]
Words = Mapping[str, str]

LONGEST_REASON = 300  # characters of a bot's explanation


@dataclass(frozen=True, slots=True)
class Live:
    """What is known of a table only while it runs, such as who is connected; all of it public."""

    status: Mapping[str, str]  # by person: here, away, asleep or left
    seen: frozenset[str] = frozenset()  # people who closed the reveal
    watchers: int = 0
    reactions: Mapping[str, str] = field(default_factory=dict)  # by person, the faces that are shown just now
    revision: int = 0
    seconds_left: float | None = None

    def here(self, person: str) -> bool:
        return self.status.get(person) == "here"


def paused(state: RoomState, live: Live) -> bool:
    """Is a game on, with fewer people here than the table wants?"""
    if state.stage in (Stage.LOBBY, Stage.OVER):
        return False
    sitters = {person for person in state.seated if person}
    people = sitters - state.programs or sitters  # programs count only where nobody else plays
    return sum(live.here(person) for person in people) < state.settings.least


def host(state: RoomState, live: Live) -> str:
    """The person who may start and remove: of those who are here, the one who came first; programs come last.

    A study has none: "".
    """
    if state.study:
        return ""
    people = [person.person for person in sorted(state.people, key=lambda person: person.program)]
    return next((person for person in people if live.here(person)), people[0] if people else "")


def awaited_seats(state: RoomState, live: Live) -> tuple[int, ...]:
    """The seats that the table waits for; during a reveal those who are here and have not closed it."""
    if state.stage is Stage.REVEAL:
        done = live.seen | state.programs
        reading = [live.here(person) and person not in done for person in state.seated]
        return tuple(seat for seat, reads in enumerate(reading) if reads)
    seen = _view(state, None)
    if seen is None or seen.phase is Phase.OVER:
        return ()
    if seen.phase is Phase.CLUE:
        return (seen.storyteller,)
    return tuple(seat for seat, acted in enumerate(seen.acted) if not acted and seat != seen.storyteller)


def state_frame(
    table: str, state: RoomState, live: Live, person: str, words: Sequence[Words] = (), study: Study | None = None
) -> Frame:
    """The whole table as a person sees it; a person without a seat, or "", sees what is public.

    Args:
        words: by card number, what is on the picture; used when the table wants descriptions.
        study: that the table may belong to.
    """
    seat = state.seat_of(person)
    seen = _view(state, seat)
    stage = state.stage
    stopped = paused(state, live)
    waiting = awaited_seats(state, live)
    first = host(state, live)
    idle = _idle(state, seen, seat, stopped)
    game, turn = state.game, state.turn
    words = words if state.settings.describe else ()
    gone = "removed" if person in state.removed else ""
    return {
        "type": "state",
        "revision": live.revision,
        "table": table,
        "phase": str(stage),
        "game": game,
        "turn": turn,
        "paused": stopped,
        "you": {
            "seat": seat,
            "host": seat is not None and person == first,
            "status": live.status.get(person, "away") if seat is not None else gone,
        },
        "settings": msgspec.to_builtins(state.settings),
        "seats": [
            {**entry, "task": _task(state, seen, number, waiting)}
            for number, entry in enumerate(_seats(state, live, first))
        ],
        "watchers": live.watchers,
        "rules": _rules(state, seen),
        "storyteller": _storyteller(state, seen),
        "waiting": list(waiting),
        "idle": idle,
        "clue": seen.clue if seen else "",
        "hand": [
            card(hand_id(state.key, game, seat, number), number, words)
            for number in (seen.hand if seen else ())
            if seat is not None
        ],
        "given": [
            card(hand_id(state.key, game, seat, number), number, words)
            for number in (seen.given if seen else ())
            if seat is not None
        ],
        "slots": [
            card(slot_id(state.key, game, turn, slot), number, words)
            for slot, number in enumerate(seen.slots if seen else ())
        ],
        "own_slots": list(seen.own_slots) if seen else [],
        "dials": list(seen.dials) if seen else [],
        "needs": _needs(seen, idle),
        "seen": [number for number, sitter in enumerate(state.seated) if sitter and sitter in live.seen],
        "pile": seen.pile if seen else 0,
        "discard": len(seen.discard) if seen else 0,
        "seconds_left": None if stopped else live.seconds_left,
        "winners": list(seen.winners) if seen and stage is Stage.OVER else [],
        "games": [asdict(done) for done in state.finished] if stage in (Stage.LOBBY, Stage.OVER) else [],
        "study": _study(state, person, study) if study and state.study else None,
    }


def summary(table: str, state: RoomState) -> Frame:
    """What a list of tables says about one: all of it is sent to whoever looks on there too."""
    names = {person.person: person.name for person in state.people}
    seats = [
        {"name": names.get(person, ""), "bot": bot} for person, bot in zip(state.seated, _bots_told(state), strict=True)
    ]
    return {"table": table, "phase": str(state.stage), "turn": state.turn, "seats": seats}


def _study(state: RoomState, person: str, study: Study) -> Frame:
    """How far a participant is: how many games there are, which turns of this game are answered, and the code."""
    return {
        "games": study.games,
        "answered": sorted(turn for by, game, turn in state.answered if (by, game) == (person, state.game)),
        "code": study.code if finished(state, person, study) else "",
    }


def finished(state: RoomState, person: str, study: Study) -> bool:
    """Has somebody played all games of a study, and answered the questions at the end?"""
    over = state.stage is Stage.OVER and state.game == study.games and state.seat_of(person) is not None
    return over and (not study.end or (person, state.game, 0) in state.answered)


def view_frame(table: str, state: RoomState, live: Live, person: str, words: Sequence[Words] = ()) -> Frame:
    """The table as a program in a seat sees it, with its view in the form of records; null without a game or a seat.

    Args:
        words: as of `state_frame`; of the cards that the seat sees now.
    """
    seat = state.seat_of(person)
    seen = _view(state, seat) if seat is not None else None
    waiting = awaited_seats(state, live)
    stopped = paused(state, live)
    near = {*seen.hand, *seen.given, *seen.slots} if seen and state.settings.describe else set()
    return {
        "type": "view",
        "revision": live.revision,
        "table": table,
        "game": state.game,
        "turn": state.turn,
        "phase": str(state.stage),
        "paused": stopped,
        "seat": seat,
        "host": seat is not None and person == host(state, live),
        "acts": seat in waiting and not stopped and state.stage is not Stage.REVEAL,
        "seconds_left": None if stopped else live.seconds_left,
        "settings": msgspec.to_builtins(state.settings),
        "players": _seats(state, live, host(state, live)),
        "view": view_to_json(seen, state.cards) if seen else None,
        "words": {state.cards[number]: dict(words[number]) for number in near if words},
    }


def visible(state: RoomState, person: str) -> dict[str, int]:
    """The cards that a program in a seat may look at, by their ids in the deck: those that its view names."""
    seat = state.seat_of(person)
    seen = _view(state, seat) if seat is not None else None
    if seen is None:
        return {}
    past = [card for turn in seen.history for card in turn.slots]
    return {state.cards[card]: card for card in (*seen.hand, *seen.given, *seen.slots, *seen.discard, *past)}


def turns_frame(state: RoomState, start: int, words: Sequence[Words] = ()) -> Frame:
    """The finished turns of this game from number `start` (counted from 0) on; public."""
    seen = _view(state, None)
    words = words if state.settings.describe else ()
    turns = []
    scores = [0] * len(state.seated)
    for index, turn in enumerate(seen.history if seen else ()):
        scores = [old + new for old, new in zip(scores, turn.score.points, strict=True)]
        if index < start:
            continue
        note = state.notes[index]
        slots = [
            card(slot_id(state.key, state.game, turn.number, slot), number, words)
            for slot, number in enumerate(turn.slots)
        ]
        entry = {**turn_entry(turn, slots, scores), "stand_ins": list(note.stand_ins)}
        told_beliefs = () if state.study else note.beliefs  # only some of a study's bots may have any
        entry["beliefs"] = {str(seat): belief for seat, belief in told_beliefs}
        if state.settings.explain:
            entry["why"] = {str(seat): told for seat, why in note.why if (told := explanation(why, len(turn.slots)))}
        turns.append(entry)
    return {"type": "turns", "game": state.game, "turns": turns}


def turn_entry(turn: PlayedTurn, slots: Sequence[Frame], scores: Sequence[int]) -> Frame:
    """A finished turn for the page, with its cards and the scores after it."""
    return {
        "turn": turn.number,
        "storyteller": turn.storyteller,
        "clue": turn.clue,
        "slots": list(slots),
        "target": turn.target,
        "owners": list(turn.owners),
        "votes": [list(dials) for dials in turn.votes],
        "outcome": str(turn.score.outcome),
        "points": list(turn.score.points),
        "clue_points": list(turn.score.clue),
        "decoy_points": list(turn.score.decoy),
        "scores": list(scores),
    }


def hand_id(key: bytes, game: int, seat: int, number: int) -> str:
    """The id that a card has in a seat's hand, for its owner only."""
    return _id(key, f"hand/{game}/{seat}/{number}")


def slot_id(key: bytes, game: int, turn: int, slot: int) -> str:
    """The id that a card has on the table, for all."""
    return _id(key, f"slot/{game}/{turn}/{slot}")


def pictures(state: RoomState) -> dict[str, int]:
    """Every id that somebody may have been sent in this game, with the card it shows."""
    play, key, game = state.play, state.key, state.game
    if play is None:
        return {}
    ids = {hand_id(key, game, seat, card): card for seat, hand in enumerate(play.hands) for card in hand}
    ids |= {slot_id(key, game, play.turn, slot): card for slot, card in enumerate(play.slots)}
    return ids | {
        slot_id(key, game, turn.number, slot): card for turn in play.history for slot, card in enumerate(turn.slots)
    }


def card(name: str, number: int, words: Sequence[Words]) -> Frame:
    """A card for the page; with words only where the table wants descriptions."""
    return {"id": name, "words": dict(words[number])} if words else {"id": name}


def explanation(why: Mapping[str, Any], slots: int) -> Frame:
    """What of a bot's reasons for its vote may be shown: beliefs over the slots, fractions, short texts, and the
    `alternatives` that it weighed.

    Whole numbers and other structures stay out: they could be cards of a hand.
    """
    told: Frame = {}
    for name, value in why.items():
        if isinstance(value, float):
            told[name] = round(value, 4)
        elif isinstance(value, str):
            told[name] = value[:LONGEST_REASON]
        elif name == "alternatives" and isinstance(value, list):
            told[name] = [one for one in map(_alternative, value) if one]
        elif isinstance(value, list) and len(value) == slots and all(type(x) in (int, float) for x in value):
            told[name] = [round(float(x), 4) for x in value]
    return told


def _alternative(value: Any) -> Frame:
    """One vote that a bot considered: its slots and its scores."""
    if not isinstance(value, dict) or not isinstance(value.get("slots"), list):
        return {}
    numbers = {name: round(number, 4) for name, number in value.items() if isinstance(number, float)}
    return {"slots": [slot for slot in value["slots"] if type(slot) is int], **numbers}


def _id(key: bytes, place: str) -> str:
    return base64.urlsafe_b64encode(hmac.digest(key, place.encode(), "sha256")[:16]).rstrip(b"=").decode()


def _view(state: RoomState, seat: int | None) -> View | None:
    return view(state.play, seat) if state.play is not None else None


def _storyteller(state: RoomState, seen: View | None) -> int | None:
    if seen is None:
        return None
    return seen.history[-1].storyteller if state.stage is Stage.REVEAL else seen.storyteller


def _seats(state: RoomState, live: Live, first: str) -> list[Frame]:
    names = {person.person: person.name for person in state.people}
    programs = state.programs
    bots = _bots_told(state)
    scores = state.play.scores if state.play is not None else (0,) * len(state.seated)
    return [
        {
            "seat": number,
            "name": names.get(person, ""),
            "kind": "program" if person in programs else "person" if person else "bot",
            "bot": bots[number],
            "status": live.status.get(person, "away") if person else "bot",
            "host": bool(person) and person == first,
            "score": scores[number],
            "reaction": live.reactions.get(person, "") if person else "",
        }
        for number, person in enumerate(state.seated)
    ]


def _bots_told(state: RoomState) -> tuple[str, ...]:
    """By seat, the kind or persona of the bot there, "" for a person; a study doesn't tell its bots apart."""
    return tuple("" if person or state.study else bot for person, bot in zip(state.seated, state.bots, strict=True))


def _task(state: RoomState, seen: View | None, seat: int, waiting: tuple[int, ...]) -> str:
    """What a seat is doing, for all to see."""
    if state.stage is Stage.REVEAL:
        return "reads" if seat in waiting else ""
    if seen is None or seen.phase is Phase.OVER:
        return ""
    if seat in waiting:
        return "acts"
    if seen.phase is Phase.CLUE:
        return "waits"
    return "storyteller" if seat == seen.storyteller else "acted"


def _idle(state: RoomState, seen: View | None, seat: int | None, stopped: bool) -> str:
    """Why a seat has nothing to do, as a code; "" when it may act."""
    stage = state.stage
    if seat is None:
        return "spectator"
    if seen is None or stage is Stage.LOBBY:
        return "lobby"
    if stage is Stage.OVER:
        return "over"
    if stopped:
        return "paused"
    if stage is Stage.REVEAL:
        return "reveal"
    if not seen.idle:
        return ""
    if stage is Stage.CLUE:
        return "not_storyteller"
    return "storyteller" if seen.is_storyteller else "acted"


def _needs(seen: View | None, idle: str) -> Frame:
    """How many cards and dials the seat must give now."""
    if seen is None or idle:
        return {"cards": 0, "dials_least": 0, "dials_most": 0}
    rules = seen.rules
    if seen.phase is Phase.VOTES:
        return {"cards": 0, "dials_least": rules.dials_least, "dials_most": rules.dials_most}
    return {"cards": 1 if seen.phase is Phase.CLUE else rules.gives, "dials_least": 0, "dials_most": 0}


def _rules(state: RoomState, seen: View | None) -> Frame:
    table: TableRules = seen.rules if seen else rules_of(state.settings).seated(len(state.seated))
    return {"name": state.settings.rules, **msgspec.to_builtins(table), "slots": table.slots}
