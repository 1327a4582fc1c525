"""Statistics that several benchmarks share."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from dixit_env.bench.stats import (
    ENOUGH,
    LEVEL,
    Difference,
    Floats,
    calibration_error,
    compare,
    holm,
    resample,
    verdicts,
)


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


@cache
def drawn(deals: int) -> Floats:
    return resample(deals, draws=400)


def paired(values: dict[str, Floats]) -> tuple[Difference, ...]:
    """All pairs of agents, from their values by deal."""
    deals = len(next(iter(values.values())))
    draws = drawn(deals)
    differences = {
        (one, other): (float((values[one] - values[other]).mean()), draws @ (values[one] - values[other]) / deals)
        for one, other in combinations(values, 2)
    }
    return compare(differences, deals)


def test_holm_multiplies_the_smallest_by_the_number_of_tests_the_next_by_one_less() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_among_equals_a_report_names_somebody_ahead_in_about_one_of_twenty() -> None:
    """Four agents make six pairs: without the correction some pair would be called in about one of five."""
    rng, reports = np.random.default_rng(0), 200
    named = single = 0
    for _ in range(reports):
        pairs = paired({name: rng.normal(size=40) for name in "abcd"})
        named += any(pair.separate for pair in pairs)
        single += any(not pair.difference_low <= 0 <= pair.difference_high for pair in pairs)
    assert named / reports < 0.09
    assert single / reports > 0.12


def test_a_pair_is_turned_so_that_the_better_stands_first() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(size=60)  # of the deals, which both share
    (pair,) = paired({"weak": luck, "strong": luck + 0.3 + 0.1 * rng.normal(size=60)})
    assert (pair.ahead, pair.behind) == ("strong", "weak")
    assert 0 < pair.difference_low < pair.difference < pair.difference_high
    assert pair.separate
    assert pair.p < LEVEL


def test_verdicts_name_who_is_ahead_and_give_the_difference_where_none_was_found() -> None:
    pairs = (
        Difference("a", "b", 0.5, 0.2, 0.8, 0.001, True),
        Difference("a", "c", 0.6, 0.3, 0.9, 0.001, True),
        Difference("b", "c", 0.1, -0.2, 0.4, 0.5, False),
    )
    assert verdicts(pairs, "earns more than", 100, {"b": "b (2 points)"}) == [
        "a earns more than b (2 points) and c.",
        "No difference found: b − c +0.10 [-0.20 to +0.40].",
    ]
    assert verdicts(pairs, "earns more than", ENOUGH - 1) == [
        f"No verdict: {ENOUGH - 1} deals are too few, at least {ENOUGH} are needed."
    ]
    assert verdicts((), "earns more than", 100) == []


def test_few_deals_and_no_difference_separate_nothing() -> None:
    (few,) = paired({"a": np.arange(ENOUGH - 1.0) + 9, "b": np.zeros(ENOUGH - 1)})
    (equal,) = paired({"a": np.ones(50), "b": np.ones(50)})
    assert not few.separate
    assert not equal.separate
    assert equal.p == 1
