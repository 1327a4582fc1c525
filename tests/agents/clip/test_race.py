"""The race to the target, and when it makes a voter spread."""

import numpy as np
import pytest
from clip_players import SIX

from dixit_env.agents.clip.race import futures, win_share
from dixit_env.agents.clip.stack_or_spread import points_gained, race_moments, win_gained


def test_the_leader_wins_the_race_more_often() -> None:
    rng = np.random.default_rng(0)
    coming = futures(rng, SIX, 0, np.full(6, 0.4), 4000, 14)
    scores = np.zeros((3, 4000, 6), int)
    scores[1, :, 2] = 6
    scores[2, :, 2] = 30
    even, ahead, there = win_share(SIX, scores, coming, 2)
    assert even == pytest.approx(1 / 6, abs=0.04)
    assert ahead > even + 0.1
    assert there == 1


def test_shares_of_a_tie_add_up() -> None:
    coming = futures(np.random.default_rng(0), SIX, 3, np.full(6, 0.4), 500, 14)
    scores = np.zeros((1, 500, 6), int)
    assert sum(win_share(SIX, scores, coming, seat)[0] for seat in range(6)) == pytest.approx(1)


def test_when_to_spread() -> None:
    """The findings that the tournament page tells, each far from its border."""
    assert points_gained(SIX, hit=0.4, ratio=1.5) > 0.2  # stack, in general …
    assert points_gained(SIX, hit=1.0, ratio=2.0) < -0.1  # … unless the others surely find it
    assert points_gained(SIX, hit=1.0, ratio=4.0) > 0.1  # and not even then with p₁ > 3 p₂
    moments = {moment.name: moment for moment in race_moments(6, 30)}
    rng = np.random.default_rng(1)
    assert win_gained(rng, SIX, moments["ahead"], 0.6, 1.5, 3000) < -0.1  # one dial is enough: spread
    assert win_gained(rng, SIX, moments["the storyteller needs 3"], 0.8, 1.5, 3000) > 0.1  # all found stops him
