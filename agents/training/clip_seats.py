"""The CLIP agent in batched games: the agent of tournaments, asked for its seats of all games at once."""

from collections.abc import Sequence
from copy import copy
from random import Random
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from dixit_env.agents.clip.agent import ClipAgent, ClipOptions
from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.eyes import EyePool
from dixit_env.envs.batch_view import views
from dixit_env.game.moves import GiveClue


class ClipSeats:
    """Plays seats of batched games as `clip`, each with the eye that the game gives it and a memory of its own.

    A clue is any of the bank, so it need not stand on its card's ladder (`EyedGame.free_clue`). What an agent remembers
    comes from the finished turns of its game, so it may take a seat in the middle of one.

    Args:
        options: how the agent plays.
    """

    def __init__(self, options: ClipOptions) -> None:
        self.options = options
        self._by_eye: WeakKeyDictionary[EyePool, list[ClipAgent]] = WeakKeyDictionary()
        # By game and seat: when the game began, and the agent that sits there.
        self._seated: WeakKeyDictionary[EyedGame, dict[tuple[int, int], tuple[int, ClipAgent]]] = WeakKeyDictionary()

    def __call__(self, batch: DecisionBatch) -> Tensor:
        """The choices for some decisions, int64 (N,)."""
        game, rows, seats = batch.game, batch.games.tolist(), batch.seats.tolist()
        seen = views(game, rows, seats, game.histories(rows))
        decisions = ClipAgent.act_many(self._agents(batch, rows, seats), seen)
        chosen: list[int] = []
        for one, decision in zip(seen, decisions, strict=True):
            if isinstance(move := decision.move, GiveClue):
                chosen.append(game.free_clue(one.hand.index(move.card), game.pool.numbers[move.clue]))
            else:
                action = game.spaces.action(one, move)
                assert action is not None  # only a clue may have none
                chosen.append(action - game.spaces.first[batch.phase])
        return torch.tensor(chosen, device=game.device)

    def _agents(self, batch: DecisionBatch, rows: Sequence[int], seats: Sequence[int]) -> list[ClipAgent]:
        """Who sits there. All draw from one stream, which each batch makes anew, so that none has to be kept."""
        game = batch.game
        if game.pool not in self._by_eye:
            self._by_eye[game.pool] = [
                ClipAgent(game.pool.deck, heard, told, self.options) for heard, told in game.pool.eyes
            ]
        by_eye, seated = self._by_eye[game.pool], self._seated.setdefault(game, {})
        eyes, began = game.eyes[batch.games, batch.seats].tolist(), game.began(rows)
        seed = int(torch.randint(2**62, (), generator=batch.generator, device=batch.generator.device))
        rng, numpy_rng = Random(seed), np.random.default_rng(seed)
        agents = []
        for place, eye, start in zip(zip(rows, seats, strict=True), eyes, began, strict=True):
            sat, agent = seated.get(place, (None, None))
            if agent is None or sat != start:
                agent = copy(by_eye[eye])
                agent.begin(place[1], rng)
                seated[place] = start, agent
            agent.rng, agent.numpy_rng = rng, numpy_rng
            agents.append(agent)
        return agents
