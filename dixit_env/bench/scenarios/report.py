"""The report of the scenarios: a plot and one HTML page."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from dixit_env.bench.report import COLOURS, GREY, Html, listing, page, plot, plot_style, section, table, text
from dixit_env.bench.scenarios.measure import Results
from dixit_env.bench.scenarios.suite import HALVES, Half
from dixit_env.bench.stats import ENOUGH, Estimate

HALF_COLOURS: dict[Half, str] = dict(zip(HALVES, COLOURS, strict=False))
MEETS: dict[Half, str] = {"train": "residents that training meets", "test": "residents that no training meets"}


def verdict(agent: str, results: Results) -> str:
    """The score in a sentence, with those of the halves."""
    halves = "; ".join(f"{score:.2f} among {MEETS[half]}" for half, score in results.halves.items())
    return f"{agent} scores {results.score:.2f}: {halves}. 0 is random, 1 the best agent known in each scenario."


def write_page(agent: str, results: Results, deals: int, out: Path, notes: Sequence[str]) -> Path:
    """Write `out/report.html` and `out/plots/scores.svg`; returns the page's path."""
    games = sum(result.share.games for result in results.scenarios)
    few = f" Fewer than {ENOUGH} deals make intervals too narrow." if deals < ENOUGH else ""
    with plot_style():
        scores = plot(_scores(results), _CAPTION, out / "plots" / "scores.svg")
    html = page(
        f"How does {agent} do among others?",
        f"{len(results.scenarios)} scenarios on {deals} deals each, {games} games.{few}",
        text(verdict(agent, results), "verdict"),
        section("Scores", scores),
        section("The scenarios", _table(results), text(_HOW_TO_READ, "note")),
        section("How it was played", listing(notes)),
    )
    path = out / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


_CAPTION = (
    "Score in each scenario with its 95 % interval; at the bottom the mean of all. The dotted lines are random, 0, and"
    " the best agent known, 1."
)
_HOW_TO_READ = (
    "In brackets: 95 % of what would be seen if the deals were drawn again; the shares of random and of the best agent"
    " known are taken as exact. Win share: of a focal seat; a tie is shared. Fair share: what a seat has among equals."
)


def _table(results: Results) -> Html:
    head = ["Scenario", "Half", "Score", "Win share of a seat", "Fair share", "Random", "Best known", "Games"]
    rows = []
    for result in results.scenarios:
        scenario, share, reference = result.scenario, result.share, result.reference
        row = [
            f"{scenario.name}: {scenario}, among {'; '.join(scenario.residents)}",
            scenario.half,
            f"{result.score:.2f}",
            f"{share.win_share:.1%} [{share.win_share_low:.1%}–{share.win_share_high:.1%}]",
            f"{share.fair_share:.1%}",
            f"{reference.random:.1%}",
            f"{reference.best:.1%} ({reference.agent})",
            str(share.games),
        ]
        rows.append(row)
    return table(head, rows)


def _scores(results: Results) -> Figure:
    rows: list[tuple[str, Estimate, str]] = [
        *((result.scenario.name, result.score, HALF_COLOURS[result.scenario.half]) for result in results.scenarios),
        ("mean", results.score, GREY),
    ]
    figure = Figure(figsize=(8.6, 1.4 + 0.36 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for end in (0, 1):
        axes.axvline(end, color=GREY, linestyle=":", linewidth=1.2)
    for row, (_, score, colour) in enumerate(rows):
        axes.plot([score.low, score.high], [row, row], color=colour, linewidth=3, alpha=0.45, solid_capstyle="round")
        axes.plot(score.value, row, "o", color=colour, markersize=8)
    for half in results.halves:
        axes.plot([], [], "o", color=HALF_COLOURS[half], label=MEETS[half])
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("score")
    axes.grid(axis="x", color="#e4ddcf")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper left", ncols=2, handlelength=1)
    return figure
