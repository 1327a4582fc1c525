"""Batches of texts and of what they are true of, for the reader and for the text tower."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.cards import Truth
from dixit_env.models.clip_training.meanings import Said, weights
from dixit_env.models.clip_training.scenes import NOTHING, SceneSpace

KINDS = {"thing": 0.48, "template": 0.22, "mood": 0.04, "place": 0.04, "name": 0.14, "tag": 0.08}
SHARES = {"en": 0.34, "pt": 0.22, "es": 0.22, "da": 0.22}
_DESCRIBED = 0.7  # of the descriptions; the rest are titles


@dataclass(frozen=True)
class Counts:
    """How many texts of each sort a batch holds."""

    said: int
    clues: int
    descriptions: int = 0
    words: int = 0


@dataclass(frozen=True)
class Batch:
    """Texts: what is said of keys, then viewers' clues, then descriptions, then words."""

    texts: NDArray[np.int64]  # (T,) rows of `Talk.texts`
    keys: Tensor  # (said,) rows in the space
    rows: Tensor  # (cards, MOST) what the cards show: a card for each text but the words
    parts: Tensor  # (cards, MOST)
    true: Tensor  # (cards, cards) which of these texts hold of which cards


class Talk:
    """What is said, drawn by step so that a resumed run goes on where it was.

    Args:
        said: what is true of whatever shows a key: associations, names, tags.
        clues: viewers' clues and their cards.
        scenes: cards without pictures, to say the rest of.
        words: common words and phrases, said of no card.
        space: knows the keys.
        counts: of a batch.
        seed: draws other batches.
    """

    def __init__(
        self,
        said: Sequence[Said],
        clues: Sequence[tuple[str, Truth]],
        scenes: Sequence[Truth],
        words: Sequence[str],
        space: SceneSpace,
        counts: Counts,
        seed: int = 0,
    ) -> None:
        self._counts, self._seed = counts, seed
        told = [(truth.description, truth.title) for truth in scenes]
        described = [sort[language] for sorts in told for sort in sorts for language in LANGUAGES]
        texts = [*(one.association.clue for one in said), *(clue for clue, _ in clues), *words, *described]
        self._first_clue = len(said)
        self._first_word = self._first_clue + len(clues)
        self._first_description = self._first_word + len(words)
        self.texts: Sequence[str] = texts
        self.spoken = self._first_description
        """so many of the texts, the first, are no descriptions"""
        self._words = len(words)
        self._rows, self._parts = space.table(scenes)
        self._clue_rows, self._clue_parts = space.table([truth for _, truth in clues])
        self._card_of_clue = np.unique([truth.seed for _, truth in clues], return_inverse=True)[1]
        self._key = np.array([space.row[one.association.key] for one in said])
        showing: dict[int, list[int]] = {}
        for scene, (rows, parts) in enumerate(zip(self._rows.tolist(), self._parts.tolist(), strict=True)):
            for row, part in zip(rows, parts, strict=True):
                if part != NOTHING:
                    showing.setdefault(row, []).append(scene)
        self._showing = {row: np.array(shown) for row, shown in showing.items()}
        drawn = weights(said, KINDS, SHARES) * np.array([row in showing for row in self._key])
        self._drawn = drawn / drawn.sum()

    def draw(self, step: int) -> Batch:
        """The batch of that step."""
        rng = np.random.default_rng((self._seed, step))
        counts = self._counts
        said = rng.choice(len(self._key), counts.said, p=self._drawn)
        keys = self._key[said]
        scenes = np.array([rng.choice(self._showing[int(row)]) for row in keys])
        clues = rng.choice(len(self._card_of_clue), min(counts.clues, len(self._card_of_clue)), replace=False)
        described = rng.choice(len(self._rows), counts.descriptions, replace=False)
        sort = np.where(rng.random(counts.descriptions) < _DESCRIBED, 0, 1)
        language = rng.choice(len(LANGUAGES), counts.descriptions, p=list(SHARES.values()))
        words = rng.choice(self._words, counts.words)
        texts = [
            said,
            self._first_clue + clues,
            self._first_description + (2 * described + sort) * len(LANGUAGES) + language,
            self._first_word + words,
        ]
        rows = torch.cat([self._rows[scenes], self._clue_rows[clues], self._rows[described]])
        parts = torch.cat([self._parts[scenes], self._clue_parts[clues], self._parts[described]])
        stated = torch.from_numpy(np.concatenate([keys, np.full(len(clues) + len(described), -1)]))
        true = ((rows[None] == stated[:, None, None]) & (parts != NOTHING)[None]).any(-1)
        own = torch.from_numpy(self._card_of_clue[clues])
        middle = slice(len(said), len(said) + len(clues))
        true[middle, middle] = own[:, None] == own[None]
        last = torch.arange(len(said) + len(clues), len(rows))
        true[last, last] = True
        return Batch(np.concatenate(texts).astype(np.int64), torch.from_numpy(keys), rows, parts, true)


def talk_loss(features: Tensor, space: SceneSpace, batch: Batch) -> Tensor:
    """How far texts are from the cards that they are true of, among the batch's cards, and from their keys, among all.

    `features`: unit vectors of the batch's texts, (T, dim).
    """
    scale = space.scale.exp()
    to_cards, to_texts = matching_loss(
        features[: len(batch.rows)] @ space.cards(batch.rows, batch.parts).T * scale, batch.true
    )
    which = F.cross_entropy(features[: len(batch.keys)] @ space.unit().T * scale, batch.keys)
    return 0.7 * to_cards + 0.3 * to_texts + 0.5 * which


def matching_loss(logits: Tensor, true: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of texts (rows) over cards (columns) and of cards over texts, where several may belong together.

    A text's weight of one is shared equally among the cards that it is true of; a card of which no text is true counts
    for nothing. `logits`, `true`: (T, B).
    """
    share = true.float()
    share = share / share.sum(1, keepdim=True)
    to_cards = -(share * logits.log_softmax(1)).sum(1).mean()
    total = share.sum(0, keepdim=True)
    to_texts = -(share / total.clamp(min=1e-9) * logits.log_softmax(0)).sum(0)
    return to_cards, to_texts[total[0] > 0].mean()
