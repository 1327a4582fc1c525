"""`viewers.py read`."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from dixit_env.bench.viewers import clues, guesses
from dixit_env.bench.viewers.folder import ViewersError, answer_files, holds_sheets, read_key
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import write_results

EXAMPLES = """
python scripts/viewers.py read --study runs/nocturne
python scripts/viewers.py read --study runs/blind --clip embedded
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Check what viewers answered, and file it: clues as STUDY/clues.tsv, guesses as STUDY/guesses.tsv with
    STUDY/results.json."""

    study: Path
    """Folder that viewers.py sheets or tables made, with answers in it."""
    clip: str | None = None
    """Of tables: also how this CLIP reads them: embedded, ARCH:TAG, ARCH:FILE, hf-hub:NAME or a folder."""
    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """With --clip: embedded deck or folder of the tables' pictures; repeat to combine packs (default: dreams)."""
    seed: int = 0
    """Of the bootstrap."""


def main(args: Args) -> None:
    """Read, print and write."""
    key, files = read_key(args.study), answer_files(args.study)
    if holds_sheets(key):
        found = clues.answered(key, files)
        clues.write_clues(found, args.study / "clues.tsv")
        counted = Counter(clue.measures for clue in found)
        print(", ".join(f"{kind} {count}" for kind, count in counted.items()))
        print(f"{len(found)} clues for {len(clues.by_card(found))} cards: {args.study / 'clues.tsv'}")
        return
    answered = guesses.answered(key, files)
    guesses.write_guesses(answered, args.study / "guesses.tsv")
    figures = guesses.figures(answered, args.seed)
    if args.clip is not None:
        readings = _readings(guesses.tables_in(key), Sight.load(args.deck or ("dreams",), args.clip))
        for source, told in guesses.reader_figures(answered, readings, args.seed).items():
            figures[source]["clip"] = told
    console = Console(highlight=False)
    console.print(_understood(figures))
    if any(told["agreement"]["tables"] or "clip" in told for told in figures.values()):
        console.print(_alike(figures, args.clip))
    viewers = sorted({guess.viewer for guess in answered})
    print(f"{len(answered)} answers of {', '.join(viewers)}")
    print(write_results(args.study, {"viewers": figures, "answered_by": viewers}, args))


def _readings(tables: Mapping[str, guesses.Table], sight: Sight) -> dict[str, guesses.Guess]:
    """What a CLIP believes of tables, by number: the softmax of the cosines at the CLIP's own scale."""
    place = {card.name: number for number, card in enumerate(sight.deck.cards)}
    if missing := [name for table in tables.values() for name in table.cards if name not in place]:
        raise ViewersError(f"no card {missing[0]}: give the decks that the tables were drawn from (--deck)")
    cosines = sight.similarity([table.clue for table in tables.values()])
    readings = {}
    for (number, table), row in zip(tables.items(), cosines, strict=True):
        logits = sight.clip.logit_scale * row[[place[name] for name in table.cards]].astype(np.float64)
        odds = np.exp(logits - logits.max())
        belief = odds / odds.sum()
        readings[number] = guesses.Guess(sight.clip_name, number, table, tuple(belief.tolist()), math.nan)
    return readings


def _understood(figures: Mapping[str, Any]) -> Table:
    """Whether viewers find the cards; the lift is how much more often than at controls."""
    table = Table(Column("clues of", overflow="fold"), "tables", "found, %", "belief, %", "suits, 0–3")
    for source, told in figures.items():
        for name, part in ((escape(source), told), ("  control", told["control"])):
            cells = _cell(part, "found", 100), _cell(part, "belief", 100), _cell(part, "suits", 1, 1)
            table.add_row(name, str(part["tables"]), *cells)
        table.add_row("  lift", "", _cell(told, "lift", 100), "", "")
    return table


def _alike(figures: Mapping[str, Any], clip: str | None) -> Table:
    """How often a viewer and another reader find the same card likeliest, and the correlation of their beliefs."""
    names = Column("clues of", overflow="fold"), Column("a viewer and", no_wrap=True)
    table = Table(*names, "tables", "found, %", "same, %", "r of beliefs")
    for source, told in figures.items():
        rows = {"another viewer": told["agreement"]}
        if "clip" in told:
            rows[f"CLIP {clip}"] = told["clip"]
        for name, both in rows.items():
            same = _number(both["same_card"], 100), _number(both["correlation"], 1, 2)
            found = _cell(both, "found", 100) if "found" in both else ""
            table.add_row(escape(source), escape(name), str(both["tables"]), found, *same)
    return table


def _cell(told: Mapping[str, Any], name: str, scale: int, digits: int = 0) -> str:
    """A figure and its interval."""
    if told[name] is None:
        return "–"
    value, low, high = (_number(told[name + end], scale, digits) for end in ("", "_low", "_high"))
    return f"{value} [{low}{' to ' if low.startswith('-') else '–'}{high}]"


def _number(value: float | None, scale: int, digits: int = 0) -> str:
    return "–" if value is None else f"{scale * value:.{digits}f}"
