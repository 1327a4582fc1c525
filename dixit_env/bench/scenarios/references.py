"""What `random` and the best agent known win in each scenario: the ends of the scale of scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.scenarios.suite import Scenario, fingerprint
from dixit_env.bench.tournament.schedule import Line
from dixit_env.errors import DixitError
from dixit_env.paths import printable

FILE = Path(__file__).with_name("references.json")
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Reference:
    """Win shares of a seat in one scenario."""

    random: float  # score 0
    best: float  # score 1
    agent: str  # who won that

    def score(self, share: Any) -> Any:
        """Win shares as scores; below 0 is worse than random, above 1 better than any agent known so far."""
        return (share - self.random) / (self.best - self.random)


References = Mapping[str, Reference]
"""Scenario → its reference."""


def measured(scenario: Scenario, candidates: Sequence[str], lines: Mapping[int, Line]) -> Reference:
    """The reference from games of `random` and the candidates, each in the focal seats (`Scenario.plan`).

    The best candidate is chosen on the deals with even numbers and measured, with `random`, on the others: on its own
    deals the best of several estimates is too high. Raises `DixitError` where the deals don't show it above `random`.
    """
    plan = scenario.plan((RANDOM, *candidates))
    chosen, judged = (
        plan.tally({number: line for number, line in lines.items() if line["deal"] % 2 == odd}).win_shares()[:, 0]
        for odd in (0, 1)
    )
    best = 1 + int(np.argmax(chosen[1:]))
    reference = Reference(float(judged[0]), float(judged[best]), candidates[best - 1])
    if not reference.best > reference.random:
        raise DixitError(f"in {scenario.name} {reference.agent} is not above random on these deals: play more --deals")
    return reference


def write(path: Path, suite: Sequence[Scenario], references: References, how: Mapping[str, Any]) -> None:
    """Write the file that `read` reads, with how it was measured."""
    scenarios = {name: asdict(reference) for name, reference in references.items()}
    about = {"suite": fingerprint(suite), **how}
    path.write_text(json.dumps({**about, "scenarios": scenarios}, indent=2) + "\n", encoding="utf-8")


def read(path: Path, suite: Sequence[Scenario]) -> dict[str, Reference]:
    """The references of a suite; raises `DixitError` when the file is of another suite, or none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        references = {name: Reference(**values) for name, values in content["scenarios"].items()}
        kept = content["suite"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DixitError(f"{printable(path)} holds no references: measure them with --references") from error
    if kept != fingerprint(suite):
        raise DixitError(f"{printable(path)} is of another suite of scenarios: measure it anew with --references")
    return references
