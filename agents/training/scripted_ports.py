"""The scripted agents ported to tensors: opponents in training and evaluation that play thousands of games at once.

They read what the network reads and play as `agents.scripted` and `agents.clip` do, in short: random and greedy clues
are of the ladders, and greedy reads the words of the cards too; the CLIP agent has no memory, doesn't simulate decoys,
ignores the race to the target when it votes, and has no taste in clues: naming what the card shows costs it nothing,
a clue that more are expected to find brings nothing. The viewer, who is nobody's port, stands for listeners that are
less sure than bots: it votes as the prior of players expects, which is fitted to guesses of a vision–language model.
An opponent is a function from a `DecisionBatch` to choices.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dixit_env.agents.clip.agent import ClipOptions
from dixit_env.agents.clip.outlook import UnseenTables, clue_outlook
from dixit_env.agents.clip.player_models import HABITS, PlayerModels, storytellers, voters_of
from dixit_env.agents.clip.storyteller import Storyteller
from dixit_env.agents.clip.voter_kinds import LOG_ODDS_WEIGHTS, SHARPNESS
from dixit_env.agents.training.eyes import EyePool
from dixit_env.game.engine import Phase
from dixit_env.game.rules import TableRules
from dixit_env.models.policy import Choices, Inputs

# All of these are chosen, not fitted.
WORLDS = 12  # sampled hands of the other players behind the expected points of a clue
RHO = ClipOptions().rho
_LOW, _HIGH, _STEPS = -6.0, 9.0, 301  # the grid on which log odds are tabulated; z-scores outside take its end
PENALTY = 1e3  # more than any two values of choices differ by: a choice that loses it comes after all others
NOISE = 0.1  # points; the CLIP agent thinks through another sample of clues each time


@dataclass(frozen=True, eq=False)
class DecisionBatch:
    """N decisions of one phase, as an opponent meets them. An opponent returns choices for it, int64 (N,)."""

    phase: Phase
    inputs: Inputs  # what the network reads
    hand: Tensor  # (N, H) int64 card numbers
    eye: Tensor  # (N,) int64 numbers of the eyes
    legal: Tensor  # (N, C) bool
    choices: Choices
    player_model: "PlayerModel"
    generator: torch.Generator

    def rows(self, index: Tensor) -> "DecisionBatch":
        """Some of the decisions."""
        some = (self.inputs.rows(index), self.hand[index], self.eye[index], self.legal[index])
        return DecisionBatch(self.phase, *some, self.choices, self.player_model, self.generator)

    @property
    def z(self) -> Tensor:
        """(N, n) z-score over the deck of each item's similarity of card and clue."""
        return self.inputs.items[..., 0]

    def noise(self) -> Tensor:
        """(N, C) uniform in [0, 1)."""
        return torch.rand(self.legal.shape, generator=self.generator, device=self.legal.device)

    def best(self, values: Tensor) -> Tensor:
        """(N,) int64: the legal choice of the highest value, from values (N, C)."""
        return values.masked_fill(~self.legal, -torch.inf).argmax(1)


class PlayerModel:
    """The CLIP agent's model of typical players, for one table and a pool of eyes, as look-up tables.

    `points` (eyes, cards, rungs): what the storyteller expects of the clue on each rung, as each eye sees it.
    `log_odds` (steps,): how much a z-score speaks for a card being the storyteller's.
    `kinds` (K,) and `weights` (K, 2): how frequent each kind of voters is, and how it weighs z-scores and log odds.
    """

    def __init__(self, rules: TableRules, pool: EyePool, device: torch.device, seed: int = 0) -> None:
        models, rng = PlayerModels(rules.players), np.random.default_rng(seed)
        _, cards, self.rungs = pool.ladder.shape
        others = voters_of([models], [range(1, rules.players)], RHO)
        tables = UnseenTables(rules, [np.arange(cards)], storytellers([models], [0], rules), others)
        points = []
        for told in pool.told:
            z = told.reshape(-1, cards).astype(float)
            target = z[np.arange(len(z)), np.repeat(np.arange(cards), self.rungs)]
            outlook, _ = clue_outlook([rng], tables, z[None], target[None], WORLDS)
            points.append(outlook.points.reshape(cards, self.rungs))
        self.points = torch.as_tensor(np.stack(points), dtype=torch.float32, device=device)
        self.log_odds = torch.as_tensor(_log_odds(models.storyteller(0, rules)), dtype=torch.float32, device=device)
        self.kinds = torch.as_tensor(HABITS.voting, dtype=torch.float32, device=device)
        weights = [*((sharpness, 0.0) for sharpness in SHARPNESS), *((0.0, weight) for weight in LOG_ODDS_WEIGHTS)]
        self.weights = torch.tensor(weights, dtype=torch.float32, device=device)

    def log_odds_of(self, z: Tensor) -> Tensor:
        """How much z-scores (N, n) speak for each card being the storyteller's."""
        step = ((z - _LOW) / (_HIGH - _LOW) * (len(self.log_odds) - 1)).round().long()
        return self.log_odds[step.clamp(0, len(self.log_odds) - 1)]


def random(batch: DecisionBatch) -> Tensor:
    """Any legal choice."""
    return batch.best(batch.noise())


def greedy(batch: DecisionBatch) -> Tensor:
    """The most literal clue for any card, the best match as decoy, every dial on the best match."""
    if batch.phase is Phase.CLUE:
        values = batch.noise()
        values[:, :: batch.player_model.rungs] += 1
        return batch.best(values)
    return batch.best(batch.choices.total(batch.z))


def clip(batch: DecisionBatch) -> Tensor:
    """The clue of most expected points, the best match as decoy, all dials on the storyteller's likeliest card."""
    if batch.phase is Phase.CLUE:
        points = batch.player_model.points[batch.eye[:, None], batch.hand].flatten(1)
        return batch.best(points + NOISE * batch.noise())
    if batch.phase is Phase.CARDS:
        return greedy(batch)
    own = batch.inputs.items[..., -1] > 0
    belief = batch.player_model.log_odds_of(batch.z).masked_fill(own, -torch.inf).softmax(1)
    return batch.best(batch.choices.total(belief))


def viewer(batch: DecisionBatch) -> Tensor:
    """The clue of most expected points; a decoy and a vote as the prior of players (`HABITS`) has it: a voter of a kind
    drawn for each vote, whose choice is drawn too."""
    if batch.phase is Phase.CLUE:
        return clip(batch)
    model, draw = batch.player_model, batch.noise()
    if batch.phase is Phase.CARDS:
        return torch.where(draw[:, 0] < HABITS.giving, greedy(batch), random(batch))
    kind = torch.multinomial(model.kinds, len(draw), replacement=True, generator=batch.generator)
    of_z, of_odds = model.weights[kind].T[..., None]  # (N, 1) each
    logits = of_z * batch.z + of_odds * model.log_odds_of(batch.z)
    luck = torch.empty_like(logits).exponential_(generator=batch.generator)
    values = batch.choices.total(logits - luck.log())  # the best of these is drawn by the logits
    stacked, spread = HABITS.stacking
    spreads = draw[:, :1] >= stacked / (stacked + spread)
    return batch.best(values - torch.where(spreads & (batch.choices.kind < 2), PENALTY, 0.0))


SCRIPTED: dict[str, Callable[[DecisionBatch], Tensor]] = {
    "random": random,
    "greedy": greedy,
    "clip": clip,
    "viewer": viewer,
}


def _log_odds(storyteller: Storyteller) -> np.ndarray:
    return storyteller.log_odds(np.linspace(_LOW, _HIGH, _STEPS))
