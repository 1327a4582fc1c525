"""Tables as a study on the server's page: what its participants are shown, and what they answered.

The server is given numbers, clues and the ids of cards only; who gave a clue, and for which card, stays in `key.json`
until the answers are exported.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from dixit_env.bench.viewers.folder import ViewersError, read_key, write_answers
from dixit_env.bench.viewers.guesses import Guess, Table, read_tables
from dixit_env.decks.deck import Card
from dixit_env.paths import printable
from dixit_env.web.blind import BlindTable, Progress
from dixit_env.web.events import AnyEvent, Judged, Opened
from dixit_env.web.store import Store
from dixit_env.web.study import Study
from dixit_env.web.study_export import (
    ANSWER,
    BEGUN,
    FILE,
    FINISHED,
    WHO,
    Column,
    Row,
    Tables,
    answer_rows,
    time_of,
    write_study,
)

TABLES: Tables = {
    "participants": (
        *WHO,
        Column("viewer", "text", "what the participant is called in answers/ and by viewers.py read"),
        FILE,
        Column("lang", "text", "language of the page when the participant began"),
        BEGUN,
        Column("last", "text", "when the participant last answered, ISO 8601, UTC"),
        Column("judged", "integer", "tables that are answered"),
        FINISHED,
    ),
    "judgements": (
        *WHO,
        Column("table", "text", "number of the table"),
        Column("place", "integer", "of the table in the participant's order, from 1"),
        Column("source", "text", "who gave the clue: an agent, or viewers"),
        Column("control", "integer", "1: the clue is another table's, and the card that it is about isn't here"),
        Column("clue", "text", "the clue"),
        Column("cards", "text", "names of the cards as they lay, JSON"),
        Column(
            "target", "integer", "place of the card that the clue was given for, from 0; of a control without meaning"
        ),
        Column("belief", "text", "how likely the participant found each card, JSON; sums to 1"),
        Column("found", "number", "1: the target is the likeliest card; a tie counts as its share"),
        Column(
            "suits",
            "integer",
            "how well the clue suits the likeliest card: 0 no relation, 1 a little, 2 well, 3 lovely",
        ),
        Column("answers", "integer", "how often the table was answered: the last answer counts"),
        Column("seconds", "number", "for which the page showed the table before its answers, in all"),
        Column("looks", "integer", "cards that were enlarged before the answers, in all"),
        Column("changes", "integer", "changes of the beliefs before the answers, in all"),
        Column("hidden", "number", "seconds of these for which the page was out of sight"),
    ),
    "answers": (*WHO, *ANSWER),
}


def shown_tables(folder: Path, cards: Sequence[Card]) -> tuple[BlindTable, ...]:
    """What participants are shown of the tables in a folder of `viewers.py tables`.

    Raises `ViewersError` when there are none, or their cards are not among `cards`.
    """
    ids = {card.name: card.id for card in cards}
    tables = read_tables(folder)
    if missing := [name for table in tables.values() for name in table.cards if name not in ids]:
        raise ViewersError(f"no card {missing[0]}: give the decks that the tables were drawn from (--deck)")
    return tuple(
        BlindTable(number, table.clue, tuple(ids[name] for name in table.cards)) for number, table in tables.items()
    )


def export_blind(store: Store, study: Study, out: Path) -> int:
    """Write a study's tables as CSV, Parquet and JSON Lines with their codebook; how many participants.

    The answers are also there as files of viewers, with the key: `viewers.py read --study OUT` reads them. Raises
    `ViewersError` when `out` holds answers of another study, or the study's folder other tables than were judged.
    """
    folder = Path(study.tables)
    tables = read_tables(folder)
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    answers: dict[str, str] = {}
    for record, events in store.history():
        opened = events[0]
        if not isinstance(opened, Opened) or opened.study != study.name:
            continue
        who = {"study": study.name, "participant": opened.participant}
        viewer, progress, at = viewer_name(opened.participant), Progress.of(events), store.moments(record)
        if strange := [one.number for one in progress.judged.values() if not _fits(one, tables)]:
            raise ViewersError(f"{printable(folder)} has no table {strange[0]} as {opened.participant} judged it")
        guesses = [_guess(viewer, one, tables[one.number]) for one in progress.judged.values()]
        answers[viewer] = "".join(_line(guess) for guess in sorted(guesses, key=lambda guess: guess.number))
        rows["participants"].append(
            {
                **who,
                "viewer": viewer,
                "file": opened.file,
                "lang": opened.settings.lang,
                "begun": time_of(at[0]),
                "last": time_of(at[-1]),
                "judged": len(guesses),
                "finished": int(progress.finished(study, tables)),
            }
        )
        rows["judgements"] += [{**who, **_judgement(guess, events)} for guess in guesses]
        rows["answers"] += [{**who, **row} for row in answer_rows(study, events)]
    write_answers(out, read_key(folder), answers)
    write_study(out, study, TABLES, rows)
    return len(rows["participants"])


def viewer_name(participant: str) -> str:
    """What the participant's answer file is called: it fits every file system, and is another one for each id."""
    digest = hashlib.sha256(participant.encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9-]+', '_', participant)[:40]}-{digest}"


def _fits(judged: Judged, tables: Mapping[str, Table]) -> bool:
    return judged.number in tables and len(judged.weights) == len(tables[judged.number].cards)


def _guess(viewer: str, judged: Judged, table: Table) -> Guess:
    belief = tuple(weight / sum(judged.weights) for weight in judged.weights)
    return Guess(viewer, judged.number, table, belief, judged.suits)


def _line(guess: Guess) -> str:
    """As the page that works without a server writes it."""
    return "\t".join([guess.number, *(f"{100 * share:.2f}" for share in guess.belief), f"{guess.suits:g}"]) + "\n"


def _judgement(guess: Guess, events: Sequence[AnyEvent]) -> Row:
    given = [event for event in events if isinstance(event, Judged) and event.number == guess.number]
    table = guess.table
    return {
        "table": guess.number,
        "place": given[-1].place,
        "source": table.source,
        "control": int(table.control),
        "clue": table.clue,
        "cards": json.dumps(table.cards, ensure_ascii=False),
        "target": table.target,
        "belief": json.dumps([round(share, 4) for share in guess.belief]),
        "found": guess.found,
        "suits": given[-1].suits,
        "answers": len(given),
        "seconds": round(sum(one.seconds for one in given), 3),
        "looks": sum(one.effort.looks for one in given),
        "changes": sum(one.effort.changes for one in given),
        "hidden": round(sum(one.effort.hidden for one in given), 3),
    }
