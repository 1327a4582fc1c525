"""The policy network: one small network for storyteller, giver and voter, at any table, over any deck.

It knows no card and no word. Whatever can be chosen is a set of *items*, pairs of a card and a clue: each card of the
hand with each clue of its ladder (storyteller), each card of the hand with the clue that was given (giver), each card
on the table with it (voter). An item is described by how far the card stands out from the whole deck for the clue, in
numbers without a scale, so that weights fit another deck and another CLIP. A choice is one item or two (two cards to
give, two dials), with or without repetition. Exchanging items or opponents exchanges the choices, and nothing else.

Letters in shapes: N decisions of one phase, n items, C choices, P players.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from dixit_env.envs.spaces import NO_CARD, PHASES, Spaces
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase
from dixit_env.version import VERSION

MARKS = 3  # numbers that say how a card stands out for a clue: see `marks`
ITEM, PLAYER, GENERAL = MARKS + 1, 5, 3  # features of an item, of a player, of the table
PAIR = 4  # width of what tells how two items go together


class Seen(NamedTuple):
    """What the network reads of N decisions of one phase."""

    items: Tensor  # (N, n, ITEM) float32: the marks, and 1 for an own card on the table
    players: Tensor  # (N, P, PLAYER) float32: points / target, lead over oneself, close to the target, oneself, teller
    general: Tensor  # (N, GENERAL) float32: target / 30, players / 12, pile / deck

    def rows(self, index: Tensor | slice) -> "Seen":
        """Some of the decisions."""
        return Seen(self.items[index], self.players[index], self.general[index])


def marks(z: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """How cards stand out for clues: z-scores over the deck (clues, cards) → float32 (clues, cards, MARKS).

    The z-score; minus the log of the share of the deck that stands out at least as far; the lead over the best other.
    """
    cards = z.shape[1]
    rank = np.argsort(np.argsort(-z, axis=1, kind="stable"), axis=1)
    top = -np.sort(-z, axis=1)[:, :2]
    best_other = np.where(rank == 0, top[:, 1:], top[:, :1])
    return np.stack([z, -np.log((rank + 1) / (cards + 1)), np.clip(z - best_other, -6, 6)], axis=2).astype(np.float32)


class Encoder:
    """From the observations of one table (`dixit_env.envs.spaces`) to what the network reads.

    Args:
        spaces: the layout, with a CLIP table.
        z: float (clues, cards), how far each card stands out for each clue of that table, in standard deviations.
        similarity: False hides what CLIP says: all marks are 0.
    """

    def __init__(
        self, spaces: Spaces, z: NDArray[Any], similarity: bool = True, device: torch.device | str = "cpu"
    ) -> None:
        if spaces.clip is None:
            raise DixitError("the policy network speaks the clues of a CLIP table: give the spaces one")
        self.spaces = spaces
        self.similarity = similarity
        self.device = torch.device(device)
        self.where = {name: piece.where for name, piece in spaces.pieces.items()}
        self.marks = self._marks(z)  # (clues, cards, MARKS)
        ladder = torch.as_tensor(spaces.clip.ladder, device=self.device)
        self.rungs = self.marks[ladder, torch.arange(len(ladder), device=self.device)[:, None]]  # (cards, rungs, MARKS)
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

    def __call__(self, observation: Tensor, phase: Phase, z: NDArray[Any] | None = None) -> Seen:
        """Read observations (N, size) of one phase. `z` (1, cards): for a clue that is not in the CLIP table."""
        where, count = self.where, len(observation)
        if phase is Phase.CLUE:
            found = self.rungs[self.hand(observation)].flatten(1, 2)
        else:
            table = self.marks if z is None else self._marks(z)
            piece = "hand" if phase is Phase.CARDS else "slots"
            cards = observation[:, where[piece]].long()
            clue = observation[:, where["clue"]].long() if z is None else torch.zeros_like(cards[:, :1])
            found = table.flatten(0, 1)[clue * self.spaces.cards + cards]
            found = found.masked_fill((cards == NO_CARD)[..., None], 0)
        own = observation[:, where["own"]] if phase is Phase.VOTES else found.new_zeros(found.shape[:2])
        scores = observation[:, where["scores"]]  # (N, P), oneself first
        me = torch.zeros_like(scores)
        me[:, 0] = 1
        near = torch.exp((scores - 1) * 5)  # what counts in a race is the last stretch
        players = torch.stack((scores, scores - scores[:, :1], near, me, observation[:, where["storyteller"]]), dim=2)
        general = torch.cat([observation[:, where[name]] for name in ("target", "players", "pile")], dim=1)
        return Seen(torch.cat((found, own[..., None]), dim=2), players, general.view(count, GENERAL))


@dataclass(frozen=True, eq=False)
class Choices:
    """The choices of one phase, each of one item, of one item twice, or of two."""

    kind: Tensor  # (C,) int64: 0 alone, 1 twice, 2 two items
    first: Tensor  # (C,) int64 items
    second: Tensor  # (C,) int64, the same as `first` but for two items

    @classmethod
    def of(cls, choices: list[tuple[int, ...]], device: torch.device) -> "Choices":
        kind = [2 if choice[0] != choice[-1] else len(choice) - 1 for choice in choices]
        rows = [kind, [choice[0] for choice in choices], [choice[-1] for choice in choices]]
        return cls(*torch.tensor(rows, device=device))

    def __len__(self) -> int:
        return len(self.kind)

    def total(self, values: Tensor) -> Tensor:
        """The sum over what each choice holds, an item that is there twice twice: values (N, n) → (N, C)."""
        second = values[:, self.second].masked_fill(self.kind == 0, 0)
        return values[:, self.first] + second

    def hold(self, chosen: Tensor, item: Tensor) -> Tensor:
        """How often the choices `chosen` hold `item`, both int64 and alike in shape or broadcast: 0, 1 or 2."""
        twice = (self.second[chosen] == item) & (self.kind[chosen] > 0)
        return (self.first[chosen] == item).long() + twice


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

    def forward(self, seen: Seen, phase: Phase, choices: Choices, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities (N, C), hugely negative where `legal` (N, C) is False, and values (N,)."""
        role = PHASES.index(phase)
        items = self.item[1:](self._with_role(self.item[0], seen.items, role))  # (N, n, width)
        players = self.player(seen.players)
        pooled = (items.mean(1), items.amax(1), players.mean(1), players.amax(1), seen.general)
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


def save_policy(policy: Policy, path: Path, config: Mapping[str, Any]) -> None:
    """Write weights as safetensors, with the settings that led to them and the version of the code; all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"version": VERSION, "width": str(policy.width), "config": json.dumps(dict(config), default=str)}
    partly = path.with_suffix(".part")
    save_file({name: value.cpu().contiguous() for name, value in policy.state_dict().items()}, partly, head)
    partly.replace(path)


def load_policy(path: Path) -> tuple[Policy, dict[str, Any]]:
    """The network, ready to play, and the settings it was trained with; raises `DixitError` when there is none."""
    try:
        with safe_open(path, "pt") as file:
            head = file.metadata() or {}
            policy = Policy(int(head["width"]))
            policy.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise DixitError(
            f"{path} is no checkpoint of a policy ({reason}): train one with scripts/train.py, or take learned:default"
        ) from error
    return policy.eval(), json.loads(head["config"])
