"""A clue benchmark for people: one page with tables, plots and the turns worth seeing."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

from dixit_env.bench.clues import plots
from dixit_env.bench.clues.clones import TABLES
from dixit_env.bench.clues.run import AGAIN, GROUP, REFERENCE, SHUFFLED, Outcome
from dixit_env.bench.clues.tables import DECOY, DECOY_EYE
from dixit_env.bench.report import Html, cards, listing, page, plot, plot_style, quote, section, table, text
from dixit_env.decks.deck import Deck

Figures = Mapping[str, Any]
Line = Mapping[str, Any]


def write_page(outcome: Outcome, results: Figures, lines: Sequence[Line], out: Path) -> Path:
    """Write `out/report.html` and the plots in `out/plots`; returns the page's path."""
    bench, givers = outcome.bench, results["clue_givers"]
    lead = (
        f"{len(givers)} clue givers told on the same {bench.count} deals of {bench.rules.name.capitalize()} with"
        f" {bench.players} players, before {len(bench.panels)} panels of listeners. Scores are exact expectations over"
        " the listeners' votes."
    )
    told = page(
        "Who gives the best clues?",
        lead,
        *[text(verdict, "verdict") for verdict in verdicts(results)],
        section(f"Before the {results['main_panel']} panel", leaderboard(givers), text(_HOW_TO_READ, "note")),
        *plot_sections(results, out / "plots"),
        section("Clue giver by panel", _cross(results), text(_CROSS, "note")),
        section("As texts", _texts(givers), text(_TEXTS, "note")),
        section("Do they know how well they are understood?", _calibration(givers), text(_CALIBRATION, "note")),
        section("As givers of decoys", _decoys(givers), text(_DECOYS, "note")),
        section("Time and cost", _costs(results), text(_COSTS, "note")),
        *([clone_section(results["clones"], out / "plots")] if "clones" in results else []),
        *_turns([line for line in lines if line["giver"] in _found(results)], outcome.deck, results["main_panel"]),
        section("How it was measured", listing(tuple(_method(outcome, results)))),
    )
    path = out / "report.html"
    path.write_text(told, encoding="utf-8")
    return path


_HOW_TO_READ = (
    "In brackets: 95 % of what would be seen if the deals were drawn again. Points: the storyteller's. Margin: these"
    " less the mean listener's. Found: chance that a listener's first dial shows the card; lift is what that is above a"
    " blind legal vote, in percentage points. Over shuffled: points above those of the same cards with another deal's"
    " clues; only this tells a clue from luck, since clues that mean nothing also please some but not all. ρ: how much"
    " two listeners' votes agree over clues. Valid: replies that are clues; only these are scored."
)
_CROSS = (
    "Storyteller's points. Nothing was tuned against a held-out panel. The last rows are ρ and the chance to find the"
    " card, over all clue givers."
)
_TEXTS = (
    "Names: shares a content word with the card's title, captions or tags. Stands out: how far the card stands out from"
    " the deck for the clue, in standard deviations as CLIP sees it. Distinct-n: different n-grams over all. Again:"
    " clues that had been given before in the run. Same twice: same clue at a second attempt on the same hand. Also by"
    " others: another clue giver gave it too."
)
_CALIBRATION = (
    "Expected: the share of finders that the clue giver foresaw itself, against the main panel's. Brier score of that"
    " share for one voter, exact: 0 is perfect, p(1 − p) is what the right constant gets. Clue givers that foresee"
    " nothing are left out."
)
_DECOYS = (
    "Dials that a decoy for the same clues drew from the main panel, against a random card and the best card of the"
    " same hand. Skill: 0 is a random card, 1 the best."
)
_COSTS = (
    "Seconds a clue: the median. The rest is for all that an agent was asked: clues, decoys and ballots. Failed:"
    " answers without a legal move. Failed replies: what a language model was asked for once more."
)


