"""Game records: one JSON Lines file a game, written event by event, read back, replayed and exported.

Lines, in order: `{"type": "game", …}` with everything that is needed to play it again; one `"decision"` for each
decision, with what the agent said about it (`why`); a `"turn"` with slots, owners, votes and points when a turn is
scored; and a `"result"`. Cards stand by their ids; seats and slots are counted from 0. Every line is written at once
and whole, so a crash loses at most the last one.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dixit_env.errors import DixitError, RecordError
from dixit_env.game.engine import GameState, PlayedTurn, apply, new_game
from dixit_env.game.moves import move_from_json, move_to_json
from dixit_env.game.rules import rules_from_dict
from dixit_env.table.play import Decided, Event, GameEnded, GameStarted, TurnEnded
from dixit_env.version import VERSION

FORMAT = 1

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A game as read from disk; `result` is None when the game was broken off."""

    game: Line
    decisions: tuple[Line, ...]
    turns: tuple[Line, ...]
    result: Line | None


def recorded(events: Iterable[Event], path: str | Path) -> Iterator[Event]:
    """Pass events on, writing each to `path` first."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        cards: tuple[str, ...] = ()
        for event in events:
            if isinstance(event, GameStarted):
                cards = tuple(card.id for card in event.deck.cards)
            file.write(encoded(to_line(event, cards)) + "\n")
            file.flush()
            yield event


def encoded(line: Line) -> str:
    """A line as JSON text. Lone surrogates (in a file name that is no UTF-8, say) are escaped: they have no UTF-8."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(line, allow_nan=False)
    return text


def to_line(event: Event, cards: tuple[str, ...]) -> Line:
    """An event as a JSON value; `cards` are the ids by card number."""
    match event:
        case GameStarted():
            line = {
                "type": "game",
                "format": FORMAT,
                "version": VERSION,
                "rules": asdict(event.rules),
                "deck": {"name": event.deck.name, "hash": event.deck.hash, "cards": list(cards)},
                "agents": list(event.names),
                "seed": event.seed,
                "first": event.first,
            }
            return {**line, "salt": event.salt} if event.salt else line
        case Decided():
            line = {
                "type": "decision",
                "turn": event.turn,
                "phase": str(event.phase),
                "seat": event.seat,
                "move": move_to_json(event.decision.move, cards),
                "why": dict(event.decision.why),
                "seconds": round(event.seconds, 6),
            }
            return {**line, "fault": event.fault} if event.fault else line
        case TurnEnded():
            return {"type": "turn", **turn_to_json(event.turn, cards), "scores": list(event.scores)}
        case GameEnded():
            return {"type": "result", "scores": list(event.scores), "winners": list(event.winners)}


