"""The standings of a tournament: figures of each agent with 95 % intervals, and who is ahead of whom.

Every figure is a ratio of two sums over seats (`FIGURES` over the columns of `seat_rows`), so it can be summed over any
games, and resampled by deals (`stats`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from dixit_env.bench.stats import Difference, Floats, compare, interval, ratio, resample, verdicts
from dixit_env.bench.tournament.ratings import DRAWS, finished_before, rate
from dixit_env.bench.tournament.schedule import Line
from dixit_env.game.rules import Rules
from dixit_env.game.scoring import score

FIGURES: dict[str, tuple[tuple[str, ...], str]] = {
    "win_share": (("won",), "games"),
    "fair_share": (("fair",), "games"),
    "win_ratio": (("won",), "fair"),
    "points_per_turn": (("clue_points", "vote_points", "decoy_points"), "turns"),
    "clue_points_per_turn": (("clue_points",), "turns"),
    "vote_points_per_turn": (("vote_points",), "turns"),
    "decoy_points_per_turn": (("decoy_points",), "turns"),
    "all": (("all",), "told"),
    "some": (("some",), "told"),
    "none": (("none",), "told"),
    "found": (("found",), "dials"),
    "stack": (("stacked",), "ballots"),
    "spread": (("spread",), "ballots"),
    "single": (("single",), "ballots"),
    "dials_per_decoy": (("drawn",), "decoys"),
}
"""Figure → (columns of the numerator, column of the denominator).

