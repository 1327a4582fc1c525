"""The figures of a clue benchmark, with 95 % intervals from one bootstrap over deals that all clue givers share."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np

from dixit_env.bench.clues.asking import Answer
from dixit_env.bench.clues.benchmark import REFERENCE, SHUFFLED, ClueRun
from dixit_env.bench.clues.deals import DECOY_EYE
from dixit_env.bench.clues.decoys import decoy_choices, decoy_figures
from dixit_env.bench.clues.judging import Judged, agreement, control_values, judge, judge_turns
from dixit_env.bench.clues.panels import Panel
from dixit_env.bench.clues.results import (
    CONTROL,
    Account,
    Calibration,
    ClueResults,
    Costs,
    CurvePoint,
    GiverResult,
    MainScore,
    PanelResult,
    PanelScore,
    TextFigures,
)
from dixit_env.bench.clues.scoring import Votes, sample
from dixit_env.bench.clues.text import FAULTS, names_card, reply_fault, variety
from dixit_env.bench.stats import (
    NOTHING,
    Difference,
    Estimate,
    Floats,
    calibration_error,
    compare,
    mean,
    mean_samples,
    resample,
)
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import DIXIT
from dixit_env.words import normalised

SAMPLES = 16  # turns with votes drawn at random on each deal, a check of the exact figures; chosen
NAN = float("nan")
FOUR = 4  # players of the table by the rules of Dixit, at which every giver is judged too


def clue_results(run: ClueRun, instructions: str, known: frozenset[str]) -> ClueResults:
    """All figures of a run.

    Args:
        run: the decisions.
        instructions: the language models' prompts, to recognise replies that copy them.
        known: normalised clues that people gave.
    """
    bench = run.bench
    draws = resample(bench.deals)
    main = bench.panels[0]
    judged = {
        name: {panel.name: judge(run, name, panel, bench.players) for panel in bench.panels} for name in bench.ranked
    }
    controls = {
        name: {panel.name: control_values(run, name, panel, bench.rules, bench.players) for panel in bench.panels}
        for name in bench.ranked
    }
    choices = decoy_choices(run, main)
    givers = {
        name: GiverResult(
            score=_main_score(run, name, main, judged[name][main.name], controls[name][main.name], draws),
            texts=_texts(run, name, instructions, known),
            calibration=_calibration(run, name, judged[name][main.name], draws),
            costs=_costs(run, name),
            decoys=decoy_figures(run, name, choices, draws),
        )
        for name in bench.ranked
    }
    order = sorted(givers, key=lambda name: givers[name].score.headline, reverse=True)
    cross_play = {
        name: {
            panel.name: _panel_score(found, controls[name][panel.name], draws)
            for panel in bench.panels
            if (found := judged[name][panel.name])
        }
        for name in order
    }
    return ClueResults(
        main_panel=main.name,
        deals=bench.deals,
        clue_givers={name: givers[name] for name in order},
        cross_play=cross_play,
        panels={panel.name: _panel(panel, [row[panel.name] for row in judged.values()]) for panel in bench.panels},
        accounts={name: _account(answers) for name, answers in run.all_answers.items()},
        pairs=_pairs(
            {name: found.values["guess_rate"] for name in order if (found := judged[name][main.name])},
            {name: values["guess_rate"] for name in order if (values := controls[name][main.name])},
            draws,
        ),
    )


def _panel_score(judged: Judged | None, control: Mapping[str, Floats] | None, draws: Floats) -> PanelScore:
    def own(measure: str) -> Estimate:
        return mean(judged.values[measure], draws) if judged else NOTHING

    def shuffled(measure: str) -> float:
        return mean(control[measure], draws).value if judged and control else NAN

    def over(measure: str) -> Estimate:
        return mean(judged.values[measure] - control[measure], draws) if judged and control else NOTHING

    return PanelScore(
        points=own("points"),
        margin=own("margin"),
        some=own("some"),
        guess_rate=own("guess_rate"),
        lift=own("lift"),
        rho=agreement(judged.values, draws) if judged else NOTHING,
        shuffled_points=shuffled("points"),
        shuffled_some=shuffled("some"),
        shuffled_guess_rate=shuffled("guess_rate"),
        points_over_shuffled=over("points"),
        some_over_shuffled=over("some"),
        guess_rate_over_shuffled=over("guess_rate"),
    )


def _main_score(
    run: ClueRun,
    giver: str,
    main: Panel,
    judged: Judged | None,
    control: Mapping[str, Floats] | None,
    draws: Floats,
) -> MainScore:
    bench = run.bench
    score = vars(_panel_score(judged, control, draws))
    if judged is None:
        return MainScore(
            **score,
            listeners=NOTHING,
            all=NOTHING,
            none=NOTHING,
            points_at_four=NOTHING,
            points_at_four_over_shuffled=NOTHING,
            sampled_points=NAN,
            sampled_turns=0,
            curve={},
        )
    at_four = judge_turns(run, run.turns[giver], main, DIXIT, FOUR)
    control_at_four = control_values(run, giver, main, DIXIT, FOUR)
    points = at_four.values["points"] if at_four else np.full(bench.deals, NAN)
    over = points - control_at_four["points"] if control_at_four else np.full(bench.deals, NAN)
    two_dials = bench.rules.seated(bench.players).dials_most == 2
    stacked, spread = (
        judge(run, giver, main, bench.players, stacks=share) if two_dials else None for share in (1.0, 0.0)
    )

    def value(other: Judged | None, measure: str) -> float | None:
        return mean(other.values[measure], draws).value if other else None

    sampled = _sampled_points(run, judged)
    sizes = range(bench.rules.min_players, len(run.deals[0].hands) + 1)
    curve = {str(players): judge(run, giver, main, players) for players in sizes}
    return MainScore(
        **score,
        listeners=mean(judged.values["listeners"], draws),
        all=mean(judged.values["all"], draws),
        none=mean(judged.values["none"], draws),
        points_at_four=mean(points, draws),
        points_at_four_over_shuffled=mean(over, draws),
        some_stacked=value(stacked, "some"),
        points_stacked=value(stacked, "points"),
        some_spread=value(spread, "some"),
        points_spread=value(spread, "points"),
        sampled_points=float(np.mean(sampled)),
        sampled_turns=len(sampled),
        curve={size: _curve_point(at, draws) for size, at in curve.items() if at},
    )


def _curve_point(judged: Judged, draws: Floats) -> CurvePoint:
    measures = ("points", "margin", "some", "guess_rate", "lift")
    return CurvePoint(**{measure: mean(judged.values[measure], draws) for measure in measures})


def _sampled_points(run: ClueRun, judged: Judged) -> list[int]:
    """The storyteller's points in turns whose votes are drawn at random, in the first of the panel's worlds."""
    rng, table = np.random.default_rng(run.bench.seed), run.bench.rules.seated(run.bench.players)
    parts = [np.broadcast_to(part, judged.votes.first.shape)[:, 0] for part in vars(judged.votes).values()]
    return [
        score.points[0]
        for votes in zip(*parts, strict=True)
        for score in sample(rng, table, judged.owners, Votes(*votes), SAMPLES)
    ]


def _panel(panel: Panel, rows: Sequence[Judged | None]) -> PanelResult:
    """ρ within givers: the sum over givers of P(both find the card) − p², over the sum of p(1 − p)."""
    means = [
        (float(np.nanmean(row.values["guess_rate"])), float(np.nanmean(row.values["together"]))) for row in rows if row
    ]
    covariance = sum(both - found**2 for found, both in means)
    variance = sum(found * (1 - found) for found, _ in means)
    return PanelResult(
        rho=covariance / variance if variance else NAN,
        guess_rate=_average([found for found, _ in means]),
        listeners=panel.listeners,
        kind=panel.kind,
    )


def _texts(run: ClueRun, giver: str, instructions: str, known: frozenset[str]) -> TextFigures:
    agent = REFERENCE if giver == SHUFFLED else giver
    answers = [answer for answer in run.answers[agent] if not answer.no_answer]
    replies = [answer.move.clue if isinstance(answer.move, GiveClue) else None for answer in answers]
    faults = [reply_fault(reply, instructions) for reply in replies]
    turns = [turn for turn in run.turns[giver] if turn]
    others = {
        other: [turn.clue for turn in run.turns[other] if turn]
        for other in run.bench.ranked
        if other != giver and SHUFFLED not in (giver, other)
    }
    same_twice = [
        normalised(first.move.clue) == normalised(again.move.clue)
        for number, again in run.second[agent].items()
        for first in [run.answers[agent][number]]
        if isinstance(first.move, GiveClue) and isinstance(again.move, GiveClue)
    ]
    return TextFigures(
        valid=_average([fault == "" for fault in faults]),
        no_answer=len(run.answers[agent]) - len(answers),
        faults={fault: faults.count(fault) for fault in FAULTS},
        literal=_average([names_card(turn.clue, run.deck.cards[turn.card]) for turn in turns]),
        stands_out=_average([turn.z[DECOY_EYE][0] for turn in turns]),
        repeats_over_seeds=_average(same_twice),
        **variety([(turn.card, turn.clue) for turn in turns], others, known),
    )


def _calibration(run: ClueRun, giver: str, judged: Judged | None, draws: Floats) -> Calibration:
    """Brier score over voters, exact: E (p − X)² = p² − 2 p q + q, where p is the predicted share of finders and X is
    whether a voter's first dial finds the card, with chance q."""
    voters = run.bench.players - 1
    answers = run.answers.get(giver, ())
    predicted = np.array([_predicted_finders(answer) for answer in answers]) / voters
    if judged is None or not len(predicted) or np.isnan(predicted + judged.values["guess_rate"]).all():
        return Calibration(brier=NOTHING, ece=NAN, expected_guess_rate=NAN)
    found = judged.values["guess_rate"]
    brier = predicted**2 - 2 * predicted * found + found
    there = ~np.isnan(brier)
    return Calibration(
        brier=mean(brier, draws),
        ece=calibration_error(predicted[there], found[there]),
        expected_guess_rate=float(predicted[there].mean()),
    )


