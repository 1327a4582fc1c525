"""The tables of a clue benchmark's page."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

from dixit_env.bench.clues.panels import GIVER_EYES
from dixit_env.bench.clues.results import ClueResults, GiverResult, PanelScore
from dixit_env.bench.report import Html, table, text

Givers = Mapping[str, GiverResult]

HOW_TO_READ = text(
    "In brackets: 95 % of what would be seen if the deals were drawn again. Found: chance that a listener's first dial"
    " shows the card. Above shuffled, by which the rows are ordered: how much more often than with the same cards and"
    " other deals' clues; a clue that means nothing has 0 there. All: chance that everybody finds the card, which pays"
    " the storyteller nothing. At four: the storyteller's points of 3 at a table of four by the rules of Dixit, where"
    " clues that mean nothing and clues that say everything both cost. Points and margin (points less the mean"
    " listener's) are those of the run's own table; at a large one nearly any clue pleases some but not all. ρ: how"
    " much two listeners' votes agree over clues. Valid: replies that are clues; only these are scored.",
    "note",
)


@dataclass(frozen=True)
class Entry:
    """A row of the ranking."""

    score: PanelScore  # before the main panel
    all: float | None
    at_four: float | None
    valid: float


def entries(results: ClueResults) -> dict[str, Entry]:
    """The rows of a run."""
    return {
        name: Entry(giver.score, giver.score.all.value, giver.score.points_at_four.value, giver.texts.valid)
        for name, giver in results.clue_givers.items()
    }


def ranking(rows: Mapping[str, Entry]) -> Html:
    """The main figures of each clue giver."""
    head = ["Clue giver", "Found", "Above shuffled", "All", "At four", "Points", "Margin", "ρ", "Valid"]
    cells = [
        [
            name,
            f"{entry.score.guess_rate:.0%}",
            f"{entry.score.guess_rate_over_shuffled:+.0%}",
            plain(entry.all, ".0%"),
            plain(entry.at_four, ".2f"),
            f"{entry.score.points:.2f}",
            plain(entry.score.margin.value, "+.2f"),
            plain(entry.score.rho.value, ".2f"),
            f"{entry.valid:.0%}",
        ]
        for name, entry in rows.items()
    ]
    return table(head, cells)


def cross_play(results: ClueResults) -> Html:
    """Points by giver and panel, and how far the guess rates are above those of shuffled clues."""
    head = ["Clue giver", *results.panels]
    scores = {name: [cells.get(panel) for panel in results.panels] for name, cells in results.cross_play.items()}
    rows = [[name, *(f"{cell.points:.2f}" if cell else "–" for cell in row)] for name, row in scores.items()]
    rows.append(["ρ", *(plain(about.rho, ".2f") for about in results.panels.values())])
    rows.append(["Found", *(plain(about.guess_rate, ".0%") for about in results.panels.values())])
    lifts = [
        [name, *(f"{cell.guess_rate_over_shuffled:+.0%}" if cell else "–" for cell in row)]
        for name, row in scores.items()
    ]
    note = (
        "Storyteller's points. The last rows are ρ and the chance to find the card, over all clue givers. What a clue"
        f" wins before {GIVER_EYES} alone is a code that only the givers' CLIP reads."
    )
    return _join(table(head, rows), text("Found, above shuffled clues:"), table(head, lifts), text(note, "note"))


def texts(givers: Givers) -> Html:
    """The clues as texts."""
    head = ["Clue giver", "Invalid", "Words", "Names", "Stands out", "Distinct-1", "Distinct-2", "Again", "Same twice"]
    head += ["Also by others", "By people"]
    rows = []
    for name, figures in ((name, giver.texts) for name, giver in givers.items()):
        counts = {**figures.faults, "not answered": figures.no_answer}
        faults = ", ".join(f"{count} {fault}" for fault, count in counts.items() if count) or "none"
        rows.append(
            [
                name,
                faults,
                plain(figures.words, ".1f"),
                plain(figures.literal, ".0%"),
                plain(figures.stands_out, "+.1f"),
                plain(figures.distinct_1, ".2f"),
                plain(figures.distinct_2, ".2f"),
                plain(figures.repeats, ".0%"),
                plain(figures.repeats_over_seeds, ".0%"),
                plain(figures.overlap, ".0%"),
                plain(figures.known, ".0%"),
            ]
        )
    note = (
        "Names: shares a content word with the card's title, captions or tags. Stands out: how far the card stands out"
        " from the deck for the clue, in standard deviations as CLIP sees it. Distinct-n: different n-grams over all."
        " Again: clues that had been given before in the run. Same twice: same clue at a second attempt on the same"
        " hand. Also by others: another clue giver gave it too."
    )
    return _join(table(head, rows), text(note, "note"))


def calibration(givers: Givers) -> Html:
    """What givers predict of their clues."""
    rows = [
        [
            name,
            plain(giver.calibration.expected_guess_rate, ".0%"),
            plain(giver.score.guess_rate.value, ".0%"),
            f"{giver.calibration.brier:.3f}",
            plain(giver.calibration.ece, ".3f"),
        ]
        for name, giver in givers.items()
        if not isnan(giver.calibration.brier.value)
    ]
    note = (
        "Expected: the share of finders that the clue giver predicted itself, against the main panel's. Brier score of"
        " that share for one voter, exact: 0 is perfect, p(1 − p) is what the right constant gets. Clue givers that"
        " predict nothing are left out."
    )
    shown = table(["Clue giver", "Expected", "Found", "Brier", "ECE"], rows) if rows else text("None of them predicts.")
    return _join(shown, text(note, "note"))


def decoys(givers: Givers) -> Html:
    """What agents' decoys draw."""
    rows = [
        [
            name,
            f"{giver.decoys.drawn:.2f}",
            plain(giver.decoys.random, ".2f"),
            plain(giver.decoys.best, ".2f"),
            plain(giver.decoys.skill, ".2f"),
        ]
        for name, giver in givers.items()
        if not isnan(giver.decoys.drawn.value)
    ]
    note = (
        "Dials that a decoy for the same clues drew from the main panel, against a random card and the best card of the"
        " same hand. Skill: 0 is a random card, 1 the best."
    )
    return _join(table(["Agent", "Own decoy", "Random card", "Best card", "Skill"], rows), text(note, "note"))


def costs(results: ClueResults) -> Html:
    """Time, tokens and money by agent."""
    head = ["Agent", "Seconds a clue", "All seconds", "Asked", "Failed", "No answer", "Failed replies", "From cache"]
    head += ["Tokens in", "Tokens out", "Cost"]
    rows = []
    for name, account in results.accounts.items():
        giver = results.clue_givers.get(name)
        counts = (account.asked, account.failed, account.no_answer, account.failed_replies, account.from_cache)
        rows.append(
            [
                name,
                plain(giver.costs.seconds_per_clue if giver else None, ".3f"),
                f"{account.seconds:.1f}",
                *map(str, (*counts, account.tokens_in, account.tokens_out)),
                f"{account.cost:.4f}",
            ]
        )
    note = (
        "Seconds a clue: the median. The rest is for all that an agent was asked: clues, decoys and ballots. Failed:"
        " answers without a legal move. No answer: questions that an outage left open; run again to ask them."
        " Failed replies: those for which a language model was asked once more."
    )
    return _join(table(head, rows), text(note, "note"))


def plain(value: float | None, form: str) -> str:
    """A number without its interval, or a dash."""
    return "–" if value is None or isnan(value) else format(value, form)


def _join(*parts: Html) -> Html:
    return Html("".join(parts))
