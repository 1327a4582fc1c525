"""What ballots are worth: the chances that others find a card, exact points, and the simulated turn."""

import numpy as np
import pytest
from clip_players import SIX, clues, dials_on, logits, voters, voting_table
from hypothesis import given
from hypothesis import strategies as st

from dixit_env import ODYSSEY, ODYSSEY_2011
from dixit_env.agents.clip.vote_simulation import luck_needed, simulated_points
from dixit_env.agents.clip.votes import ballot_points, card_hits, find_chances
from dixit_env.game.expectations import Hit, expected_hit_points, expected_turn
from dixit_env.game.rules import DIXIT

Z = np.array([0.3, -1.0, 1.2, 0.1])


@given(st.floats(0, 1))
def test_all_and_none_follow_from_the_first_choices(stacks: float) -> None:
    table = voting_table(ODYSSEY.seated(4), Z, voters(2, stacks=stacks))
    found = find_chances(table)[0]
    others = expected_turn(table.rules, card_hits(table.rules, found, table.others.stacks))
    for target in (1, 2, 3):
        q = found[target]
        assert others.everybody[target] == pytest.approx(np.prod(stacks * q))
        assert others.nobody[target] == pytest.approx(np.prod(stacks * (1 - q) + (1 - stacks) * (1 - q) ** 2))


def test_where_stacking_is_forbidden_two_dials_lie_on_different_cards() -> None:
    """However much a voter stacks elsewhere: each of the two dials may find the card, and one on it is enough."""
    rules, q = ODYSSEY_2011.seated(8), np.full(7, 0.5)
    hits = card_hits(rules, q, np.ones(7))
    assert hits == pytest.approx(np.tile([0.25, 0, 0.75, 0], (7, 1)))
    assert expected_turn(rules, hits).everybody == pytest.approx(0.75**7)


def test_a_single_dial_finds_the_card_or_not() -> None:
    q = np.array([0.2, 0.7])
    assert card_hits(DIXIT.seated(4), q, np.zeros(2)) == pytest.approx(np.array([[0.8, 0.2, 0, 0], [0.3, 0.7, 0, 0]]))


def test_a_storyteller_and_a_voter_expect_the_same_of_the_same_voters() -> None:
    """One sampled table, in odyssey-2011: the storyteller's outlook is what a voter thinks of those voters."""
    rules = ODYSSEY_2011.seated(8)
    z = np.zeros((1, 84))  # all decoys are alike, so every sampled table is the same
    crowd = voters(7, 0.8, stacks=0.8)
    outlook = clues(rules, np.arange(20, 84), crowd, z, np.array([2.0]), 1)
    target, decoy = logits(np.array([2.0, 0.0]))[:, 2]  # the third kind of voter has the sharpness .8
    found = np.full(7, np.exp(target) / (np.exp(target) + 6 * np.exp(decoy)))
    expected = expected_turn(rules, card_hits(rules, found, crowd.stacks))
    assert outlook.everybody[0] == pytest.approx(expected.everybody)
    assert outlook.nobody[0] == pytest.approx(expected.nobody)
    assert outlook.finders[0] == pytest.approx(found.sum())


def test_a_voter_is_more_likely_to_find_what_stands_out() -> None:
    z = np.array([0.0, 2.0, 0.5, 0.0])
    found = find_chances(voting_table(ODYSSEY.seated(4), z, voters(2)))[0, :, 0]
    assert found[1] > found[2] > found[3]
    assert found[0] == 0
    blind = find_chances(voting_table(ODYSSEY.seated(4), z, voters(2, 0.0)))[0, :, 0]
    assert blind[1:] == pytest.approx([1 / 3] * 3)  # four slots less the voter's own


def test_a_voter_who_owns_the_best_match_still_has_a_choice() -> None:
    z = np.array([0.0, 6.0, -2.0, 1.0])
    found = find_chances(voting_table(ODYSSEY.seated(4), z, voters(1, 15.0)))[0]
    assert np.isfinite(found).all()
    assert found[3, 0] == pytest.approx(0.5, abs=0.01)  # found by whoever owns slot 1, not by the owner of slot 2


def test_correlated_voters_agree_more_often() -> None:
    found = np.full((3, 4), 0.5)
    apart, together = (expected_turn(SIX, card_hits(SIX, found, np.ones(4)), rho) for rho in (0.0, 0.3))
    assert apart.everybody == pytest.approx([0.5**4] * 3)
    assert together.everybody == pytest.approx([0.3 * 0.5 + 0.7 * 0.5**4] * 3)
    assert (together.nobody > apart.nobody).all()


@given(st.lists(st.floats(0.01, 1), min_size=5, max_size=5), st.floats(0, 1), st.floats(0, 0.5))
def test_a_ballot_is_worth_its_points_on_every_slot_that_may_be_the_target(
    odds: list[float], stacks: float, rho: float
) -> None:
    belief = np.array([0.0, *odds]) / sum(odds)  # slot 0 is the own card
    z = np.array([0.0, 1.0, 0.4, -0.3, 0.9, -1.0])
    table = voting_table(SIX, z, voters(4, stacks=stacks, rho=rho), belief=belief)
    found = find_chances(table)
    others = expected_turn(SIX, card_hits(SIX, found[0], table.others.stacks), rho)
    points = expected_hit_points(SIX, others.everybody, others.nobody)
    rest = belief @ points[:, Hit.MISS]
    stack, spread = ballot_points(table, dials_on(SIX, (1, 1), (1, 4)), found)[0]
    on = [belief[slot] * (points[slot] - points[slot, Hit.MISS]) for slot in (1, 4)]
    assert stack == pytest.approx(rest + on[0][Hit.FULL])
    assert spread == pytest.approx(rest + on[0][Hit.HALF] + on[1][Hit.HALF])


def test_sampled_turns_agree_with_the_exact_points() -> None:
    z = np.array([1.0, 0.4, -0.3, 0.9, -1.0, 0.2])
    belief = np.array([0.35, 0.2, 0.0, 0.25, 0.05, 0.15])
    table = voting_table(SIX, z, voters(4, stacks=0.7), own=(2,), belief=belief)
    dials = dials_on(SIX, (0, 0), (0, 3), (1, 1), (3, 4))
    exact = ballot_points(table, dials, find_chances(table))[0]
    luck = np.random.default_rng(1).random((1, luck_needed(SIX), 60_000), np.float32)
    points = simulated_points(table, dials[None], luck)[0, :, 1].mean(-1)
    differences = points - points[0]  # the decoy bonus is the same for every ballot
    assert differences == pytest.approx(exact - exact[0], abs=0.06)
