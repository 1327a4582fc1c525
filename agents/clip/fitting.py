"""Fit what is believed of players beforehand to games that were played, and see whether beliefs are calibrated."""

from collections.abc import Iterator, Sequence

import numpy as np

from dixit_env.agents.clip.player_models import Habits, PlayerModels
from dixit_env.agents.clip.storyteller import target_belief
from dixit_env.agents.clip.voter_kinds import Floats
from dixit_env.agents.clues.index import clue_z_scores
from dixit_env.bench.stats import calibration_error
from dixit_env.game.engine import GameState
from dixit_env.models.sight import Sight

ROUNDS = 8  # chosen: rounds of expectation and maximisation; the weights hardly move after
UNSEEN = 0.1  # chosen: share of the prior that stays even, for kinds of players that the games don't show
STACKING_WEIGHT = 2  # chosen: how many votes the prior of stacking counts for


def fit(games: Sequence[GameState], sight: Sight, start: Habits) -> Habits:
    """The habits that explain finished games best, by expectation–maximisation from `start`.

    Cards in the games are numbers of the sight's deck. Every seat of every game counts the same.
    """
    habits = start
    for _ in range(ROUNDS):
        models = [_observed(game, sight, habits) for game in games]
        stacked, spread = np.concatenate([model.stacking - habits.stacking for model in models]).sum(0)
        share = (stacked + 1) / (stacked + spread + 2)  # Laplace's rule
        habits = Habits(
            voting=_smoothed(np.concatenate([model.voting for model in models]).mean(0)),
            plainness=_smoothed(np.concatenate([model.plainness for model in models]).mean(0)),
            stacking=(float(STACKING_WEIGHT * share), float(STACKING_WEIGHT * (1 - share))),
            giving=float(np.concatenate([model.giving for model in models]).mean()),
        )
    return habits


def _smoothed(weights: Floats) -> Floats:
    """Probabilities with an even share for what was not seen."""
    return (1 - UNSEEN) * weights + UNSEEN / len(weights)


def beliefs(games: Sequence[GameState], sight: Sight, habits: Habits) -> Iterator[tuple[Floats, int]]:
    """Every voter's belief before every vote, (slots,), as the CLIP agent forms it, with the storyteller's slot."""
    for game in games:
        models = PlayerModels(game.players, habits)
        for turn in game.history:
            z = clue_z_scores(sight, turn.clue)
            storyteller = models.storyteller(turn.storyteller, game.rules)
            for seat in range(game.players):
                if seat != turn.storyteller:
                    own = [slot for slot, owner in enumerate(turn.owners) if owner == seat]
                    yield target_belief(z[list(turn.slots)], own, storyteller), turn.target
            models.observe(turn, z, game.rules)


def belief_calibration_error(pairs: Sequence[tuple[Floats, int]]) -> float:
    """Expected calibration error of the slot that each belief holds likeliest (`stats.calibration_error`)."""
    confidence = np.array([belief.max() for belief, _ in pairs])
    right = np.array([belief.argmax() == target for belief, target in pairs])
    return calibration_error(confidence, right)


def log_loss(pairs: Sequence[tuple[Floats, int]]) -> float:
    """Mean negative log of the belief in the storyteller's slot."""
    return float(-np.mean([np.log(max(belief[target], 1e-9)) for belief, target in pairs]))


def _observed(game: GameState, sight: Sight, habits: Habits) -> PlayerModels:
    """What a whole game tells of its seats."""
    models = PlayerModels(game.players, habits)
    for turn in game.history:
        models.observe(turn, clue_z_scores(sight, turn.clue), game.rules)
    return models
