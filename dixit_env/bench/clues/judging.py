"""A giver's clues before a panel at one table size, scored exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.benchmark import ClueRun, ClueTurn, Turns
from dixit_env.bench.clues.panels import Panel, ballot_votes, panel_votes
from dixit_env.bench.clues.scoring import Votes, worlds, worth
from dixit_env.bench.stats import Estimate, Floats, interval, ratio
from dixit_env.game.rules import Rules, TableRules

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


def judge(run: ClueRun, giver: str, panel: Panel, players: int, *, stacks: float | None = None) -> Judged | None:
    """Score a giver's clues exactly; None where it gave no clue or the panel has no votes.

    Args:
        run: the decisions.
        giver: whose clues.
        panel: who votes.
        players: table size.
        stacks: probability that voters stack, instead of what the panel does.
    """
    if panel.kind != "agents":
        return judge_turns(run, run.turns[giver], panel, run.bench.rules, players, stacks=stacks)
    if players != run.bench.players:
        return None
    cast = {row: votes for row, votes in enumerate(run.ballots.get((giver, panel.name), ())) if votes is not None}
    if not cast:
        return None
    columns = run.layout.columns(run.bench.rules, players)
    votes = ballot_votes(list(cast.values()), len(columns))
    return _judged(run, run.bench.rules.seated(players), run.layout.owners[columns], votes, list(cast))


def judge_turns(
    run: ClueRun, turns: Turns, panel: Panel, rules: Rules, players: int, *, stacks: float | None = None
) -> Judged | None:
    """Score some clues by an edition of rules before a panel that doesn't consist of agents; else as `judge`."""
    given = [turn for turn in turns if turn is not None]
    if not given:
        return None
    rows = [turn.deal for turn in given]
    columns = run.layout.columns(rules, players)
    owners = run.layout.owners[columns]
    votes = panel_votes(panel, shown_z(given, columns), owners, [run.deals[row] for row in rows])
    if stacks is not None:
        votes = Votes(votes.first, np.full_like(votes.stacks, stacks))
    return _judged(run, rules.seated(players), owners, votes, rows)


def control_values(run: ClueRun, giver: str, panel: Panel, rules: Rules, players: int) -> dict[str, Floats] | None:
    """What a giver's cards get with shuffled clues, as `Judged.values`: by deal, the mean over all shuffles.

    None without a control, and for a panel of agents, which isn't asked to vote on so many tables.
    """
    controls = run.controls[giver]
    if not controls or panel.kind == "agents":
        return None
    judged = [judge_turns(run, turns, panel, rules, players) for turns in controls]
    values = [one.values for one in judged if one]  # all shuffles have clues on the same deals
    return {measure: np.mean([one[measure] for one in values], axis=0) for measure in values[0]}


def _judged(run: ClueRun, table: TableRules, owners: NDArray[np.intp], votes: Votes, rows: Sequence[int]) -> Judged:
    values = measured(table, owners, votes)
    by_deal = {key: np.full(run.bench.deals, np.nan) for key in values}
    for key, found in values.items():
        by_deal[key][list(rows)] = found
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
