"""What CLIP knows of a deck and a stock of clues, as arrays: the clues that learning agents choose from.

In reinforcement learning a clue is chosen, not written: every card has a *ladder* of candidate clues, from literal to
remote, and the storyteller picks a card of the hand and a rung of its ladder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dixit_env.errors import DixitError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClipTable:
    """Embeddings of cards and clues, and each card's ladder. Raises `DixitError` when the shapes don't fit together."""

    cards: Floats  # (cards, width) unit rows, in the order of the deck
    clues: Floats  # (clues, width) unit rows
    texts: tuple[str, ...]  # (clues,) what each clue says
    ladder: Ints  # (cards, rungs) clue numbers, from literal to remote

    def __post_init__(self) -> None:
        cards, clues, ladder = self.cards, self.clues, self.ladder
        if cards.ndim != 2 or clues.ndim != 2 or cards.shape[1] != clues.shape[1]:
            raise DixitError(f"cards {cards.shape} and clues {clues.shape} must be (n, width), of the same width")
        if len(self.texts) != len(clues) or len(set(self.texts)) != len(clues):
            raise DixitError(f"{len(clues)} clues need as many different texts, not {len(set(self.texts))}")
        if ladder.ndim != 2 or len(ladder) != len(cards) or not ladder.shape[1]:
            raise DixitError(f"the ladder {ladder.shape} must be ({len(cards)}, rungs), with one rung or more")
        if ladder.min() < 0 or ladder.max() >= len(clues):
            raise DixitError(f"the ladder must hold clue numbers, 0 to {len(clues) - 1}")

    @property
    def rungs(self) -> int:
        return self.ladder.shape[1]

    @property
    def width(self) -> int:
        return self.cards.shape[1]

    @cached_property
    def similarity(self) -> Floats:
        """(clues, cards) cosines."""
        return np.clip(self.clues @ self.cards.T, -1, 1)  # 1.0000001 is no cosine

    @cached_property
    def rung_similarity(self) -> Floats:
        """(cards, rungs) cosine of each card and the clue on each rung of its own ladder."""
        return np.take_along_axis(self.similarity.T, self.ladder, axis=1)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each clue by its text."""
        return {text: number for number, text in enumerate(self.texts)}

    @classmethod
    def build(
        cls, cards: Floats, clues: Floats, texts: Sequence[str], rungs: int = 8, scale: float = 100.0
    ) -> "ClipTable":
        """A table whose ladders descend in even steps of log probability.

        A listener who sees the whole deck and hears a clue believes in each card with softmax(scale · cosine). The top
        rung of a card is the clue that makes this belief largest; the bottom rung is about as good as chance. The
        default scale is the largest that CLIP models are trained with (Radford et al. 2021).

        Raises `DixitError` when there are fewer clues than rungs.
        """
        if len(clues) < rungs:
            raise DixitError(f"{len(clues)} clues can't fill {rungs} rungs: take more clues or fewer rungs")
        logits = scale * (clues @ cards.T).astype(np.float64)
        peak = logits.max(axis=1, keepdims=True)
        belief = logits - peak - np.log(np.exp(logits - peak).sum(axis=1, keepdims=True))  # (clues, cards) log
        order = np.argsort(-belief, axis=0, kind="stable")  # (clues, cards) best clue first
        steps = np.arange(rungs)
        ladder = np.empty((len(cards), rungs), np.int64)
        for card, best in enumerate(order.T):
            falling = -belief[best, card]
            levels = np.linspace(falling[0], max(falling[0], np.log(len(cards))), rungs)
            rank = np.searchsorted(falling, levels)
            rank = np.maximum.accumulate(rank - steps) + steps  # strictly increasing: every rung has another clue
            ladder[card] = best[np.minimum(rank, len(best) - rungs + steps)]  # leaves a clue for each rung below
        return cls(cards, clues, tuple(texts), ladder)

    @classmethod
    def random(cls, cards: int = 84, clues: int = 1000, width: int = 32, rungs: int = 8, seed: int = 0) -> "ClipTable":
        """A made-up table for tests, examples and speed: random cards, and clues that lie near one to three cards."""
        rng = np.random.default_rng(seed)
        pictures = _unit(rng.standard_normal((cards, width)))
        meant = pictures[rng.integers(cards, size=(clues, 3))] * rng.random((clues, 3, 1)) ** 2
        words = _unit(meant.sum(axis=1) + 0.3 * rng.standard_normal((clues, width)) / np.sqrt(width))
        return cls.build(pictures, words, [f"clue {number}" for number in range(clues)], rungs, scale=10.0)


def _unit(rows: NDArray[np.float64]) -> Floats:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
