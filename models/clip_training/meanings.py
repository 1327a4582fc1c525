"""What people would say: associations with what cards show, and viewers' clues for whole cards.

`associations/LANGUAGE.tsv` (written by a language model for this project, from general knowledge, without looking at
any card) says what people associate with a thing, a scene's idea, a mood or a place. `clues.tsv` holds what viewers
wrote for training cards (`scripts/viewers.py`; see docs/viewers.md).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dixit_env.languages import LANGUAGES
from dixit_env.textfiles import read_text

_HERE = Path(__file__).parent

Key = tuple[str, str]  # what kind of thing and which: ("thing", "owl"), ("template", "maze"), ("mood", …), ("place", …)


@dataclass(frozen=True)
class Association:
    """A clue that people would give for whatever shows `key`."""

    key: Key
    language: str
    clue: str


def associations() -> list[Association]:
    """All of them, in a fixed order."""
    found = []
    for language in LANGUAGES:
        _, *rows = read_text(_HERE / "associations" / f"{language}.tsv").splitlines()
        for row in rows:
            kind, name, clue = row.split("\t")
            found.append(Association((kind, name), language, clue))
    return found


@dataclass(frozen=True)
class Said:
    """A text that is true of whatever shows a key."""

    association: Association
    kind: str
    """`name` or `tag`, or for an association what its key is"""


@dataclass(frozen=True)
class ViewersClue:
    """What a viewer wrote for a training card."""

    card: int  # seed in the split `cards.TRAIN`
    main: str  # the card's main thing and template, so that clues aren't put under other cards when the catalogue grows
    template: str
    kind: str  # as in `dixit_env.bench.viewers.clues.KINDS`
    clue: str


def viewers_clues() -> list[ViewersClue]:
    """All of them."""
    _, *rows = read_text(_HERE / "clues.tsv").splitlines()
    return [ViewersClue(int(card), *rest) for card, *rest in (row.split("\t") for row in rows)]


def associated() -> list[Said]:
    """The associations, each of the kind that its key is."""
    return [Said(one, one.key[0]) for one in associations()]


def weights(said: Sequence[Said], kinds: Mapping[str, float], languages: Mapping[str, float]) -> NDArray[np.float64]:
    """How likely each is drawn, (n,): kinds and languages have these shares, and a clue that is under many keys, which
    says little of each, its part of one clue's."""
    under = Counter((one.association.language, one.association.clue.lower()) for one in said)
    weight = np.array([1 / under[one.association.language, one.association.clue.lower()] for one in said])
    groups: dict[tuple[str, str], list[int]] = {}
    for row, one in enumerate(said):
        groups.setdefault((one.kind, one.association.language), []).append(row)
    for (kind, language), rows in groups.items():
        weight[rows] *= kinds[kind] * languages[language] / weight[rows].sum()
    return np.asarray(weight / weight.sum())
