"""Fit the clue benchmark's panel `viewers` to what viewers guessed, and measure it on other decks."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from dixit_env.agents.panels import OTHERS_EYES, make_eye
from dixit_env.agents.viewers_panel import FILE, SEATS, Guesses, fit, in_english, load_constants, losses, seen_guesses
from dixit_env.bench import viewers
from dixit_env.bench.clues.panels import Listener, listener
from dixit_env.bench.stats import Estimate, Floats, mean, resample
from dixit_env.bench.viewers.guesses import read_guesses
from dixit_env.bench.viewers.measure import painted, written
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import run

GUESSED = Path(viewers.__file__).parent
EXAMPLES = """
python scripts/fit_panel.py
python scripts/fit_panel.py --out agents/viewers_panel.json
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Fit the panel to viewers' guesses of harvest; measure it on those of nocturne and tides, which it never saw."""

    out: Path | None = None
    """Where to write the constants; by default they are only shown. The panel reads agents/viewers_panel.json."""


def main(args: Args) -> None:
    """Fit and measure."""
    fitted_to, held_out = _seen("guessed_harvest.tsv"), _seen("guessed.tsv")
    constants = fit(fitted_to)
    panels = {
        "blind votes": (Listener(OTHERS_EYES[0].partition("@")[0], 0.0),),
        "readers": tuple(map(listener, OTHERS_EYES)),
        "viewers, as kept": load_constants().listeners,
        "viewers, fitted": constants.listeners,
    }
    console = Console(highlight=False)
    for name, tables in (("harvest, fitted to", fitted_to), ("nocturne and tides, held out", held_out)):
        console.print(_losses(name, tables, panels))
        console.print(_difference(tables, panels["viewers, fitted"], panels["readers"]))
    console.print(_by_source(held_out, panels))
    print(constants.to_json())
    if args.out:
        args.out.write_text(constants.to_json() + "\n", encoding="utf-8")
        print(f"written to {args.out}" + (" (the panel uses it from now on)" if args.out.resolve() == FILE else ""))


def _seen(file: str) -> Guesses:
    """The English tables of a file of guesses, through the eyes of both panels."""
    guesses = read_guesses(GUESSED / file)
    decks = {name: painted(name) for name in sorted({guess.table.cards[0].split("/")[0] for guess in guesses})}
    kinds = {one.clue: one.kind for name in decks for one in written(name)}
    sights = {name: Sight(deck) for name, deck in decks.items()}
    kept = (one.eye for one in load_constants().listeners)
    names = dict.fromkeys([*SEATS, *kept, *(listener(one).eye for one in OTHERS_EYES)])
    eyes = {eye: {deck: make_eye(eye, sight) for deck, sight in sights.items()} for eye in names}
    return seen_guesses(list(in_english(guesses, kinds)), decks, eyes)


def _losses(name: str, tables: Guesses, panels: Mapping[str, tuple[Listener, ...]]) -> Table:
    """How well each panel tells viewers' votes and beliefs, controls included, with 95 % intervals over tables."""
    shown = Table(f"{name}: {len(tables.guesses)} tables", "log loss of votes", "of beliefs", "same card", "found")
    held = np.array([guess.belief for guess in tables.guesses])
    own = np.array([not guess.table.control for guess in tables.guesses])
    targets = np.array([guess.table.target for guess in tables.guesses])
    draws = resample(len(own))

    def over(values: Floats) -> Estimate:
        return mean(values, draws)

    for panel, listeners in panels.items():
        told = tables.belief(listeners)
        right = np.where(own, told[np.arange(len(own)), targets], np.nan)
        shown.add_row(
            panel,
            f"{over(losses(told, tables.votes)):.3f}",
            f"{over(losses(told, held)):.3f}",
            f"{over((told * tables.votes).sum(1)):.0%}",
            f"{over(right):.0%}",
        )
    found = np.where(own, [guess.found for guess in tables.guesses], np.nan)
    shown.add_row("the viewers themselves", "", f"{over(losses(held, held)):.3f}", "", f"{over(found):.0%}")
    return shown


def _difference(tables: Guesses, one: tuple[Listener, ...], other: tuple[Listener, ...]) -> str:
    votes = tables.votes
    gap = losses(tables.belief(one), votes) - losses(tables.belief(other), votes)
    return f"log loss of votes, viewers (fitted) less readers: {mean(gap, resample(len(gap))):+.3f}"


def _by_source(tables: Guesses, panels: Mapping[str, tuple[Listener, ...]]) -> Table:
    """How often the right card is found, by who gave the clue."""
    names = [name for name in panels if name != "viewers, as kept"]
    shown = Table("clues of", "tables", "viewers find", *(f"{name} find" for name in names))
    told = {name: tables.belief(panels[name]) for name in names}
    sources = sorted({guess.table.source for guess in tables.guesses})
    for source in sources:
        rows = [
            row for row, guess in enumerate(tables.guesses) if guess.table.source == source and not guess.table.control
        ]
        targets = [tables.guesses[row].table.target for row in rows]
        found = np.mean([tables.guesses[row].found for row in rows])
        shown.add_row(
            source, str(len(rows)), f"{found:.0%}", *(f"{told[name][rows, targets].mean():.0%}" for name in names)
        )
    return shown


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
