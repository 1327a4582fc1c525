"""Several clue benchmarks as one leaderboard, if they can be compared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.clues.files import with_nan
from dixit_env.errors import DixitError

Figures = dict[str, Any]


def read_run(folder: Path) -> Figures:
    """The `results.json` of a clue benchmark; raises `DixitError` when there is none."""
    path = folder / "results.json"
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
        return {**results, "comparable": results["comparable"], "clue_givers": with_nan(results["clue_givers"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DixitError(f"{path} holds no results of a clue benchmark: name folders that `clues` wrote") from error


def merge_runs(runs: Mapping[str, Figures]) -> Figures:
    """Clue givers of all runs (by name of the run), best first, as `clue_givers` beside what they share.

    A clue giver of several runs is named with its run where the figures differ. Raises `DixitError` that names the
    differences when runs have another deck, panel, rules, version, seed or number of deals.
    """
    (first, base), *others = runs.items()
    for name, run in others:
        if other := _differences(base["comparable"], run["comparable"]):
            raise DixitError(
                f"{name} can't be compared with {first}: they differ in {', '.join(other)}; run both the same way"
            )
    merged: Figures = {}
    for run_name, run in runs.items():
        for name, figures in run["clue_givers"].items():
            if name not in merged:
                merged[name] = {**figures, "run": run_name}
            elif _judged(merged[name]) != _judged(figures):
                merged[f"{name} ({run_name})"] = {**figures, "run": run_name}
    order = sorted(merged, key=lambda name: -np.nan_to_num(merged[name]["points"], nan=-1.0))
    return {
        "comparable": base["comparable"],
        "main_panel": base["main_panel"],
        "clue_givers": {name: merged[name] for name in order},
    }


def _differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two JSON values differ, as dotted names."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            difference
            for key in dict.fromkeys([*one, *other])
            for difference in _differences(one.get(key), other.get(key), f"{path}.{key}" if path else key)
        ]
    return [] if one == other else [path]


def _judged(figures: Figures) -> list[str]:
    """What makes a clue giver the same: vectors of texts depend a little, in the sixth digit, on their batch."""
    return [f"{figures[key]:.4f}" for key in ("points", "points_low", "points_high", "valid", "guess_rate")]