def verdicts(results: Figures) -> list[str]:
    """Who earns more than whom, and who doesn't beat the own shuffled clues."""
    said = []
    for name in results["clue_givers"]:
        if beaten := [pair["behind"] for pair in results["pairs"] if pair["ahead"] == name and pair["separate"]]:
            figures = results["clue_givers"][name]
            said.append(f"{name} ({points(figures)} points a clue) earns more than {', '.join(beaten)}.")
    found = _found(results)
    if idle := [name for name in results["clue_givers"] if name not in (SHUFFLED, *found)]:
        said.append(f"No better found than shuffled clues: {', '.join(idle)}.")
    for panel in (name for name, about in results["panels"].items() if about["held_out"]):
        rows = {name: results["cross_play"][name].get(panel, {}) for name in found}
        if lost := [name for name, row in rows.items() if not row.get("guess_rate_over_shuffled_low", 0) > 0]:
            said.append(
                f"Before the {panel} panel, which nothing was tuned against, no better found than shuffled clues:"
                f" {', '.join(lost)}."
            )
    return said


def _found(results: Figures) -> list[str]:
    """The clue givers whose clues are surely found more often than shuffled ones."""
    givers = results["clue_givers"]
    return [name for name in givers if givers[name].get("guess_rate_over_shuffled_low", 0) > 0]


def points(figures: Figures, key: str = "points", form: str = ".2f") -> str:
    """A figure with its interval in brackets, or a dash."""
    if key not in figures or figures[key] is None or isnan(figures[key]):
        return "–"
    value = format(figures[key], form)
    low, high = figures.get(f"{key}_low"), figures.get(f"{key}_high")
    return value if low is None or high is None else f"{value} [{low:{form}} to {high:{form}}]"


def leaderboard(givers: Figures) -> Html:
    """The main figures of each clue giver."""
    head = ["Clue giver", "Points", "Margin", "Some", "Found", "Lift", "Over shuffled", "ρ", "Valid"]
    rows = [
        [
            name,
            points(figures),
            _plain(figures["margin"], "+.2f"),
            points(figures, "some", ".0%"),
            points(figures, "guess_rate", ".0%"),
            _plain(100 * figures["lift"], "+.0f"),
            points(figures, "points_over_shuffled", "+.2f"),
            points({"rho": figures.get("rho", float("nan"))}, "rho"),
            f"{figures['valid']:.0%}",
        ]
        for name, figures in givers.items()
    ]
    return table(head, rows)


def plot_sections(results: Figures, folder: Path) -> list[Html]:
    """Points, outcomes and the curve over table sizes."""
    givers = {name: figures for name, figures in results["clue_givers"].items() if not isnan(figures["points"])}
    if not givers:
        return []
    with plot_style():
        first = plot(
            plots.points(givers),
            "The storyteller's points with 95 % intervals. The grey ring: the same cards with shuffled clues.",
            folder / "points.svg",
        )
        second = plot(
            plots.outcomes(givers),
            "How often nobody, some or everybody finds the card. Only “some” pays the storyteller.",
            folder / "outcomes.svg",
        )
        third = plot(
            plots.curve(givers),
            "The same clues at tables of other sizes, exactly. Left: some but not all found it. Right: the chance of"
            " one listener.",
            folder / "sizes.svg",
        )
        fourth = plot(
            plots.cross_play(results),
            "Storyteller's points of every clue giver before every panel.",
            folder / "cross_play.svg",
        )
    return [section("Points", first), section("Outcomes", second), section("From 3 to 12 players", third, fourth)]


