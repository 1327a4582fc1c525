"""Focal agents among residents: does an agent win where the others are of another kind?

Each focal agent plays in line-ups of its own, a given number of its seats among residents. All line-ups share the deals
and the places (`schedule`), so a focal agent sits where another one sat, with the same cards. What it wins is judged
against its fair share, which is one of the seats: an agent as good as the residents has that, whatever they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from math import gcd
from typing import Literal

import numpy as np

from dixit_env.bench.stats import ENOUGH, Difference, Floats, compare, interval, ratio, resample
from dixit_env.bench.tournament.schedule import Line, Ring
from dixit_env.errors import DixitError

FAIR = "fair share"

Verdict = Literal["above", "below", "neither", "too few deals"]


@dataclass(frozen=True, slots=True)
class Share:
    """What a focal agent won of its games in one composition, for each of its seats; a tie is shared."""

    games: int
    win_share: float
    win_share_low: float
    win_share_high: float
    fair_share: float
    verdict: Verdict  # is the win share above or below the fair share (`stats.compare`)?


@dataclass(frozen=True, slots=True)
class Tally:
    """What the seats of focal agents won, by agent, by number of its seats and by deal; float64 (A, K, deals)."""

    won: Floats  # games for each of the seats; a tie is shared
    games: Floats

    def win_shares(self) -> Floats:
        """Win share of a seat, (A, K); NaN without games."""
        return ratio(self.won.sum(-1), self.games.sum(-1))

    def resampled(self) -> Floats:
        """The same in each bootstrap resample of the deals, (A, K, draws)."""
        draws = resample(self.won.shape[-1]).T
        return ratio(self.won @ draws, self.games @ draws)


Shares = Mapping[str, Mapping[int, Share]]
"""Focal agent → its seats in a game → what each of them won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FocalPlan:
    """Which agents are focal, among whom, in how many seats.

    Raises `DixitError` without agents of either kind, and for an agent of both.
    """

    focal: tuple[str, ...]
    residents: Ring  # fill the other seats in these proportions
    players: int
    counts: tuple[int, ...] = (1,)  # seats of a focal agent; each of them is played

    def __post_init__(self) -> None:
        if not self.focal or not self.residents:
            raise DixitError("focal agents play among residents: name at least one of each")
        if both := [name for name in self.focal if name in self.residents]:
            raise DixitError(f"{both[0]} can't be both focal and resident: among its like it has its fair share")

    def rings(self) -> tuple[Ring, ...]:
        """The line-ups, each as long as the table, so that every game has exactly its composition."""
        return tuple(ring for name in self.focal for count in self.counts for ring in self._among(name, count))

    def _among(self, name: str, count: int) -> Iterator[Ring]:
        """Line-ups in which the residents come in their proportions; several where one table can't hold these."""
        others = self.players - count
        residents = cycle(self.residents)
        for _ in range(len(self.residents) // gcd(len(self.residents), others)):
            yield (name,) * count + tuple(islice(residents, others))

    def tally(self, lines: Mapping[int, Line]) -> Tally:
        """Sum up the games (`play_tournament`) by deal."""
        deals = {deal: row for row, deal in enumerate(sorted({line["deal"] for line in lines.values()}))}
        won = np.zeros((len(self.focal), len(self.counts), len(deals)))
        games = np.zeros_like(won)
        for line in lines.values():
            seats, winners = line["seats"], [line["seats"][seat] for seat in line["winners"]]
            name = next(name for name in self.focal if name in seats)
            count = seats.count(name)
            cell = self.focal.index(name), self.counts.index(count), deals[line["deal"]]
            won[cell] += winners.count(name) / len(winners) / count
            games[cell] += 1
        return Tally(won, games)

    def shares(self, lines: Mapping[int, Line]) -> dict[str, dict[int, Share]]:
        """What each focal agent won of the games (`play_tournament`); NaN where there are none.

        The intervals resample deals, the same ones for all agents.
        """
        tally, fair = self.tally(lines), 1 / self.players
        deals = tally.games.shape[-1]
        values, samples = tally.win_shares(), tally.resampled()
        cells = [(row, column) for row in range(len(self.focal)) for column in range(len(self.counts))]
        differences = {
            (f"{self.focal[row]}, {self.counts[column]} seats", FAIR): (
                float(values[row, column]) - fair,
                samples[row, column] - fair,
            )
            for row, column in cells
        }
        pairs = dict(zip(cells, compare(differences, deals), strict=True))

        def share(row: int, column: int) -> Share:
            cell = row, column
            low, high = interval(samples[cell])
            verdict = _verdict(pairs[cell], deals)
            return Share(int(tally.games[cell].sum()), float(values[cell]), low, high, fair, verdict)

        return {
            name: {count: share(row, column) for column, count in enumerate(self.counts)}
            for row, name in enumerate(self.focal)
        }

    def verdicts(self, shares: Shares) -> list[str]:
        """A sentence for each focal agent alone among residents."""
        return [self._sentence(name, by_count[1]) for name, by_count in shares.items() if 1 in by_count]

    def _sentence(self, name: str, share: Share) -> str:
        among = ", ".join(dict.fromkeys(self.residents))
        won = f"{share.win_share:.1%} of its games [{share.win_share_low:.1%} to {share.win_share_high:.1%}]"
        fair = f"its fair share of {share.fair_share:.1%}"
        match share.verdict:
            case "above" | "below":
                return f"Alone among {among}, {name} wins {won}: {share.verdict} {fair}."
            case "neither":
                return f"No difference found: alone among {among}, {name} wins {won}, against {fair}."
            case _:
                return f"No verdict on {name} alone among {among}: at least {ENOUGH} deals are needed."


def _verdict(pair: Difference, deals: int) -> Verdict:
    if deals < ENOUGH:
        return "too few deals"
    if not pair.separate:
        return "neither"
    return "below" if pair.ahead == FAIR else "above"
