"""A training task: one deck at one kind of table, with what the network reads of it."""

from functools import cached_property

import torch
from torch import Tensor

from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.eyes import EyePool, EyeRange, ReadDeck
from dixit_env.agents.training.seeds import derived_seed
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import Spaces
from dixit_env.game.rules import edition
from dixit_env.models.policy import Encoder


class Task:
    """One deck, at a table of one kind whose seats see through eyes of their own or through one.

    Args:
        deck: the deck and its clues.
        players: 3 to 12, as the rules allow.
        rules: an edition's name.
        eyes: how far the seats of a game agree.
        similarity: False hides from the network what CLIP says.
        device: where the tensors live.
        seed: of the pool of eyes.
    """

    def __init__(
        self,
        deck: ReadDeck,
        players: int,
        rules: str,
        eyes: EyeRange,
        similarity: bool = True,
        device: torch.device | str = "cpu",
        seed: int = 0,
    ) -> None:
        self.deck, self.players, self.rules, self.eyes = deck, players, rules, eyes
        self.similarity, self.device, self.seed = similarity, torch.device(device), seed
        self.spaces = Spaces(edition(rules).seated(players), len(deck.table.cards), deck.table)

    @cached_property
    def pool(self) -> EyePool:
        """The eyes that games draw from."""
        return EyePool.drawn(self.deck, self.eyes, self.players, self.seed)

    @cached_property
    def encoder(self) -> Encoder:
        """What the network reads, through each eye of the pool."""
        return Encoder(self.spaces, self.pool.heard, self.pool.told, self.similarity, self.device)

    def anew(self, eyes: EyeRange, seed: int) -> "Task":
        """The same with other eyes."""
        return Task(self.deck, self.players, self.rules, eyes, self.similarity, self.device, seed)

    def new_games(self, count: int, seed: int, reward: Reward = "points") -> EyedGame:
        """`count` games in step, dealt from `seed`."""
        more = {"rules": self.rules, "reward": reward, "device": self.device, "seed": seed}
        return EyedGame(count, self.players, self.pool, self.deck.table, derived_seed(seed, "eyes of games"), **more)

    def decisions(self, game: EyedGame, observation: Tensor, mask: Tensor, generator: torch.Generator) -> DecisionBatch:
        """The N = B · A decisions of the open phase, from its observations (B, A, size) and masks (B, A, actions)."""
        observation, encoder, phase = observation.flatten(0, 1), self.encoder, game.phase
        eye = game.eyes[:, list(game.seats)].flatten()
        return DecisionBatch(
            phase,
            encoder(observation, phase, eye=eye),
            encoder.legal(mask.flatten(0, 1), phase),
            encoder.choices[phase],
            game,
            torch.arange(len(observation), device=self.device),
            generator,
        )
