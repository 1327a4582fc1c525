"""Statistics of benchmarks: bootstrap intervals over deals, who is ahead of whom, and calibration.

Games on one deal share its cards, so they are correlated; deals are independent. Every bootstrap here therefore
resamples whole deals. All agents get the same resampled deals, which makes differences between agents paired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, isnan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

DRAWS = 4000  # chosen: the Monte Carlo error of an interval's end is about 1 % of the interval's width
ENOUGH = 20
"""Deals below which no verdict is given (chosen: bootstrap intervals of fewer are too narrow)."""
ROUNDING = 1e-12  # differences below this are none
LEVEL = 0.05
"""The chance that any of a report's verdicts "A is ahead of B" is wrong where all are equal."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval; NaN where there is nothing to estimate it from.

    `format(estimate, ".2f")` writes "1.20 [1.05 to 1.34]", and a dash for NaN.
    """

    value: float
    low: float
    high: float

    def __format__(self, form: str) -> str:
        if isnan(self.value):
            return "–"
        return f"{self.value:{form}} [{self.low:{form}} to {self.high:{form}}]"


NOTHING = Estimate(float("nan"), float("nan"), float("nan"))


def resample(deals: int, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """How often each deal is drawn in each resample, float64 (draws, deals); every row sums to `deals`."""
    return np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), size=draws).astype(np.float64)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient; NaN where the denominator is 0."""
    out = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)
    return out


def interval(samples: Floats | Sequence[float]) -> tuple[float, float]:
    """The central 95 % of bootstrap samples (percentile method); NaN samples are left out."""
    kept = np.asarray(samples, dtype=np.float64)
    kept = kept[~np.isnan(kept)]
    if not len(kept):
        return float("nan"), float("nan")
    low, high = np.quantile(kept, [0.025, 0.975])
    return float(low), float(high)


def mean(values: Floats, draws: Floats) -> Estimate:
    """Mean of the values (deals,) that are not NaN, with its interval; `draws` as from `resample`."""
    value, samples = mean_samples(values, draws)
    return Estimate(value, *interval(samples))


def mean_samples(values: Floats, draws: Floats) -> tuple[float, Floats]:
    """Mean of the values (deals,) that are not NaN, and its bootstrap samples, (draws,)."""
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    return float(ratio(filled.sum(), there.sum())), ratio(draws @ filled, draws @ there)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two agents (or an agent and what it is held against) on the same deals."""

    ahead: str
    behind: str
    difference: float  # ahead − behind, so not negative; NaN where there is nothing to compare
    difference_low: float
    difference_high: float
    p: float  # two-sided, adjusted for all pairs of the report (Holm)
    separate: bool  # may one be called better?

    def __str__(self) -> str:
        interval = f"[{self.difference_low:+.2f} to {self.difference_high:+.2f}]"
        return f"{self.ahead} − {self.behind} {self.difference:+.2f} {interval}"


def compare(differences: Mapping[tuple[str, str], tuple[float, Floats]], deals: int) -> tuple[Difference, ...]:
    """The rule by which a report says that one is ahead of another, for all pairs of the report at once.

    A difference is held against its bootstrap standard error (normal, two-sided). Holm's correction (1979) over the
    pairs keeps the chance of any false verdict at `LEVEL`. Fewer than `ENOUGH` deals separate nothing.

    Args:
        differences: (one, other) → one − other, and its bootstrap samples (draws,) over deals that all pairs share.
            A pair that comes out negative is turned round.
        deals: how many there are.

    Returns the pairs in the order given.
    """
    values = {pair: value for pair, (value, _) in differences.items()}
    adjusted = dict(zip(values, holm([_p_value(*told) for told in differences.values()]), strict=True))
    found = []
    for (one, other), (value, samples) in differences.items():
        low, high = interval(samples)
        p = adjusted[one, other]
        separate = deals >= ENOUGH and p < LEVEL
        if value < 0:
            found.append(Difference(other, one, -value, -high, -low, p, separate))
        else:
            found.append(Difference(one, other, value, low, high, p, separate))
    return tuple(found)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that the chance of any false rejection stays below the level (Holm 1979)."""
    adjusted, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def verdicts(
    pairs: Sequence[Difference], relation: str, deals: int, words: Mapping[str, str] | None = None
) -> list[str]:
    """Sentences: who `relation` (such as "wins more often than") whom, and where no difference was found.

    `words` says more of a name where it is first spoken of.
    """
    if not pairs:
        return []
    if deals < ENOUGH:
        return [f"No verdict: {deals} deals are too few, at least {ENOUGH} are needed."]
    told, sentences = words or {}, []
    for name in dict.fromkeys(pair.ahead for pair in pairs):
        if beaten := [told.get(pair.behind, pair.behind) for pair in pairs if pair.ahead == name and pair.separate]:
            sentences.append(f"{told.get(name, name)} {relation} {_and(beaten)}.")
    if open_pairs := [str(pair) for pair in pairs if not pair.separate and not isnan(pair.difference)]:
        sentences.append(f"No difference found: {'; '.join(open_pairs)}.")
    return sentences


def _p_value(value: float, samples: Floats) -> float:
    kept = samples[~np.isnan(samples)]
    if isnan(value) or abs(value) < ROUNDING or not len(kept):
        return 1.0
    error = float(kept.std())
    return erfc(abs(value) / error / sqrt(2)) if error > ROUNDING else 0.0


def _and(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def calibration_error(confidences: ArrayLike, correct: ArrayLike, bins: int = 10) -> float:
    """Expected calibration error over bins of equal width: the mean over answers of |mean confidence − share correct|
    in the answer's bin (Naeini et al. 2015; Guo et al. 2017).

    Args:
        confidences: probability given to each answer, (n,), in [0, 1]. For the top-label error of a classifier this is
            the probability of the label it chose; a uniform belief over k labels counts like any other.
        correct: was the answer right? (n,) in [0, 1]; a share where several people answered.
        bins: how many.

    Returns NaN without answers.
    """
    if not len(np.atleast_1d(confidences)):
        return float("nan")
    confidence, right = np.asarray(confidences, np.float64), np.asarray(correct, np.float64)
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(bin_of, confidence - right, bins)).sum() / len(confidence))
