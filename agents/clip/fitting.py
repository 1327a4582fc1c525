"""Fit what is believed of players beforehand to games that were played, and see whether beliefs are calibrated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dixit_env.agents.clip.player_models import Habits, PlayerModels
from dixit_env.agents.clip.reading import read_z_scores
from dixit_env.agents.clip.storyteller import Storyteller, target_belief, target_density
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits, posterior, softmax
from dixit_env.bench.stats import calibration_error
from dixit_env.bench.viewers.guesses import Guess
from dixit_env.game.engine import GameState
from dixit_env.models.sight import Sight

ROUNDS = 8  # chosen: rounds of expectation and maximisation; the weights hardly move after
UNSEEN = 0.1  # chosen: share of the prior that stays even, for kinds of players that the games don't show
STACKING_WEIGHT = 2  # chosen: how many votes the prior of stacking counts for


@dataclass(frozen=True, eq=False)
class Guessed:
    """A table that a viewer guessed."""

    viewer: str
    z: Floats  # (slots,) z-scores of the cards for the clue, as `read_z_scores` gives them
    target: int
    belief: Floats  # (slots,) the viewer's


def guessed(guesses: Sequence[Guess], sight: Sight) -> Iterator[Guessed]:
    """Guesses as a sight sees them; controls, which have no right card, are left out."""
    card = {card.name: number for number, card in enumerate(sight.deck.cards)}
    for guess in guesses:
        if not guess.table.control:
            z = read_z_scores(sight, guess.table.clue)[[card[name] for name in guess.table.cards]]
            yield Guessed(guess.viewer, z, guess.table.target, np.array(guess.belief))


def fit(games: Sequence[GameState], sight: Sight, start: Habits, tables: Sequence[Guessed] = ()) -> Habits:
    """The habits that explain finished games best, by expectation–maximisation from `start`.

    Cards in the games are numbers of the sight's deck. Every seat of every game counts the same. Where there are
    `tables` that viewers guessed, viewers and seats make half of the voters and storytellers each.
    """
    habits = start
    for _ in range(ROUNDS):
        models = [_observed(game, sight, habits) for game in games]
        stacked, spread = np.concatenate([model.stacking - habits.stacking for model in models]).sum(0)
        share = (stacked + 1) / (stacked + spread + 2)  # Laplace's rule
        voting = np.concatenate([model.voting for model in models]).mean(0)
        plainness = np.concatenate([model.plainness for model in models]).mean(0)
        if tables:
            theirs = _of_viewers(tables, habits)
            voting, plainness = (voting + theirs[0]) / 2, (plainness + theirs[1]) / 2
        habits = Habits(
            voting=_smoothed(voting),
            plainness=_smoothed(plainness),
            stacking=(float(STACKING_WEIGHT * share), float(STACKING_WEIGHT * (1 - share))),
            giving=float(np.concatenate([model.giving for model in models]).mean()),
        )
    return habits


def _of_viewers(tables: Sequence[Guessed], habits: Habits) -> tuple[Floats, Floats]:
    """What guessed tables tell of voters (K,) and of storytellers (M,). A viewer's belief counts as parts of a vote for
    each card."""
    voting: dict[str, Floats] = {}
    plainness = []
    for table in tables:
        storyteller = Storyteller(habits.plainness, habits.giving, choice=len(table.z))
        chance = softmax(choice_logits(table.z, storyteller.log_odds(table.z)))  # (slots, K)
        before = voting.get(table.viewer, habits.voting)
        voting[table.viewer] = posterior(before, np.exp(table.belief @ np.log(chance + 1e-9)))
        plainness.append(posterior(habits.plainness, target_density(table.z[table.target])))
    return np.mean(list(voting.values()), axis=0), np.mean(plainness, axis=0)


def _smoothed(weights: Floats) -> Floats:
    """Probabilities with an even share for what was not seen."""
    return (1 - UNSEEN) * weights + UNSEEN / len(weights)


def beliefs(games: Sequence[GameState], sight: Sight, habits: Habits) -> Iterator[tuple[Floats, int]]:
    """Every voter's belief before every vote, (slots,), as the CLIP agent forms it, with the storyteller's slot."""
    for game in games:
        models = PlayerModels(game.players, habits)
        for turn in game.history:
            z = read_z_scores(sight, turn.clue)
            storyteller = models.storyteller(turn.storyteller, game.rules)
            for seat in range(game.players):
                if seat != turn.storyteller:
                    own = np.array(turn.owners) == seat
                    yield target_belief(storyteller.log_odds(z[list(turn.slots)]), own), turn.target
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
        models.observe(turn, read_z_scores(sight, turn.clue), game.rules)
    return models
