"""What a training run shows: its curves, its evaluation, and what it learned about stacking and spreading."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.vote_optimality import HITS, RATIOS, Spreading, spreading
from dixit_env.bench.report import COLOURS, GREY, Html, page, plot, plot_style, section, table, text

ENOUGH = 30  # votes in a bin that is shown; chosen
CURVES = (
    ("how undecided", "entropy, nats", ("entropy/clue", "entropy/cards", "entropy/votes")),
    ("votes that spread", "share of votes", ("spread/votes",)),
    ("who finds its cards", "share of voters", ("found_by/itself", "found_by/others")),
    ("storytellers who score", "share of turns", ("storyteller_scores",)),
    (
        "explained variance",
        "share",
        tuple(f"explained_variance/{p}" for p in ("clue", "cards", "votes")),
    ),
)


def write_report(out: Path, results: Mapping[str, Any], learner: Learner) -> Path:
    """Write `out/report.html` and its plots; returns the page's path."""
    log = _lines(out / "log.jsonl")
    evaluations = _lines(out / "evaluations.jsonl")
    with plot_style():
        parts = [_evaluation(out, results, evaluations), _curves(out, log)]
        rules = learner.eval_task.spaces.rules
        if rules.dials_most == 2 and rules.may_stack:
            parts.append(_spreading(out, spreading(learner), learner.ppo.objective))
    lead = (
        f"{results['decisions']:,} decisions in {results['minutes']:.1f} minutes, "
        f"{results['decisions_per_second']:,.0f} a second; the games themselves took {results['env_share']:.0%} of it."
    )
    path = out / "report.html"
    path.write_text(page(f"Learning {learner.ppo.rules.capitalize()} by playing", lead, *parts), encoding="utf-8")
    return path


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _evaluation(out: Path, results: Mapping[str, Any], evaluations: Sequence[Mapping[str, Any]]) -> Html:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.subplots()
    target = results.get("best_response")
    axes.axhline(target["fair_share"] if target else 0.5, color=GREY, linewidth=1)
    minutes = [line["minutes"] for line in evaluations]
    names = [target["opponent"]] if target else list(results["evaluation"])
    for name, colour in zip(names, COLOURS, strict=False):
        shares = [line[name] for line in evaluations]
        middle = [share["win_share"] for share in shares]
        axes.plot(minutes, middle, color=colour, marker="o", markersize=4, label=name)
        axes.fill_between(minutes, [s["low"] for s in shares], [s["high"] for s in shares], color=colour, alpha=0.2)
    axes.set(xlabel="minutes", ylabel="share of the victories", ylim=(0, 1))
    axes.legend(title="against", loc="lower right")
    caption = "Share of the victories during training, with 95 % intervals."
    shared, own = results["shared"], f"eyes {results['eyes']}"
    if target:
        words = (
            "The learner sits alone among the agent that it learns to exploit; the grey line is its fair share. The"
            " table is of the best checkpoint, on deals that did not choose it, through eyes that it never had."
        )
        rows = [[target["opponent"], _interval(target), _interval(shared["best_response"])]]
        return section(
            "How far can it be exploited?",
            text(words),
            table(["alone among", own, "one shared eye"], rows),
            plot(figure, caption, out / "plots" / "evaluation.svg"),
        )
    rows, single = (
        [[name, _interval(share), _interval(shared[kind][name])] for name, share in results[kind].items()]
        for kind in ("evaluation", "alone")
    )
    found = [[name, f"{share:.1%}", f"{shared['found'][name]:.1%}"] for name, share in results["found"].items()]
    words = (
        "Every second seat is the learner's, the others play the scripted agent (its port to tensors); every deal is"
        " played twice, with the seats exchanged. Equals win half. The tables are of the best checkpoint, on deals that"
        " did not choose it, with eyes of each seat's own beside one eye for all."
    )
    return section(
        "Does it win?",
        text(words),
        table(["share of the victories against [95 %]", own, "one shared eye"], rows),
        text("How often others find its cards tells whether it speaks to anybody but itself."),
        table(["share of its cards that are found at these tables by", own, "one shared eye"], found),
        text(
            "Seats of one policy may understand one another in a code that nobody else reads. So here it sits alone,"
            " among scripted agents drawn at random, and scripted agents play the same games in its place."
        ),
        table(["share of the victories in one seat [95 %]", own, "one shared eye"], single),
        plot(figure, caption, out / "plots" / "evaluation.svg"),
    )


def _interval(share: Mapping[str, float]) -> str:
    return f"{share['win_share']:.1%} [{share['low']:.1%} to {share['high']:.1%}]"


def _curves(out: Path, log: Sequence[Mapping[str, float]]) -> Html:
    lines = [line for line in log if "decisions_per_second" in line]
    minutes = [line["minutes"] for line in lines]
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    grid = list(figure.subplots(2, 3).flat)
    for axes, (title, unit, names) in zip(grid, CURVES, strict=False):
        for name, colour in zip(names, COLOURS, strict=False):
            values = [line.get(name, float("nan")) for line in lines]
            axes.plot(minutes, values, color=colour, linewidth=1.2, label=name.split("/")[-1])
        axes.set(title=title, ylabel=unit, xlabel="minutes")
        if len(names) > 1:
            axes.legend(fontsize=8)
    _losses(grid[-1], minutes, lines)
    return section("How did it learn?", plot(figure, "Figures of every update.", out / "plots" / "curves.svg"))


def _losses(axes: Axes, minutes: Sequence[float], lines: Sequence[Mapping[str, float]]) -> None:
    for phase, colour in zip(("clue", "cards", "votes"), COLOURS, strict=False):
        axes.plot(minutes, [line[f"value_loss/{phase}"] for line in lines], color=colour, linewidth=1.2, label=phase)
    axes.set(title="value loss", xlabel="minutes", ylabel="half squared points")
    axes.legend(fontsize=8)


def _spreading(out: Path, found: Spreading, objective: str) -> Html:
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    axes = figure.subplots()
    middle = np.arange(len(found.spread[0]))
    names = [f"{low:g}–{high:g}" for low, high in pairwise(RATIOS)]
    for row, (low, high) in enumerate(pairwise(HITS)):
        enough = found.counts[row] >= ENOUGH
        if not enough.any():
            continue
        label = f"{low:.0%} to {high:.0%} of the others find it"
        axes.plot(middle[enough], found.spread[row][enough], "o-", color=COLOURS[row], label=label)
        axes.plot(middle[enough], found.rule[row][enough], "--", color=COLOURS[row], linewidth=1)
    axes.set_xticks(middle, names)
    axes.set(xlabel="first choice against second, p₁ / p₂", ylabel="share of votes that spread", ylim=(-0.02, 1.02))
    axes.legend(fontsize=8)
    rule = (
        "the rule for the lead over the others does: never, since a dial beside the storyteller's card helps them more"
        if objective == "difference"
        else "the rule for most points does: when p₁·(3 − 2A) < p₂·(3 − 2Z₂), with A and Z₂ from how often the other"
        " voters find such a card here"
    )
    cost = "" if objective == "difference" else f"; the others cost it {found.lost:.3f} points, averaged over all votes"
    words = (
        "Turns among the opponents of the training. p is the chance of each card to be the storyteller's, fitted to"
        f" these turns; solid: how often the policy spreads its dials; dashed: how often {rule}."
        f" It does as the rule says in {found.agrees:.1%} of its votes{cost}."
    )
    caption = f"Spreading as learned (solid) and as the rule says (dashed); bins of {ENOUGH} votes or more."
    return section("When does it spread?", text(words), plot(figure, caption, out / "plots" / "spreading.svg"))
