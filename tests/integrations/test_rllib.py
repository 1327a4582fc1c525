"""RLlib: PPO with action masks for all seats. It pins an older gymnasium: give it a virtual environment of its own."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import BaseParallelWrapper

from dixit_env.envs.aec import parallel_env
from dixit_env.envs.clip_table import ClipTable

pytest.importorskip("ray.rllib", reason="RLlib is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")  # other libraries' warnings are not ours


class RLlibKeys(BaseParallelWrapper):  # type: ignore[misc] # PettingZoo ships no types
    """RLlib wants `observations` where others want `observation`, and a float mask."""

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        space = super().observation_space(agent)
        mask = gymnasium.spaces.Box(0, 1, space["action_mask"].shape, np.float32)
        return gymnasium.spaces.Dict({"observations": space["observation"], "action_mask": mask})

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, infos = super().reset(seed=seed, options=options)
        return {agent: self.renamed(seen) for agent, seen in observations.items()}, infos

    def step(self, actions: dict[str, int]) -> Any:
        observations, *rest = super().step(actions)
        return {agent: self.renamed(seen) for agent, seen in observations.items()}, *rest

    @staticmethod
    def renamed(seen: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"observations": seen["observation"], "action_mask": seen["action_mask"].astype(np.float32)}


def test_ppo_learns() -> None:
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    clip = ClipTable.random()
    register_env("dixit", lambda _: ParallelPettingZooEnv(RLlibKeys(parallel_env(4, clip=clip))))
    module = MultiRLModuleSpec(rl_module_specs={"everyone": RLModuleSpec(module_class=ActionMaskingTorchRLModule)})
    config = (
        PPOConfig()
        .environment("dixit")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"everyone"}, policy_mapping_fn=lambda *_, **__: "everyone")
        .rl_module(rl_module_spec=module)
        .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        learner = config.build_algo()
        before = learner.get_module("everyone").get_state()
        result = learner.train()
        after = learner.get_module("everyone").get_state()
        assert result["env_runners"]["num_env_steps_sampled"] >= 256
        assert any(not np.array_equal(before[name], after[name]) for name in before)
        learner.stop()
    finally:
        ray.shutdown()
