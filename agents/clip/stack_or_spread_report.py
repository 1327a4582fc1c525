"""The section "When should you spread?" of the tournament page: heat maps, a table of thresholds, the answer in
words."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dixit_env.agents.clip.stack_or_spread import HITS, RATIOS, points_gained, race_moments, win_gained
from dixit_env.agents.clip.voter_kinds import Floats
from dixit_env.bench.report import Html, plot, plot_style, section, table, text
from dixit_env.game.rules import TableRules

WORLDS = 3000  # chosen: simulated turns for each cell of a heat map
NOISE = 0.006  # chosen: about the standard error of a difference in chances to win over `WORLDS` turns


def spread_section(rules: TableRules, out: Path, seed: int = 0) -> Html:
    """The section for a table where dials can be stacked and spread; writes its plot into `out/plots`."""
    rng = np.random.default_rng(seed)
    points = np.array([[points_gained(rules, hit, ratio) for ratio in RATIOS] for hit in HITS])
    moments = race_moments(rules.players, rules.target)
    wins = [
        np.array([[win_gained(rng, rules, moment, hit, ratio, WORLDS) for ratio in RATIOS] for hit in HITS])
        for moment in moments
    ]
    with plot_style():
        figure = Figure(figsize=(10, 6.4), layout="constrained")
        axes = figure.subplots(2, 3, sharex=True, sharey=True).flat
        _heat(axes[0], points, "expected points", "+.1f")
        for axis, gained, moment in zip(axes[1:], wins, moments, strict=True):
            _heat(axis, 100 * gained, f"chance to win, %: {moment.name}", "+.0f")
        figure.supxlabel("first choice against second, p₁ / p₂")
        figure.supylabel("how often each other voter finds the card")
    caption = "What stacking brings over spreading. Green: stack. Purple: spread."
    return section(
        "When should you spread?",
        text(_answer(rules, wins, [moment.name for moment in moments])),
        plot(figure, caption, out / "plots" / "spread.svg"),
        table(
            ["others find it", "in points: stack from p₁/p₂ =", *(f"to win, {moment.name}" for moment in moments)],
            [[f"{hit:.0%}", *(_threshold(gained[row]) for gained in (points, *wins))] for row, hit in enumerate(HITS)],
        ),
    )


def _threshold(gained: Floats) -> str:
    """The smallest ratio from which stacking is right, as text; differences within the noise decide nothing."""
    if (np.abs(gained) < NOISE).all():
        return "no matter"
    right = gained > -NOISE
    if right.all():
        return "always"
    if not right[-1]:
        return "never"
    return f"{RATIOS[int(np.flatnonzero(~right)[-1]) + 1]:g}"


def _answer(rules: TableRules, wins: list[Floats], names: list[str]) -> str:
    """The finding in words, from the figures of this run."""
    shares = {name: float((gained < 0).mean()) for name, gained in zip(names, wins, strict=True)}
    spread = [name for name, share in shares.items() if share > 0.5]
    stack = [name for name, share in shares.items() if share <= 0.5]
    return (
        "For points, stack unless the others almost surely find the card and your two choices are close: the exact "
        "rule is p₁·(3 − 2A) > p₂·(3 − 2Z₂), A and Z₂ being the chances that all, or none, of the others' dials are "
        "there. To win, the race decides. Spreading is better in most situations at: "
        f"{', '.join(spread) or 'no moment'}; stacking at: {', '.join(stack) or 'no moment'}. Who needs one dial to "
        f"reach {rules.target} buys the surer hit; who needs a big turn stacks."
    )


def _heat(axis: Axes, values: Floats, title: str, form: str) -> None:
    """Draw one heat map, (hit rates, ratios), with its values written into the cells."""
    bound = max(float(np.abs(values).max()), 1e-9)
    axis.imshow(values, cmap="PRGn", vmin=-bound, vmax=bound, aspect="auto", origin="lower")
    axis.set_title(title, fontsize=10)
    axis.set_xticks(range(len(RATIOS)), [f"{ratio:g}" for ratio in RATIOS], fontsize=8)
    axis.set_yticks(range(len(HITS)), [f"{hit:.0%}" for hit in HITS], fontsize=8)
    axis.grid(visible=False)
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            dark = abs(value) > 0.6 * bound
            axis.text(
                column, row, format(value, form), ha="center", va="center", fontsize=6, color="w" if dark else "k"
            )
