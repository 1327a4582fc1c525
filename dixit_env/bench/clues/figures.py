"""The figures of a clue benchmark, with 95 % intervals from one bootstrap over deals that all clue givers share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.questions import Answer
from dixit_env.bench.clues.run import SHUFFLED, Outcome, Told
from dixit_env.bench.clues.scoring import Votes, sample, worlds, worth
from dixit_env.bench.clues.tables import DECOY_EYE, Deal, Panel, ballot_votes, panel_votes
from dixit_env.bench.clues.text import FAULTS, clue_fault, names_card, variety
from dixit_env.bench.listeners.rounds import same_clue
from dixit_env.bench.stats import Floats, interval, ratio, resample, separate
from dixit_env.game.moves import GiveClue

Figures = dict[str, Any]

SAMPLES = 16  # turns that are voted by chance on each deal, beside the exact figures
BINS = 10  # of the calibration error
MEASURES = ("points", "margin", "listeners", "some", "all", "none", "guess_rate", "lift")


@dataclass(frozen=True, eq=False)
class Judged:
    """A giver's clues before a panel at one table size; all but `votes` are (deals,), NaN without a valid clue."""

    values: Mapping[str, Floats]  # MEASURES, `together`
    rows: NDArray[np.intp]  # deals with a clue
    owners: NDArray[np.intp]  # (cards,)
    votes: Votes  # (rows, worlds, voters, cards)


def judge(
    outcome: Outcome, name: str, panel: Panel, players: int, *, control: bool = False, stacks: float | None = None
) -> Judged | None:
    """Score a giver's clues exactly; None where nothing was told or voted.

    Args:
        control: judge the shuffled clues.
        stacks: how often voters stack, instead of what the panel does.
    """
    rules = outcome.bench.rules
    turns = (outcome.control if control else outcome.told)[name]
    columns = outcome.layout.columns(rules, players)
    owners = outcome.layout.owners[columns]
    if panel.kind == "agents":
        cast = outcome.ballots.get((name, panel.name), ())
        rows = [row for row, votes in enumerate(cast) if votes is not None]
        if players != outcome.bench.players or control or not rows:
            return None
        votes = ballot_votes([cast[row] for row in rows], len(columns))  # type: ignore[misc]  # rows are not None
    else:
        rows = [row for row, turn in enumerate(turns) if turn is not None]
        if not rows:
            return None
        votes = panel_votes(panel, _stand([turns[row] for row in rows], columns), owners, _deals(outcome, rows))
    if stacks is not None:
        votes = Votes(votes.first, np.full_like(votes.stacks, stacks))
    table = rules.seated(players)
    value = worlds(worth(table, owners, votes))
    chance = 1 / (len(columns) - table.gives)
    parts = {
        "points": value.points,
        "margin": value.points - value.listeners,
        "listeners": value.listeners,
        "some": value.some,
        "all": value.everybody,
        "none": value.nobody,
        "guess_rate": value.found,
        "lift": value.found - chance,
        "together": value.together,
    }
    spread = {key: np.full(len(turns), np.nan) for key in parts}
    for key, part in parts.items():
        spread[key][rows] = part
    return Judged(spread, np.array(rows, np.intp), owners, votes)


