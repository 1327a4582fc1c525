"""Ratings recover an order of strength; intervals hold what they promise."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dixit_env.bench.stats import interval, ratio, resample, separate
from dixit_env.bench.tournament.ratings import rate


def games(strengths: dict[str, float], seats: list[str], count: int, seed: int) -> list[tuple[list[str], list[int]]]:
    """Games whose scores are the seats' strengths and luck."""
    rng = Random(seed)
    return [(seats, [round(10 * (strengths[name] + rng.gauss(0, 1))) for name in seats]) for _ in range(count)]


@pytest.mark.parametrize("copies", [1, 2])
def test_the_order_of_strength_is_found(copies: int) -> None:
    strengths = {"weak": 0.0, "fair": 0.8, "good": 1.6, "best": 2.4}
    ratings = rate(games(strengths, list(strengths) * copies, 150, seed=1))
    assert sorted(ratings, key=lambda name: ratings[name].mu) == list(strengths)
    assert ratings["weak"].mu + 2 * ratings["weak"].sigma < ratings["best"].mu - 2 * ratings["best"].sigma


def test_uncertainty_shrinks_with_games() -> None:
    equal = {"one": 0.0, "other": 0.0}
    few, many = (rate(games(equal, list(equal), count, seed=2)) for count in (2, 60))
    assert many["one"].sigma < few["one"].sigma < 25 / 3


def test_a_game_won_by_the_better_score_and_a_tie_between_equals() -> None:
    won = rate([(["a", "b", "c"], [30, 20, 10])])
    assert won["a"].mu > won["b"].mu > won["c"].mu
    tied = rate([(["a", "b"], [30, 30])])
    assert tied["a"].mu == pytest.approx(tied["b"].mu)


def test_clones_are_not_more_evidence_than_a_game() -> None:
    alone = rate([(["a", "b"], [30, 20])])
    cloned = rate([(["a", "a", "b", "b"], [30, 30, 20, 20])])
    assert cloned["a"].sigma > 0.85 * alone["a"].sigma


def test_an_agent_among_its_clones_keeps_its_rating() -> None:
    assert rate([(["a", "a", "a"], [30, 20, 10])])["a"].mu == pytest.approx(25)


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


def test_intervals_are_separate_when_they_share_no_value() -> None:
    assert separate((0.1, 0.2), (0.3, 0.4))
    assert separate((0.3, 0.4), (0.1, 0.2))
    assert not separate((0.1, 0.3), (0.2, 0.4))
    assert not separate((0.1, 0.2), (0.2, 0.4))
