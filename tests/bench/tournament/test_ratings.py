"""Ratings recover an order of strength; intervals hold what they promise."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.bench.stats import interval, ratio, resample
from dixit_env.bench.tournament.ratings import finished_before, rate


def games(strengths: dict[str, float], seats: list[str], count: int, seed: int) -> list[tuple[list[str], list[int]]]:
    """Games whose scores are the seats' strengths and luck."""
    rng = Random(seed)
    return [(seats, [round(10 * (strengths[name] + rng.gauss(0, 1))) for name in seats]) for _ in range(count)]


def rated(played: list[tuple[list[str], list[int]]]) -> dict[str, float]:
    names = sorted({name for seats, _ in played for name in seats})
    return dict(zip(names, rate(finished_before(names, played)).tolist(), strict=True))


def plackett_luce(strengths: dict[str, float], count: int, seed: int) -> list[tuple[list[str], list[int]]]:
    """Games in which places are taken one after another, each with chance in proportion to the strengths left."""
    rng, names = np.random.default_rng(seed), list(strengths)
    # The order of exponential waiting times with these rates is such a ranking.
    waits = rng.exponential(1 / np.array(list(strengths.values())), size=(count, len(names)))
    return [(names, (-np.argsort(np.argsort(row))).tolist()) for row in waits]


def test_known_strengths_are_found_again() -> None:
    """Odds of ten to one are 400 points."""
    found = rated(plackett_luce({"a": 10.0, "b": 4.0, "c": 2.0, "d": 1.0}, 2000, seed=1))
    assert found["a"] - found["d"] == pytest.approx(400, abs=35)
    assert found["b"] - found["d"] == pytest.approx(400 * np.log10(4), abs=35)
    assert found["c"] - found["d"] == pytest.approx(400 * np.log10(2), abs=35)
    assert np.mean(list(found.values())) == pytest.approx(1500)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(12)))
def test_the_order_of_games_does_not_matter(order: list[int]) -> None:
    played = plackett_luce({"a": 3.0, "b": 2.0, "c": 1.0}, 12, seed=2)
    assert rated([played[game] for game in order]) == pytest.approx(rated(played))


@pytest.mark.parametrize("copies", [1, 2])
def test_the_order_of_strength_is_found(copies: int) -> None:
    strengths = {"weak": 0.0, "fair": 0.8, "good": 1.6, "best": 2.4}
    found = rated(games(strengths, list(strengths) * copies, 150, seed=1))
    assert sorted(found, key=found.__getitem__) == list(strengths)


def test_a_game_won_by_the_better_score_and_a_tie_between_equals() -> None:
    won = rated([(["a", "b", "c"], [30, 20, 10])])
    assert won["a"] > won["b"] > won["c"]
    tied = rated([(["a", "b"], [30, 30])])
    assert tied["a"] == pytest.approx(tied["b"])


def test_clones_are_not_more_evidence_than_a_game() -> None:
    alone = finished_before(["a", "b"], [(["a", "b"], [30, 20])])
    assert finished_before(["a", "b"], [(["a", "a", "b", "b"], [30, 30, 20, 20])]) == pytest.approx(alone)


def test_one_that_always_wins_has_a_rating_and_one_among_its_clones_the_mean() -> None:
    always = rated([(["a", "b"], [30, 0])] * 50)
    assert 400 < always["a"] - always["b"] < 1000
    assert rated([(["a", "a", "a"], [30, 20, 10])])["a"] == pytest.approx(1500)


@given(deals=st.integers(1, 40), seed=st.integers(0, 5))
def test_a_resample_draws_as_many_deals_as_there_are(deals: int, seed: int) -> None:
    weights = resample(deals, draws=30, seed=seed)
    assert weights.shape == (30, deals)
    assert (weights.sum(axis=1) == deals).all()
    assert (weights == resample(deals, draws=30, seed=seed)).all()


def test_the_interval_covers_the_truth_95_times_in_100_though_games_of_a_deal_are_correlated() -> None:
    """Five games a deal share the deal's chance, drawn from Beta(2, 3): the true share is .4. An interval that took the
    250 games for independent would be √(1 + 4/6) = 1.3 times too narrow and cover the truth about 87 times in 100."""
    rng = np.random.default_rng(3)
    deals, games_each, rounds = 50, 5, 600
    weights = resample(deals, draws=1000)
    by_deal = by_game = 0
    for _ in range(rounds):
        wins = rng.binomial(games_each, rng.beta(2, 3, size=deals))
        low, high = interval(weights @ wins / (deals * games_each))
        by_deal += low <= 0.4 <= high
        share = wins.sum() / (deals * games_each)
        by_game += abs(share - 0.4) <= 1.96 * np.sqrt(share * (1 - share) / (deals * games_each))
    assert 0.92 <= by_deal / rounds <= 0.97
    assert by_game / rounds < 0.91


def test_pairing_takes_the_luck_of_the_deals_out_of_a_difference() -> None:
    rng = np.random.default_rng(4)
    luck = rng.normal(size=60)
    one, other = luck + 0.3 + 0.1 * rng.normal(size=60), luck + 0.1 * rng.normal(size=60)
    weights = resample(60)
    low, high = interval(weights @ one / 60 - weights @ other / 60)
    apart = interval(weights @ one / 60 - resample(60, seed=1) @ other / 60)
    assert low < 0.3 < high
    assert low > 0
    assert (high - low) < 0.3 * (apart[1] - apart[0])


def test_a_ratio_without_a_denominator_is_no_number_and_is_left_out() -> None:
    quotients = ratio(np.array([1.0, 2.0, 0.0]), np.array([2.0, 4.0, 0.0]))
    assert quotients[:2].tolist() == [0.5, 0.5]
    assert np.isnan(quotients[2])
    assert interval(quotients) == (0.5, 0.5)
    assert np.isnan(interval([float("nan")])).all()