def mean(values: Floats, draws: Floats) -> tuple[float, float, float]:
    """Mean over the deals that have a value, and its interval; NaN without any."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    low, high = interval(ratio(draws @ filled, draws @ there))
    return float(ratio(filled.sum(), there.sum())), low, high


def agreement(values: Mapping[str, Floats], draws: Floats) -> tuple[float, float, float]:
    """ρ of two listeners over the clues (`clue_scoring.correlation`), and its interval."""
    there = ~np.isnan(values["together"])
    weights = np.concatenate([np.ones((1, len(there))), draws]) * there
    found = ratio(weights @ np.where(there, values["guess_rate"], 0), weights.sum(1))
    both = ratio(weights @ np.where(there, values["together"], 0), weights.sum(1))
    rho = ratio(both - found**2, found * (1 - found))
    return float(rho[0]), *interval(rho[1:])


def figures(outcome: Outcome, instructions: str, known: frozenset[str]) -> Figures:
    """Everything that the report says, as JSON values but for NaN.

    Args:
        instructions: what language models are told, to recognise copies.
        known: clues that people gave (`same_clue`), for the overlap.
    """
    bench = outcome.bench
    draws = resample(bench.count)
    main = bench.panels[0]
    judged = {
        name: {panel.name: judge(outcome, name, panel, bench.players) for panel in bench.panels}
        for name in bench.givers
    }
    worths = _decoy_worths(outcome, main)
    givers = {
        name: {
            **_quality(outcome, name, main, judged[name][main.name], draws),
            **_texts(outcome, name, instructions, known),
            **_calibration(outcome, name, judged[name][main.name], draws),
            **_costs(outcome, name),
            "decoys": _decoys(outcome, name, worths, draws),
        }
        for name in bench.givers
    }
    order = sorted(givers, key=lambda name: -np.nan_to_num(givers[name]["points"], nan=-1.0))
    cross = {
        name: {
            panel.name: _cell(found, judge(outcome, name, panel, bench.players, control=True), draws)
            for panel in bench.panels
            if (found := row[panel.name])
        }
        for name, row in judged.items()
    }
    return {
        "main_panel": main.name,
        "clue_givers": {name: givers[name] for name in order},
        "cross_play": {name: cross[name] for name in order},
        "panels": {panel.name: _panel(panel, [row[panel.name] for row in judged.values()]) for panel in bench.panels},
        "accounts": {name: _account(answers) for name, answers in outcome.asked.items()},
        "pairs": _pairs(order, {name: judged[name][main.name] for name in order}, draws),
    }


def _stand(turns: Sequence[Told | None], columns: NDArray[np.intp]) -> dict[str, Floats]:
    told = [turn for turn in turns if turn is not None]
    return {eye: np.stack([turn.eyes[eye][columns] for turn in told]) for eye in told[0].eyes}


def _deals(outcome: Outcome, rows: Sequence[int]) -> list[Deal]:
    return [outcome.deals[row] for row in rows]


def _spans(values: Mapping[str, Floats], draws: Floats, names: Sequence[str] = MEASURES) -> Figures:
    """Each measure with _low and _high."""
    out: Figures = {}
    for name in names:
        out[name], out[f"{name}_low"], out[f"{name}_high"] = mean(values[name], draws)
    return out


def _quality(outcome: Outcome, name: str, main: Panel, judged: Judged | None, draws: Floats) -> Figures:
    bench = outcome.bench
    nothing = np.full(bench.count, np.nan)
    if judged is None:
        return {**_spans(dict.fromkeys(MEASURES, nothing), draws), "shuffled_points": float("nan"), "curve": {}}
    control = judge(outcome, name, main, bench.players, control=True)
    out = {"shuffled_points": float("nan"), **_cell(judged, control, draws), **_spans(judged.values, draws)}
    if bench.rules.seated(bench.players).dials_most == 2:
        for label, share in (("stacked", 1.0), ("spread", 0.0)):
            other = judge(outcome, name, main, bench.players, stacks=share)
            assert other is not None
            out[f"some_{label}"], out[f"points_{label}"] = (
                mean(other.values[key], draws)[0] for key in ("some", "points")
            )
    rng, table = np.random.default_rng(bench.seed), bench.rules.seated(bench.players)
    votes = judged.votes
    parts = (votes.first, votes.stacks, np.broadcast_to(votes.single, votes.first.shape))
    turns = [
        score
        for first, stacks, single in zip(*(part[:, 0] for part in parts), strict=True)
        for score in sample(rng, table, judged.owners, Votes(first, stacks, single), SAMPLES)
    ]
    out["sampled_points"] = float(np.mean([score.points[0] for score in turns]))
    out["sampled_turns"] = len(turns)
    out["curve"] = {}
    for players in range(bench.rules.min_players, len(outcome.deals[0].hands) + 1):
        at = judge(outcome, name, main, players)
        assert at is not None
        out["curve"][str(players)] = _spans(at.values, draws, ("points", "margin", "some", "guess_rate", "lift"))
    return out


def _cell(judged: Judged, control: Judged | None, draws: Floats) -> Figures:
    return {
        **_spans(judged.values, draws, ("points", "margin", "some", "guess_rate", "lift")),
        **_over(judged, control, draws),
        **dict(zip(("rho", "rho_low", "rho_high"), agreement(judged.values, draws), strict=True)),
    }


def _over(judged: Judged, control: Judged | None, draws: Floats) -> Figures:
    """Points and the like of the shuffled clues, and how far the clues themselves are above."""
    out: Figures = {}
    for key in ("points", "some", "guess_rate") if control else ():
        assert control is not None
        out[f"shuffled_{key}"] = mean(control.values[key], draws)[0]
        difference = mean(judged.values[key] - control.values[key], draws)
        for end, value in zip(("", "_low", "_high"), difference, strict=True):
            out[f"{key}_over_shuffled{end}"] = value
    return out


def _panel(panel: Panel, rows: Sequence[Judged | None]) -> Figures:
    """ρ within the givers' clues: the mean rise of two votes' agreement over p², by the mean of p(1 − p)."""
    means = [
        (float(np.nanmean(row.values["guess_rate"])), float(np.nanmean(row.values["together"]))) for row in rows if row
    ]
    rise = sum(both - found**2 for found, both in means)
    room = sum(found * (1 - found) for found, _ in means)
    return {
        "rho": rise / room if room else float("nan"),
        "guess_rate": float(np.mean([found for found, _ in means])) if means else float("nan"),
        "listeners": list(panel.listeners),
        "kind": panel.kind,
        "held_out": panel.held_out,
    }


def _texts(outcome: Outcome, name: str, instructions: str, known: frozenset[str]) -> Figures:
    agent = outcome.bench.asked[0] if name == SHUFFLED else name
    clues = [answer.move.clue if isinstance(answer.move, GiveClue) else None for answer in outcome.answers[agent]]
    faults = [clue_fault(clue, instructions) for clue in clues]
    told = [(turn.card, turn.clue) for turn in outcome.told[name] if turn]
    cards = outcome.deck.cards
    others = {
        other: [turn.clue for turn in outcome.told[other] if turn]
        for other in outcome.bench.givers
        if other != name and SHUFFLED not in (name, other)
    }
    twice = [
        same_clue(first.move.clue) == same_clue(again.move.clue)
        for number, again in outcome.second[agent].items()
        for first in [outcome.answers[agent][number]]
        if isinstance(first.move, GiveClue) and isinstance(again.move, GiveClue)
    ]
    return {
        "valid": faults.count("") / len(faults),
        "faults": {fault: faults.count(fault) for fault in FAULTS},
        "literal": _average([names_card(clue, cards[card]) for card, clue in told]),
        "stands_out": _average([turn.eyes[DECOY_EYE][0] for turn in outcome.told[name] if turn]),
        "repeats_over_seeds": _average(twice),
        **variety(told, others, known),
    }


def _calibration(outcome: Outcome, name: str, judged: Judged | None, draws: Floats) -> Figures:
    """The share of finders that a giver expects (`why["expected"]["finders"]`) against what the panel's votes say.

    Brier score over voters, exact: E (p − X)² = p² − 2 p q + q, X being whether a voter's first dial finds the card.
    """
    nan = float("nan")
    voters = outcome.bench.players - 1
    answers = outcome.answers.get(name, ())
    expected = np.array([_finders(answer) for answer in answers]) / voters
    if judged is None or not len(expected) or np.isnan(expected + judged.values["guess_rate"]).all():
        return {"brier": nan, "brier_low": nan, "brier_high": nan, "ece": nan, "expected_guess_rate": nan}
    found = judged.values["guess_rate"]
    brier = expected**2 - 2 * expected * found + found
    there = ~np.isnan(brier)
    bins = np.minimum((expected[there] * BINS).astype(int), BINS - 1)
    gaps = np.abs(np.bincount(bins, expected[there] - found[there], BINS))
    value, low, high = mean(brier, draws)
    return {
        "brier": value,
        "brier_low": low,
        "brier_high": high,
        "ece": float(gaps.sum() / there.sum()),
        "expected_guess_rate": float(expected[there].mean()),
    }


def _finders(answer: Answer) -> float:
    return float(answer.why.get("expected", {}).get("finders", "nan"))


def _costs(outcome: Outcome, name: str) -> Figures:
    """Seconds of a clue as a median: the first ones wait for models to load. Answers from a cache don't count."""
    answers = outcome.answers.get(name, ())
    fresh = [answer.seconds for answer in answers if not answer.why.get("cached")]
    return {
        "seconds_per_clue": median(fresh) if fresh else float("nan"),
        "cost_per_clue": _average([answer.why.get("cost", 0) for answer in answers]),
    }


