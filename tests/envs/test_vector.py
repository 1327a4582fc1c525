"""Many games behind Gymnasium's vector interface and TorchRL's."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from dixit_env import DixitError
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.ids import EDITION_OF
from dixit_env.envs.solo import DixitSolo
from dixit_env.envs.vector import DixitVector

CLIP = ClipTable.random(clues=120, width=6, rungs=3)


def legal_choices(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(num_envs,) one of the legal actions each."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def play(env: Any, steps: int, seed: int = 0) -> list[Any]:
    """Everything that so many steps show."""
    rng = np.random.default_rng(seed)
    observation, infos = env.reset(seed=seed)
    shown = [(observation, infos)]
    for _ in range(steps):
        shown.append(env.step(legal_choices(observation["action_mask"], rng)))
        observation = shown[-1][0]
    return shown


@pytest.mark.parametrize("name", EDITION_OF)
def test_gymnasium_makes_the_vector_environment_by_name(name: str) -> None:
    envs = gymnasium.make_vec(name, num_envs=5, vectorization_mode="vector_entry_point", players=4, clip=CLIP)
    assert isinstance(envs, DixitVector)
    assert envs.game.spaces.rules == gymnasium.make(name, players=4).get_wrapper_attr("spaces").rules
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize(("players", "seat"), [(3, 0), (6, 5), (12, 3)])
def test_it_is_the_solo_environment_many_times(players: int, seat: int) -> None:
    """The same spaces; observations in them; always a decision of the learner; points that add up to the scores."""
    envs, solo = DixitVector(30, players, seat=seat, clip=CLIP), DixitSolo(players, seat=seat, clip=CLIP)
    assert envs.single_observation_space == solo.observation_space
    assert envs.single_action_space == solo.action_space
    earned, ended = np.zeros(30), 0
    for observation, *rest in play(envs, 80):
        assert envs.observation_space.contains(observation)
        assert not observation["action_mask"][:, 0].any()  # it never has to wait
        if len(rest) == 1:
            continue
        rewards, over, truncated, infos = rest
        earned += rewards
        assert not truncated.any()
        assert not infos["illegal"].any()
        if over.any():
            scores = infos["final_info"]["scores"]
            assert np.array_equal(earned[over], scores[over, seat])
            assert (scores[over].max(axis=1) >= 30).all()
            earned[over] = 0
            ended += over.sum()
    assert ended > 30


def test_the_last_observation_is_kept() -> None:
    envs = DixitVector(30, 4, clip=CLIP)
    pieces, ended = envs.spaces.pieces, 0
    for observation, _, over, _, infos in play(envs, 60)[1:]:
        assert ("final_obs" in infos) == over.any()
        if not over.any():
            continue
        assert np.array_equal(infos["_final_obs"], over)
        for row in np.flatnonzero(over):
            last = infos["final_obs"][row]
            assert envs.single_observation_space.contains(last)
            assert not last["observation"][pieces["phase"].where].any()
            scores = infos["final_info"]["scores"][row]
            assert last["observation"][pieces["scores"].where] == pytest.approx(scores / 30)
            assert not observation["observation"][row, pieces["scores"].where].any()  # the new game has begun
            ended += 1
    assert ended > 20


def test_a_seed_names_the_games() -> None:
    first, same, other = (play(DixitVector(8, clip=CLIP), 40, seed) for seed in (1, 1, 2))
    for (one, *_), (two, *_) in zip(first, same, strict=True):
        assert np.array_equal(one["observation"], two["observation"])
    assert not np.array_equal(first[0][0]["observation"], other[0][0]["observation"])


def test_opponents_can_be_any_batched_policy() -> None:
    asked = []

    def first_legal(game: BatchedGame) -> torch.Tensor:
        asked.append(game.seats)
        return game.masks().float().argmax(dim=2)

    envs = DixitVector(4, 3, opponents=first_legal)
    play(envs, 10)
    assert {len(seats) for seats in asked} == {1, 2}


def test_gymnasiums_wrappers_work() -> None:
    shown = play(RecordEpisodeStatistics(DixitVector(20, 4)), 60)
    lengths = [infos["episode"]["l"][infos["_episode"]] for *_, infos in shown[1:] if "episode" in infos]
    assert np.concatenate(lengths).min() > 3


def test_an_illegal_action_is_replaced_and_flagged() -> None:
    envs = DixitVector(3)
    envs.reset(seed=1)
    assert envs.step(np.zeros(3, dtype=np.int64))[4]["illegal"].all()


def test_the_seat_must_exist() -> None:
    with pytest.raises(DixitError, match="there is no seat 6"):
        DixitVector(2, 6, seat=6)


@pytest.mark.parametrize(("players", "rules"), [(3, "odyssey"), (6, "odyssey"), (7, "odyssey-2011"), (4, "dixit")])
def test_torchrl_accepts_its_environment(players: int, rules: str) -> None:
    envs = pytest.importorskip("torchrl.envs", reason="torchrl is not installed: pip install 'dixit-env[torchrl]'")
    from dixit_env.envs.torchrl_env import DixitTorchRL

    env = DixitTorchRL(8, players, rules, clip=CLIP)
    envs.check_env_specs(env, seed=0)
    shown = env.rollout(120, break_when_any_done=False)
    agents, after = shown["agents"], shown["next"]
    assert agents["action_mask"].gather(3, agents["action"][..., None]).all()
    assert after["done"].sum() > 8
    # what a seat earns between two ends of a game is its score at the second
    earned = torch.zeros(8, players)
    for step in range(120):
        earned += after["agents", "reward"][:, step, :, 0]
        over = after["done"][:, step, 0]
        where = env.game.spaces.pieces["scores"].where
        scores = after["agents", "observation"][:, step, 0, where] * env.game.rules.target
        assert torch.allclose(earned[over], scores[over])
        earned[over] = 0
