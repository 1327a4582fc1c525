"""The policy network: one small network for storyteller, giver and voter, at any table, over any deck.

It knows no card and no word. The choices are made of *items*, pairs of a card and a clue: each card of the hand with
each clue of its ladder (storyteller), each card of the hand with the clue that was given (giver), each card on the
table with it (voter). An item is described by how far the card stands out from the whole deck for the clue, in numbers
without a unit (z-score, rank), so that the weights fit another deck and another CLIP. A choice is one item or two (two
cards to give, two dials), with or without repetition. The network is equivariant to permutations of the items and
invariant to permutations of the opponents.

Letters in shapes: N decisions of one phase, n items, C choices, P players.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dixit_env.envs.spaces import NO_CARD, PHASES, Spaces
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase

MARKS = 3  # numbers that say how a card stands out for a clue: see `marks`
ITEM, PLAYER, GENERAL = MARKS + 1, 5, 3  # features of an item, of a player, of the table
PAIR = 4  # width of the embedding whose dot product scores a pair of items; chosen


class Inputs(NamedTuple):
    """The network's inputs for N decisions of one phase."""

    items: Tensor  # (N, n, ITEM) float32: the marks, and 1 for an own card on the table
    # (N, P, PLAYER) float32, oneself first: points / target, lead over oneself, nearness of the target, is oneself,
    # is the storyteller
    players: Tensor
    general: Tensor  # (N, GENERAL) float32: target / 30, players / 12, pile / deck

    def rows(self, index: Tensor | slice) -> "Inputs":
        """Some of the decisions."""
        return Inputs(self.items[index], self.players[index], self.general[index])


