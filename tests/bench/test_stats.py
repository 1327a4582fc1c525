"""Statistics that several benchmarks share."""

import math

import numpy as np
import pytest

from dixit_env.bench.stats import calibration_error


def test_a_forecaster_who_is_right_as_often_as_confident_has_no_calibration_error() -> None:
    confidence = np.repeat([0.25, 0.75], 8)
    right = np.concatenate([np.repeat([True, False], [2, 6]), np.repeat([True, False], [6, 2])])
    assert calibration_error(confidence, right) == pytest.approx(0)


def test_calibration_error_is_the_gap_of_each_bin_weighted_by_its_predictions() -> None:
    confidence, right = np.array([0.31, 0.39, 0.95]), np.array([True, False, False])
    assert calibration_error(confidence, right) == pytest.approx(2 / 3 * abs(0.35 - 0.5) + 1 / 3 * 0.95)


def test_a_uniform_belief_is_scored_by_how_often_its_choice_is_right() -> None:
    """One of five, always right: it knows more than it says."""
    assert calibration_error(np.full(10, 0.2), np.ones(10)) == pytest.approx(0.8)


def test_certainty_falls_in_the_last_bin_and_nothing_has_no_error() -> None:
    assert calibration_error(np.array([1.0]), np.array([True])) == 0
    assert math.isnan(calibration_error(np.array([]), np.array([])))