def _account(answers: Sequence[Answer]) -> Figures:
    """What an agent took for all that it was asked. `failed` counts answers without a legal move, `failed_replies`
    also replies of a language model that were asked for once more."""
    sums = {key: sum(answer.why.get(key, 0) for answer in answers) for key in ("tokens_in", "tokens_out", "cost")}
    return {
        "asked": len(answers),
        "failed": sum(answer.move is None for answer in answers),
        "failed_replies": sum(len(answer.why.get("failed", ())) for answer in answers),
        "from_cache": sum(bool(answer.why.get("cached")) for answer in answers),
        "seconds": sum(answer.seconds for answer in answers),
        **sums,
    }


def _decoy_worths(outcome: Outcome, panel: Panel) -> dict[int, dict[frozenset[int], float]]:
    """Dials that each choice of decoys in seat 1 draws from the panel, by deal with a reference clue."""
    bench = outcome.bench
    gives = bench.rules.seated(bench.players).gives
    columns = outcome.layout.columns(bench.rules, bench.players)
    owners = outcome.layout.owners[columns]
    mine = np.flatnonzero(owners == 1)
    worths: dict[int, dict[frozenset[int], float]] = {}
    for turn in filter(None, outcome.reference()):
        choices = list(combinations(outcome.deals[turn.deal].hands[1], gives))
        z = {}
        for eye, seen in turn.eyes.items():
            z[eye] = np.tile(seen[columns], (len(choices), 1))
            z[eye][:, mine] = outcome.looks[eye][turn.clue][np.array(choices)]
        votes = panel_votes(panel, z, owners, [outcome.deals[turn.deal]] * len(choices))
        drawn = worlds(worth(bench.rules.seated(bench.players), owners, votes)).drawn[:, 0]
        worths[turn.deal] = {frozenset(choice): float(d) for choice, d in zip(choices, drawn, strict=True)}
    return worths


