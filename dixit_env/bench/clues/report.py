"""The page of a clue benchmark: verdicts, tables, plots, three turns with their pictures, and the method."""

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

from dixit_env.bench.clues import plots
from dixit_env.bench.clues import report_tables as tables
from dixit_env.bench.clues.benchmark import AGAIN, REFERENCE, SHUFFLES, ClueRun
from dixit_env.bench.clues.deals import DECOY, DECOY_EYE
from dixit_env.bench.clues.panels import GIVER_EYES, VIEWERS
from dixit_env.bench.clues.report_turns import turn_section
from dixit_env.bench.clues.results import CONTROL, CloneResult, ClueResults
from dixit_env.bench.clues.turn_log import Line
from dixit_env.bench.report import Html, listing, page, plot, plot_style, section, table, text
from dixit_env.bench.stats import ENOUGH
from dixit_env.bench.stats import verdicts as said


def write_page(run: ClueRun, results: ClueResults, lines: Sequence[Line], out: Path, notes: Sequence[str] = ()) -> Path:
    """Write `out/report.html` and the plots in `out/plots`; returns the page's path.

    `notes` are sentences on how it was measured.
    """
    bench, givers = run.bench, results.clue_givers
    lead = (
        f"{len(givers)} clue givers on the same {bench.deals} deals of {bench.rules.name.capitalize()} with"
        f" {bench.players} players, before {len(bench.panels)} panels of listeners. Scores are exact expectations over"
        " the listeners' votes."
    )
    found = [line for line in lines if line["giver"] in results.found]
    html = page(
        "Whose clues are understood?",
        lead,
        *[text(verdict, "verdict") for verdict in verdicts(results)],
        section(f"Before the {results.main_panel} panel", tables.ranking(tables.entries(results)), tables.HOW_TO_READ),
        *_plot_sections(results, out / "plots"),
        section("Clue giver by panel", tables.cross_play(results)),
        section("As texts", tables.texts(givers)),
        section("Do they know how well they are understood?", tables.calibration(givers)),
        section("As givers of decoys", tables.decoys(givers)),
        section("Time and cost", tables.costs(results)),
        *([_clone_section(results.clones, out / "plots")] if results.clones else []),
        *turn_section(found, run.deck, results.main_panel),
        section("How it was measured", listing((*_method(run, results), *notes))),
    )
    path = out / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def verdicts(results: ClueResults) -> list[str]:
    """Whose cards are found more often than whose, and whose clues are not told from shuffled ones."""
    scores = {name: giver.score for name, giver in results.clue_givers.items()}
    words = {name: f"{name} ({score.guess_rate.value:.0%} find its card)" for name, score in scores.items()}
    between = [pair for pair in results.pairs if CONTROL not in (pair.ahead, pair.behind)]
    sentences = [OWN_EYES] if results.main_panel == GIVER_EYES else []
    sentences += said(between, "is found more often than", results.deals, words)
    control = [pair for pair in results.pairs if CONTROL in (pair.ahead, pair.behind)]
    if results.deals >= ENOUGH and (lost := [pair for pair in control if pair.ahead == CONTROL or not pair.separate]):
        sentences.append(f"Found no more often than with shuffled clues: {'; '.join(map(str, lost))}.")
    return sentences


OWN_EYES = (
    "The listeners of the main panel see through the givers' own CLIP. So a clue may be found by a code that only this"
    " CLIP reads, and even one without meaning."
)


def _plot_sections(results: ClueResults, folder: Path) -> list[Html]:
    """Points, outcomes and the curve over table sizes."""
    scores = {name: giver.score for name, giver in results.clue_givers.items() if not isnan(giver.score.points.value)}
    if not scores:
        return []
    with plot_style():
        found = plot(
            plots.found(scores),
            "How many listeners find the card, with 95 % intervals. The grey ring: the same cards with shuffled clues.",
            folder / "found.svg",
        )
        outcomes = plot(
            plots.outcomes(scores),
            "How often nobody, some or everybody finds the card. Only “some” pays the storyteller.",
            folder / "outcomes.svg",
        )
        sizes = plot(
            plots.curve(scores),
            "The same clues at tables of other sizes, exactly. Left: some but not all found it. Right: the chance of"
            " one listener.",
            folder / "sizes.svg",
        )
        cross_play = plot(
            plots.cross_play(results),
            "Storyteller's points of every clue giver before every panel.",
            folder / "cross_play.svg",
        )
    return [section("Found", found), section("Outcomes", outcomes), section("By table size", sizes, cross_play)]