def _predicted_finders(answer: Answer) -> float:
    return float(answer.why.get("expected", {}).get("finders", "nan"))


def _costs(run: ClueRun, giver: str) -> Costs:
    """Seconds are the median, because the first clues include the time to load models."""
    answers = [answer for answer in run.answers.get(giver, ()) if not answer.no_answer]
    fresh = [answer.seconds for answer in answers if not answer.why.get("cached")]
    return Costs(
        seconds_per_clue=median(fresh) if fresh else NAN,
        cost_per_clue=_average([answer.why.get("cost", 0) for answer in answers]),
    )


def _account(answers: Sequence[Answer]) -> Account:
    def total(key: str) -> float:
        return sum(answer.why.get(key, 0) for answer in answers)

    return Account(
        asked=len(answers),
        failed=sum(answer.move is None and not answer.no_answer for answer in answers),
        no_answer=sum(answer.no_answer for answer in answers),
        failed_replies=sum(len(answer.why.get("failed", ())) for answer in answers),
        from_cache=sum(bool(answer.why.get("cached")) for answer in answers),
        seconds=sum(answer.seconds for answer in answers),
        tokens_in=total("tokens_in"),
        tokens_out=total("tokens_out"),
        cost=total("cost"),
    )


def _pairs(found: Mapping[str, Floats], controls: Mapping[str, Floats], draws: Floats) -> tuple[Difference, ...]:
    """Shares that find the card, (deals,), compared on the deals where both have a clue: each giver's with that of its
    shuffled clues, and givers' with each other."""
    pairs = {(name, CONTROL): (found[name], control) for name, control in controls.items()}
    pairs |= {(one, other): (found[one], found[other]) for one, other in combinations(found, 2)}
    differences = {names: mean_samples(one - other, draws) for names, (one, other) in pairs.items()}
    return compare(differences, draws.shape[1])


def _average(values: Sequence[float] | Sequence[bool]) -> float:
    return float(np.mean(values)) if len(values) else NAN
