"""A training task: one deck at one kind of table, with what the network and the scripted opponents read of it."""

import torch
from torch import Tensor

from dixit_env.agents.training.scripted_ports import DecisionBatch, PlayerModel
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import Spaces
from dixit_env.game.engine import Phase
from dixit_env.game.rules import edition
from dixit_env.models.policy import Encoder
from dixit_env.models.sight import z_scores


class Task:
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
        self.player_model = PlayerModel(seated, table, z, self.device)

    def new_games(self, count: int, seed: int, reward: Reward = "points") -> BatchedGame:
        """`count` games in step, dealt from `seed`."""
        return BatchedGame(
            count, self.players, self.rules, clip=self.table, reward=reward, device=self.device, seed=seed
        )

    def decisions(self, phase: Phase, observation: Tensor, mask: Tensor, generator: torch.Generator) -> DecisionBatch:
        """The N = B · A decisions of a phase, from observations (B, A, size) and action masks (B, A, actions)."""
        observation, encoder = observation.flatten(0, 1), self.encoder
        return DecisionBatch(
            phase,
            encoder(observation, phase),
            encoder.hand(observation),
            encoder.legal(mask.flatten(0, 1), phase),
            encoder.choices[phase],
            self.player_model,
            generator,
        )
