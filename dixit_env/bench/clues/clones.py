"""The clones experiment: how much of the gap between storytellers and listeners is due to the panel?

Published arenas seat copies of one model as listeners. Copies find a card together or miss it together, so clues reach
"some but not all" of them less often. Here both kinds of table are made of the same listeners. At a *clone* table all
voters are copies of one listener, whichever. At a *mixed* table each voter is drawn from all listeners. Clues, deals,
decoys and the mean listener (so p, the chance that a vote finds the card) are equal; only who sits with whom differs.
With three listeners P(some) = 3 p (1 − p) (1 − ρ).

Mixed tables have a ρ too, for some clues are easier than others. The baseline is a table of *independent* votes, which
all find the card with the same p whatever the clue, so that ρ = 0. Its asymmetry is what the rules pay at this p. Only
what clone tables have beyond that, the excess, is due to votes that agree; mixed tables show which part of it is due to
who sits with whom.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.benchmark import ClueRun
from dixit_env.bench.clues.judging import agreement, shown_z
from dixit_env.bench.clues.panels import beliefs
from dixit_env.bench.clues.results import CloneResult, CloneTable
from dixit_env.bench.clues.scoring import Votes, Worth, legal, worlds, worth
from dixit_env.bench.clues.simulated_panel import RHO, finders, nearest_size
from dixit_env.bench.stats import Estimate, Floats, interval, mean, mean_samples, ratio, resample
from dixit_env.game.expectations import ballot_hits, expected_turn
from dixit_env.game.rules import TableRules

SHARPNESS = (1.0, 3.0, 15.0)
"""From a broad belief to nearly always the best match, which is how models vote at temperature 0 (chosen)."""


def clones(run: ClueRun, eyes: Sequence[str], players: int = 4) -> list[CloneResult]:
    """All three kinds of table for every clue giver with a clue and every sharpness, at one table size."""
    draws = resample(run.bench.deals)
    givers = [giver for giver in run.bench.ranked if any(run.turns[giver])]
    return [_compare(run, giver, eyes, sharpness, players, draws) for giver in givers for sharpness in SHARPNESS]


def _compare(
    run: ClueRun, giver: str, eyes: Sequence[str], sharpness: float, players: int, draws: Floats
) -> CloneResult:
    rules = run.bench.rules.seated(players)
    columns = run.layout.columns(run.bench.rules, players)
    owners = run.layout.owners[columns]
    turns = [turn for turn in run.turns[giver] if turn]
    weights = draws[:, [turn.deal for turn in turns]]  # (resamples, turns)
    z = shown_z(turns, columns)
    held = beliefs([f"{eye}@{sharpness}" for eye in eyes], z)  # (turns, eyes, cards)
    copies = legal(np.repeat(held[:, :, None, :], players - 1, 2), owners)  # (turns, eyes, voters, cards)
    # A voter drawn from all listeners votes by the mean of their votes, independently of the other voters.
    drawn = copies.mean(1, keepdims=True)
    at_clones, at_mixed = (worlds(worth(rules, owners, Votes(first, first))) for first in (copies, drawn))
    clone_table, mixed_table = _table(at_clones, weights), _table(at_mixed, weights)
    independent, asymmetry = _independent(rules, owners, drawn[:, 0], at_mixed.listeners, weights)
    some_simulated = None
    if rules.dials_most == 1:
        guess_rate = float(at_mixed.found.mean())
        some_simulated = float(finders(guess_rate, players - 1, nearest_size(RHO, players))[1:-1].sum())
    whole = _averages(at_clones.listeners - at_clones.points, weights)
    gone = whole - _averages(at_mixed.listeners - at_mixed.points, weights)
    return CloneResult(
        giver=giver,
        sharpness=sharpness,
        players=players,
        clones=clone_table,
        mixed=mixed_table,
        independent=independent,
        guess_rate=float(at_mixed.found.mean()),
        some_simulated=some_simulated,
        panel_share=_estimate(ratio(gone, whole)),
        excess=_estimate(whole - asymmetry),
        panel_share_of_excess=_estimate(ratio(gone, whole - asymmetry)),
    )


def _table(value: Worth, weights: Floats) -> CloneTable:
    """Figures of tables that were scored turn by turn; `weights` (resamples, turns)."""
    return CloneTable(
        some=mean(value.some, weights),
        points=mean(value.points, weights),
        listeners=mean(value.listeners, weights),
        asymmetry=mean(value.listeners - value.points, weights),
        rho=agreement({"guess_rate": value.found, "together": value.together}, weights),
    )


def _independent(
    rules: TableRules, owners: NDArray[np.intp], first: Floats, listeners: Floats, weights: Floats
) -> tuple[CloneTable, Floats]:
    """Tables at which every vote finds the card with the mean chance, whatever the clue and the other votes.

    Decoys draw there what they draw at mixed tables.

    Args:
        rules: of the table.
        owners: (cards,).
        first: votes at mixed tables, (turns, voters, cards).
        listeners: the mean listener's points there, (turns,).
        weights: (resamples, turns).

    Returns the figures, and the asymmetry with its resamples, (1 + resamples,).
    """
    voters = first.shape[1]
    hits = ballot_hits(rules, first, owners[None] == 0, first)[0]  # (turns, voters, 4)
    bonus = _averages(listeners - expected_turn(rules, hits).voters.mean(-1), weights)
    p = np.stack([_averages(kind, weights) for kind in hits.mean(1).T], -1)  # (1 + resamples, 4)
    turn = expected_turn(rules, np.repeat(p[:, None], voters, 1))
    earned = turn.voters.mean(-1) + bonus
    table = CloneTable(
        some=_estimate(turn.some),
        points=_estimate(turn.storyteller),
        listeners=_estimate(earned),
        asymmetry=_estimate(earned - turn.storyteller),
        rho=Estimate(0.0, 0.0, 0.0),
    )
    return table, earned - turn.storyteller


def _averages(values: Floats, weights: Floats) -> Floats:
    """The mean of values (turns,) and then of each resample, (1 + resamples,)."""
    value, samples = mean_samples(values, weights)
    return np.append(value, samples)


def _estimate(averages: NDArray[np.floating[Any]]) -> Estimate:
    return Estimate(float(averages[0]), *interval(np.asarray(averages[1:], np.float64)))