win_share: of the games it sat in, those it won; a tie is shared; its seats count together. fair_share: its part of the
seats in those games. win_ratio: the first over the second; 1 is an agent as good as the others. all, some, none:
outcomes of its own clues. found: of its dials, those on the storyteller's card. stack, spread, single: what its ballots
are, where the rules give two dials. dials_per_decoy: votes that a card of its own drew as a decoy.
"""


def seat_rows(number: int, line: Line, rules: Rules) -> list[dict[str, Any]]:
    """What each seat did in a game (`play_match`), one row for each seat: the columns of `games.csv`.

    All but `game`, `deal`, `seat` and `agent` can be summed over games. `told`: turns as storyteller, whose outcomes
    are in `all`, `some`, `none`. `dials`: set, of which `found` show the storyteller's card. `drawn`: dials that others
    set on the seat's `decoys`. `games`: 1, divided among the seats of an agent.
    """
    seats, turns = line["seats"], line["turns"]
    table = rules.seated(len(seats))
    rows: list[dict[str, Any]] = []
    for seat, name in enumerate(seats):
        row = {
            "game": number,
            "deal": line["deal"],
            "seat": seat,
            "agent": name,
            "score": line["scores"][seat],
            "games": 1 / seats.count(name),
            "fair": 1 / len(seats),
            "won": 1 / len(line["winners"]) if seat in line["winners"] else 0.0,
            "turns": len(turns),
            **dict.fromkeys(("told", "all", "some", "none", "clue_points", "vote_points", "decoy_points"), 0),
            **dict.fromkeys(("dials", "found", "ballots", "stacked", "spread", "single", "decoys", "drawn"), 0),
            "decisions": line["decisions"][seat],
            "seconds": line["seconds"][seat],
            "faults": sum(fault["seat"] == seat for fault in line["faults"]),
        }
        rows.append(row)
    for turn in turns:
        teller, owners, votes = turn["storyteller"], turn["owners"], [tuple(vote) for vote in turn["votes"]]
        points = score(table, teller, owners, votes)
        on = [owners[slot] for vote in votes for slot in vote]  # whose card each dial shows
        for seat, row in enumerate(rows):
            row["decoy_points"] += points.decoy[seat]
            if seat == teller:
                row["told"] += 1
                row[str(points.outcome)] += 1
                row["clue_points"] += points.clue[seat]
                continue
            vote = votes[seat]
            row["vote_points"] += points.clue[seat]
            row["dials"] += len(vote)
            row["found"] += sum(owners[slot] == teller for slot in vote)
            row["decoys"] += owners.count(seat)
            row["drawn"] += on.count(seat)
            if table.dials_most == 2:
                row["ballots"] += 1
                row["single" if len(vote) == 1 else "stacked" if vote[0] == vote[1] else "spread"] += 1
    return rows


@dataclass(frozen=True, slots=True)
class Standings:
    """The outcome of a tournament; agents in order of their win ratio, best first."""

    games: int
    deals: int
    turns_per_game: float
    agents: dict[str, dict[str, float]]  # FIGURES with _low and _high; ratings; conduct
    pairs: tuple[Difference, ...]  # of the win ratios
    verdicts: tuple[str, ...]


def standings(lines: Mapping[int, Line], rules: Rules) -> Standings:
    """Sum up the games of a tournament (`play_tournament`)."""
    games = [lines[number] for number in sorted(lines)]
    rows = [row for number in sorted(lines) for row in seat_rows(number, lines[number], rules)]
    names = list(dict.fromkeys(name for line in games for name in line["seats"]))
    deals = {deal: row for row, deal in enumerate(sorted({line["deal"] for line in games}))}
    columns = sorted({column for above, below in FIGURES.values() for column in (*above, below)})
    sums = {name: np.zeros((len(deals), len(columns))) for name in names}
    for row in rows:
        sums[row["agent"]][deals[row["deal"]]] += [row[column] for column in columns]

    draws = resample(len(deals))
    ratings = _ratings(games, names, deals, draws)
    agents: dict[str, dict[str, float]] = {}
    ratios: dict[str, Floats] = {}
    for name, table in sums.items():
        totals = dict(zip(columns, table.sum(axis=0), strict=True))
        drawn = dict(zip(columns, (draws @ table).T, strict=True))
        agents[name] = {**_figures(totals, drawn), **ratings[name], **_conduct(rows, name)}
        ratios[name] = ratio(drawn["won"], drawn["fair"])
    agents = dict(sorted(agents.items(), key=lambda item: -item[1]["win_ratio"]))
    differences = {
        (one, other): (agents[one]["win_ratio"] - agents[other]["win_ratio"], ratios[one] - ratios[other])
        for one, other in combinations(agents, 2)
    }
    pairs = compare(differences, len(deals))
    turns = sum(len(line["turns"]) for line in games) / len(games)
    said = verdicts(pairs, "wins more often than", len(deals), _words(agents))
    return Standings(len(games), len(deals), turns, agents, pairs, tuple(said))


def _figures(totals: Mapping[str, Any], drawn: Mapping[str, Floats]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for figure, (above, below) in FIGURES.items():
        figures[figure] = float(ratio(sum(totals[column] for column in above), totals[below]))
        if figure != "fair_share":
            samples = ratio(np.sum([drawn[column] for column in above], axis=0), drawn[below])
            figures[f"{figure}_low"], figures[f"{figure}_high"] = interval(samples)
    return figures


def _ratings(
    games: Sequence[Line], names: Sequence[str], deals: Mapping[int, int], draws: Floats
) -> dict[str, dict[str, float]]:
    """Ratings with their intervals over deals, by agent."""
    before = np.zeros((len(deals), len(names), len(names)))
    for line in games:
        before[deals[line["deal"]]] += finished_before(names, [(line["seats"], line["scores"])])
    drawn = np.array([rate(part) for part in np.tensordot(draws[:DRAWS], before, 1)])
    ratings = {}
    for number, (name, rating) in enumerate(zip(names, rate(before.sum(0)), strict=True)):
        low, high = interval(drawn[:, number])
        ratings[name] = {"rating": float(rating), "rating_low": low, "rating_high": high}
    return ratings


def _conduct(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Seconds as the median of the games' means: the first game of a worker also waits for models to load."""
    own = [row for row in rows if row["agent"] == name]
    seconds = median(row["seconds"] / row["decisions"] for row in own)
    return {"seconds_per_decision": seconds, "faults": sum(row["faults"] for row in own)}


def _words(agents: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """What each agent won, with its name."""
    equal = len({round(figures["fair_share"], 9) for figures in agents.values()}) == 1
    words = {}
    for name, figures in agents.items():
        figure, form = ("win_share", ".0%") if equal else ("win_ratio", ".2f")
        value, low, high = (format(figures[f"{figure}{end}"], form) for end in ("", "_low", "_high"))
        words[name] = f"{name} ({value} {'of its games' if equal else '× its fair share'} [{low} to {high}])"
    return words
