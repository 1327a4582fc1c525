"""`viewers.py read`."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
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
    """Check what viewers answered, and file it: clues as STUDY/clues.tsv, guesses as STUDY/results.json."""

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
    figures = guesses.figures(guesses.answered(key, files), args.seed)
    table = Table("clues of", "tables", "found", "belief", "suits (0–3)", "control: found")
    for source, told in figures.items():
        shown = [f"{told[name]:.2f} [{told[f'{name}_low']:.2f}–{told[f'{name}_high']:.2f}]" if told["tables"] else "–"
                 for name in ("found", "belief", "suits")]  # fmt: skip
        control = told["control"]
        of_control = f"{control['found']:.2f} ({control['tables']})" if control["tables"] else "–"
        table.add_row(source, str(told["tables"]), *shown, of_control)
    Console(highlight=False).print(table)
    print(write_results(args.study, {"viewers": figures}, args))