def read(path: str | Path) -> Record:
    """Read a record. A last line that was cut off is left out; raises `RecordError` for anything else that is wrong."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordError(f"{path} can't be read: {error.strerror}") from error
    lines: list[Line] = []
    *rows, _ = text.split("\n")  # at line feeds only: a text may hold other separators, such as U+2028
    for number, row in enumerate(rows, 1):
        try:
            line = json.loads(row)
            line["type"]
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}, line {number}: not a line of a game record") from error
        lines.append(line)
    if not lines or lines[0]["type"] != "game":
        raise RecordError(f"{path} is no game record: its first line must be of type game")
    if lines[0].get("format") != FORMAT:
        raise RecordError(f"{path} has format {lines[0].get('format')}; this version reads format {FORMAT}")
    return record_of(lines)


def record_of(lines: Sequence[Line]) -> Record:
    """The record with these lines, the first of type game."""
    by_type = {kind: [line for line in lines if line["type"] == kind] for kind in ("decision", "turn", "result")}
    result = by_type["result"][0] if by_type["result"] else None
    return Record(lines[0], tuple(by_type["decision"]), tuple(by_type["turn"]), result)


def replay(record: Record) -> GameState:
    """Play the record again and return the last state; raises `RecordError` where the game goes another way."""
    *_, (_, _, last) = steps(record)
    turns = [turn_to_json(turn, tuple(record.game["deck"]["cards"])) for turn in last.history]
    scores = [0] * last.players
    for number, told in enumerate(record.turns):
        if number >= len(turns):
            raise RecordError(f"turn {number + 1} is recorded, but the decisions don't reach it")
        turn = turns[number]
        scores = [old + new for old, new in zip(scores, turn["points"], strict=True)]
        for key, value in {**turn, "scores": scores}.items():
            if told.get(key) != value:
                raise RecordError(f"turn {turn['turn']}: the record says {key} {told.get(key)}, the replay {value}")
    if record.result is not None:
        for key, played in (("scores", last.scores), ("winners", last.winners)):
            if record.result.get(key) != list(played):
                raise RecordError(f"result: the record says {key} {record.result.get(key)}, the replay {list(played)}")
    return last


def steps(record: Record) -> Iterator[tuple[GameState, Line | None, GameState]]:
    """The states before and after each decision, beginning with `(first state, None, first state)`."""
    game = record.game
    try:
        cards = game["deck"]["cards"]
        rules = rules_from_dict(game["rules"])
        state = new_game(rules, len(game["agents"]), len(cards), game["seed"], game["first"], game.get("salt", ""))
        numbers = {card: number for number, card in enumerate(cards)}
    except (KeyError, TypeError) as error:
        raise RecordError(f"the game line is incomplete: {error!r}") from error
    yield state, None, state
    for line in record.decisions:
        try:
            after = apply(state, line["seat"], move_from_json(line["move"], numbers))
        except (KeyError, TypeError, DixitError) as error:
            raise RecordError(
                f"turn {line.get('turn')}, seat {line.get('seat')}: the replay can't make this move: {error}"
            ) from error
        yield state, line, after
        state = after


def export(records: Mapping[str, Record], path: str | Path) -> None:
    """Write one row for each seat of each turn of several records (by name), as `.csv` or `.parquet` (needs pyarrow).

    Columns: game, turn, seat, agent, storyteller (0/1), clue, cards given, dials on the own cards, the seat's dials,
    dials on the storyteller's card, outcome, points.
    """
    rows = [row for name, record in records.items() for row in _rows(name, record)]
    target = Path(path)
    if target.suffix == ".csv":
        with open(target, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
            writer.writeheader()
            writer.writerows(rows)
    elif target.suffix == ".parquet":
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise RecordError('a .parquet export needs pyarrow: pip install "dixit-env[parquet]"') from error
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), target)
    else:
        raise RecordError(f"can't export to {target.name}: choose a name that ends in .csv or .parquet")


def _rows(name: str, record: Record) -> Iterator[Line]:
    for turn in record.turns:
        target = turn["owners"].index(turn["storyteller"])
        for seat, agent in enumerate(record.game["agents"]):
            own = [slot for slot, owner in enumerate(turn["owners"]) if owner == seat]
            dials = turn["votes"][seat]
            yield {
                "game": name,
                "turn": turn["turn"],
                "seat": seat,
                "agent": agent,
                "storyteller": int(seat == turn["storyteller"]),
                "clue": turn["clue"],
                "cards": " ".join(turn["slots"][slot] for slot in own),
                "dials_received": sum(slot in own for vote in turn["votes"] for slot in vote),
                "dials": " ".join(map(str, dials)),
                "dials_found": dials.count(target),
                "outcome": turn["outcome"],
                "points": turn["points"][seat],
            }


def turn_to_json(turn: PlayedTurn, cards: Sequence[str]) -> Line:
    """A finished turn as a JSON value; `cards` are the ids by card number."""
    return {
        "turn": turn.number,
        "storyteller": turn.storyteller,
        "clue": turn.clue,
        "slots": [cards[card] for card in turn.slots],
        "owners": list(turn.owners),
        "votes": [list(slots) for slots in turn.votes],
        "outcome": str(turn.score.outcome),
        "points": list(turn.score.points),
    }
