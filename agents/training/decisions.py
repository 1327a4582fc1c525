"""What a player of many games at once is asked: the decisions of one phase, as tensors."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.game.engine import Phase
from dixit_env.models.policy import Choices, Inputs


@dataclass(frozen=True, eq=False)
class DecisionBatch:
    """N decisions of one phase.

    A player returns choices for it, int64 (N,): indices of `choices`, or a storyteller `EyedGame.free_clue`.
    """

    phase: Phase
    inputs: Inputs  # what the network reads
    legal: Tensor  # (N, C) bool
    choices: Choices
    game: EyedGame
    place: Tensor  # (N,) int64: which of the B · A decisions of the games each of them is
    generator: torch.Generator

    def rows(self, index: Tensor) -> "DecisionBatch":
        """Some of the decisions."""
        inputs, legal, place = self.inputs.rows(index), self.legal[index], self.place[index]
        return DecisionBatch(self.phase, inputs, legal, self.choices, self.game, place, self.generator)

    @property
    def z(self) -> Tensor:
        """(N, n) z-score over the deck of each item's similarity of card and clue."""
        return self.inputs.items[..., 0]

    @property
    def games(self) -> Tensor:
        """(N,) int64: the game of each decision."""
        return self.place // len(self.game.seats)

    @property
    def seats(self) -> Tensor:
        """(N,) int64: the seat of each decision."""
        return torch.tensor(self.game.seats, device=self.place.device)[self.place % len(self.game.seats)]

    def noise(self) -> Tensor:
        """(N, C) uniform in [0, 1)."""
        return torch.rand(self.legal.shape, generator=self.generator, device=self.legal.device)

    def best(self, values: Tensor) -> Tensor:
        """(N,) int64: the legal choice of the highest value, from values (N, C)."""
        return values.masked_fill(~self.legal, -torch.inf).argmax(1)


Opponent = Callable[[DecisionBatch], Tensor]
