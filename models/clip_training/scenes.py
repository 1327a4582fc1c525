"""The space in which cards and clues meet: a card as the sum of what it shows.

Everything that a card may show (a thing, a scene's idea, a mood, a place) has a direction of its own. A card's vector
is their sum, each weighed by its part on the card, at unit length. This is what the text tower learns to point at
before there is any picture, and what the picture tower then learns to see.
"""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from dixit_env.models.clip_training.cards import Truth
from dixit_env.models.clip_training.meanings import Key

PARTS = ("main", "small", "template", "mood", "place")
MOST = 8  # keys of a card
NOTHING = len(PARTS)  # the part of a key that isn't there
_FIRST_WEIGHTS = (1.0, 0.5, 0.7, 0.2, 0.2)
_FIRST_SCALE = 2.5  # logarithm
_SPREAD = 0.06  # of the first directions


def keys_of(truth: Truth) -> list[tuple[int, Key]]:
    """What the card shows: the part (in `PARTS`) that each plays, and its key."""
    things: list[tuple[int, Key]] = [(min(place, 1), ("thing", thing)) for place, thing in enumerate(truth.things)]
    rest: list[tuple[int, Key]] = [
        (2, ("template", truth.template)),
        (3, ("mood", truth.mood)),
        (4, ("place", truth.place)),
    ]
    return [*things[: MOST - len(rest)], *rest]


class SceneSpace(nn.Module):
    """Directions of keys, (keys, dim), and the weights of the parts."""

    def __init__(self, keys: Sequence[Key], dim: int) -> None:
        super().__init__()
        self.keys = tuple(keys)
        self.row = {key: row for row, key in enumerate(self.keys)}
        self.directions = nn.Parameter(torch.randn(len(keys), dim) * _SPREAD)
        self.weights = nn.Parameter(torch.tensor(_FIRST_WEIGHTS))
        self.scale = nn.Parameter(torch.tensor(_FIRST_SCALE))

    def table(self, truths: Sequence[Truth]) -> tuple[Tensor, Tensor]:
        """The cards' keys and their parts, int64 (n, MOST) each; keys that the space doesn't know are left out."""
        rows: NDArray[np.int64] = np.zeros((len(truths), MOST), np.int64)
        parts: NDArray[np.int64] = np.full((len(truths), MOST), NOTHING)
        for card, truth in enumerate(truths):
            known = [(part, self.row[key]) for part, key in keys_of(truth) if key in self.row]
            for place, (part, row) in enumerate(known):
                rows[card, place], parts[card, place] = row, part
        return torch.from_numpy(rows), torch.from_numpy(parts)

    def unit(self) -> Tensor:
        """The directions at unit length, (keys, dim)."""
        return F.normalize(self.directions, dim=-1)

    def cards(self, rows: Tensor, parts: Tensor) -> Tensor:
        """Unit vectors of cards given as `table` gives them, (n, dim)."""
        weight = F.pad(self.weights.clamp(min=0), (0, 1))[parts]  # what is no part weighs nothing
        return F.normalize((F.normalize(self.directions[rows], dim=-1) * weight[..., None]).sum(1), dim=-1)
