"""Statistics of benchmarks: bootstrap intervals over deals, and calibration.

Games on one deal share its cards, so they are correlated; deals are independent. Every bootstrap here therefore
resamples whole deals. All agents get the same resampled deals, which makes differences between agents paired.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

DRAWS = 4000  # chosen: the Monte Carlo error of an interval's end is about 1 % of the interval's width


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
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    return Estimate(float(ratio(filled.sum(), there.sum())), *interval(ratio(draws @ filled, draws @ there)))


def separate(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Do two intervals have no value in common?"""
    return one[1] < other[0] or other[1] < one[0]


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
