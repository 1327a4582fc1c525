"""The report of a tournament: `games.csv`, plots, and one HTML page."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dixit_env.bench.report import (
    COLOURS,
    GREY,
    PARTS,
    Html,
    cards,
    listing,
    page,
    plot,
    plot_style,
    quote,
    section,
    table,
    text,
)
from dixit_env.bench.tournament.focal import FocalPlan, Shares
from dixit_env.bench.tournament.replicator import Dynamics, growth
from dixit_env.bench.tournament.schedule import Line, Ring, Tournament
from dixit_env.bench.tournament.standings import Standings, seat_rows
from dixit_env.decks.deck import Deck
from dixit_env.game.rules import Rules

ROLES = {"clue_points_per_turn": "own clues", "vote_points_per_turn": "votes", "decoy_points_per_turn": "decoys"}
OUTCOMES = {"none": "nobody found it", "some": "some found it", "all": "everybody found it"}
BALLOTS = {"stack": "stacked on one card", "spread": "spread over two", "single": "one dial only"}


def write_csv(lines: Mapping[int, Line], rules: Rules, path: Path) -> None:
    """One row for each seat of each game; columns as in `standings.seat_rows`."""
    rows = [row for number in sorted(lines) for row in seat_rows(number, lines[number], rules)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_page(
    tournament: Tournament,
    lines: Mapping[int, Line],
    outcome: Standings,
    deck: Deck,
    out: Path,
    *,
    first: Sequence[Html] = (),
    more: Sequence[Html] = (),
    notes: Sequence[str] = (),
) -> Path:
    """Write `out/report.html` and the plots in `out/plots`; returns the page's path.

    `first` are sections before the table, `more` are sections behind the plots, `notes` are sentences on how it was
    played.
    """
    names = list(outcome.agents)
    edition, players = tournament.rules.name, tournament.players
    missing = len(tournament.matches()) - outcome.games
    lead = (
        f"{outcome.games} games of {edition.capitalize()} with {players} players, on {outcome.deals} deals"
        f"{'' if missing else ' that every agent played from every seat'}. A game took {outcome.turns_per_game:.1f}"
        f" turns.{_left_out(missing)}"
    )
    verdicts = [text(verdict, "verdict") for verdict in outcome.verdicts]
    with plot_style():
        plots = _plots(outcome, out / "plots")
    html = page(
        f"Who plays Dixit best? {_versus(names)}",
        lead,
        *verdicts,
        *first,
        section("The table", _table(outcome), text(_HOW_TO_READ, "note")),
        section("Who wins", plots[0]),
        section("Where the points come from", plots[1]),
        section("Telling and voting", *plots[2:]),
        *more,
        *_moments(lines, names, deck),
        section("How it was played", listing((*_method(tournament, outcome, deck), *notes))),
    )
    path = out / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


_HOW_TO_READ = (
    "In brackets: 95 % of what would be seen if the deals were drawn again. Win share: of the games an agent sat in,"
    " those it won, its seats together; a tie is shared. Rating: Plackett–Luce strength on Elo's scale; the mean of the"
    " agents is 1500. Found: dials on the storyteller's card. A decoy's dials: votes that a card drew from others."
)


def focal_section(plan: FocalPlan, shares: Shares) -> Html:
    """What each focal agent won among the residents, beside its fair share."""
    head = ["Focal agent", "Seats", "Win share of a seat", "Fair share", "Against fair share", "Games"]
    rows = [
        [
            name,
            f"{count} of {plan.players}",
            f"{share.win_share:.1%} [{share.win_share_low:.1%}–{share.win_share_high:.1%}]" if share.games else "–",
            f"{share.fair_share:.1%}",
            share.verdict,
            str(share.games),
        ]
        for name, by_count in shares.items()
        for count, share in by_count.items()
    ]
    return section(f"Among residents: {_written(plan.residents)}", table(head, rows), text(_HOW_TO_READ_FOCAL, "note"))


_HOW_TO_READ_FOCAL = (
    "A focal agent takes so many seats, residents the others. Win share of a seat: what each of its seats won of the"
    " games; an agent as good as the residents wins the fair share. Above or below: by the rule for all verdicts, which"
    " stands below."
)


def spreading_section(found: Mapping[str, Dynamics], out: Path) -> Html:
    """How each focal agent grows or shrinks in a population of residents; writes `out/plots/replicator.svg`."""
    with plot_style():
        figure = plot(_growth(found), _HOW_TO_READ_GROWTH, out / "plots" / "replicator.svg")
    head = ["Focal agent", "A few spread", "Settles at", "Rest points"]
    rows = [
        [
            name,
            own.spreads,
            f"{own.settles:.0%} [{own.settles_low:.0%}–{own.settles_high:.0%}]",
            ", ".join(f"{point.focal:.0%} {'stable' if point.stable else 'unstable'}" for point in own.rest_points),
        ]
        for name, own in found.items()
    ]
    return section("When what wins spreads", figure, table(head, rows))


_HOW_TO_READ_GROWTH = (
    "Replicator dynamics: in a large population of focal agents and residents, tables are drawn at random, and who wins"
    " more grows. Above 0 the focal agents grow, below residents do; the band holds 95 % of what would be seen if the"
    " deals were drawn again. Where the line falls through 0 (●) a mix is stable, where it rises (○) it parts."
)


def _growth(found: Mapping[str, Dynamics]) -> Figure:
    figure = Figure(figsize=(8.6, 3.8), layout="constrained")
    axes = figure.subplots()
    focal = np.linspace(0, 1, 101)
    axes.axhline(0, color=GREY, linewidth=1.2)
    for number, (name, own) in enumerate(found.items()):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(focal, growth(own.gains, focal), color=colour, label=fill(name, 30, break_on_hyphens=False))
        low, high = np.quantile(growth(own.samples, focal), [0.025, 0.975], axis=0)
        axes.fill_between(focal, low, high, color=colour, alpha=0.15, linewidth=0)
        for point in own.rest_points:
            face = colour if point.stable else "white"
            axes.plot(point.focal, 0, "o", color=colour, markerfacecolor=face, markersize=8, clip_on=False)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("focal agents in the population")
    axes.set_ylabel("wins of a seat, focal − resident")
    axes.grid(color="#e4ddcf")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper left", ncols=3, handlelength=1.4)
    return figure


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _versus(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def _table(outcome: Standings) -> Html:
    head = ["Agent", "Win share", "Fair share", "Rating", "Points a turn", "Found", "A decoy's dials", "ms a decision"]
    rows = []
    for name, figures in outcome.agents.items():
        row = [
            name,
            _share(figures, "win_share"),
            f"{figures['fair_share']:.0%}",
            f"{figures['rating']:.0f} [{figures['rating_low']:.0f}–{figures['rating_high']:.0f}]",
            _number(figures, "points_per_turn"),
            _share(figures, "found"),
            _number(figures, "dials_per_decoy"),
            f"{1000 * figures['seconds_per_decision']:.2g}",
        ]
        rows.append(row)
    return table(head, rows)


def _share(figures: Mapping[str, float], figure: str) -> str:
    if isnan(figures[figure]):
        return "–"
    return f"{figures[figure]:.0%} [{figures[f'{figure}_low']:.0%}–{figures[f'{figure}_high']:.0%}]"


def _number(figures: Mapping[str, float], figure: str) -> str:
    if isnan(figures[figure]):
        return "–"
    return f"{figures[figure]:.2f} [{figures[f'{figure}_low']:.2f}–{figures[f'{figure}_high']:.2f}]"


def _plots(outcome: Standings, folder: Path) -> list[Html]:
    wins = plot(
        _wins(outcome),
        "Left: win share with its 95 % interval; the grey mark is the fair share, what an agent would win among equals."
        " Right: rating with its 95 % interval.",
        folder / "wins.svg",
    )
    points = plot(
        _stacked(outcome, ROLES, "points a turn"),
        "Points a turn, by what they were given for: as storyteller, for dials on the storyteller's card (and for"
        " everybody's points when all or none found it), and for dials that the own decoys drew.",
        folder / "points.svg",
    )
    outcomes = plot(
        _stacked(outcome, OUTCOMES, "share of the own clues", percent=True),
        "What became of each agent's clues. The storyteller scores only when some, but not all, find the card.",
        folder / "outcomes.svg",
    )
    ballots = []
    if any(not isnan(figures["stack"]) for figures in outcome.agents.values()):
        figure = _stacked(outcome, BALLOTS, "share of the ballots", percent=True)
        ballots = [plot(figure, "What each agent did with its two dials.", folder / "ballots.svg")]
    return [wins, points, outcomes, *ballots]


def _figure(rows: int) -> Figure:
    return Figure(figsize=(8.6, 1.1 + 0.42 * rows), layout="constrained")


def _label(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [fill(name, 30, break_on_hyphens=False) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _wins(outcome: Standings) -> Figure:
    figure = _figure(len(outcome.agents))
    shares, ratings = figure.subplots(1, 2, sharey=True)
    _label(shares, list(outcome.agents))
    for row, figures in enumerate(outcome.agents.values()):
        colour = COLOURS[row % len(COLOURS)]
        low, high = figures["win_share_low"], figures["win_share_high"]
        shares.plot([low, high], [row, row], color=colour, linewidth=3, alpha=0.45, solid_capstyle="round")
        shares.plot(figures["win_share"], row, "o", color=colour, markersize=8, clip_on=False)
        shares.plot([figures["fair_share"]] * 2, [row - 0.32, row + 0.32], color=GREY, linewidth=1.5)
        ends = [figures["rating_low"], figures["rating_high"]]
        ratings.plot(ends, [row, row], color=colour, linewidth=3, alpha=0.45)
        ratings.plot(figures["rating"], row, "o", color=colour, markersize=8, clip_on=False)
    shares.set_xlim(left=0)
    shares.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    shares.set_xlabel("win share")
    ratings.set_xlabel("rating")
    for axes in (shares, ratings):
        axes.grid(axis="x", color="#e4ddcf")
        axes.set_axisbelow(True)
    ratings.tick_params(axis="y", length=0)
    ratings.spines["left"].set_visible(False)
    return figure


def _stacked(outcome: Standings, parts: Mapping[str, str], label: str, *, percent: bool = False) -> Figure:
    figure = _figure(len(outcome.agents) + 1)
    axes = figure.subplots()
    _label(axes, list(outcome.agents))
    agents = list(outcome.agents.values())
    used = {key: words for key, words in parts.items() if any(figures[key] > 0 for figures in agents)}
    width = max(sum(figures[key] for key in used if not isnan(figures[key])) for figures in agents)
    left = [0.0] * len(agents)
    for number, (key, words) in enumerate(used.items()):
        values = [0.0 if isnan(figures[key]) else figures[key] for figures in agents]
        axes.barh(range(len(agents)), values, left=left, height=0.62, color=PARTS[number], label=words)
        for row, value in enumerate(values):
            if value > 0.06 * width:
                shown = f"{value:.0%}" if percent else f"{value:.2f}"
                axes.text(left[row] + value / 2, row, shown, ha="center", va="center", color="white", fontsize=9)
        left = [start + value for start, value in zip(left, values, strict=True)]
    if percent:
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel(label)
    figure.legend(loc="outside upper left", ncols=len(used), handlelength=1)
    return figure


def _moments(lines: Mapping[int, Line], names: Sequence[str], deck: Deck) -> list[Html]:
    """Two turns with their pictures: the best agent's clue that split the table most evenly, and the best decoy."""
    files = {card.id: card.path for card in deck.cards if card.path is not None}
    turns = [(line, turn) for number in sorted(lines) for line in [lines[number]] for turn in line["turns"]]
    if len(files) < len(deck) or not turns:
        return []

    def dials(turn: Line) -> list[int]:
        shown = [slot for vote in turn["votes"] for slot in vote]
        return [shown.count(slot) for slot in range(len(turn["slots"]))]

    def evenness(moment: tuple[Line, Line]) -> tuple[bool, int, int]:
        line, turn = moment
        received = dials(turn)
        target = turn["owners"].index(turn["storyteller"])
        best = line["seats"][turn["storyteller"]] == names[0]
        return best, sum(count > 0 for count in received), -abs(2 * received[target] - sum(received))

    def temptation(moment: tuple[Line, Line]) -> int:
        turn = moment[1]
        return max(
            count for count, owner in zip(dials(turn), turn["owners"], strict=True) if owner != turn["storyteller"]
        )

    def shown(moment: tuple[Line, Line]) -> Html:
        line, turn = moment
        seats, teller = line["seats"], turn["storyteller"]
        pictures = [
            (
                files[card],
                f"{seats[owner]}{' (storyteller)' * (owner == teller)}: {_count(count, 'dial')}",
                owner == teller,
            )
            for card, owner, count in zip(turn["slots"], turn["owners"], dials(turn), strict=True)
        ]
        return Html(quote(f"“{turn['clue']}”") + cards(pictures))

    clue = max(turns, key=evenness)
    moments = [text(f"The clue of {names[0]} that divided the table most:"), shown(clue)]
    if others := [moment for moment in turns if moment is not clue]:
        moments += [text("And the decoy that drew the most dials:"), shown(max(others, key=temptation))]
    return [section("Two moments", *moments)]


