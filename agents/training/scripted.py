"""The scripted agents as tensors: opponents for training and evaluation that keep the learner's language honest.

They see what the network sees and play as `agents.scripted` and `agents.clip` do, in short: the random agent with clues
of the ladder, the CLIP agent without its memory, its simulations of decoys and the race. An opponent is a function of a
`Moment`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dixit_env.agents.clip.outlook import UnseenTable, clue_outlook
from dixit_env.agents.clip.player_models import PlayerModels
from dixit_env.agents.clip.storyteller import Storyteller
from dixit_env.envs.clip_table import ClipTable
from dixit_env.game.engine import Phase
from dixit_env.game.rules import TableRules
from dixit_env.models.policy import Choices, Seen

WORLDS = 24  # sampled hands behind the worth of a clue
_LOW, _HIGH = -6.0, 9.0  # z-scores of the table of log odds
NOISE = 0.1  # points; the CLIP agent thinks through other clues each time


@dataclass(frozen=True, eq=False)
class Moment:
    """N decisions of one phase, as an opponent meets them. A function of it returns choices, int64 (N,)."""

    phase: Phase
    seen: Seen
    hand: Tensor  # (N, H) int64 card numbers
    legal: Tensor  # (N, C) bool
    choices: Choices
    knowledge: "Knowledge"
    generator: torch.Generator

    def rows(self, index: Tensor) -> "Moment":
        """Some of the decisions."""
        some = (self.seen.rows(index), self.hand[index], self.legal[index])
        return Moment(self.phase, *some, self.choices, self.knowledge, self.generator)

    @property
    def z(self) -> Tensor:
        """(N, n) how far each item stands out, in standard deviations."""
        return self.seen.items[..., 0]

    def noise(self) -> Tensor:
        """(N, C) uniform in [0, 1)."""
        return torch.rand(self.legal.shape, generator=self.generator, device=self.legal.device)

    def best(self, worth: Tensor) -> Tensor:
        """The legal choice of most worth (N, C)."""
        return worth.masked_fill(~self.legal, -torch.inf).argmax(1)


class Knowledge:
    """What the CLIP agent thinks of typical players, for one table and one CLIP table, as look-up tables."""

    def __init__(self, rules: TableRules, clip: ClipTable, z: np.ndarray, device: torch.device, seed: int = 0) -> None:
        models = PlayerModels(rules.players)
        cards, rungs = clip.ladder.shape
        self.rungs = rungs
        storyteller = models.storyteller(0, rules)
        outlook = clue_outlook(
            np.random.default_rng(seed),
            UnseenTable(rules, np.arange(cards), storyteller, models.voters(list(range(1, rules.players)))),
            z[clip.ladder.flatten()],
            z[clip.ladder, np.arange(cards)[:, None]].flatten(),
            WORLDS,
        )
        self.margin = torch.as_tensor(outlook.margin.reshape(cards, rungs), dtype=torch.float32, device=device)
        self.log_odds = torch.as_tensor(_log_odds(storyteller), dtype=torch.float32, device=device)


def random(moment: Moment) -> Tensor:
    """Any legal choice."""
    return moment.best(moment.noise())


def greedy(moment: Moment) -> Tensor:
    """The most literal clue for any card, the best match as decoy, every dial on the best match."""
    if moment.phase is Phase.CLUE:
        worth = moment.noise()
        worth[:, :: moment.knowledge.rungs] += 1
        return moment.best(worth)
    return moment.best(moment.choices.total(moment.z))


def clip(moment: Moment) -> Tensor:
    """The clue of the best expected lead, the best match as decoy, all dials on the storyteller's likeliest card."""
    if moment.phase is Phase.CLUE:
        return moment.best(moment.knowledge.margin[moment.hand].flatten(1) + NOISE * moment.noise())
    if moment.phase is Phase.CARDS:
        return greedy(moment)
    odds = moment.knowledge.log_odds
    place = ((moment.z - _LOW) / (_HIGH - _LOW) * (len(odds) - 1)).round().long().clamp(0, len(odds) - 1)
    appeal = odds[place].masked_fill(moment.seen.items[..., -1] > 0, -torch.inf)
    return moment.best(moment.choices.total(appeal.softmax(1)))


SCRIPTED: dict[str, Callable[[Moment], Tensor]] = {"random": random, "greedy": greedy, "clip": clip}


def _log_odds(storyteller: Storyteller) -> np.ndarray:
    return storyteller.log_odds(np.linspace(_LOW, _HIGH, 301))
