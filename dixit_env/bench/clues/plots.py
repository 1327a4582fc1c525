"""The plots of a clue benchmark."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dixit_env.bench.report import COLOURS, GREY, PARTS

Figures = Mapping[str, Any]

OUTCOMES = {"none": "nobody", "some": "some", "all": "everybody"}


def points(givers: Figures) -> Figure:
    """Points with intervals, and those of shuffled clues."""
    figure = _figure(len(givers))
    axes = figure.subplots()
    for row, figures in enumerate(givers.values()):
        colour = COLOURS[row % len(COLOURS)]
        axes.plot([figures["points_low"], figures["points_high"]], [row, row], color=colour, linewidth=3, alpha=0.45)
        axes.plot(figures["points"], row, "o", color=colour, markersize=8)
        axes.plot(figures["shuffled_points"], row, "o", color=GREY, fillstyle="none", markersize=9)
    _names(axes, givers)
    axes.set_xlabel("storyteller's points a clue")
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#e4ddcf")
    axes.set_axisbelow(True)
    return figure


def outcomes(givers: Figures) -> Figure:
    """Nobody, some, everybody, as parts of 1."""
    figure = _figure(len(givers) + 1)
    axes = figure.subplots()
    left = np.zeros(len(givers))
    for part, (key, label) in enumerate(OUTCOMES.items()):
        values = np.array([figures[key] for figures in givers.values()])
        axes.barh(range(len(givers)), values, left=left, height=0.62, color=PARTS[part], label=label)
        for row, value in enumerate(values):
            if value > 0.06:
                middle = left[row] + value / 2
                axes.text(middle, row, f"{value:.0%}", ha="center", va="center", color="white", fontsize=9)
        left = left + values
    _names(axes, givers)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    figure.legend(loc="outside upper left", ncols=3, handlelength=1)
    return figure


def curve(givers: Figures) -> Figure:
    """Success and guess rate over table sizes."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True)
    for row, (name, figures) in enumerate(givers.items()):
        sizes = [int(size) for size in figures["curve"]]
        for axis, key in zip(axes, ("some", "guess_rate"), strict=True):
            values = [at[key] for at in figures["curve"].values()]
            low = [at[f"{key}_low"] for at in figures["curve"].values()]
            high = [at[f"{key}_high"] for at in figures["curve"].values()]
            colour = COLOURS[row % len(COLOURS)]
            axis.plot(sizes, values, color=colour, label=name if axis is axes[0] else None)
            axis.fill_between(sizes, low, high, color=colour, alpha=0.12, linewidth=0)
    for axis, title in zip(axes, ("some but not all", "a listener finds the card"), strict=True):
        axis.set_title(title)
        axis.set_ylim(0, 1)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axis.set_xlabel("players")
        axis.grid(color="#e4ddcf")
    figure.legend(loc="outside upper left", ncols=4, handlelength=1.4)
    return figure


def cross_play(results: Figures) -> Figure:
    """Clue givers by panels, as a heat map of points."""
    givers, panels = list(results["cross_play"]), list(results["panels"])
    cells = results["cross_play"]
    values = np.array([[cells[name].get(panel, {}).get("points", np.nan) for panel in panels] for name in givers])
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


def clones(entries: Sequence[Figures]) -> Figure:
    """Success at clone and at mixed tables, by sharpness."""
    sharpness = sorted({entry["sharpness"] for entry in entries})
    names = list(dict.fromkeys(entry["giver"] for entry in entries))
    figure = Figure(figsize=(9, 0.9 + 0.42 * len(names)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(sharpness), sharey=True, sharex=True))
    for axis, beta in zip(axes, sharpness, strict=True):
        for entry in (entry for entry in entries if entry["sharpness"] == beta):
            row = names.index(entry["giver"])
            ends = [entry["clones"]["some"], entry["mixed"]["some"]]
            axis.plot(ends, [row, row], color=GREY, linewidth=2, alpha=0.5, zorder=1)
            for end, colour, label in zip(ends, (COLOURS[4], COLOURS[0]), ("clones", "mixed"), strict=True):
                first = axis is axes[0] and row == 0
                axis.plot(end, row, "o", color=colour, markersize=7, label=label if first else None)
        axis.set_title(f"β = {beta:g}")
        axis.tick_params(axis="y", length=0)
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axis.grid(axis="x", color="#e4ddcf")
        axis.set_axisbelow(True)
    _names(axes[0], names)
    axes[0].set_xlim(0, 1)
    figure.legend(loc="outside upper left", ncols=2, handlelength=1)
    return figure


def _figure(rows: int) -> Figure:
    return Figure(figsize=(8, 0.9 + 0.45 * rows), layout="constrained")


def _names(axes: Any, names: Any) -> None:
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _short(name: str) -> str:
    return name if len(name) <= 28 else f"{name[:27]}…"