def _left_out(games: int) -> str:
    """A sentence about the games that an outage ended, or ""."""
    if not games:
        return ""
    return f" {_count(games, 'game')} {'is' if games == 1 else 'are'} left out, because an agent could not be asked."


def _written(names: Ring) -> str:
    """A ring as on the command line: `clip, greedy*5`."""
    return ", ".join(name if times == 1 else f"{name}*{times}" for name, times in Counter(names).items())


def _method(tournament: Tournament, outcome: Standings, deck: Deck) -> Iterator[str]:
    rings = "; ".join(_written(names) for names in tournament.rings)
    yield (
        f"Deck {deck.name} ({len(deck)} cards, {deck.hash}), rules {tournament.rules.name}, {tournament.players} seats"
        f" filled in turn from: {rings}. Tournament seed {tournament.seed}, salt {tournament.salt or 'none'}."
    )
    yield (
        f"Each deal was played {tournament.seatings} times with the agents moved through the seats, so that everyone"
        " got the same cards and the same place at the table equally often."
    )
    yield (
        f"Games on one deal are correlated. The intervals therefore resample the {outcome.deals} deals, not the"
        f" {outcome.games} games, and all agents on the same resampled deals. An agent is called better only where the"
        " paired difference of wins per fair share is significant (5 %) with Holm's correction for all pairs. An"
        " interval without width means that no deal differed."
    )
    faulty = {name: int(figures["faults"]) for name, figures in outcome.agents.items() if figures["faults"]}
    if faulty:
        counts = ", ".join(f"{name} {count}" for name, count in faulty.items())
        yield f"Decisions that failed or were illegal and were replaced by a random legal one: {counts}."
    else:
        yield "No decision failed or was illegal."
    if outcome.pairs:
        yield f"Paired differences of wins per fair share: {'; '.join(map(str, outcome.pairs))}."
