"""Which card is the storyteller's: the belief, and what a voter of each kind is learned to be."""

import numpy as np

from dixit_env.agents.clip.player_models import HABITS
from dixit_env.agents.clip.storyteller import Storyteller, target_belief, target_density


def test_a_plain_storyteller_is_believed_to_own_the_best_match_and_a_blind_one_the_worst() -> None:
    z = np.array([1.2, 3.9, -0.8, 1.5, 0.9, 2.0])
    plain = Storyteller(np.eye(len(HABITS.plainness))[-2], 0.9, 6.0)
    blind = Storyteller(np.eye(len(HABITS.plainness))[0], 0.9, 6.0)
    own = np.arange(6) == 0
    assert target_belief(plain.log_odds(z), own).argmax() == 1
    assert target_belief(blind.log_odds(z), own).argmax() == 2
    assert target_belief(blind.log_odds(z), own)[0] == 0


def test_the_belief_is_the_posterior_of_the_model() -> None:
    """Tables drawn from the model itself: among slots believed in by p, a share p is the storyteller's."""
    rng = np.random.default_rng(9)
    teller = Storyteller(HABITS.plainness, 1.0, 6.0)
    width = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])
    plainness = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])
    chances, truths = [], []
    for _ in range(4000):
        kind = rng.choice(len(plainness), p=HABITS.plainness)
        decoys = rng.normal(size=(4, 6)).max(1)
        table = np.array([rng.normal(plainness[kind], width[kind]), *decoys, 0.0])
        chances.append(target_belief(teller.log_odds(table), np.arange(6) == 5)[:5])
        truths.append(np.eye(5)[0])
    chance, truth = np.concatenate(chances), np.concatenate(truths)
    bins = np.digitize(chance, np.linspace(0, 1, 11)[1:-1])
    error = sum(abs(chance[bins == b].sum() - truth[bins == b].sum()) for b in range(10)) / len(chance)
    assert error < 0.03
    assert target_density(np.array(5.0)).argmax() == len(plainness) - 1
