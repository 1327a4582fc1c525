"""A study's data as tables: participants, moves and answers, with a codebook made from the same definitions."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from dixit_env.errors import DixitError
from dixit_env.game.engine import move_in
from dixit_env.game.moves import move_to_json
from dixit_env.web.events import Answered, AnyEvent, Moved, Opened, Placed, RoomState, Stage, advance, restore
from dixit_env.web.export import record_name, table_name
from dixit_env.web.projection import finished
from dixit_env.web.store import Store
from dixit_env.web.study import Question, Study

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    type: Literal["text", "integer", "number"]
    meaning: str


STUDY = Column("study", "text", "the study's name")
WHO = (STUDY, Column("participant", "text", "the participant's id"))
FILE = Column("file", "text", "12 hex digits of the study file's SHA-256: which version of it the participant met")
BEGUN = Column("begun", "text", "when the participant agreed, ISO 8601, UTC")
FINISHED = Column("finished", "integer", "1: everything was done and answered, and the completion code was shown")
ANSWER = (
    Column("question", "text", "the question's key"),
    Column("number", "integer", "the answer: on a scale the number, of a choice the option's, from 0"),
    Column(
        "text", "text", "the answer in words: of a text itself, of a choice the option in the study's first language"
    ),
    Column("seconds", "number", "for which the page showed the questions that were answered together"),
)

Tables = Mapping[str, Sequence[Column]]
"""The columns of tables, by the tables' names."""

TABLES: Tables = {
    "participants": (
        *WHO,
        FILE,
        Column("lang", "text", "language of the page's questions and the bots' clues when the participant began"),
        Column("rules", "text", "edition of the rules"),
        BEGUN,
        Column("waited", "number", "seconds from then until the table was opened, or the wait was over"),
        Column("released", "integer", "1: too few others came in time, and the code was shown without a game"),
        Column("table", "text", "the table's name, the same for all who sat there; empty without a table"),
        Column("seat", "integer", "the participant's seat at it, from 0"),
        Column("last", "text", "when the participant's table was last changed, ISO 8601, UTC"),
        Column("games", "integer", "games played to the end"),
        FINISHED,
    ),
    "moves": (
        STUDY,
        Column("table", "text", "the table's name"),
        Column("game", "integer", "game at the table, from 1"),
        Column("record", "text", "name of the game's record, without .jsonl"),
        Column("turn", "integer", "turn of the game, from 1"),
        Column("phase", "text", "clue, cards or votes"),
        Column("seat", "integer", "who decides, from 0; participants sit before bots, in the order in which they came"),
        Column("participant", "text", "the id of the participant who sits there; empty for a bot's seat"),
        Column("agent", "text", "participant, or the spec of the bot; in a participant's seat, of who stood in"),
        Column("storyteller", "integer", "1: the seat tells in this turn"),
        Column("clue", "text", "the turn's clue"),
        Column("move", "text", "the move as JSON, as in records: card and clue, cards, or slots"),
        Column("seconds", "number", "from the opening of the phase to the move; of a bot, how long it thought"),
        Column("looks", "integer", "cards that the participant enlarged or put into the preview before the move"),
        Column("changes", "integer", "cards and dials that the participant chose or took back before the move"),
        Column("edits", "integer", "changes of the clue's text before the move"),
        Column("hidden", "number", "seconds before the move for which the page was out of sight"),
        Column("dials_found", "integer", "votes: how many of the seat's dials are on the storyteller's card"),
        Column("points", "integer", "what the seat earned in the turn; empty when the turn was not finished"),
    ),
    "answers": (
        *WHO,
        Column("game", "integer", "game at the participant's table, from 1"),
        Column("turn", "integer", "turn that the question is about; 0: at the end of the study"),
        *ANSWER,
    ),
}
EFFORT = ("looks", "changes", "edits", "hidden")


def export_study(store: Store, study: Study, folder: Path) -> int:
    """Write each table as CSV, Parquet and JSON Lines into `folder`, and `codebook.md`; how many participants.

    Raises `DixitError` when pyarrow is missing.
    """
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    history = {name: events for name, events in store.history() if _opened(events).study == study.name}
    people = {name: opened for name, events in history.items() if (opened := _opened(events)).participant}
    ids = {opened.by: opened.participant for opened in people.values()}
    for name, opened in people.items():
        who = {"study": study.name, "participant": opened.participant}
        placed = next((event for event in history[name] if isinstance(event, Placed)), None)
        table = placed.table if placed else ""
        events = history.get(table, [])
        begun, *later = store.moments(name)
        rows["participants"].append(
            {
                **who,
                "file": opened.file,
                "lang": opened.settings.lang,
                "begun": time_of(begun),
                "waited": round(later[0] - begun, 3) if later else None,
                "released": int(placed is not None and not table),
                "last": time_of(max([begun, *later, *store.moments(table)])),
                **_standing(study, opened.by, table, events),
            }
        )
        mine = [event for event in events if event.by == opened.by]
        rows["answers"] += [{**who, **row} for row in answer_rows(study, mine)]
    for name, events in history.items():
        if name not in people:
            rows["moves"] += [{"study": study.name, **row} for row in _moves(name, events, ids)]
    write_study(folder, study, TABLES, rows)
    return len(people)


