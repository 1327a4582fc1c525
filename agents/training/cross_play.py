"""Cross-play: policies that never met play together, which shows what each understands only of itself.

Policies of other seeds are strangers. At tables where every second seat is one policy's and the others another's, the
*code index* of a storyteller is how often its own other seats find its cards less how often the strangers do. A policy
that speaks to everybody has an index near 0; one with a private code is found by itself alone.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from dixit_env.agents.training.decisions import Opponent
from dixit_env.agents.training.evaluation import Finders, evaluate, interval
from dixit_env.agents.training.eyes import EyeRange, ReadDeck
from dixit_env.agents.training.task import Task
from dixit_env.bench.report import plot_style

EYES_SEED = 20_000  # of the pools of eyes: none that a policy was trained or chosen with


def cross_play(
    players: Mapping[str, Opponent],
    decks: Mapping[str, ReadDeck],
    eyes: Sequence[EyeRange],
    seats: int,
    rules: str,
    deals: int,
    seed: int,
    device: torch.device | str = "cpu",
) -> dict[str, dict[str, Any]]:
    """Every pair of two or more players on every deck through all eyes, in games on `device`, by deck and eyes:

    `players`; `win_share`, `low` and `high`, the row's share of the victories against the column, .5 between equals;
    `found`, the share of the column's seats that find the row's cards, on the diagonal the row's own other seats at
    tables with all the others; `code_index` by player, a mean over deals with its 95 % interval.
    """
    return {
        name: {
            str(some): _matrices(
                players, Task(deck, seats, rules, some, device=device, seed=EYES_SEED + seed), deals, seed
            )
            for some in eyes
        }
        for name, deck in decks.items()
    }


def draw(results: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """One picture: for every deck a row, for every kind of eyes who wins and who finds whose cards."""
    columns = len(next(iter(results.values())))
    with plot_style():
        figure = Figure(figsize=(6.2 * columns, 3.1 * len(results) + 0.3), layout="constrained")
        grid = figure.subplots(len(results), 2 * columns, squeeze=False)
        for row, (deck, by_eyes) in zip(grid, results.items(), strict=True):
            for column, (eyes, found) in enumerate(by_eyes.items()):
                names = [f"{number}" for number, _ in enumerate(found["players"], 1)]
                figure.suptitle("   ".join(map(" ".join, zip(names, found["players"], strict=True))), fontsize=9)
                index = np.mean([one["mean"] for one in found["code_index"].values()])
                wins, finds = row[2 * column : 2 * column + 2]
                _heat(wins, found["win_share"], names, f"{deck}, {eyes}: wins")
                _heat(finds, found["found"], names, f"who finds (code index {index:+.2f})")
                wins.set(ylabel="player", xlabel="against")
                finds.set(ylabel="storyteller", xlabel="found by")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)


def _heat(axes: Axes, values: Sequence[Sequence[float]], names: Sequence[str], title: str) -> None:
    axes.imshow(values, vmin=0, vmax=1, cmap="BrBG")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
    axes.set_title(title, fontsize=9)
    for row, column in np.ndindex(len(names), len(names)):
        value = values[row][column]
        colour = "white" if abs(value - 0.5) > 0.3 else "black"
        axes.text(column, row, f"{value:.0%}", ha="center", va="center", color=colour, fontsize=9)


def _matrices(players: Mapping[str, Opponent], task: Task, deals: int, seed: int) -> dict[str, Any]:
    count = len(players)
    wins, low, high = (np.full((count, count), 0.5) for _ in range(3))
    found = np.zeros((count, count))
    differences: list[list[Tensor]] = [[] for _ in players]
    for (one, first), (other, second) in combinations(enumerate(players.values()), 2):
        watch = Finders(task, deals)
        share = evaluate(task, first, second, deals, seed, watch)
        wins[one, other], low[one, other], high[one, other] = share.win_share, share.low, share.high
        wins[other, one], low[other, one], high[other, one] = 1 - share.win_share, 1 - share.high, 1 - share.low
        for teller, stranger, by in ((one, other, 0), (other, one, 1)):
            own, strangers = watch.shares(by)
            found[teller, stranger] = strangers.mean()
            found[teller, teller] += own.mean() / (count - 1)
            differences[teller].append(own - strangers)
    index = [
        dict(zip(("mean", "low", "high"), interval(torch.stack(some).mean(0)), strict=True)) for some in differences
    ]
    return {
        "players": list(players),
        "win_share": wins.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "found": found.tolist(),
        "code_index": dict(zip(players, index, strict=True)),
    }
