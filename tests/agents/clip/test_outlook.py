"""What clues and decoys are worth on a table that is not laid yet."""

import itertools

import numpy as np
import pytest
from clip_players import SIX, at, clues, decoys, unseen, voters

from dixit_env import ODYSSEY, ODYSSEY_2011
from dixit_env.agents.clip.outlook import clue_outlook


def test_a_storyteller_prefers_few_finders_to_none_and_to_all() -> None:
    rng = np.random.default_rng(6)
    z = rng.normal(size=(1, 84))
    pool = np.arange(20, 84)
    leads = np.array([-3.0, 1.2, 8.0])  # how far the own card stands out
    all_z = np.repeat(z, 3, 0)
    table = unseen(SIX, pool, voters(5, 3.0))
    expected, found = clue_outlook([rng], table, all_z[None], leads[None], 400)
    assert found.shape == (1, 5, 400, 3)
    outlook = at(expected)
    assert found[0].sum(0).mean(0) == pytest.approx(outlook.finders, rel=1e-5)
    assert outlook.nobody[0] > 0.9
    assert outlook.everybody[2] > 0.9
    assert outlook.margin[1] > max(outlook.margin[0], outlook.margin[2])
    assert outlook.finders[0] < outlook.finders[1] < outlook.finders[2]
    assert outlook.some + outlook.everybody + outlook.nobody == pytest.approx(np.ones(3), rel=1e-5)


def test_voters_who_think_alike_find_together_or_not_at_all() -> None:
    z = np.random.default_rng(6).normal(size=(1, 84))
    lead, pool = np.array([1.2]), np.arange(20, 84)
    apart, alike = (clues(SIX, pool, voters(5, 3.0, rho=rho), z, lead, 400) for rho in (0.0, 0.5))
    assert alike.finders == pytest.approx(apart.finders, rel=1e-5)
    assert alike.everybody > apart.everybody + 0.05
    assert alike.nobody > apart.nobody + 0.05
    assert alike.some + alike.everybody + alike.nobody == pytest.approx(1.0)


def test_a_better_decoy_draws_more_votes() -> None:
    rng = np.random.default_rng(7)
    z = rng.normal(size=84)
    hand = np.argsort(z)[[5, 40, 80]]
    pool = np.array([card for card in range(84) if card not in hand])
    outlook = decoys(SIX, pool, voters(4), z, hand[:, None], 300)
    assert list(np.argsort(outlook.drawn)) == [0, 1, 2]


def test_the_three_player_decoys_are_judged_together() -> None:
    rng = np.random.default_rng(8)
    rules = ODYSSEY.seated(3)
    z = rng.normal(size=84)
    pairs = np.array(list(itertools.combinations(range(7), 2)))
    outlook = decoys(rules, np.arange(7, 84), voters(1), z, pairs, 400)
    best = pairs[int(outlook.drawn.argmax())]
    assert set(best) == set(np.argsort(-z[:7])[:2])


def test_the_cap_of_2011_bounds_what_decoys_bring() -> None:
    """A decoy that all but surely draws both votes of a round and more is worth three points, not one for each dial."""
    rules = ODYSSEY_2011.seated(8)
    z = np.full(84, -2.0)
    z[0] = 8.0
    outlook = decoys(rules, np.arange(20, 84), voters(6, 15.0), z, np.array([[0]]), 50)
    assert outlook.drawn[0] > 6
    assert outlook.points[0] <= 3 + rules.dial_points
