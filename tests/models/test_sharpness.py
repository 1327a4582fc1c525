"""How sure a belief should be: scales are found again from answers that were drawn with them."""

import numpy as np
import pytest

from dixit_env.bench.viewers.guesses import read_guesses
from dixit_env.models.clip_training.sharpness import DRAWS, HELD_OUT_GUESSES, among_others, own_scale


def test_the_scale_that_answers_were_drawn_with_is_found() -> None:
    rng = np.random.default_rng(0)
    cosines = rng.normal(0, 0.2, (4_000, 6))
    odds = np.exp(12 * cosines)
    targets = [int(rng.choice(6, p=row / row.sum())) for row in odds]
    assert own_scale((cosines, targets)) == pytest.approx(12, rel=0.1)


def test_sources_weigh_the_same_however_many_tables_they_have() -> None:
    """Tables that are read at random bring the scale down as far as five times as many of them."""
    rng = np.random.default_rng(0)
    cosines = rng.normal(0, 0.2, (2_000, 6))
    sharp, blind = (cosines, cosines.argmax(1).tolist()), (cosines, rng.integers(0, 6, 2_000).tolist())
    few, many = (own_scale(sharp, (np.tile(blind[0], (n, 1)), blind[1] * n)) for n in (1, 5))
    assert few == pytest.approx(many, rel=1e-3)
    assert few < own_scale(sharp) / 2


def test_tables_from_a_deck_hold_the_right_card_first_and_five_others() -> None:
    cosines = np.arange(40.0).reshape(2, 20)
    six = among_others(cosines, [3, 7], np.random.default_rng(0))
    assert six.shape == (2 * DRAWS, 6)
    assert set(six[:DRAWS, 0]) == {3.0}
    assert set(six[DRAWS:, 0]) == {27.0}
    assert all(len(set(row)) == 6 for row in six)


def test_kept_guesses_are_beliefs_over_six_cards() -> None:
    guesses = read_guesses(HELD_OUT_GUESSES)
    for guess in guesses:
        assert len(set(guess.table.cards)) == len(guess.belief) == 6
        assert sum(guess.belief) == pytest.approx(1, abs=0.01)
        assert 0 <= guess.table.target < 6
        assert {card.split("/")[0] for card in guess.table.cards} in ({"nocturne"}, {"tides"})
    assert sum(not guess.table.control for guess in guesses) >= 100
