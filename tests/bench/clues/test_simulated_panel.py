"""The simulated panel: its arithmetic, and that its constants can be found again."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dixit_env.bench.clues.simulated_panel import RHO, SimulatedPanel, finders, fit
from dixit_env.bench.listeners.rounds import SLOTS, Rounds

chances = st.floats(0.01, 0.99)


@given(chances, st.integers(1, 11), st.floats(0, 0.95))
def test_finders_are_a_distribution_with_the_right_mean_and_correlation(
    found: float, listeners: int, rho: float
) -> None:
    counts = np.arange(listeners + 1)
    shares = finders(found, listeners, rho)
    assert shares.sum() == pytest.approx(1)
    assert shares @ counts == pytest.approx(listeners * found)
    if listeners > 1:
        both = shares @ (counts * (counts - 1)) / (listeners * (listeners - 1))
        assert (both - found**2) / (found * (1 - found)) == pytest.approx(rho, abs=1e-6)


@given(chances, st.integers(1, 11))
def test_without_correlation_finders_are_binomial(found: float, listeners: int) -> None:
    binomial = [comb(listeners, k) * found**k * (1 - found) ** (listeners - k) for k in range(listeners + 1)]
    assert finders(found, listeners, 0) == pytest.approx(binomial)


def test_constants_reproduce_human_tables_within_two_points() -> None:
    """65.1 % some but not all: 57.9, 68.0, 72.0 with 4, 5, 6 players (public play data, 2012-2021)."""
    for players, found, some in ((4, 0.541, 0.579), (5, 0.467, 0.680), (6, 0.405, 0.720)):
        shares = finders(found, players - 1, RHO[players])
        assert shares[1:-1].sum() == pytest.approx(some, abs=0.02)


def test_sharpness_moves_votes_towards_the_likely_card() -> None:
    belief = np.array([0.4, 0.3, 0.2, 0.1])
    dull, keen = SimulatedPanel(sharpness={4: 0.5}), SimulatedPanel(sharpness={4: 2.0})
    assert dull.expected(belief)[0] < belief[0] < keen.expected(belief)[0]
    assert SimulatedPanel(sharpness={4: 1.0}).expected(belief) == pytest.approx(belief)


def test_votes_correlate_by_rho() -> None:
    panel = SimulatedPanel(rho={6: 0.3}, sharpness={6: 1.0})
    opinions = panel.opinions(np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1]), 20_000, np.random.default_rng(1))
    assert opinions[:, 0].mean() == pytest.approx(0.4, abs=0.01)
    assert opinions[:, 0].var() / (0.4 * 0.6) == pytest.approx(0.3, abs=0.02)


def test_constants_are_found_again_in_tables_of_the_simulator() -> None:
    sharpness, rho, players, count = 1.6, 0.2, 5, 4000
    panel, rng = SimulatedPanel(rho={players: rho}, sharpness={players: sharpness}), np.random.default_rng(2)
    logits = rng.normal(size=(count, SLOTS))
    logits[:, players:] = -np.inf
    votes = np.zeros((count, SLOTS), np.int64)
    for row in range(count):
        odds = np.exp(logits[row, :players])
        opinion = panel.opinions(odds / odds.sum(), 1, rng)[0]
        for own in range(1, players):  # slot 0 is the storyteller's
            legal = np.where(np.arange(players) == own, 0, opinion)
            votes[row, rng.choice(players, p=legal / legal.sum())] += 1
    cards = np.where(np.arange(SLOTS) < players, np.arange(SLOTS), -1)
    rounds = Rounds(("",) * count, np.tile(cards, (count, 1)), votes, np.zeros(count, np.int64), SLOTS)
    constants = fit(rounds, lambda _: logits)
    assert constants["sharpness"][players] == pytest.approx(sharpness, abs=0.1)
    assert constants["residual_rho"][players] == pytest.approx(rho, abs=0.05)
    assert constants["rho"][players] > constants["residual_rho"][players]  # clues differ in how easy they are