def clone_section(entries: Sequence[Figures], folder: Path) -> Html:
    """The clones experiment."""
    head = [
        "Clue giver",
        "β",
        "Found",
        "ρ clones",
        "ρ mixed",
        "Some, clones",
        "Some, mixed",
        "… people's ρ",
        "Asymmetry",
        "of it panel",
    ]
    rows = [
        [
            entry["giver"],
            f"{entry['sharpness']:g}",
            f"{entry['guess_rate']:.0%}",
            *(_plain(entry[kind]["rho"], ".2f") for kind in TABLES),
            *(points(entry[kind], "some", ".0%") for kind in TABLES),
            _plain(entry.get("some_people", float("nan")), ".0%"),
            " → ".join(f"{entry[kind]['asymmetry']:+.2f}" for kind in TABLES),
            _plain(entry["panel_share"], ".0%"),
        ]
        for entry in entries
    ]
    sharpest = max(entries, key=lambda entry: (entry["sharpness"], entry["clones"]["points"]))
    some = [points(sharpest[kind], "some", ".0%") for kind in TABLES]
    finding = (
        f"{sharpest['giver']} before listeners of sharpness {sharpest['sharpness']:g}: some but not all find it at"
        f" {some[0]} of clone tables and {some[1]} of mixed ones;"
        f" {points(sharpest, 'panel_share', '.0%')} of the asymmetry is the panel."
    )
    with plot_style():
        shown = plot(
            plots.clones(entries),
            "Some but not all found the card: tables of copies against mixed tables of the same listeners.",
            folder / "clones.svg",
        )
    return section(
        "Clones against mixed tables",
        text(finding, "verdict"),
        text(
            f"The same clues and the same listeners at {entries[0]['players']} seats; only who sits with whom differs."
            " Asymmetry: the mean listener's points less the storyteller's, at clone and at mixed tables."
        ),
        shown,
        table(head, rows),
    )


def _plain(value: float, form: str) -> str:
    return "–" if value is None or isnan(value) else format(value, form)


def _cross(results: Figures) -> Html:
    panels = list(results["panels"])
    head = ["Clue giver", *(f"{name} (held out)" if results["panels"][name]["held_out"] else name for name in panels)]
    head = [name.replace("held-out (held out)", "held-out") for name in head]
    rows = [[name, *(points(row.get(panel, {})) for panel in panels)] for name, row in results["cross_play"].items()]
    rows.append(["ρ", *(_plain(results["panels"][panel]["rho"], ".2f") for panel in panels)])
    rows.append(["Found", *(_plain(results["panels"][panel]["guess_rate"], ".0%") for panel in panels)])
    lifts = [
        [name, *(points(row.get(panel, {}), "guess_rate_over_shuffled", "+.0%") for panel in panels)]
        for name, row in results["cross_play"].items()
    ]
    return Html(table(head, rows) + text("Found, above shuffled clues:") + table(head, lifts))


def _texts(givers: Figures) -> Html:
    columns = {
        "Words": ("words", ".1f"),
        "Names": ("literal", ".0%"),
        "Stands out": ("stands_out", "+.1f"),
        "Distinct-1": ("distinct_1", ".2f"),
        "Distinct-2": ("distinct_2", ".2f"),
        "Again": ("repeats", ".0%"),
        "Same twice": ("repeats_over_seeds", ".0%"),
        "Also by others": ("overlap", ".0%"),
        "By people": ("known", ".0%"),
    }
    rows = []
    for name, figures in givers.items():
        faults = ", ".join(f"{count} {fault}" for fault, count in figures["faults"].items() if count) or "none"
        rows.append([name, faults, *(_plain(figures[key], form) for key, form in columns.values())])
    return table(["Clue giver", "Invalid", *columns], rows)


def _calibration(givers: Figures) -> Html:
    rows = [
        [
            name,
            _plain(figures["expected_guess_rate"], ".0%"),
            _plain(figures["guess_rate"], ".0%"),
            points(figures, "brier", ".3f"),
            _plain(figures["ece"], ".3f"),
        ]
        for name, figures in givers.items()
        if not isnan(figures["brier"])
    ]
    return table(["Clue giver", "Expected", "Found", "Brier", "ECE"], rows) if rows else text("None of them says.")


def _decoys(givers: Figures) -> Html:
    rows = [
        [
            name,
            points(figures["decoys"], "drawn"),
            _plain(figures["decoys"]["random"], ".2f"),
            _plain(figures["decoys"]["best"], ".2f"),
            _plain(figures["decoys"]["skill"], ".2f"),
        ]
        for name, figures in givers.items()
        if not isnan(figures["decoys"]["drawn"])
    ]
    return table(["Agent", "Own decoy", "Random card", "Best card", "Skill"], rows)


