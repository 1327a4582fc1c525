"""The clues that learning agents choose from: each card's ladder from literal to remote, drawn from the clue bank."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.reading import reading
from dixit_env.agents.clues.bank import load_bank
from dixit_env.envs.clip_table import ClipTable
from dixit_env.models.sight import EYES_KEPT, Floats, Sight, z_scores

RUNGS = 8  # chosen
FAINT = 0.0  # z-score of the last rung: the clue says nothing about its card


@lru_cache(maxsize=EYES_KEPT)
def shortlist(sight: Sight, langs: tuple[str, ...] = ("en",), rungs: int = RUNGS) -> ClipTable:
    """A CLIP table for the deck of a sight, with the whole clue bank and a ladder for every card."""
    texts = _texts(langs)
    return ClipTable(sight.cards, sight.texts(texts), texts, ladder(shortlist_z_scores(sight, langs), rungs))


@lru_cache(maxsize=EYES_KEPT)
def shortlist_z_scores(sight: Sight, langs: tuple[str, ...] = ("en",)) -> Floats:
    """How far each card stands out for each clue of the shortlist, (clues, cards): `read_z_scores` of every clue."""
    return z_scores(shortlist_ways(sight, langs).mean(0))


def shortlist_ways(sight: Sight, langs: tuple[str, ...] = ("en",)) -> Floats:
    """The z-scores in each way that the clues are read, (ways, clues, cards): beside pictures and beside words."""
    return reading(sight).ways(sight.texts(_texts(langs)))


def ladder(z: NDArray[np.floating], rungs: int = RUNGS) -> NDArray[np.int64]:
    """Clue numbers for every card, (cards, rungs), from z-scores over the deck (clues, cards).

    A ladder descends in even steps of the z-score, from the clue that makes the card stand out most to one that says
    nothing about it, so that ladders of different cards, decks and eyes mean the same.
    """
    order = np.argsort(-np.ascontiguousarray(z.T), axis=1)  # (cards, clues) best match first
    return np.stack([_rungs(z[best, card], best, rungs) for card, best in enumerate(order)])


def _texts(langs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clue.text for clue in load_bank(langs)))


def _rungs(falling: NDArray[np.floating], best: Sequence[int] | NDArray[np.intp], rungs: int) -> NDArray[np.int64]:
    """Clue numbers on the rungs of one card: `falling` z-scores of the clues `best`, in that order."""
    steps = np.arange(rungs)
    levels = np.linspace(falling[0], min(FAINT, falling[0]), rungs)
    rank = np.searchsorted(-falling, -levels)
    rank = np.maximum.accumulate(rank - steps) + steps  # strictly increasing: every rung has another clue
    return np.asarray(best)[np.minimum(rank, len(falling) - rungs + steps)]
