"""A deck as learning needs it: games on it, what the network reads of them, what scripted opponents know of it."""

import torch
from torch import Tensor

from dixit_env.agents.clip.voter_kinds import z_scores
from dixit_env.agents.training.scripted import Knowledge, Moment
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import Spaces
from dixit_env.game.engine import Phase
from dixit_env.game.rules import edition
from dixit_env.models.policy import Encoder


class Board:
    """One deck through one CLIP, at a table of one kind.

    Args:
        table: the deck and its clues.
        players: 3 to 12, as the rules allow.
        rules: an edition's name.
        similarity: False hides from the network what CLIP says.
        device: where the tensors live.
    """

    def __init__(
        self, table: ClipTable, players: int, rules: str, similarity: bool = True, device: torch.device | str = "cpu"
    ) -> None:
        self.table, self.players, self.rules, self.device = table, players, rules, torch.device(device)
        z, seated = z_scores(table.similarity), edition(rules).seated(players)
        self.encoder = Encoder(Spaces(seated, len(table.cards), table), z, similarity, device)
        self.knowledge = Knowledge(seated, table, z, self.device)

    def deal(self, games: int, seed: int, reward: Reward = "points") -> BatchedGame:
        """New games in step."""
        return BatchedGame(
            games, self.players, self.rules, clip=self.table, reward=reward, device=self.device, seed=seed
        )

    def moment(self, phase: Phase, observation: Tensor, mask: Tensor, generator: torch.Generator) -> Moment:
        """The N = B · A decisions of a phase, from observations (B, A, size) and action masks (B, A, actions)."""
        observation, encoder = observation.flatten(0, 1), self.encoder
        return Moment(
            phase,
            encoder(observation, phase),
            encoder.hand(observation),
            encoder.legal(mask.flatten(0, 1), phase),
            encoder.choices[phase],
            self.knowledge,
            generator,
        )