def _costs(results: Figures) -> Html:
    whole = ("asked", "failed", "failed_replies", "from_cache", "tokens_in", "tokens_out")
    head = ["Agent", "Seconds a clue", "All seconds", *(key.replace("_", " ").capitalize() for key in whole), "Cost"]
    rows = [
        [
            name,
            _plain(results["clue_givers"].get(name, {}).get("seconds_per_clue", float("nan")), ".3f"),
            f"{account['seconds']:.1f}",
            *(str(account[key]) for key in whole),
            f"{account['cost']:.4f}",
        ]
        for name, account in results["accounts"].items()
    ]
    return table(head, rows)


def _turns(lines: Sequence[Line], deck: Deck, panel: str) -> list[Html]:
    """The best, the worst and the most surprising turn, with pictures and votes."""
    files = {card.id: card.path for card in deck.cards if card.path is not None}
    scored = [line for line in lines if panel in line["panels"]]
    if not scored or len(files) < len(deck):
        return []
    voters = len(scored[0]["panels"][panel]["votes"])

    def margin(line: Line) -> float:
        return float(line["panels"][panel]["margin"])

    def surprise(line: Line) -> float:
        """How far the share of finders was from what was expected; without expectation, from what was usual."""
        found = line["panels"][panel]["guess_rate"]
        expected = (line["expected"] or {}).get("finders")
        return abs(found - expected / voters) if expected is not None else 0.0

    def shown(label: str, line: Line) -> Html:
        votes = line["panels"][panel]["votes"]
        told = line["panels"][panel]
        expected = (line["expected"] or {}).get("finders")
        foreseen = "" if expected is None else f" {expected / voters:.0%} were expected."
        pictures = [
            (
                files[card],
                f"{'storyteller' if owner == 0 else f'player {owner + 1}'}:"
                f" {sum(vote[column] for vote in votes):.1f} of {voters} first dials",
                owner == 0,
            )
            for column, (card, owner) in enumerate(zip(line["table"], line["owners"], strict=True))
        ]
        words = (
            f"{label}: {line['giver']}, deal {line['deal']}. {told['guess_rate']:.0%} of the listeners find the card."
            f"{foreseen} Some but not all: {told['some']:.0%}; {told['points']:.2f} points, margin"
            f" {told['margin']:+.2f}."
        )
        return Html(quote(f"“{line['clue']}”") + text(words) + cards(pictures))

    return [
        section(
            "Three turns",
            shown("The best", max(scored, key=margin)),
            shown("The worst", min(scored, key=margin)),
            shown("The most surprising", max(scored, key=surprise)),
        )
    ]


def _method(outcome: Outcome, results: Figures) -> Iterator[str]:
    bench = outcome.bench
    yield (
        f"Deck {outcome.deck.name} ({len(outcome.deck)} cards, {outcome.deck.hash}), rules {bench.rules.name}, seed"
        f" {bench.seed}. A deal is the first turn of a game; all clue givers get the same hands."
    )
    yield (
        f"Decoys: every other player gives the card that a softmax (sharpness {DECOY:g}) of the {DECOY_EYE} eye takes"
        " from its hand, with noise that belongs to the deal, whoever tells and whoever votes."
    )
    for panel in bench.panels:
        yield f"Panel {panel.name} ({panel.kind}): {', '.join(panel.listeners)}."
    yield (
        "A listener name@β votes by a softmax of β times how the cards stand out from the deck, never for an own card."
        " Two dials are set independently: who is sure stacks, who doubts spreads."
    )
    yield (
        f"Shuffled clues change places within groups of {GROUP} deals; the decoys answer the shuffled clue. On every"
        f" {AGAIN}th deal a giver is asked twice. Decoys are judged on the clues of {REFERENCE}."
    )
    checks = [
        f"{name} {figures['sampled_points']:.2f} ({figures['points']:.2f})"
        for name, figures in results["clue_givers"].items()
        if "sampled_points" in figures
    ]
    yield f"Points in turns voted by chance, beside the exact ones: {', '.join(checks)}."
    yield "Intervals resample whole deals, the same for all, so that differences are paired."
