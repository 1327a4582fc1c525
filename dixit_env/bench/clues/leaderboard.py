"""Several clue benchmarks as one leaderboard, if they can be compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dixit_env.bench.clues.results import panel_score
from dixit_env.errors import DixitError

Json = dict[str, Any]


@dataclass(frozen=True)
class SavedRun:
    """What the `results.json` of a clue benchmark holds, as JSON values."""

    comparable: Json
    main_panel: str
    clue_givers: Mapping[str, Json]


def read_run(folder: Path) -> SavedRun:
    """The run in a folder; raises `DixitError` when there is none."""
    path = folder / "results.json"
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
        return SavedRun(results["comparable"], results["main_panel"], dict(results["clue_givers"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DixitError(f"{path} holds no results of a clue benchmark: name folders that `clues` wrote") from error


def merge_runs(runs: Mapping[str, SavedRun]) -> SavedRun:
    """Clue givers of all runs (by name of the run), best first; each gets the key `run`.

    A clue giver of several runs is named with its run where its figures differ. Raises `DixitError` that names the
    differences when runs have another deck, panel, rules, version, seed or number of deals.
    """
    (first, base), *others = runs.items()
    for name, run in others:
        if other := _differences(base.comparable, run.comparable):
            raise DixitError(
                f"{name} can't be compared with {first}: they differ in {', '.join(other)}; run both the same way"
            )
    merged: dict[str, Json] = {}
    for run_name, run in runs.items():
        for name, figures in run.clue_givers.items():
            if name not in merged:
                merged[name] = {**figures, "run": run_name}
            elif _rounded(merged[name]) != _rounded(figures):
                merged[f"{name} ({run_name})"] = {**figures, "run": run_name}
    order = sorted(merged, key=lambda name: panel_score(merged[name]).headline, reverse=True)
    return SavedRun(base.comparable, base.main_panel, {name: merged[name] for name in order})


def _differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two JSON values differ, as dotted names."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            difference
            for key in dict.fromkeys([*one, *other])
            for difference in _differences(one.get(key), other.get(key), f"{path}.{key}" if path else key)
        ]
    return [] if one == other else [path]


def _rounded(figures: Json) -> list[str]:
    """The figures by which a giver is recognised; vectors of texts depend on their batch in the sixth digit."""
    score = panel_score(figures)
    return [f"{score.points:.4f}", f"{score.guess_rate.value:.4f}", f"{figures['valid']:.4f}"]
