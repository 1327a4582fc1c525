"""Stable-Baselines3: MaskablePPO learns one seat's play."""

import gymnasium
import numpy as np
import pytest

from dixit_env.envs.clip_table import ClipTable

sb3 = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")  # other libraries' warnings are not ours


def test_maskable_ppo_learns() -> None:
    env = gymnasium.make("Dixit/Odyssey-v0", players=4, clip=ClipTable.random(), reward="difference")
    model = sb3.MaskablePPO("MultiInputPolicy", env, n_steps=128, batch_size=64, n_epochs=2, seed=0)
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(256)
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))

    observation, _ = env.reset(seed=1)
    over, decisions = False, 0
    while not over:
        action, _ = model.predict(observation, action_masks=env.get_wrapper_attr("action_masks")())
        observation, reward, over, _, info = env.step(action)
        assert not info["illegal"]
        assert np.isfinite(float(reward))
        decisions += 1
    assert decisions > 3
