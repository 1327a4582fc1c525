"""TorchRL: PPO for all seats, over the PettingZoo environment and over the batched one."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from dixit_env.envs.aec import parallel_env
from dixit_env.envs.clip_table import ClipTable

pytest.importorskip("torchrl", reason="torchrl is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")  # other libraries' warnings are not ours

CLIP = ClipTable.random()


def pettingzoo() -> tuple[Any, str, tuple[str, ...]]:
    """One game; the group of agents; where their features are."""
    from torchrl.envs import PettingZooWrapper

    env = PettingZooWrapper(parallel_env(4, clip=CLIP), use_mask=True)
    return env, "player", ("player", "observation", "observation")


def batched() -> tuple[Any, str, tuple[str, ...]]:
    """64 games."""
    from dixit_env.envs.torchrl_env import DixitTorchRL

    return DixitTorchRL(64, 4, clip=CLIP), "agents", ("agents", "observation")


@pytest.mark.parametrize("make", [pettingzoo, batched])
def test_ppo_learns(make: Callable[[], tuple[Any, str, tuple[str, ...]]]) -> None:
    from tensordict.nn import TensorDictModule
    from torchrl.envs import check_env_specs
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss

    torch.manual_seed(0)
    env, group, features = make()
    check_env_specs(env)
    size, actions = env.observation_spec[features].shape[-1], env.full_action_spec[group, "action"].space.n

    def network(outputs: int) -> nn.Module:
        return nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, outputs))

    actor = ProbabilisticActor(
        TensorDictModule(network(actions), in_keys=[features], out_keys=[(group, "logits")]),
        in_keys={"logits": (group, "logits"), "mask": (group, "action_mask")},
        out_keys=[(group, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(group, "log_prob"),
    )
    critic = ValueOperator(network(1), in_keys=[features], out_keys=[(group, "value")])
    loss = ClipPPOLoss(actor, critic)
    loss.set_keys(
        reward=(group, "reward"),
        action=(group, "action"),
        sample_log_prob=(group, "log_prob"),
        value=(group, "value"),
        done=(group, "done"),
        terminated=(group, "terminated"),
    )
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    before = [parameter.detach().clone() for parameter in actor.parameters()]
    for _ in range(2):
        with torch.no_grad():
            data = env.rollout(30, actor, break_when_any_done=False)
        assert data[group, "action_mask"].gather(-1, data[group, "action"].unsqueeze(-1)).all()
        for done in ("done", "terminated"):  # one flag for the game, wanted for each agent
            shared = data["next", done].unsqueeze(-2).expand(data["next", group, "reward"].shape)
            data["next", group, done] = shared
        loss.make_value_estimator(gamma=1.0, lmbda=0.95)
        with torch.no_grad():
            loss.value_estimator(data)
        losses = loss(data.reshape(-1))
        total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        assert torch.isfinite(total)
    assert any((old != new).any() for old, new in zip(before, actor.parameters(), strict=True))
