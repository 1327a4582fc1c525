"""The game for one learner: a Gymnasium environment for one seat, with agents in the other seats."""

from collections.abc import Sequence
from random import Random
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from dixit_env.decks.deck import Deck
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Episode, RenderMode, Reward
from dixit_env.envs.spaces import Spaces
from dixit_env.errors import DixitError
from dixit_env.game.engine import waiting_for
from dixit_env.game.rules import Rules
from dixit_env.game.view import View
from dixit_env.table.play import Agent, Decision, Seat


class RandomOpponent:
    """Takes every action that the environment's mask allows with the same chance."""

    name = "random"

    def __init__(self, spaces: Spaces) -> None:
        self.spaces = spaces

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        action = self.rng.choice(np.flatnonzero(self.spaces.mask(view)).tolist())
        move = self.spaces.move(view, action)
        assert move is not None  # the mask says so
        return Decision(move)


class DixitSolo(gymnasium.Env[dict[str, Any], np.int64]):
    """One seat; a step goes on to this seat's next decision, or to the end of the game.

    Action space: `Discrete(n)`. Observation space: `Dict` of `observation`, float32, and `action_mask`, int8.
    `env.unwrapped.spaces.describe()` prints both layouts. An illegal action is replaced by the first legal one, and
    `info["illegal"]` is True; `info["clue"]` is the clue in words, `info["scores"]` everybody's points.

    An opponent that raises or makes an illegal move is replaced for that decision by a random legal move, as at a table
    (`dixit_env.table.play`). `info["faults"]` says so, one line for each such decision since the last step.

    Rewards: what the seat has earned since its last decision, see `dixit_env.envs.episode.Reward`.

    Episode end: terminated when the game is over, never truncated.

    Args:
        players: 3 to 12, as the rules allow.
        rules: an edition's name, or `Rules`.
        seat: the learner's.
        opponents: agents for the other seats, in the order of the seats; by default they act at random.
        deck: by default cards without pictures, as many as the CLIP table has, or 84.
        clip: embeddings and clue ladders.
        embeddings: put the embeddings into the observation, see `dixit_env.envs.spaces.Spaces`.
        reward: `points`, `difference` or `win`.
        render_mode: `ansi`, `rgb_array`, or `human`, which prints every scored turn.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 1}  # noqa: RUF012 # Gymnasium's own type

    def __init__(
        self,
        players: int = 6,
        rules: Rules | str = "odyssey",
        *,
        seat: int = 0,
        opponents: Sequence[Agent] | None = None,
        deck: Deck | None = None,
        clip: ClipTable | None = None,
        embeddings: bool = False,
        reward: Reward = "points",
        render_mode: RenderMode | None = None,
    ) -> None:
        self.episode = Episode(players, rules, deck, clip, embeddings, reward, render_mode)
        self.spaces = self.episode.spaces
        self.render_mode = render_mode
        self.action_space = self.spaces.action_space()
        self.observation_space = self.spaces.observation_space()
        others = [RandomOpponent(self.spaces) for _ in range(players - 1)] if opponents is None else list(opponents)
        if not 0 <= seat < players:
            raise DixitError(f"there is no seat {seat}: seats are 0 to {players - 1}")
        if len(others) != players - 1:
            raise DixitError(f"{players} players need {players - 1} opponents, not {len(others)}")
        self.seat = seat
        self._agents = dict(zip([other for other in range(players) if other != seat], others, strict=True))
        self._seats: dict[int, Seat] = {}  # the opponents of the open game
        self._faults: list[str] = []  # of opponents, since the last step

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self.episode.begin(self.np_random)
        seed = self.episode.state.seed
        self._seats = {other: Seat(agent, other, seed) for other, agent in self._agents.items()}
        self._others_act()
        return self.episode.observe(self.seat), self._info(False)

    def step(self, action: int | np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        episode, seat = self.episode, self.seat
        if episode.over:
            raise DixitError("the game is over: call reset()")
        move, illegal = episode.decode(seat, int(action))
        earned = self._reward(episode.apply(seat, move)) + self._others_act()
        return episode.observe(seat), earned, episode.over, False, self._info(illegal)

    def _info(self, illegal: bool) -> dict[str, Any]:
        return {"clue": self.episode.state.clue, "faults": tuple(self._faults), **self.episode.info(illegal)}

    def action_masks(self) -> NDArray[np.bool_]:
        """(actions,) which actions are legal now."""
        return self.spaces.mask(self.episode.view(self.seat)).astype(bool)

    def render(self) -> Any:
        return self.episode.render()

    def _others_act(self) -> float:
        """Let the others decide until it is the seat's turn; what the seat earned meanwhile."""
        episode, earned = self.episode, 0.0
        self._faults = []
        while (waiting := waiting_for(episode.state)) and self.seat not in waiting:
            after, decided = self._seats[waiting[0]].decide(episode.state, time_limit=None)
            if decided.fault:
                name = self._agents[decided.seat].name
                self._faults.append(
                    f"seat {decided.seat} ({name}), turn {decided.turn}, {decided.phase}: {decided.fault}"
                )
            earned += self._reward(episode.advance(after))
        return earned

    def _reward(self, turn_ended: bool) -> float:
        """What the last move earned the learner's seat."""
        if not turn_ended:
            return 0.0
        if self.render_mode == "human":
            self.render()
        return float(self.episode.rewards()[self.seat])
