"""The game for several learners: PettingZoo's turn-based and parallel interfaces.

`env()` is the turn-based environment in PettingZoo's order-enforcing wrapper, `raw_env()` without it, and
`parallel_env()` lets all agents act at once, as the phases of the game do. All three take the same arguments, and the
observations of a seat are the same in all of them.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from dixit_env.decks.deck import Deck
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Episode, RenderMode, Reward
from dixit_env.envs.spaces import WAIT, Observation
from dixit_env.game.engine import waiting_for
from dixit_env.game.rules import Rules

Infos = dict[str, dict[str, Any]]


class _Seats:
    """What both interfaces share: the arguments, the agents and their spaces."""

    def __init__(
        self,
        players: int = 6,
        rules: Rules | str = "odyssey",
        *,
        deck: Deck | None = None,
        clip: ClipTable | None = None,
        embeddings: bool = False,
        reward: Reward = "points",
        render_mode: RenderMode | None = None,
    ) -> None:
        self.episode = Episode(players, rules, deck, clip, embeddings, reward, render_mode)
        self.spaces = self.episode.spaces
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.action_spaces = {agent: self.spaces.action_space() for agent in self.possible_agents}
        self.observation_spaces = {agent: self.spaces.observation_space() for agent in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.np_random, _ = seeding.np_random()

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def render(self) -> str | NDArray[np.uint8] | None:
        return self.episode.render()


class DixitAEC(_Seats, AECEnv[str, Observation, int]):  # type: ignore[misc] # PettingZoo ships no types
    """One seat after the other.

    Within a phase the decisions are simultaneous by the rules; here the seats decide in their order, and no
    observation shows what the others have decided.

    Action space: `Discrete(n)`. Observation space: `Dict` of `observation`, float32, and `action_mask`, int8.
    `env.spaces.describe()` prints both layouts. An illegal action is replaced by the first legal one, and
    `infos[agent]["illegal"]` is True; `infos[agent]["scores"]` are everybody's points. The clue in words is
    `env.unwrapped.episode.state.clue`.

    Rewards: paid to everybody by the last vote of a turn, see `dixit_env.envs.episode.Reward`.

    Episode end: all agents terminate when the game is over; nothing is truncated.

    Args:
        players: 3 to 12, as the rules allow.
        rules: an edition's name, or `Rules`.
        deck: by default cards without pictures, as many as the CLIP table has, or 84.
        clip: embeddings and clue ladders.
        embeddings: put the embeddings into the observation, see `dixit_env.envs.spaces.Spaces`.
        reward: `points`, `difference` or `win`.
        render_mode: `ansi`, `rgb_array`, or `human`, which prints every scored turn.
    """

    metadata = {  # noqa: RUF012 # PettingZoo's own type
        "name": "dixit_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.episode.begin(self.np_random)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self.episode.info() for agent in self.agents}
        self.agent_selection = self.agents[self.episode.state.storyteller]
        self._skip_agent_selection = None
        self._paid = False

    def observe(self, agent: str) -> Observation:
        return self.episode.observe(self._seats[agent])

    def step(self, action: int | None) -> None:
        agent, episode = self.agent_selection, self.episode
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        seat = self._seats[agent]
        move, illegal = episode.decode(seat, action)
        ended = episode.apply(seat, move)
        if self._paid:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards[agent] = 0.0
        if ended:
            self.rewards = dict(zip(self.agents, map(float, episode.rewards()), strict=True))
            self._accumulate_rewards()
            self.infos = {other: episode.info(self.infos[other]["illegal"]) for other in self.agents}
            if self.render_mode == "human":
                self.render()
        self._paid = ended
        self.infos[agent]["illegal"] = illegal
        if episode.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.agents[waiting_for(episode.state)[0]]

    def close(self) -> None:
        """Nothing is held open; PettingZoo asks for the method where there is rendering."""


class DixitParallel(_Seats, ParallelEnv[str, Observation, int]):  # type: ignore[misc] # PettingZoo ships no types
    """All seats at once: a step is a phase, and who has nothing to do waits (action 0). See `DixitAEC`."""

    metadata = {"name": "dixit_v0", "render_modes": ["ansi", "rgb_array", "human"], "render_fps": 1}  # noqa: RUF012

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.episode.begin(self.np_random)
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: self.episode.info() for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        episode, agents = self.episode, self.agents
        waiting = waiting_for(episode.state)
        decisions = [(seat, *episode.decode(seat, actions[agents[seat]])) for seat in waiting]
        illegal = [actions[agent] != WAIT for agent in agents]
        for seat, _, replaced in decisions:
            illegal[seat] = replaced
        ended = False
        for seat, move, _ in decisions:
            ended = episode.apply(seat, move)
        observations = self._observations()
        points = map(float, episode.rewards()) if ended else (0.0,) * len(agents)
        rewards = dict(zip(agents, points, strict=True))
        terminations = dict.fromkeys(agents, episode.over)
        truncations = dict.fromkeys(agents, False)
        infos = {agent: episode.info(replaced) for agent, replaced in zip(agents, illegal, strict=True)}
        if episode.over:
            self.agents = []
        if ended and self.render_mode == "human":
            self.render()
        return observations, rewards, terminations, truncations, infos

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.episode.observe(seat) for seat, agent in enumerate(self.agents)}


raw_env = DixitAEC
parallel_env = DixitParallel


def env(*args: Any, **kwargs: Any) -> OrderEnforcingWrapper[str, Observation, int]:
    """`raw_env` that complains when it is used before `reset`; the arguments are those of `DixitAEC`."""
    return OrderEnforcingWrapper(raw_env(*args, **kwargs))
