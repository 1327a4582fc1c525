"""The page of a clue benchmark: verdicts, tables, plots, three turns with their pictures, and the method."""

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

from dixit_env.bench.clues import plots
from dixit_env.bench.clues import report_tables as tables
from dixit_env.bench.clues.benchmark import AGAIN, GROUP, REFERENCE, SHUFFLED, ClueRun
from dixit_env.bench.clues.deals import DECOY, DECOY_EYE
from dixit_env.bench.clues.report_turns import turn_section
from dixit_env.bench.clues.results import CloneResult, ClueResults
from dixit_env.bench.clues.turn_log import Line
from dixit_env.bench.report import Html, listing, page, plot, plot_style, section, table, text


def write_page(run: ClueRun, results: ClueResults, lines: Sequence[Line], out: Path) -> Path:
    """Write `out/report.html` and the plots in `out/plots`; returns the page's path."""
    bench, givers = run.bench, results.clue_givers
    lead = (
        f"{len(givers)} clue givers on the same {bench.count} deals of {bench.rules.name.capitalize()} with"
        f" {bench.players} players, before {len(bench.panels)} panels of listeners. Scores are exact expectations over"
        " the listeners' votes."
    )
    found = [line for line in lines if line["giver"] in _found(results)]
    html = page(
        "Who gives the best clues?",
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
        section("How it was measured", listing(tuple(_method(run, results)))),
    )
    path = out / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def verdicts(results: ClueResults) -> list[str]:
    """Who earns more than whom, and whose clues are found no better than shuffled ones."""
    sentences = []
    for name, giver in results.clue_givers.items():
        if beaten := [pair.behind for pair in results.pairs if pair.ahead == name and pair.separate]:
            sentences.append(f"{name} ({giver.score.points:.2f} points a clue) earns more than {', '.join(beaten)}.")
    found = _found(results)
    if lost := [name for name in results.clue_givers if name not in (SHUFFLED, *found)]:
        sentences.append(f"No better found than shuffled clues: {', '.join(lost)}.")
    for panel in (name for name, about in results.panels.items() if about.held_out):
        cells = {name: results.cross_play[name].get(panel) for name in found}
        if lost := [name for name, cell in cells.items() if cell is None or not cell.is_found]:
            sentences.append(
                f"Before the {panel} panel, against which nothing was tuned, no better found than shuffled clues:"
                f" {', '.join(lost)}."
            )
    return sentences


def _found(results: ClueResults) -> list[str]:
    return [name for name, giver in results.clue_givers.items() if giver.score.is_found]


def _plot_sections(results: ClueResults, folder: Path) -> list[Html]:
    """Points, outcomes and the curve over table sizes."""
    scores = {name: giver.score for name, giver in results.clue_givers.items() if not isnan(giver.score.points.value)}
    if not scores:
        return []
    with plot_style():
        points = plot(
            plots.points(scores),
            "The storyteller's points with 95 % intervals. The grey ring: the same cards with shuffled clues.",
            folder / "points.svg",
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
    return [section("Points", points), section("Outcomes", outcomes), section("By table size", sizes, cross_play)]


def _clone_section(entries: Sequence[CloneResult], folder: Path) -> Html:
    head = ["Clue giver", "β", "Found", "ρ clones", "ρ mixed", "Some, clones", "Some, mixed", "… people's ρ"]
    head += ["Asymmetry", "of it panel"]
    rows = [
        [
            entry.giver,
            f"{entry.sharpness:g}",
            tables.plain(entry.guess_rate, ".0%"),
            *(tables.plain(at.rho.value, ".2f") for at in entry.tables),
            *(f"{at.some:.0%}" for at in entry.tables),
            tables.plain(entry.some_people, ".0%"),
            " → ".join(f"{at.asymmetry.value:+.2f}" for at in entry.tables),
            tables.plain(entry.panel_share.value, ".0%"),
        ]
        for entry in entries
    ]
    sharpest = max(entries, key=lambda entry: (entry.sharpness, entry.clones.points.value))
    finding = (
        f"{sharpest.giver} before listeners of sharpness {sharpest.sharpness:g}: some but not all find it at"
        f" {sharpest.clones.some:.0%} of clone tables and {sharpest.mixed.some:.0%} of mixed ones;"
        f" {sharpest.panel_share:.0%} of the asymmetry is the panel."
    )
    with plot_style():
        figure = plot(
            plots.clones(entries),
            "Some but not all found the card: tables of copies against mixed tables of the same listeners.",
            folder / "clones.svg",
        )
    return section(
        "Clones against mixed tables",
        text(finding, "verdict"),
        text(
            f"The same clues and the same listeners at {entries[0].players} seats; only who sits with whom differs."
            " Asymmetry: the mean listener's points less the storyteller's, at clone and at mixed tables."
        ),
        figure,
        table(head, rows),
    )


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
        "A listener name@β votes by a softmax of β times the cards' z-scores over the deck, never for an own card. Two"
        " dials are set independently."
    )
    yield (
        f"Shuffled clues change places within groups of {GROUP} deals; the decoys answer the shuffled clue. On every"
        f" {AGAIN}th deal a giver is asked twice. Decoys are judged on the clues of {REFERENCE}."
    )
    checks = [
        f"{name} {giver.score.sampled_points:.2f} ({giver.score.points.value:.2f})"
        for name, giver in results.clue_givers.items()
        if giver.score.sampled_turns
    ]
    yield f"Points in turns voted by chance, beside the exact ones: {', '.join(checks)}."
    yield "Intervals resample whole deals, the same for all, so that differences are paired."
