"""The plots of a clue benchmark."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dixit_env.bench.clues.results import CloneResult, ClueResults, MainScore
from dixit_env.bench.report import COLOURS, GREY, PARTS

Scores = Mapping[str, MainScore]
"""By giver, in the order they are drawn."""


def found(scores: Scores) -> Figure:
    """Shares that find the card with intervals, and those of shuffled clues."""
    figure = _figure(len(scores))
    axes = figure.subplots()
    for row, score in enumerate(scores.values()):
        colour = COLOURS[row % len(COLOURS)]
        axes.plot([score.guess_rate.low, score.guess_rate.high], [row, row], color=colour, linewidth=3, alpha=0.45)
        axes.plot(score.guess_rate.value, row, "o", color=colour, markersize=8)
        axes.plot(score.shuffled_guess_rate, row, "o", color=GREY, fillstyle="none", markersize=9)
    _names(axes, list(scores))
    axes.set_xlabel("listeners that find the card")
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(axis="x", color="#e4ddcf")
    axes.set_axisbelow(True)
    return figure


def outcomes(scores: Scores) -> Figure:
    """Nobody, some, everybody, as parts of 1."""
    figure = _figure(len(scores) + 1)
    axes = figure.subplots()
    parts = {
        "nobody": [score.none.value for score in scores.values()],
        "some": [score.some.value for score in scores.values()],
        "everybody": [score.all.value for score in scores.values()],
    }
    left = np.zeros(len(scores))
    for (label, values), colour in zip(parts.items(), PARTS, strict=True):
        axes.barh(range(len(scores)), values, left=left, height=0.62, color=colour, label=label)
        for row, value in enumerate(values):
            if value > 0.06:
                middle = left[row] + value / 2
                axes.text(middle, row, f"{value:.0%}", ha="center", va="center", color="white", fontsize=9)
        left = left + values
    _names(axes, list(scores))
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    figure.legend(loc="outside upper left", ncols=3, handlelength=1)
    return figure


def curve(scores: Scores) -> Figure:
    """Success and guess rate over table sizes."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    success, guesses = figure.subplots(1, 2, sharex=True)
    for row, (name, score) in enumerate(scores.items()):
        sizes = [int(size) for size in score.curve]
        colour = COLOURS[row % len(COLOURS)]
        for axes, label, estimates in (
            (success, name, [at.some for at in score.curve.values()]),
            (guesses, None, [at.guess_rate for at in score.curve.values()]),
        ):
            axes.plot(sizes, [estimate.value for estimate in estimates], color=colour, label=label)
            low, high = [estimate.low for estimate in estimates], [estimate.high for estimate in estimates]
            axes.fill_between(sizes, low, high, color=colour, alpha=0.12, linewidth=0)
    for axes, title in ((success, "some but not all"), (guesses, "a listener finds the card")):
        axes.set_title(title)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel("players")
        axes.grid(color="#e4ddcf")
    figure.legend(loc="outside upper left", ncols=4, handlelength=1.4)
    return figure


def cross_play(results: ClueResults) -> Figure:
    """Clue givers by panels, as a heat map of points."""
    givers, panels = list(results.cross_play), list(results.panels)
    cells = results.cross_play
    values = np.array(
        [[cells[name][panel].points.value if panel in cells[name] else np.nan for panel in panels] for name in givers]
    )
    figure = Figure(figsize=(1.6 + 1.25 * len(panels) + 1.5, 0.9 + 0.5 * len(givers)), layout="constrained")
    axes = figure.subplots()
    axes.imshow(values, cmap="YlGnBu", aspect="auto", vmin=0, vmax=max(3.0, float(np.nanmax(values))))
    axes.set_xticks(range(len(panels)), panels)
    axes.set_yticks(range(len(givers)), [_short(name) for name in givers])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="w" if value > 1.7 else "#2a2723")
    return figure


def clones(entries: Sequence[CloneResult]) -> Figure:
    """Success at clone and at mixed tables and with independent votes, by sharpness."""
    sharpness = sorted({entry.sharpness for entry in entries})
    names = list(dict.fromkeys(entry.giver for entry in entries))
    figure = Figure(figsize=(9, 0.9 + 0.42 * len(names)), layout="constrained")
    grid = figure.subplots(1, len(sharpness), sharey=True, sharex=True, squeeze=False)[0]
    for axes, beta in zip(grid, sharpness, strict=True):
        for entry in (entry for entry in entries if entry.sharpness == beta):
            row = names.index(entry.giver)
            ends = {kind: table.some.value for kind, table in entry.tables.items()}
            axes.plot(list(ends.values()), [row] * len(ends), color=GREY, linewidth=2, alpha=0.5, zorder=1)
            for (kind, end), colour in zip(ends.items(), (COLOURS[4], COLOURS[0], GREY), strict=True):
                label = kind if axes is grid[0] and row == 0 else None
                fill = "none" if kind == "independent" else "full"
                axes.plot(end, row, "o", color=colour, fillstyle=fill, markersize=7, label=label)
        axes.set_title(f"β = {beta:g}")
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.grid(axis="x", color="#e4ddcf")
        axes.set_axisbelow(True)
    _names(grid[0], names)
    grid[0].set_xlim(0, 1)
    figure.legend(loc="outside upper left", ncols=3, handlelength=1)
    return figure


def _figure(rows: int) -> Figure:
    return Figure(figsize=(8, 0.9 + 0.45 * rows), layout="constrained")


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _short(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"
