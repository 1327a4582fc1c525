"""What readers made of viewers' clues, as a table on the terminal."""

from collections.abc import Mapping, Sequence
from math import isnan

from rich.markup import escape
from rich.table import Column, Table

from dixit_env.bench.stats import Estimate
from dixit_env.bench.viewers.guesses import SIX
from dixit_env.bench.viewers.measure import MEASURES


def reader_table(
    figures: Mapping[str, Mapping[str, Estimate]], measures: Sequence[str] = MEASURES, clues: str = "viewers' clues"
) -> Table:
    """A row for each reader: the right card of six in per cent, by measure, with its interval; chance below."""
    headings = (name.replace("_", " ") for name in measures)
    table = Table(Column("reader", no_wrap=True), *headings, title=f"{clues}: right card of six, %")
    table.title_justify = "left"
    for name, told in figures.items():
        table.add_row(escape(name), *(_percent(told[measure]) for measure in measures))
    table.add_row("chance", *[f"{100 / SIX:.1f}"] * len(measures))
    return table


def _percent(told: Estimate) -> str:
    return "–" if isnan(told.value) else f"{100 * told.value:.1f} [{100 * told.low:.0f}–{100 * told.high:.0f}]"
