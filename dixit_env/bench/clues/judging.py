"""A giver's clues before a panel at one table size, scored exactly."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.benchmark import ClueRun, ClueTurn
from dixit_env.bench.clues.panels import Panel, ballot_votes, panel_votes
from dixit_env.bench.clues.scoring import Votes, worlds, worth
from dixit_env.bench.stats import Estimate, Floats, interval, ratio
from dixit_env.game.rules import TableRules

MEASURES = ("points", "margin", "listeners", "some", "all", "none", "guess_rate", "lift")
"""Of a clue before a panel. points: the storyteller's. listeners: the mean voter's points. margin: points less these.
some, all, none: chance of the turn's outcomes. guess_rate: chance that a voter's first dial shows the card, mean over
voters. lift: the guess rate less that of a blind legal vote."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The clues of a giver before a panel."""

    values: Mapping[str, Floats]  # MEASURES and `together` (both of two voters find the card), (deals,); NaN: no clue
    rows: NDArray[np.intp]  # deals with a clue
    owners: NDArray[np.intp]  # (cards,)
    votes: Votes  # (rows, worlds, voters, cards)


def judge(
    run: ClueRun, giver: str, panel: Panel, players: int, *, control: bool = False, stacks: float | None = None
) -> Judged | None:
    """Score a giver's clues exactly; None where it gave no clue or the panel has no votes.

    Args:
        run: the decisions.
        giver: whose clues.
        panel: who votes.
        players: table size.
        control: judge the shuffled clues.
        stacks: probability that voters stack, instead of what the panel does.
    """
    rules = run.bench.rules
    turns = (run.control if control else run.turns)[giver]
    columns = run.layout.columns(rules, players)
    owners = run.layout.owners[columns]
    if panel.kind == "agents":
        if players != run.bench.players or control:
            return None
        cast = {row: votes for row, votes in enumerate(run.ballots.get((giver, panel.name), ())) if votes is not None}
        if not cast:
            return None
        rows, votes = list(cast), ballot_votes(list(cast.values()), len(columns))
    else:
        given = [turn for turn in turns if turn is not None]
        if not given:
            return None
        rows = [turn.deal for turn in given]
        votes = panel_votes(panel, shown_z(given, columns), owners, [run.deals[row] for row in rows])
    if stacks is not None:
        votes = Votes(votes.first, np.full_like(votes.stacks, stacks))
    values = measured(rules.seated(players), owners, votes)
    by_deal = {key: np.full(len(turns), np.nan) for key in values}
    for key, found in values.items():
        by_deal[key][rows] = found
    return Judged(by_deal, np.array(rows, np.intp), owners, votes)


def measured(table: TableRules, owners: NDArray[np.intp], votes: Votes) -> dict[str, Floats]:
    """MEASURES and `together` of clues, (clues,): `owners` (cards,), `votes` (clues, worlds, voters, cards)."""
    value = worlds(worth(table, owners, votes))
    return {
        "points": value.points,
        "margin": value.points - value.listeners,
        "listeners": value.listeners,
        "some": value.some,
        "all": value.everybody,
        "none": value.nobody,
        "guess_rate": value.found,
        "lift": value.found - 1 / (len(owners) - table.gives),
        "together": value.together,
    }


def shown_z(turns: list[ClueTurn], columns: NDArray[np.intp]) -> dict[str, Floats]:
    """z-scores of the cards in these columns, by eye, (turns, columns)."""
    return {eye: np.stack([turn.z[eye][columns] for turn in turns]) for eye in turns[0].z}


def agreement(values: Mapping[str, Floats], draws: Floats) -> Estimate:
    """ρ of two listeners' votes over the clues (`scoring.correlation`), with its interval."""
    there = ~np.isnan(values["together"])
    weights = np.concatenate([np.ones((1, len(there))), draws]) * there
    found = ratio(weights @ np.where(there, values["guess_rate"], 0), weights.sum(1))
    both = ratio(weights @ np.where(there, values["together"], 0), weights.sum(1))
    rho = ratio(both - found**2, found * (1 - found))
    return Estimate(float(rho[0]), *interval(rho[1:]))
