"""Many games for several learners: a TorchRL environment over `BatchedGame`. Needs the package torchrl."""

from typing import Any

import torch
from gymnasium.spaces import Box
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from dixit_env.envs.batch import BatchedGame
from dixit_env.game.engine import Phase


class DixitTorchRL(EnvBase):  # type: ignore[misc] # torchrl ships no types
    """B games of P players, all of them learners; a step is a phase, and who has nothing to do waits (action 0).

    In the tensordicts, of batch size (B,), the group `agents` holds for each seat `observation` (B, P, size) float32,
    `action_mask` (B, P, actions) bool, `action` (B, P) int64 and `reward` (B, P, 1) float32; `done` and `terminated`
    are (B, 1). Games that are over begin anew with the `reset` that TorchRL calls for them. Some of the games alone can
    only be reset between two turns (`DixitError`), all of them at any time.

    The arguments are those of `BatchedGame`.
    """

    batch_locked = True

    def __init__(self, games: int, players: int = 6, rules: Any = "odyssey", **options: Any) -> None:
        self.game = BatchedGame(games, players, rules, **options)
        super().__init__(device=self.game.device, batch_size=torch.Size([games]))
        spaces, shape, device = self.game.spaces, (games, players), self.game.device
        box = spaces.observation_space()["observation"]
        assert isinstance(box, Box)
        self.observation_spec = Composite(
            agents=Composite(
                observation=Bounded(
                    torch.from_numpy(box.low).expand(*shape, -1),
                    torch.from_numpy(box.high).expand(*shape, -1),
                    (*shape, spaces.size),
                    dtype=torch.float32,
                ),
                action_mask=Binary(spaces.actions, (*shape, spaces.actions), dtype=torch.bool),
                shape=shape,
            ),
            shape=shape[:1],
            device=device,
        )
        action = Categorical(spaces.actions, shape, dtype=torch.int64)
        self.action_spec = Composite(agents=Composite(action=action, shape=shape), shape=shape[:1], device=device)
        reward = Unbounded((*shape, 1), dtype=torch.float32)
        self.reward_spec = Composite(agents=Composite(reward=reward, shape=shape), shape=shape[:1], device=device)
        self.done_spec = Composite(
            done=Categorical(2, (games, 1), dtype=torch.bool),
            terminated=Categorical(2, (games, 1), dtype=torch.bool),
            shape=shape[:1],
            device=device,
        )

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        some = None if tensordict is None else tensordict.get("_reset", None)
        self.game.reset(None if some is None else some.flatten())
        return self._seen(torch.zeros_like(self.game.over))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        game = self.game
        if game.phase is Phase.CLUE:
            game.reset(game.over)  # TorchRL has reset them already, unless it was told not to
        actions = tensordict["agents", "action"][:, list(game.seats)]
        step = game.step(actions, autoreset=False)
        after = self._seen(step.over)
        after["agents", "reward"] = step.rewards[:, :, None]
        return after

    def _seen(self, over: torch.Tensor) -> TensorDictBase:
        seats = range(self.game.players)
        mask = self.game.masks(seats)
        self.full_action_spec["agents", "action"].update_mask(mask)
        agents = {"observation": self.game.observe(seats), "action_mask": mask}
        done = over[:, None]
        return TensorDict(
            {
                "agents": TensorDict(agents, batch_size=(*self.batch_size, self.game.players)),
                "done": done,
                "terminated": done.clone(),
            },
            batch_size=self.batch_size,
            device=self.device,
        )

    def _set_seed(self, seed: int | None) -> None:
        if seed is not None:
            self.game.generator.manual_seed(seed)
