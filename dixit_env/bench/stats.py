"""Bootstrap intervals for figures that are ratios of sums over deals.

Games of one deal share their luck, so they are correlated; deals are not. Everything here resamples whole deals, and
gives every agent the same resampled deals, so that differences between agents are paired.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DRAWS = 4000


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


def separate(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Do two intervals have no value in common?"""
    return one[1] < other[0] or other[1] < one[0]


def calibration_error(confidence: Floats, right: Floats | npt.NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error of predictions by their top label (Naeini et al. 2015; Guo et al. 2017).

    `confidence` (n,) is the probability that each prediction gives to its likeliest option, `right` (n,) whether that
    option was the true one (or how much of the truth fell on it). Predictions are sorted into `bins` bins of equal
    width by confidence; the error is the mean over predictions of |mean confidence − share right| of their bin. A
    uniform belief over k options is scored as any other: its confidence is 1 / k. NaN without predictions.
    """
    if not len(confidence):
        return float("nan")
    places = np.minimum((np.asarray(confidence) * bins).astype(int), bins - 1)
    gaps = np.abs(np.bincount(places, np.asarray(confidence) - right, bins))
    return float(gaps.sum() / len(confidence))
