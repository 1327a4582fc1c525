"""What reveals tell of players, and the prior that is fitted to games."""

from pathlib import Path

import numpy as np
import pytest
from clip_players import SIX, logits, only

from dixit_env import ODYSSEY, PlayedTurn, apply, new_game, play, score
from dixit_env.agents.clip.fitting import belief_calibration_error, beliefs, fit, log_loss
from dixit_env.agents.clip.player_models import (
    HABITS,
    Habits,
    PlayerModels,
    habits_json,
    listeners_of,
    load_habits,
    voters_of,
)
from dixit_env.agents.clip.race import hit_rates
from dixit_env.agents.clip.voter_kinds import KINDS, posterior, softmax
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight, z_scores
from dixit_env.table.play import Decided


def test_sharpness_is_learned_from_choices() -> None:
    z = z_scores(np.random.default_rng(3).normal(size=(40, 84)).astype(np.float32))[:, :6]
    for true in (0.0, 1.5, 15.0):
        rng = np.random.default_rng(4)
        weights = np.full(KINDS, 1 / KINDS)
        for table in z:
            chance = softmax(logits(table))  # (slots, K)
            weights = posterior(weights, chance[rng.choice(6, p=chance @ only(true))])
        assert weights @ hit_rates(np.eye(KINDS), 6) == pytest.approx(hit_rates(only(true)[None], 6)[0], abs=0.12)
        assert weights.sum() == pytest.approx(1)


def test_models_tell_blind_voters_from_sharp_ones() -> None:
    rng = np.random.default_rng(5)
    models = PlayerModels(6)
    for number in range(12):
        z = z_scores(rng.normal(size=84).astype(np.float32)[None])[0]
        slots = tuple(int(card) for card in rng.choice(84, 6, replace=False))
        owners = (0, 1, 2, 3, 4, 5)
        table = z[list(slots)]
        votes: list[tuple[int, ...]] = [()]
        for seat in range(1, 6):
            open_slots = [slot for slot in range(6) if slot != seat]
            sharp = max(open_slots, key=lambda slot: table[slot])
            first = sharp if seat > 2 else int(rng.choice(open_slots))
            votes.append((first, first))
        models.observe(PlayedTurn(number, 0, "x", slots, owners, tuple(votes), score(SIX, 0, owners, votes)), z, SIX)
    hits = hit_rates(models.voting, 6)
    assert max(hits[1], hits[2]) < min(hits[3:])
    seen = voters_of([models], [[1, 3]], 0.0)
    assert seen.stacks[0, 1] > 0.9
    heard = listeners_of([models], [[1, 3]], 0.0)
    assert heard.kinds[0] == pytest.approx(np.tile(HABITS.voting, (2, 1))), "who hears a clue reads like anybody"
    assert heard.stacks == pytest.approx(seen.stacks)


def test_a_shuffled_memory_takes_each_partner_for_another_and_itself_for_itself() -> None:
    models = PlayerModels(4)
    models.giving = np.array([0.1, 0.2, 0.3, 0.4])
    models.stacking = np.arange(8.0).reshape(4, 2)
    exchanged = models.exchanged(1)
    assert exchanged.giving.tolist() == [0.3, 0.2, 0.4, 0.1]
    assert exchanged.stacking.tolist() == [[4, 5], [2, 3], [6, 7], [0, 1]]
    assert models.giving.tolist() == [0.1, 0.2, 0.3, 0.4], "what it knows stays as it was"


def test_fitting_finds_the_players_that_there_are(sight: Sight) -> None:
    """Games among blind players only: the fitted prior says so, and on other games of theirs it errs less than half as
    much about its own confidence. (Eight games have some 70 turns, whose sampling noise is about .05: hence 48.)"""
    games = []
    for seed in range(72):
        state = new_game(ODYSSEY, 6, len(sight.deck), seed)
        for event in play(make_agents(["random"] * 6, sight), ODYSSEY, sight.deck, seed):
            if isinstance(event, Decided):
                state = apply(state, event.seat, event.decision.move)
        games.append(state)
    fitted = fit(games[:24], sight, HABITS)
    assert fitted.voting[0] > HABITS.voting[0] + 0.2
    assert fitted.plainness[0] > HABITS.plainness[0] + 0.2
    assert fitted.stacking[0] < fitted.stacking[1]
    after, before = (list(beliefs(games[24:], sight, habits)) for habits in (fitted, HABITS))
    assert belief_calibration_error(after) < belief_calibration_error(before) / 2
    assert log_loss(after) < log_loss(before)


def test_habits_are_read_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "habits.json").write_text(habits_json(HABITS), encoding="utf-8")
    again = load_habits(tmp_path / "habits.json")
    assert again.voting == pytest.approx(HABITS.voting, abs=2e-4)
    assert again.plainness == pytest.approx(HABITS.plainness, abs=2e-4)
    assert (again.stacking, again.giving) == (HABITS.stacking, HABITS.giving)


def test_habits_sum_to_one_however_their_file_rounds_them(tmp_path: Path) -> None:
    thirds = Habits(np.full(KINDS, 1 / KINDS), np.full(9, 1 / 9), (1.0, 1.0), 0.5)
    (tmp_path / "habits.json").write_text(habits_json(thirds), encoding="utf-8")
    again = load_habits(tmp_path / "habits.json")
    assert (again.voting.sum(), again.plainness.sum()) == pytest.approx((1, 1), abs=1e-12)
