"""`viewers.py read`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dixit_env.bench.viewers import clues, guesses
from dixit_env.bench.viewers.folder import read_key
from dixit_env.scripts.common import write_results

EXAMPLES = """
python scripts/viewers.py read --study runs/nocturne
python scripts/viewers.py read --study runs/tables
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Check what viewers answered, and file it: clues as STUDY/clues.tsv, guesses as STUDY/guesses.tsv with
    STUDY/results.json."""

    study: Path
    """Folder that viewers.py sheets or tables made, with answers in it."""
    seed: int = 0
    """Of the bootstrap."""


def main(args: Args) -> None:
    """Read, print and write."""
    key, files = read_key(args.study)
    if all(isinstance(told, list) for told in key.values()):
        found = clues.answered(key, files)
        clues.write_clues(found, args.study / "clues.tsv")
        counted = Counter(clue.measures for clue in found)
        print(", ".join(f"{kind} {count}" for kind, count in counted.items()))
        print(f"{len(found)} clues for {len(clues.by_card(found))} cards: {args.study / 'clues.tsv'}")
        return
    answered = guesses.answered(key, files)
    guesses.write_guesses(answered, args.study / "guesses.tsv")
    figures = guesses.figures(answered, args.seed)
    table = Table("clues of", "tables", "found, %", "belief, %", "suits, 0–3")
    for source, told in figures.items():
        table.add_row(escape(source), *_cells(told))
        table.add_row("  control", *_cells(told["control"]))
    Console(highlight=False).print(table)
    viewers = sorted({guess.viewer for guess in answered})
    print(f"{len(answered)} answers of {', '.join(viewers)}")
    print(write_results(args.study, {"viewers": figures, "answered_by": viewers}, args))


def _cells(told: Mapping[str, Any]) -> list[str]:
    if not told["tables"]:
        return ["0", "–", "–", "–"]
    shown = []
    for name, scale, digits in (("found", 100, 0), ("belief", 100, 0), ("suits", 1, 1)):
        value, low, high = (f"{scale * told[name + end]:.{digits}f}" for end in ("", "_low", "_high"))
        shown.append(f"{value} [{low}–{high}]")
    return [str(told["tables"]), *shown]
