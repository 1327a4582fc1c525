"""What each seat of a table sees through.

Agents that see through one CLIP share its errors: a clue may reach everybody at the table and nobody else. What holds
when every seat has eyes of its own is skill.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from dixit_env.errors import SpecError
from dixit_env.game.streams import stream
from dixit_env.models.sight import Sight, Vectors

if TYPE_CHECKING:
    from dixit_env.models.embeddings import DualEncoder


@dataclass(frozen=True)
class Eyes:
    """The CLIPs of a table's seats, and how far seats with the same CLIP agree.

    clips: names as `load_clip` takes them, dealt to the seats in turn.
    agreement: correlation of two seats' z-scores over the deck, where they have the same CLIP; below 1 each seat has
    noise of its own on the cards.
    """

    clips: tuple[str, ...] = ("embedded",)
    agreement: float = 1.0

    @classmethod
    def parse(cls, text: str, clip: str = "embedded") -> "Eyes":
        """The eyes that `shared`, `noise:R` (both through `clip`) or `NAME,NAME,…` describe; raises `SpecError`."""
        kind, _, value = text.partition(":")
        if text == "shared":
            return cls((clip,))
        if kind == "noise":
            return cls((clip,), _agreement(text, value))
        clips = tuple(name.strip() for name in text.split(","))
        if not all(clips):
            raise SpecError(f"eyes are shared, noise:R or names of CLIPs with commas, not {text!r}")
        return cls(clips)

    def __str__(self) -> str:
        """A sentence for a report."""
        if len(self.clips) > 1:
            return f"The seats see through these CLIPs in turn: {', '.join(self.clips)}."
        if self.agreement < 1:
            return (
                f"Each seat sees through the CLIP {self.clips[0]} with noise of its own: the z-scores of two seats"
                f" correlate by {self.agreement:g}."
            )
        return f"All seats see through one CLIP: {self.clips[0]}."

    def sight(self, seat: int, seed: int, clear: Callable[[str], Sight]) -> Sight:
        """What a seat sees in the game `seed`; `clear` gives the sight through a CLIP without noise."""
        sight = clear(self.clips[seat % len(self.clips)])
        if self.agreement == 1:
            return sight
        return NoisySight(sight, self.agreement, stream(seed, "eye", seat).getrandbits(64))


SHARED = Eyes()
"""The embedded CLIP for all seats."""


class NoisySight(Sight):
    """A sight with noise of its own on the cards. Shares CLIP and texts with the one without."""

    def __init__(self, clear: Sight, agreement: float, seed: int) -> None:
        super().__init__(clear.deck, clear.clip_name)
        self.clear = clear.clear
        self.agreement = agreement
        self.seed = seed

    @cached_property
    def clip(self) -> "DualEncoder":
        """The model, as in `Sight.clip`."""
        return self.clear.clip

    @cached_property
    def cards(self) -> Vectors:
        """Vectors of the cards with the noise, (cards, dim); of about unit length."""
        return noisy(self.clear.cards, self.agreement, self.seed)

    def own(self, vectors: Vectors) -> Vectors:
        """Other vectors of the cards, (cards, dim), with noise of their own."""
        return noisy(vectors, self.agreement, self.seed + 1)

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts, (n, dim)."""
        return self.clear.texts(texts)


def noisy(cards: Vectors, agreement: float, seed: int) -> Vectors:
    """The cards with independent noise, (cards, dim), of the same mean and covariance as without.

    The noise has the covariance of the cards, so that signal and noise stand in the same proportion in the similarities
    of any text. The z-scores of two noisy copies correlate by `agreement` in the mean over seeds, those of a copy and
    of the cards themselves by its square root.
    """
    mean = cards.mean(0)
    centred = cards - mean
    weights = np.random.default_rng(seed).standard_normal((len(cards), len(cards)))
    noise = weights @ centred / sqrt(len(cards))
    return (mean + sqrt(agreement) * centred + sqrt(1 - agreement) * noise).astype(np.float32)


def _agreement(text: str, value: str) -> float:
    try:
        agreement = float(value)
    except ValueError:
        agreement = 0.0
    if not 0 < agreement <= 1:
        raise SpecError(f"noise:R takes a correlation R above 0 and at most 1, such as noise:0.67, not {text!r}")
    return agreement
