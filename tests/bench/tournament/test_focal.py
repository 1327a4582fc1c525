"""Focal agents among residents: who sits where, and what they won against their fair share."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from focal_games import PLAN, lines, matches, won
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env import ODYSSEY, DixitError
from dixit_env.bench.stats import ENOUGH
from dixit_env.bench.tournament.focal import FocalPlan
from dixit_env.bench.tournament.schedule import Match
from dixit_env.bench.tournament.standings import standings


@given(
    focal=st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
    residents=st.lists(st.sampled_from("xyz"), min_size=1, max_size=5),
    players=st.integers(3, 12),
    every=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_every_deal_has_every_focal_agent_in_every_number_of_seats_and_in_every_seat_equally_often(
    focal: list[str], residents: list[str], players: int, every: bool
) -> None:
    numbers = tuple(range(1, players)) if every else (2,)
    plan = FocalPlan(focal=tuple(focal), residents=tuple(residents), players=players, counts=numbers)
    played = matches(plan)
    assert len({(match.deal, match.seed) for match in played}) == 1
    counts: Counter[tuple[str, int]] = Counter()
    for match in played:
        (name,) = set(match.seats) & set(focal)
        counts[name, match.seats.count(name)] += 1
    assert counts.keys() == {(name, count) for name in focal for count in numbers}
    for name in focal:
        for count in plan.counts:
            games = [match for match in played if match.seats.count(name) == count]
            in_seats = [sum(match.seats[seat] == name for match in games) for seat in range(players)]
            assert in_seats == [len(games) * count / players] * players
            there = Counter(seat for match in games for seat in match.seats if seat != name)
            share = sum(there.values()) / len(residents)
            assert there == {resident: share * residents.count(resident) for resident in set(residents)}


def test_a_focal_agent_sits_where_another_one_sat_on_the_same_deals() -> None:
    played = matches(replace(PLAN, focal=("new", "newer"), residents=("old", "other")), games=60)
    for deal in {match.deal for match in played}:
        new, newer = ([m.seats for m in played if m.deal == deal and name in m.seats] for name in ("new", "newer"))
        assert [tuple(seat.replace("newer", "new") for seat in seats) for seats in newer] == new


def test_a_tie_is_shared_among_the_winners_and_each_seat_counts() -> None:
    plan = replace(PLAN, counts=(1, 2, 3))
    alone, two = (Match(0, 1, seats, "") for seats in (("new", "old", "old", "old"), ("new", "old", "new", "old")))
    (shares,) = plan.shares({0: won(alone, 0, 1), 1: won(alone, 3), 2: won(two, 0, 1, 2)}).values()
    assert {count: share.games for count, share in shares.items()} == {1: 2, 2: 1, 3: 0}
    assert [shares[count].win_share for count in (1, 2)] == pytest.approx([1 / 4, 1 / 3])
    assert np.isnan(shares[3].win_share)
    assert {share.fair_share for share in shares.values()} == {1 / 4}


def test_alone_the_share_and_its_interval_are_those_of_the_standings() -> None:
    plan = replace(PLAN, focal=("new", "newer"))
    games = lines(plan, 200, 0.4)
    agents = standings(games, ODYSSEY).agents
    for name, by_count in plan.shares(games).items():
        for figure in ("win_share", "win_share_low", "win_share_high", "fair_share"):
            assert getattr(by_count[1], figure) == pytest.approx(agents[name][figure])


@pytest.mark.parametrize(
    ("chance", "verdict", "said"),
    [
        (0.6, "above", ": above its fair share of 25.0%."),
        (0.25, "neither", ", against its fair share of 25.0%."),
        (0.02, "below", ": below its fair share of 25.0%."),
    ],
)
def test_a_verdict_needs_a_difference_beyond_chance(chance: float, verdict: str, said: str) -> None:
    shares = PLAN.shares(lines(PLAN, 400, chance))
    assert shares["new"][1].verdict == verdict
    (sentence,) = PLAN.verdicts(shares)
    assert sentence.endswith(said)


def test_no_verdict_from_few_deals() -> None:
    few = PLAN.shares(lines(PLAN, 4 * (ENOUGH - 1), 1.0))
    assert few["new"][1].verdict == "too few deals"
    assert f"at least {ENOUGH} deals" in PLAN.verdicts(few)[0]
    assert PLAN.shares(lines(PLAN, 4 * ENOUGH, 1.0))["new"][1].verdict == "above"


def test_in_many_seats_the_share_is_that_of_one_seat() -> None:
    """Whoever wins every game with k of four seats wins 1/k with each."""
    plan = replace(PLAN, counts=(1, 2, 3))
    (shares,) = plan.shares(lines(plan, 12, 1.0)).values()
    assert {count: share.win_share for count, share in shares.items()} == pytest.approx({1: 1, 2: 1 / 2, 3: 1 / 3})


def test_what_makes_no_plan_is_refused() -> None:
    with pytest.raises(DixitError, match="at least one of each"):
        replace(PLAN, residents=())
    with pytest.raises(DixitError, match="old can't be both"):
        replace(PLAN, focal=("new", "old"))