def _clone_section(entries: Sequence[CloneResult], folder: Path) -> Html:
    head = ["Clue giver", "β", "Found", "ρ clones", "ρ mixed", "Some, clones", "Some, mixed", "… independent"]
    head += ["… fitted ρ", "Asymmetry", "of it panel", "of its excess"]
    rows = [
        [
            entry.giver,
            f"{entry.sharpness:g}",
            tables.plain(entry.guess_rate, ".0%"),
            *(tables.plain(at.rho.value, ".2f") for at in (entry.clones, entry.mixed)),
            *(f"{at.some:.0%}" for at in (entry.clones, entry.mixed)),
            tables.plain(entry.independent.some.value, ".0%"),
            tables.plain(entry.some_simulated, ".0%"),
            " → ".join(f"{at.asymmetry.value:+.2f}" for at in entry.tables.values()),
            tables.plain(entry.panel_share.value, ".0%"),
            tables.plain(entry.panel_share_of_excess.value if entry.excess.low > 0 else None, ".0%"),
        ]
        for entry in entries
    ]
    with plot_style():
        figure = plot(
            plots.clones(entries),
            "Some but not all found the card: tables of copies against mixed tables of the same listeners, and what"
            " independent votes would reach that find the card as often.",
            folder / "clones.svg",
        )
    return section(
        "Clones against mixed tables",
        *([listing(findings)] if (findings := clone_findings(entries)) else []),
        text(
            f"The same clues and the same listeners at {entries[0].players} seats; only who sits with whom differs."
            " Asymmetry: the mean listener's points less the storyteller's, at clone and at mixed tables and with"
            " independent votes of the same hit rate. The excess is what clone tables have beyond independent votes;"
            " where none is found, its share is left out."
        ),
        figure,
        table(head, rows),
    )


def clone_findings(entries: Sequence[CloneResult]) -> list[str]:
    """A sentence for each giver before the sharpest listeners, where votes that agree cost the storyteller points."""
    sharpest = max(entry.sharpness for entry in entries)
    return [
        f"{entry.giver} before listeners of sharpness {sharpest:g}: some but not all find it at"
        f" {entry.clones.some:.0%} of clone tables and {entry.mixed.some:.0%} of mixed ones; independent votes would"
        f" reach {entry.independent.some.value:.0%}. {entry.panel_share:.0%} of the asymmetry is the panel, and"
        f" {entry.panel_share_of_excess:.0%} of what it has beyond independent votes."
        for entry in entries
        if entry.sharpness == sharpest and entry.excess.low > 0
    ]


def _method(run: ClueRun, results: ClueResults) -> Iterator[str]:
    bench = run.bench
    yield (
        f"Deck {run.deck.name} ({len(run.deck)} cards, {run.deck.hash}), rules {bench.rules.name}, seed {bench.seed}."
        " A deal is the first turn of a game; all clue givers get the same hands."
    )
    yield (
        f"Decoys: every other player plays the card that a softmax (sharpness {DECOY:g}) of the {DECOY_EYE} eye takes"
        " from its hand, with noise that belongs to the deal, whoever gives the clue and whoever votes."
    )
    for panel in bench.panels:
        yield f"Panel {panel.name} ({panel.kind}): {', '.join(panel.listeners)}."
    yield (
        "Listeners other than clip read known words only, and what a card has in common with whatever is said counts"
        " for nothing. Votes of a simulated panel agree as people's did in rounds that they played; nobody voted here."
    )
    yield (
        "A listener name@β votes by a softmax of β times the cards' z-scores over the deck, never for an own card. Two"
        " dials are set independently."
    )
    if any(panel.name == VIEWERS for panel in bench.panels):
        yield (
            f"The constants of the panel {VIEWERS} were fitted to what viewers of other pictures guessed; none of them"
            " voted here. A listener name@β~λ sets the share λ of its dials blindly."
        )
    yield (
        f"Shuffled clues move on by 1 to {SHUFFLES} deals; their figures are the mean over these shuffles, and the"
        f" decoys answer the shuffled clue. On every {AGAIN}th deal a giver is asked twice. Decoys are judged on the"
        f" clues of {REFERENCE}."
    )
    checks = [
        f"{name} {giver.score.sampled_points:.2f} ({giver.score.points.value:.2f})"
        for name, giver in results.clue_givers.items()
        if giver.score.sampled_turns
    ]
    yield f"Points in turns voted by chance, beside the exact ones: {', '.join(checks)}."
    yield (
        "Intervals resample whole deals, the same for all, so that differences are paired. A difference is called one"
        " where it is significant (5 %) with Holm's correction for all that are compared here."
    )