def _decoys(
    outcome: Outcome, name: str, worths: Mapping[int, Mapping[frozenset[int], float]], draws: Floats
) -> Figures:
    """`drawn`: dials on the decoys that the agent gave; `random`, `best`: on others of the same hand. `skill` is where
    it stands between these two: 0 is chance, 1 the best."""
    columns = {key: np.full(outcome.bench.count, np.nan) for key in ("drawn", "random", "best")}
    for number, given in enumerate(outcome.decoys.get(name, ())):
        if given is not None:
            drawn = worths[number]
            columns["drawn"][number] = drawn[frozenset(given)]
            columns["random"][number] = np.mean(list(drawn.values()))
            columns["best"][number] = max(drawn.values())
    out = _spans(columns, draws, ("drawn",))
    out["random"], out["best"] = (mean(columns[key], draws)[0] for key in ("random", "best"))
    room = out["best"] - out["random"]
    out["skill"] = (out["drawn"] - out["random"]) / room if room else float("nan")
    return out


def _pairs(order: Sequence[str], judged: Mapping[str, Judged | None], draws: Floats) -> list[Figures]:
    """Differences of the storyteller's points on the deals that both have told."""
    pairs = []
    for one, other in combinations(order, 2):
        ahead, behind = judged[one], judged[other]
        if ahead and behind:
            value, low, high = mean(ahead.values["points"] - behind.values["points"], draws)
            apart = separate((low, high), (0.0, 0.0))
            pairs.append(
                {"ahead": one, "behind": other, "difference": value, "low": low, "high": high, "separate": apart}
            )
    return pairs


def _average(values: Sequence[float] | Sequence[bool]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
