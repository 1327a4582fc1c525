"""Thousands of games as tensors, compared with the turn engine move by move."""

from random import Random

import numpy as np
import pytest
import torch
from torch import Tensor

from dixit_env import EDITIONS, GameState, Phase, Rules, apply, new_game, view
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.rules import TableRules
from dixit_env.streams import shuffled

TABLES = [(name, players) for name, rules in EDITIONS.items() for players in range(3, rules.max_players + 1)]
TINY = ClipTable.random(clues=200, width=4, rungs=3)


class EngineShuffles:
    """The turn engine's own shuffles for a batch. Row r plays the games of the seeds r, r + batch, r + 2 · batch, …"""

    def __init__(self, batch: int, cards: int, rules: TableRules) -> None:
        self.batch, self.cards, self.slots = batch, cards, rules.slots
        self.stock = cards - rules.players * rules.hand + rules.slots
        self.seeds = [row - batch for row in range(batch)]
        self.turns = [0] * batch
        self.reshuffles = [0] * batch

    def deal(self, games: Tensor) -> Tensor:
        orders = torch.zeros((self.batch, self.cards), dtype=torch.int64)
        for row in games.nonzero().flatten().tolist():
            self.seeds[row] += self.batch
            self.turns[row] = self.reshuffles[row] = 0
            orders[row] = torch.tensor(shuffled(self.seeds[row], "deal", 0, range(self.cards)))
        return orders

    def table(self) -> Tensor:
        self.turns = [turn + 1 for turn in self.turns]
        rows = zip(self.seeds, self.turns, strict=True)
        return torch.tensor([shuffled(seed, "table", turn, range(self.slots)) for seed, turn in rows])

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        orders = torch.zeros((self.batch, self.stock), dtype=torch.int64)
        for row in games.nonzero().flatten().tolist():
            self.reshuffles[row] += 1
            kept = int(keep[row])
            loose = shuffled(self.seeds[row], "deal", self.reshuffles[row], range(kept, self.stock))
            orders[row] = torch.tensor([*range(kept), *loose])
        return orders


class Pair:
    """A batch and the same games in the turn engine, played with the same actions and compared after every phase."""

    def __init__(
        self, rules: Rules, players: int, batch: int, cards: int = 84, clip: ClipTable | None = None, **options: object
    ) -> None:
        shuffles = EngineShuffles(batch, cards, rules.seated(players))
        self.game = BatchedGame(batch, players, rules, cards=cards, clip=clip, shuffles=shuffles, **options)  # type: ignore[arg-type]
        self.spaces = self.game.spaces
        self.rules, self.players, self.cards, self.shuffles = rules, players, cards, shuffles
        self.reward = self.game.reward
        self.states = [self._new(row) for row in range(batch)]
        self.rng = Random(f"{rules.name}{players}")
        self.finished = 0

    def _new(self, row: int) -> GameState:
        return new_game(self.rules, self.players, self.cards, self.shuffles.seeds[row], self.game.storyteller)

    def compare(self) -> None:
        """Every seat's observation and mask, and what no seat sees."""
        game, seats = self.game, list(self.game.seats)
        features = game.observe(everyone=True).numpy()
        masks = game.masks(everyone=True).numpy()
        np.testing.assert_array_equal(game.observe().numpy(), features[:, seats])
        np.testing.assert_array_equal(game.masks().numpy(), masks[:, seats])
        for row, state in enumerate(self.states):
            for seat in range(self.players):
                seen = view(state, seat)
                np.testing.assert_array_equal(features[row, seat], self.spaces.features(seen))
                np.testing.assert_array_equal(masks[row, seat], self.spaces.mask(seen))
            if state.phase is not Phase.OVER:
                piled = int(game.pile[row])
                assert tuple(game.stock[row, :piled].tolist()) == state.pile
                assert tuple(game.stock[row, piled:].tolist()) == state.discard
                assert game.turn[row] == state.turn

    def step(self, illegal: float = 0.1) -> None:
        """One phase of random actions, some of them illegal."""
        game, seats = self.game, self.game.seats
        actions = game.random_actions()
        for row in range(game.games):
            for place in range(len(seats)):
                if self.rng.random() < illegal:
                    actions[row, place] = self.rng.randrange(self.spaces.actions)
        ended = game.phase is Phase.VOTES
        step = game.step(actions, autoreset=False)
        for row, state in enumerate(self.states):
            after = state
            for place, seat in enumerate(seats):
                seen = view(state, seat)
                move = self.spaces.move(seen, int(actions[row, place]))
                assert bool(step.illegal[row, place]) == (move is None)
                if move is None:
                    move = self.spaces.move(seen, int(self.spaces.mask(seen).argmax()))
                assert move is not None
                after = apply(after, seat, move)
            points = after.history[-1].score.points if ended else (0,) * self.players
            if self.reward == "points":
                assert tuple(step.rewards[row].tolist()) == points
            assert tuple(step.scores[row].tolist()) == after.scores
            assert bool(step.over[row]) == (after.phase is Phase.OVER)
            self.states[row] = after
        if ended:
            self.compare()  # games that are over can still be looked at
            game.reset(step.over)
            for row in step.over.nonzero().flatten().tolist():
                self.states[row] = self._new(row)
                self.finished += 1


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_game_is_the_turn_engines_game(name: str, players: int) -> None:
    pair = Pair(EDITIONS[name], players, batch=32, clip=TINY)
    pair.compare()
    while pair.finished < 64:
        pair.step()
        pair.compare()
