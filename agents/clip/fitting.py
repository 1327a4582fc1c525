"""Fit what is believed of players beforehand to games that were played, and see whether beliefs are calibrated."""

from collections.abc import Iterator, Sequence

import numpy as np

from dixit_env.agents.clip.reading import Habits, Reading
from dixit_env.agents.clip.sharpness import Floats
from dixit_env.agents.clip.telling import belief
from dixit_env.agents.clues.index import standing
from dixit_env.game.engine import GameState
from dixit_env.models.sight import Sight

ROUNDS = 8  # of expectation and maximisation; the weights hardly move after
UNMET = 0.1  # share of the weights that stays with kinds of players that the games don't show


def fit(games: Sequence[GameState], sight: Sight, start: Habits) -> Habits:
    """The habits that explain finished games best, by expectation–maximisation from `start`.

    Cards in the games are numbers of the sight's deck. Every seat of every game counts the same.
    """
    habits = start
    for _ in range(ROUNDS):
        readings = [_read(game, sight, habits) for game in games]
        stacked = np.concatenate([reading.stacks - habits.stacking for reading in readings]).sum(0)
        share = (stacked[0] + 1) / (stacked.sum() + 2)
        habits = Habits(
            voting=_open(np.concatenate([reading.voting for reading in readings]).mean(0)),
            telling=_open(np.concatenate([reading.telling for reading in readings]).mean(0)),
            stacking=(float(2 * share), float(2 * (1 - share))),
            giving=float(np.concatenate([reading.giving for reading in readings]).mean()),
        )
    return habits


def _open(weights: Floats) -> Floats:
    """Weights with a share for what was not met yet."""
    return (1 - UNMET) * weights + UNMET / len(weights)


def beliefs(games: Sequence[GameState], sight: Sight, habits: Habits) -> Iterator[tuple[Floats, int]]:
    """Every voter's belief before every vote, (slots,), as the CLIP agent forms it, with the storyteller's slot."""
    for game in games:
        reading = Reading(game.players, habits)
        for turn in game.history:
            z = standing(sight, turn.clue)
            teller = reading.teller(turn.storyteller, game.rules)
            for seat in range(game.players):
                if seat != turn.storyteller:
                    own = [slot for slot, owner in enumerate(turn.owners) if owner == seat]
                    yield belief(z[list(turn.slots)], own, teller), turn.target
            reading.observe(turn, z, game.rules)


def calibration_error(pairs: Sequence[tuple[Floats, int]], bins: int = 10) -> float:
    """Expected calibration error over all slots that got any belief: |mean belief − share right|, weighted by bin."""
    chance = np.concatenate([belief for belief, _ in pairs])
    right = np.concatenate([np.arange(len(belief)) == target for belief, target in pairs])
    chance, right = chance[chance > 0], right[chance > 0]
    which = np.minimum((chance * bins).astype(int), bins - 1)
    gaps = [abs(chance[which == b].sum() - right[which == b].sum()) for b in range(bins)]
    return float(sum(gaps) / len(chance))


def log_loss(pairs: Sequence[tuple[Floats, int]]) -> float:
    """Mean negative log of the belief in the storyteller's slot."""
    return float(-np.mean([np.log(max(belief[target], 1e-9)) for belief, target in pairs]))


def _read(game: GameState, sight: Sight, habits: Habits) -> Reading:
    reading = Reading(game.players, habits)
    for turn in game.history:
        reading.observe(turn, standing(sight, turn.clue), game.rules)
    return reading