def marks(z: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """How cards stand out for clues: z-scores over the deck (clues, cards) → float32 (clues, cards, MARKS).

    The z-score; minus the log of the share of the deck that stands out at least as far; the lead over the best other.
    """
    cards = z.shape[1]
    rank = np.empty(z.shape, np.int64)
    np.put_along_axis(rank, np.argsort(-z, axis=1, kind="stable"), np.arange(cards)[None], axis=1)
    top = -np.sort(-z, axis=1)[:, :2]
    best_other = np.where(rank == 0, top[:, 1:], top[:, :1])
    return np.stack([z, -np.log((rank + 1) / (cards + 1)), np.clip(z - best_other, -6, 6)], axis=2).astype(np.float32)


class Encoder:
    """From the observations of one table (`dixit_env.envs.spaces`) to the network's inputs.

    Args:
        spaces: the layout, with a CLIP table.
        heard: float (eyes, clues, cards), how far each card stands out for each clue of that table to whoever hears it,
            in standard deviations, as each eye sees it.
        told: float (eyes, cards, rungs, cards), the same of the clue on each rung to the storyteller.
        similarity: False hides what CLIP says: all marks are 0.
    """

    def __init__(
        self,
        spaces: Spaces,
        heard: NDArray[Any],
        told: NDArray[Any],
        similarity: bool = True,
        device: torch.device | str = "cpu",
    ) -> None:
        if spaces.clip is None:
            raise DixitError("the policy network speaks the clues of a CLIP table: give the spaces one")
        self.spaces = spaces
        self.similarity = similarity
        self.device = torch.device(device)
        self.where = {name: piece.where for name, piece in spaces.pieces.items()}
        self.marks = torch.stack([self._marks(z) for z in heard])
        """(eyes, clues, cards, MARKS)"""
        of_rungs = self._marks(told.reshape(-1, told.shape[-1])).view(*told.shape, MARKS)
        self.rungs = of_rungs.diagonal(dim1=1, dim2=3).permute(0, 3, 1, 2).contiguous()
        """(eyes, cards, rungs, MARKS)"""
        clues: list[tuple[int, ...]] = [(item,) for item in range(len(spaces.clues))]
        listed = {Phase.CLUE: clues, Phase.CARDS: spaces.gifts, Phase.VOTES: spaces.votes}
        self.choices = {phase: Choices.of(choices, self.device) for phase, choices in listed.items()}

    def _marks(self, z: NDArray[Any]) -> Tensor:
        values = torch.as_tensor(marks(z), device=self.device)
        return values if self.similarity else torch.zeros_like(values)

    def legal(self, mask: Tensor, phase: Phase) -> Tensor:
        """The part of an action mask (N, actions) that belongs to a phase: bool (N, C)."""
        first = self.spaces.first[phase]
        return mask[:, first : first + len(self.choices[phase])].bool()

    def hand(self, observation: Tensor) -> Tensor:
        """int64 (N, H) card numbers, -1 where there is none."""
        return observation[:, self.where["hand"]].long()

    def __call__(
        self, observation: Tensor, phase: Phase, z: NDArray[Any] | None = None, eye: Tensor | None = None
    ) -> Inputs:
        """The inputs for observations (N, size) of one phase. `z` (1, cards): of a clue outside the CLIP table; `eye`
        (N,) int64: through which of several eyes each is seen."""
        where, count = self.where, len(observation)
        eye = torch.zeros((count, 1), dtype=torch.int64, device=self.device) if eye is None else eye[:, None]
        if phase is Phase.CLUE:
            found = self.rungs[eye, self.hand(observation)].flatten(1, 2)
        else:
            table = self.marks if z is None else self._marks(z)[None]
            piece = "hand" if phase is Phase.CARDS else "slots"
            cards = observation[:, where[piece]].long()
            clue = observation[:, where["clue"]].long() if z is None else torch.zeros_like(cards[:, :1])
            found = table.flatten(0, 2)[(eye * table.shape[1] + clue) * self.spaces.cards + cards]
            found = found.masked_fill((cards == NO_CARD)[..., None], 0)
        own = observation[:, where["own"]] if phase is Phase.VOTES else found.new_zeros(found.shape[:2])
        scores = observation[:, where["scores"]]  # (N, P), oneself first
        me = torch.zeros_like(scores)
        me[:, 0] = 1
        near = torch.exp((scores - 1) * 5)  # resolves the last fifth of the way to the target; 5 is chosen
        players = torch.stack((scores, scores - scores[:, :1], near, me, observation[:, where["storyteller"]]), dim=2)
        general = torch.cat([observation[:, where[name]] for name in ("target", "players", "pile")], dim=1)
        return Inputs(torch.cat((found, own[..., None]), dim=2), players, general.view(count, GENERAL))


@dataclass(frozen=True, eq=False)
class Choices:
    """The choices of one phase: an item alone, the same item twice (two dials stacked), or two items."""

    kind: Tensor  # (C,) int64: 0 one item, 1 the same item twice, 2 two items
    first: Tensor  # (C,) int64 items
    second: Tensor  # (C,) int64; equal to `first` unless the kind is 2

    @classmethod
    def of(cls, choices: list[tuple[int, ...]], device: torch.device) -> "Choices":
        kind = [2 if choice[0] != choice[-1] else len(choice) - 1 for choice in choices]
        rows = [kind, [choice[0] for choice in choices], [choice[-1] for choice in choices]]
        return cls(*torch.tensor(rows, device=device))

    def __len__(self) -> int:
        return len(self.kind)

    def total(self, values: Tensor) -> Tensor:
        """(N, C): the sum of the values (N, n) of the items in each choice; an item chosen twice counts twice."""
        second = values[:, self.second].masked_fill(self.kind == 0, 0)
        return values[:, self.first] + second

    def count(self, chosen: Tensor, item: Tensor) -> Tensor:
        """How often `item` is in the choices `chosen`: 0, 1 or 2. Both int64, of one shape or broadcast."""
        again = (self.second[chosen] == item) & (self.kind[chosen] > 0)
        return (self.first[chosen] == item).long() + again


class Policy(nn.Module):
    """Logits of the choices of a phase and the value of the situation, one head for each role.

    Args:
        width: of the hidden layers.
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.width = width
        roles = len(PHASES)
        self.player = nn.Sequential(nn.Linear(PLAYER, 16), nn.ReLU())
        self.item = nn.Sequential(nn.Linear(ITEM + roles, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.context = nn.Sequential(
            nn.Linear(2 * width + 2 * 16 + GENERAL + roles, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.item_in_context = nn.Linear(width, width)
        self.context_for_item = nn.Linear(width, width, bias=False)
        self.heads = nn.ModuleList([nn.Linear(width, 3 + PAIR) for _ in PHASES])
        self.values = nn.ModuleList([nn.Linear(width, 1) for _ in PHASES])
        for head in [*self.heads, *self.values]:
            nn.init.normal_(head.weight, std=0.01)  # begins near uniform choice
            nn.init.zeros_(head.bias)

    def forward(self, inputs: Inputs, phase: Phase, choices: Choices, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities (N, C), hugely negative where `legal` (N, C) is False, and values (N,)."""
        role = PHASES.index(phase)
        items = self.item[1:](self._with_role(self.item[0], inputs.items, role))  # (N, n, width)
        players = self.player(inputs.players)
        pooled = (items.mean(1), items.amax(1), players.mean(1), players.amax(1), inputs.general)
        context = self.context[1:](self._with_role(self.context[0], torch.cat(pooled, dim=1), role))  # (N, width)
        items = torch.relu(self.item_in_context(items) + self.context_for_item(context)[:, None])
        scores = self.heads[role](items)  # (N, n, 3 + PAIR): alone, twice, with another; how two go together
        if phase is Phase.CLUE:
            logits = scores[..., 0]
        else:
            single = scores[..., :3].flatten(1)[:, choices.first * 3 + choices.kind]
            other, two = scores[:, choices.second, 2], choices.kind == 2
            together = (scores[:, choices.first, 3:] * scores[:, choices.second, 3:]).sum(2)
            logits = single + (other + together) * two
        logits = logits.masked_fill(~legal, -1e9)
        return logits.log_softmax(1), self.values[role](context).squeeze(1)

    @staticmethod
    def _with_role(layer: nn.Module, features: Tensor, role: int) -> Tensor:
        """A linear layer whose last inputs are the role as one of three: the same as an own bias for each role."""
        assert isinstance(layer, nn.Linear)
        known = features.shape[-1]
        return nn.functional.linear(features, layer.weight[:, :known], layer.bias + layer.weight[:, known + role])
