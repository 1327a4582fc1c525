"""Many games for one learner: a Gymnasium vector environment over `BatchedGame`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase
from dixit_env.game.rules import Rules

Opponents = Callable[[BatchedGame], torch.Tensor]
"""Decides for all seats that decide in a batch, the learner's included, which is then overruled: (B, A) int64."""


class DixitVector(VectorEnv[dict[str, Any], NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games, one seat of each for the learner; a step goes on to the learner's next decision.

    Spaces, rewards and the lenient handling of illegal actions (`infos["illegal"]`) are those of `DixitSolo`. Games
    that end begin anew in the same step (`AutoresetMode.SAME_STEP`): `infos["final_obs"]` holds the last observation
    and `infos["final_info"]["scores"]` the final scores where `infos["_final_obs"]` is True.

    Args:
        num_envs: how many games.
        players: 3 to 12, as the rules allow.
        rules: an edition's name, or `Rules`.
        seat: the learner's.
        opponents: by default they act at random.
        cards: cards in the deck; with a CLIP table as many as it has.
        clip: embeddings and clue ladders.
        embeddings: put the embeddings into the observation, see `dixit_env.envs.spaces.Spaces`.
        reward: `points`, `difference` or `win`.
        device: where the games are played.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 # Gymnasium's own type

    def __init__(
        self,
        num_envs: int = 1,
        players: int = 6,
        rules: Rules | str = "odyssey",
        *,
        seat: int = 0,
        opponents: Opponents = BatchedGame.random_actions,
        cards: int = 84,
        clip: ClipTable | None = None,
        embeddings: bool = False,
        reward: Reward = "points",
        device: torch.device | str = "cpu",
    ) -> None:
        if not 0 <= seat < players:
            raise DixitError(f"there is no seat {seat}: seats are 0 to {players - 1}")
        self.num_envs = num_envs
        self.seat = seat
        self.opponents = opponents
        seed = int(self.np_random.integers(2**63))
        self.game = BatchedGame(
            num_envs,
            players,
            rules,
            cards=cards,
            clip=clip,
            embeddings=embeddings,
            reward=reward,
            device=device,
            seed=seed,
        )
        self.spaces = self.game.spaces
        self.single_action_space = self.spaces.action_space()
        self.single_observation_space = self.spaces.observation_space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin all games anew. A seed names them; without, they go on from where the generator is."""
        super().reset(seed=seed)
        if seed is not None:
            self.game.generator.manual_seed(seed)
        self.game.reset(first=int(self.np_random.integers(self.game.players)))
        while self.seat not in self.game.seats:
            self.game.step(self.opponents(self.game))
        return self._observation(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[dict[str, Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take the learner's actions, (num_envs,), and let the others decide until it is the learner's turn again."""
        game, seat = self.game, self.seat
        column = game.seats.index(seat)
        decisions = self.opponents(game)
        decisions[:, column] = torch.as_tensor(actions, device=game.device)
        step = game.step(decisions, autoreset=False)
        infos: dict[str, Any] = {"illegal": step.illegal[:, column].cpu().numpy()}
        over, earned = step.over, step.rewards[:, seat]
        while True:
            if game.phase is Phase.CLUE:  # a turn has ended, and with it at most one in this step
                over = step.over
                infos |= self._final(step)
                game.reset(over)
            if seat in game.seats:
                break
            step = game.step(self.opponents(game), autoreset=False)
            earned = earned + step.rewards[:, seat]
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return self._observation(), earned.double().cpu().numpy(), over.cpu().numpy(), truncated, infos

    def _final(self, step: Step) -> dict[str, Any]:
        """The infos of games that are over, as Gymnasium lays them out."""
        over = step.over.cpu().numpy()
        if not over.any():
            return {}
        observation = self._observation()
        last = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(over):
            last[row] = {name: values[row] for name, values in observation.items()}
        scores = {"scores": step.scores.cpu().numpy(), "_scores": over}
        return {"final_obs": last, "_final_obs": over, "final_info": scores, "_final_info": over}

    def _observation(self) -> dict[str, Any]:
        """The learner's, as new arrays: `observation` (num_envs, size), `action_mask` (num_envs, actions) int8."""
        seats = (self.seat,)
        return {
            "observation": self.game.observe(seats)[:, 0].cpu().numpy(),
            "action_mask": self.game.masks(seats)[:, 0].to(torch.int8).cpu().numpy(),
        }