def write_study(folder: Path, study: Study, tables: Tables, rows: Mapping[str, Sequence[Row]]) -> None:
    """Write each table, with the rows of its name, and the codebook; raises `DixitError` when pyarrow is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in tables.items():
        _write(folder / name, columns, rows[name])
    (folder / "codebook.md").write_text(codebook(study, tables), encoding="utf-8", newline="\n")


def codebook(study: Study, tables: Tables) -> str:
    """What every column of every table means, and what was asked: Markdown."""
    lines = [
        f"# Codebook of the study {study.name}",
        "",
        f"Study file: {study.digest}. An empty cell is a missing value.",
    ]
    for name, columns in tables.items():
        lines += ["", f"## {name}", "", "| column | type | meaning |", "|---|---|---|"]
        lines += [f"| `{column.name}` | {column.type} | {column.meaning} |" for column in columns]
    for when, questions in (("after a turn", study.turn), ("at the end", study.end)):
        if questions:
            lines += ["", f"## Questions {when}", "", "| question | asked of | text | answers |", "|---|---|---|---|"]
            lines += [_question(study, question) for question in questions]
    return "\n".join(lines) + "\n"


def _question(study: Study, question: Question) -> str:
    tag = study.languages[0]
    answers = "text"
    if question.kind == "scale":
        ends = [f"{n} {end[tag]}" for n, end in ((0, question.low), (question.most, question.high)) if end]
        answers = f"0 to {question.most}" + (f" ({', '.join(ends)})" if ends else "")
    elif question.kind == "choice":
        answers = ", ".join(f"{number} {option[tag]}" for number, option in enumerate(question.options))
    asked = question.ask[tag].replace("|", "\\|")
    blank = ", may be left blank" if question.optional else ""
    return f"| `{question.key}` | {question.of} | {asked} | {answers}{blank} |"


def _opened(events: Sequence[AnyEvent]) -> Opened:
    opened = events[0]
    assert isinstance(opened, Opened), "the first event of a table or participant opens it"
    return opened


def _standing(study: Study, person: str, table: str, events: Sequence[AnyEvent]) -> Row:
    """Where a participant sat, and how far they came; without events, those without a table."""
    if not events:
        return {"rules": None, "table": None, "seat": None, "games": 0, "finished": 0}
    state = restore(list(events))
    return {
        "rules": state.settings.rules,
        "table": table_name(table),
        "seat": state.seat_of(person),
        "games": state.game if state.stage is Stage.OVER else max(state.game - 1, 0),
        "finished": int(finished(state, person, study)),
    }


def time_of(seconds: float) -> str:
    """A moment in seconds since 1970 as ISO 8601, UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _moves(table: str, events: Sequence[AnyEvent], ids: Mapping[str, str]) -> Iterator[Row]:
    """A row for each decision; what became of its turn is filled in when the turn is scored. `ids` are by person."""
    state: RoomState | None = None
    turn: list[Row] = []
    for event in events:
        before, state = state, advance(state, event)
        if not isinstance(event, Moved) or before is None or before.play is None or state.play is None:
            continue
        turn.append(_move(table, event, before, ids))
        if len(state.play.history) > len(before.play.history):
            played = state.play.history[-1]
            for row in turn:
                row["clue"] = played.clue
                row["points"] = played.score.points[row["seat"]]
                if row["phase"] == "votes":
                    row["dials_found"] = played.votes[row["seat"]].count(played.target)
            yield from turn
            turn = []
    yield from turn


def _move(table: str, event: Moved, before: RoomState, ids: Mapping[str, str]) -> Row:
    play = before.play
    assert play is not None
    made = move_in(play.phase, event.numbers, event.clue)
    return {
        "table": table_name(table),
        "game": before.game,
        "record": record_name(table, before.game),
        "turn": play.turn,
        "phase": str(play.phase),
        "seat": event.seat,
        "participant": ids.get(before.seats[event.seat], ""),
        "agent": event.bot or "participant",
        "storyteller": int(event.seat == play.storyteller),
        "clue": event.clue or play.clue,
        "move": json.dumps(move_to_json(made, before.cards), ensure_ascii=False),
        "seconds": event.seconds,
        **{name: getattr(event.effort, name, None) for name in EFFORT},
        "dials_found": None,
        "points": None,
    }


def answer_rows(study: Study, events: Sequence[AnyEvent]) -> Iterator[Row]:
    """A row for each question that a participant answered."""
    for event in events:
        if not isinstance(event, Answered):
            continue
        asked = {question.key: question for question in (study.end if event.turn == 0 else study.turn)}
        for key, value in event.answers.items():
            number, text = (None, value) if isinstance(value, str) else (value, None)
            if key in asked and asked[key].kind == "choice" and number is not None:
                text = asked[key].options[number][study.languages[0]]
            yield {
                "game": event.game,
                "turn": event.turn,
                "question": key,
                "number": number,
                "text": text,
                "seconds": event.seconds,
            }


def _write(path: Path, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise DixitError('a study is exported with pyarrow: pip install "dixit-env[parquet]"') from error
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [column.name for column in columns], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    lines = [json.dumps({column.name: row[column.name] for column in columns}, ensure_ascii=False) for row in rows]
    path.with_suffix(".jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64()}
    schema = pa.schema([(column.name, types[column.type]) for column in columns])
    parquet.write_table(pa.Table.from_pylist(list(rows), schema), path.with_suffix(".parquet"))
