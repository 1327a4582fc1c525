"""Where a mix of two kinds of agents settles when what wins spreads: the replicator dynamics of focal agents and
residents.

In a large population a share x is of the focal kind. Tables of n draw their seats from it, and each kind grows by how
much more its seats win than those of the other kind: dx/dt = x (1 − x) g(x). A seat sits beside j focal agents with a
binomial chance, so g is the polynomial with Bernstein coefficients d(j) = what a seat wins as a focal agent − what it
wins as a resident, beside j focal agents among the n − 1 others: the gains from switching (Peña, Lehmann and Nöldeke
2014). They follow from the win shares of all compositions. Rest points inside are where g changes its sign.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.polynomial.polynomial import polyroots, polytrim, polyval

from dixit_env.bench.stats import ENOUGH, Floats, interval, ratio
from dixit_env.bench.tournament.focal import FocalPlan
from dixit_env.bench.tournament.schedule import Line

STEPS = 400  # in which g is searched for where it falls to 0; in between it is taken as straight
ROUNDING = 1e-9  # a root nearer to an end is that end

Spreads = Literal["yes", "no", "neither", "too few deals"]


@dataclass(frozen=True, slots=True)
class RestPoint:
    """A mix that doesn't change."""

    focal: float  # share of the population
    stable: bool  # does the mix come back to it?


@dataclass(frozen=True, slots=True)
class Dynamics:
    """What becomes of a focal agent in a population of residents."""

    gains: Floats  # (n,) from switching, by number of focal agents in the other seats
    samples: Floats  # (draws, n) the same of resampled deals
    spreads: Spreads  # from rare: is the interval of the first gain above 0?
    settles: float  # share of the population that a few come to
    settles_low: float
    settles_high: float
    rest_points: tuple[RestPoint, ...]  # from 0 to 1


def dynamics(plan: FocalPlan, lines: Mapping[int, Line]) -> dict[str, Dynamics]:
    """The dynamics of each focal agent among the residents, who keep their proportions. Intervals resample deals.

    The plan has all compositions. A focal agent that lacks the games of one is left out.
    """
    tally = plan.tally(lines)
    gains = gains_from_switching(tally.win_shares())
    samples = gains_from_switching(tally.resampled().swapaxes(1, 2))  # (A, draws, n)
    enough = tally.games.shape[-1] >= ENOUGH
    return {
        name: _dynamics(own, drawn[np.isfinite(drawn).all(1)], enough)
        for name, own, drawn in zip(plan.focal, gains, samples, strict=True)
        if np.isfinite(own).all()
    }


def sentences(plan: FocalPlan, found: Mapping[str, Dynamics]) -> list[str]:
    """For each focal agent: would a few of them spread among the residents, and how far?"""
    return [_sentence(name, ", ".join(dict.fromkeys(plan.residents)), own) for name, own in found.items()]


def to_json(found: Dynamics) -> dict[str, Any]:
    """The dynamics as JSON values, without the samples."""
    return {
        "spreads": found.spreads,
        "settles": found.settles,
        "settles_low": found.settles_low,
        "settles_high": found.settles_high,
        "rest_points": [{"focal": point.focal, "stable": point.stable} for point in found.rest_points],
        "gains": found.gains.tolist(),
    }


def gains_from_switching(win_shares: Floats) -> Floats:
    """Gains (…, n) from the win shares of a focal seat (…, n − 1), in tables of n with 1, …, n − 1 of them.

    In a table of one kind every seat wins 1/n; in the others residents win what focal seats don't.
    """
    players = win_shares.shape[-1] + 1
    seats = np.arange(1, players)
    alike = np.full((*win_shares.shape[:-1], 1), 1 / players)
    residents = (1 - seats * win_shares) / (players - seats)
    return np.concatenate([win_shares, alike], -1) - np.concatenate([alike, residents], -1)


def growth(gains: Floats, focal: Floats) -> Floats:
    """g at shares of the population (m,), from gains (…, n): (…, m)."""
    return np.asarray(polyval(focal, np.moveaxis(_in_powers(gains), -1, 0)), np.float64)


def rest_points(gains: Floats) -> tuple[RestPoint, ...]:
    """The rest points from gains (n,): none, all, and between them the shares where g changes its sign.

    Where nothing is gained or lost every mix rests; only the two ends are returned, neither of them stable.
    """
    roots = polyroots(polytrim(_in_powers(gains), 1e-12)).real  # of complex ones too: there no sign changes
    inner = np.sort(roots[(roots > ROUNDING) & (roots < 1 - ROUNDING)])
    edges = np.array([0.0, *inner, 1.0])
    signs = np.sign(growth(gains, (edges[:-1] + edges[1:]) / 2))
    inside = [
        RestPoint(float(focal), bool(before > after))
        for focal, before, after in zip(edges[1:-1], signs[:-1], signs[1:], strict=True)
        if before * after < 0
    ]
    return RestPoint(0.0, bool(signs[0] < 0)), *inside, RestPoint(1.0, bool(signs[-1] > 0))


def settled(gains: Floats) -> Floats:
    """The share of the population that a few focal agents come to, (…), from gains (…, n): where g first falls to 0."""
    focal = np.linspace(0, 1, STEPS + 1)
    height = growth(gains, focal)
    falls = height <= 0
    after = np.where(falls.any(-1), falls.argmax(-1), STEPS)
    before = np.maximum(after - 1, 0)
    high, low = (np.take_along_axis(height, at[..., None], -1)[..., 0] for at in (before, after))
    between = focal[before] + ratio(high, high - low) / STEPS
    return np.where(after == 0, 0.0, np.where(falls.any(-1), between, 1.0))


def _dynamics(gains: Floats, samples: Floats, enough: bool) -> Dynamics:
    low, high = interval(samples[:, 0])
    spreads: Spreads = "yes" if low > 0 else "no" if high < 0 else "neither"
    ends = interval(settled(samples))
    return Dynamics(
        gains, samples, spreads if enough else "too few deals", float(settled(gains)), *ends, rest_points(gains)
    )


def _sentence(name: str, residents: str, found: Dynamics) -> str:
    settles = f"at {found.settles:.0%} {name} [{found.settles_low:.0%} to {found.settles_high:.0%}]"
    match found.spreads:
        case "yes":
            return f"A few {name} among {residents} would spread: the mix settles {settles}."
        case "no":
            inside = found.rest_points[1:-1]
            back = f", but more than {inside[0].focal:.0%} of them would grow" if inside else ""
            return f"A few {name} among {residents} would die out{back}."
        case "neither":
            return f"No verdict on whether a few {name} would spread among {residents}; the mix would settle {settles}."
        case _:
            return f"No verdict on whether a few {name} would spread among {residents}: {ENOUGH} deals are needed."


def _in_powers(gains: Floats) -> Floats:
    """The coefficients of g (…, n), of 1, x, x² …, from its Bernstein coefficients (…, n)."""
    return gains @ _powers(gains.shape[-1] - 1)


@cache
def _powers(degree: int) -> Floats:
    """The Bernstein polynomials of a degree, in powers of x: (degree + 1, degree + 1)."""
    order = range(degree + 1)
    return np.array(
        [[comb(degree, j) * comb(degree - j, i - j) * (-1) ** (i - j) if i >= j else 0 for i in order] for j in order],
        np.float64,
    )
