"""The listener benchmark on disk: a table as CSV and a plot."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from matplotlib.figure import Figure

from dixit_env.bench.listeners.measure import SplitResult
from dixit_env.bench.report import COLOURS, GREY

Splits = Mapping[str, SplitResult]

_CHOICE = {"spectator": "of all n cards", "player": "of n − 1 cards, as people choose"}


def rows(splits: Splits) -> Iterator[dict[str, object]]:
    """Every figure in long form; `table` is "all" or the number of players."""
    for split, measured in splits.items():
        for table, figures in measured["people"].items():
            yield {"split": split, "listener": "people", "view": "player", "table": table, **figures}
        for name, views in measured["listeners"].items():
            for view, tables in views.items():
                for table, figures in tables.items():
                    yield {"split": split, "listener": name, "view": view, "table": table, **figures}


def write_csv(splits: Splits, path: Path) -> None:
    """All figures, one row for each listener, view and table size; cells that don't apply are empty."""
    lines = list(rows(splits))
    columns = list(dict.fromkeys(column for line in lines for column in line))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(lines)


def draw(splits: Splits, path: Path) -> None:
    """Storyteller's card by listener and by table size, beside people and chance."""
    published = splits["published"]
    names = list(published["listeners"])
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    by_name, by_size = figure.subplots(1, 2, width_ratios=(3, 2))
    for offset, view, colour in ((-0.19, "spectator", COLOURS[0]), (0.19, "player", COLOURS[1])):
        cells = [published["listeners"][name][view]["all"] for name in names]
        accuracies = [100 * cell["storyteller_accuracy"] for cell in cells]
        errors = [  # where all resamples agree, rounding may put an end of the interval on the wrong side by 1e-17
            [100 * max(0.0, cell["storyteller_accuracy"] - cell["low"]) for cell in cells],
            [100 * max(0.0, cell["high"] - cell["storyteller_accuracy"]) for cell in cells],
        ]
        places = [place + offset for place in range(len(names))]
        by_name.barh(places, accuracies, 0.36, xerr=errors, color=colour, ecolor="#333", label=_CHOICE[view])
    people = 100 * published["people"]["all"]["storyteller_accuracy"]
    by_name.axvline(people, color=GREY, linestyle="--", linewidth=1)
    by_name.text(people, -0.75, f"people {people:.1f}", color="#5c564d", ha="center", fontsize=9)
    by_name.set_yticks(range(len(names)), names)
    by_name.invert_yaxis()
    by_name.set_xlim(0, max(people * 1.2, *by_name.get_xlim()))
    by_name.set_xlabel("storyteller's card found, % of rounds (95 % interval)")
    by_name.legend(loc="lower left", bbox_to_anchor=(0, 1.04), ncols=2, frameon=False)

    sizes = [table for table in published["people"] if table != "all"]
    best = max(names, key=lambda name: published["listeners"][name]["player"]["all"]["storyteller_accuracy"])
    lines = {
        "people": [published["people"][size]["storyteller_accuracy"] for size in sizes],
        best: [published["listeners"][best]["player"][size]["storyteller_accuracy"] for size in sizes],
        "chance": [published["people"][size]["legal_chance"] for size in sizes],
    }
    for (label, values), colour in zip(lines.items(), (GREY, COLOURS[1], "#c9c4b8"), strict=True):
        by_size.plot(sizes, [100 * value for value in values], "o-", color=colour, label=label)
    by_size.set_ylim(0)
    by_size.set_xlabel("players")
    by_size.set_title("of n − 1 cards, by table size", fontsize=10)
    by_size.legend(frameon=False)
    for axes in (by_name, by_size):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
