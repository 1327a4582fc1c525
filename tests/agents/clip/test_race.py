"""The race to the target, and when it makes a voter spread."""

from dataclasses import replace

import numpy as np
import pytest
from clip_players import SIX

from dixit_env import ODYSSEY
from dixit_env.agents.clip.race import decoy_votes, futures, turns_left, win_shares
from dixit_env.agents.clip.stack_or_spread import points_gained, race_moments, turn_gains, win_gained


def test_the_leader_wins_the_race_more_often() -> None:
    rng = np.random.default_rng(0)
    coming = futures(SIX, np.array(0), np.full(6, 0.4), rng.random((6, 14, 4000), np.float32))
    scores = np.zeros((3, 6, 4000), int)
    scores[1, 2] = 6
    scores[2, 2] = 30
    even, ahead, there = win_shares(SIX, scores, coming)[:, 2]
    assert even == pytest.approx(1 / 6, abs=0.04)
    assert ahead > even + 0.1
    assert there == 1


def test_a_game_by_rounds_is_decided_by_its_last_turn_and_not_by_points() -> None:
    rules, rng = replace(SIX, rounds=1), np.random.default_rng(0)
    assert [turns_left(rules, [30] * 6, turn) for turn in (1, 5, 6)] == [5, 1, 0]
    scores = np.full((6, 400), rules.target)
    scores[2] += 1
    luck = rng.random((6, 5, 400), np.float32)
    none, five = (futures(rules, np.array(0), np.full(6, 0.4), luck[:, :turns]) for turns in (0, 5))
    assert win_shares(rules, scores, none)[2] == 1
    assert win_shares(rules, scores, five)[2] < 0.5, "others catch up"
    assert win_shares(SIX, scores, five)[2] == 1, "by points it is over"


def test_shares_of_a_tie_add_up() -> None:
    luck = np.random.default_rng(0).random((6, 14, 500), np.float32)
    coming = futures(SIX, np.array(3), np.full(6, 0.4), luck)
    assert win_shares(SIX, np.zeros((6, 500), int), coming).sum() == pytest.approx(1)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_a_miss_falls_on_each_other_voter_equally_often(players: int) -> None:
    tellers = np.repeat(np.arange(players), 6000)
    victims = decoy_votes(players, tellers, np.random.default_rng(0).random((players, len(tellers)), np.float32))
    for teller in range(players):
        for seat in set(range(players)) - {teller}:
            share = np.bincount(victims[seat, tellers == teller], minlength=players) / 6000
            expected = [0 if other in (teller, seat) else 1 / (players - 2) for other in range(players)]
            assert share == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_in_a_turn_that_nobody_finds_all_voters_gain_the_same(players: int) -> None:
    """2 points, and 2 for the one ballot that each draws on average, whoever sits beside the storyteller."""
    luck = np.random.default_rng(0).random((players, 1, 6000), np.float32)
    turns = futures(ODYSSEY.seated(players), np.array(1), np.zeros(players), luck)
    expected = [0 if seat == 1 else 4 for seat in range(players)]
    assert turns[:, 0].mean(-1) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("players", [3, 4, 6, 12])
def test_the_simulated_turn_agrees_with_the_exact_points(players: int) -> None:
    rules, hit, ratio = ODYSSEY.seated(players), 0.4, 1.5
    stack, spread = turn_gains(np.random.default_rng(0), rules, hit, ratio, 40_000)[:, 1].mean(1)
    assert stack - spread == pytest.approx(points_gained(rules, hit, ratio), abs=0.05)
    # Stacking hits with chance p₁ = .42 and is then worth 6, or 4 when all find the card; without a hit it is worth 2
    # when nobody finds it. As a decoy, the own card draws one of the misses on average, with both dials.
    others = players - 2
    exact = 0.42 * (6 - 2 * hit**others) + 0.58 * 2 * (1 - hit) ** others + 2 * (1 - hit)
    assert stack == pytest.approx(exact, abs=0.05)


def test_every_table_has_an_answer() -> None:
    """From three players, who have two own cards each, to twelve."""
    rng = np.random.default_rng(0)
    for players in (3, 4, 12):
        rules = ODYSSEY.seated(players)
        for moment in race_moments(players, rules.target):
            assert -1 <= win_gained(rng, rules, moment, 0.4, 1.5, 50) <= 1


def test_when_to_spread() -> None:
    """The findings that the tournament page tells, each far from its border."""
    assert points_gained(SIX, hit=0.4, ratio=1.5) > 0.2  # stack, in general …
    assert points_gained(SIX, hit=1.0, ratio=2.0) < -0.1  # … unless the others surely find it
    assert points_gained(SIX, hit=1.0, ratio=4.0) > 0.1  # and not even then with p₁ > 3 p₂
    moments = {moment.name: moment for moment in race_moments(6, 30)}
    rng = np.random.default_rng(1)
    assert win_gained(rng, SIX, moments["ahead"], 0.6, 1.5, 3000) < -0.1  # one dial is enough: spread
    assert win_gained(rng, SIX, moments["the storyteller needs 3"], 0.8, 1.5, 3000) > 0.1  # all found stops him
