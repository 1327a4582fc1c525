"""Replicator dynamics of focal agents and residents, against closed forms and a simulated population."""

from dataclasses import replace
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from focal_games import PLAN, lines, matches, won
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.bench.stats import ENOUGH, Floats
from dixit_env.bench.tournament.replicator import (
    RestPoint,
    dynamics,
    gains_from_switching,
    growth,
    rest_points,
    sentences,
    settled,
)

EVERY = replace(PLAN, counts=(1, 2, 3))
SOME_GAINS = [np.random.default_rng(seed).uniform(-1, 1, 3 + seed % 10) for seed in range(300)]


def two_player(a: float, b: float, c: float, d: float) -> Floats:
    """Gains of the first of two strategies: it has a against itself, b against the other, which has c and d."""
    return np.array([b - d, a - c])


# Games whose dynamics are known


@given(value=st.floats(0.1, 0.9))
@settings(deadline=None)
def test_hawks_spread_among_doves_up_to_what_they_fight_for_over_what_fights_cost(value: float) -> None:
    """Maynard Smith and Price 1973, with a cost of 1."""
    gains = two_player((value - 1) / 2, value, 0, value / 2)
    none, mixed, every = rest_points(gains)
    assert (none, every) == (RestPoint(0, False), RestPoint(1, False))
    assert mixed.focal == pytest.approx(value)
    assert mixed.stable


@given(hare=st.floats(0.1, 0.9))
@settings(deadline=None)
def test_a_convention_needs_enough_who_share_it(hare: float) -> None:
    """Stag hunt: the stag is worth 1 to two who hunt it, the hare that much to anyone."""
    gains = two_player(1, 0, hare, hare)
    none, edge, every = rest_points(gains)
    assert (none, every) == (RestPoint(0, True), RestPoint(1, True))
    assert edge.focal == pytest.approx(hare)
    assert not edge.stable
    assert settled(gains) == 0


def test_who_always_does_better_takes_over() -> None:
    defectors = two_player(1, 5, 0, 3)
    assert rest_points(defectors) == (RestPoint(0, False), RestPoint(1, True))
    assert settled(defectors) == 1
    assert settled(-defectors) == 0


def test_volunteers_settle_where_one_more_is_worth_its_cost() -> None:
    """Volunteer's dilemma (Diekmann 1985): who volunteers pays c; without any volunteer everybody loses 1. In tables
    of n the mixed equilibrium has 1 − c^(1/(n − 1)) volunteers."""
    players, cost = 6, 0.3
    gains = np.array([1 - cost, *[-cost] * (players - 1)])
    assert settled(gains) == pytest.approx(1 - cost ** (1 / (players - 1)), abs=1e-4)


def test_of_equal_agents_none_spreads() -> None:
    gains = gains_from_switching(np.full(5, 1 / 6))
    assert gains == pytest.approx(np.zeros(6))
    assert settled(np.zeros(6)) == 0
    assert rest_points(np.zeros(6)) == (RestPoint(0, False), RestPoint(1, False))


# From win shares to gains and growth


@given(shares=st.lists(st.floats(0, 1), min_size=2, max_size=11), focal=st.floats(0, 1))
@settings(deadline=None)
def test_growth_is_what_a_focal_seat_wins_more_at_tables_drawn_from_the_population(
    shares: list[float], focal: float
) -> None:
    players = len(shares) + 1
    shares = [share / (count + 1) for count, share in enumerate(shares)]  # a table has one victory

    def as_focal(others: int) -> float:
        return 1 / players if others == players - 1 else shares[others]

    def as_resident(others: int) -> float:
        return (1 - others * shares[others - 1]) / (players - others) if others else 1 / players

    expected = sum(
        comb(players - 1, j) * focal**j * (1 - focal) ** (players - 1 - j) * (as_focal(j) - as_resident(j))
        for j in range(players)
    )
    found = growth(gains_from_switching(np.array(shares)), np.array([focal]))
    assert found == pytest.approx([expected], abs=1e-9)


def test_stable_and_unstable_rest_points_alternate_and_nothing_grows_at_those_inside() -> None:
    for gains in SOME_GAINS:
        points = rest_points(gains)
        inside = np.array([point.focal for point in points[1:-1]])
        assert growth(gains, inside) == pytest.approx(np.zeros(len(inside)), abs=1e-6)
        assert all(one.stable != other.stable for one, other in pairwise(points))


def test_a_few_come_to_the_first_stable_rest_point() -> None:
    for gains in SOME_GAINS:
        none, *others = rest_points(gains)
        assert settled(gains) == pytest.approx(0 if none.stable else others[0].focal, abs=1e-3)


def test_many_gains_settle_as_each_of_them() -> None:
    alike = np.stack([gains for gains in SOME_GAINS if len(gains) == 6])
    assert settled(alike) == pytest.approx(np.array([settled(gains) for gains in alike]))


@pytest.mark.parametrize("seed", range(4))
def test_a_simulated_population_settles_where_it_is_said_to(seed: int) -> None:
    gains = np.random.default_rng(seed).uniform(-1, 1, 6)
    focal = np.array([1e-4])
    for _ in range(4000):
        focal = focal + 0.2 * focal * (1 - focal) * growth(gains, focal)
    assert focal[0] == pytest.approx(settled(gains), abs=2e-3)


# From games


@pytest.mark.parametrize(("chance", "spreads"), [(0.6, "yes"), (0.02, "no"), (0.25, "neither")])
def test_who_alone_wins_more_than_its_fair_share_spreads_from_rare(chance: float, spreads: str) -> None:
    games = lines(EVERY, 1200, chance)
    (found,) = dynamics(EVERY, games).values()
    verdict = EVERY.shares(games)["new"][1].verdict
    assert (found.spreads, verdict) == (spreads, {"yes": "above", "no": "below"}.get(spreads, "neither"))
    assert found.settles_low <= found.settles <= found.settles_high


def test_who_wins_six_of_ten_tables_however_many_they_are_settles_in_between() -> None:
    """With k of four seats each wins 0.6 / k, so a few spread, and where most are of their kind they lose."""
    (found,) = dynamics(EVERY, lines(EVERY, 2400, 0.6)).values()
    exact = settled(gains_from_switching(np.array([0.6, 0.3, 0.2])))
    assert 0 < exact < 1
    assert found.settles_low < exact < found.settles_high
    (said,) = sentences(EVERY, {"new": found})
    assert said.startswith("A few new among old would spread: the mix settles at ")


def test_a_convention_is_told_with_the_share_above_which_it_grows() -> None:
    """Alone they never win; two or more of them always do."""
    games = {
        number: won(
            match, next(s for s, name in enumerate(match.seats) if (name == "new") == (match.seats.count("new") > 1))
        )
        for number, match in enumerate(matches(EVERY, 12 * ENOUGH))
    }
    found = dynamics(EVERY, games)
    assert found["new"].spreads == "no"
    (said,) = sentences(EVERY, found)
    edge = found["new"].rest_points[1]
    assert said == f"A few new among old would die out, but more than {edge.focal:.0%} of them would grow."


def test_few_deals_give_no_verdict_and_missing_compositions_no_dynamics() -> None:
    few = dynamics(EVERY, lines(EVERY, 12 * (ENOUGH - 1), 1.0))
    assert few["new"].spreads == "too few deals"
    assert f"{ENOUGH} deals are needed" in sentences(EVERY, few)[0]
    alone = {number: line for number, line in lines(EVERY, 24, 1.0).items() if line["seats"].count("new") == 1}
    assert dynamics(EVERY, alone) == {}
