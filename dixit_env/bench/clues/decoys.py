"""How good are an agent's decoys? Dials that they draw from the main panel, beside other choices from the same hand."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from dixit_env.bench.clues.benchmark import ClueRun
from dixit_env.bench.clues.panels import Panel, panel_votes
from dixit_env.bench.clues.results import DecoyFigures
from dixit_env.bench.clues.scoring import worlds, worth
from dixit_env.bench.stats import Floats, mean

Choices = Mapping[frozenset[int], float]
"""Dials drawn by every choice of decoys from a hand."""


def decoy_choices(run: ClueRun, panel: Panel) -> dict[int, Choices]:
    """What each choice of decoys in seat 1 draws from the panel, by deal with a clue of the reference."""
    bench = run.bench
    gives = bench.rules.seated(bench.players).gives
    columns = run.layout.columns(bench.rules, bench.players)
    owners = run.layout.owners[columns]
    own = np.flatnonzero(owners == 1)
    drawn: dict[int, Choices] = {}
    for turn in filter(None, run.reference()):
        choices = list(combinations(run.deals[turn.deal].hands[1], gives))
        z = {}
        for eye, shown in turn.z.items():
            z[eye] = np.tile(shown[columns], (len(choices), 1))
            z[eye][:, own] = run.z[eye][turn.clue][np.array(choices)]
        votes = panel_votes(panel, z, owners, [run.deals[turn.deal]] * len(choices))
        dials = worlds(worth(bench.rules.seated(bench.players), owners, votes)).drawn[:, 0]
        drawn[turn.deal] = {frozenset(choice): float(d) for choice, d in zip(choices, dials, strict=True)}
    return drawn


def decoy_figures(run: ClueRun, agent: str, choices: Mapping[int, Choices], draws: Floats) -> DecoyFigures:
    """An agent's decoys among the choices that it had."""
    drawn, random, best = np.full((3, run.bench.deals), np.nan)
    for number, given in enumerate(run.decoys.get(agent, ())):
        if given is not None:
            values = choices[number]
            drawn[number] = values[frozenset(given)]
            random[number] = np.mean(list(values.values()))
            best[number] = max(values.values())
    own, low, high = mean(drawn, draws), mean(random, draws).value, mean(best, draws).value
    return DecoyFigures(
        drawn=own, random=low, best=high, skill=(own.value - low) / (high - low) if high != low else float("nan")
    )
