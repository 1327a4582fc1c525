"""The clues that learning agents choose from: each card's ladder from literal to remote, drawn from the clue bank.

Ladders are of what different ways of reading agree on (`agents.clip.reading`), as a storyteller should see its clues;
whoever hears a clue reads it in the ways that fit any clue.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.reading import deck_bank, read_bank, reading
from dixit_env.envs.clip_table import ClipTable
from dixit_env.models.sight import EYES_KEPT, Floats, Sight, z_scores

RUNGS = 8  # chosen
FAINT = 0.0  # z-score of the last rung: the clue says nothing about its card


@lru_cache(maxsize=EYES_KEPT)
def shortlist(sight: Sight, lang: str = "en", rungs: int = RUNGS) -> ClipTable:
    """A CLIP table for the deck of a sight, with the whole clue bank and a ladder for every card."""
    bank = read_bank(sight, lang)
    return ClipTable(sight.cards, deck_bank(sight.clear, lang).vectors, bank.texts, ladder(bank.z, rungs))


@lru_cache(maxsize=EYES_KEPT)
def heard_z_scores(sight: Sight, lang: str = "en") -> Floats:
    """How far each card stands out for each clue of the shortlist, (clues, cards): `read_z_scores` of every clue."""
    return z_scores(reading(sight).ways(deck_bank(sight.clear, lang).vectors).mean(0))


def told_z_scores(sight: Sight, lang: str = "en") -> NDArray[np.float32]:
    """How far each card stands out for the clue on each rung, as the storyteller sees it, (cards, rungs, cards)."""
    return read_bank(sight, lang).z[shortlist(sight, lang).ladder]


def ladder(z: NDArray[np.floating], rungs: int = RUNGS) -> NDArray[np.int64]:
    """Clue numbers for every card, (cards, rungs), from z-scores over the deck (clues, cards).

    A ladder descends in even steps of the z-score, from the clue that makes the card stand out most to one that says
    nothing about it, so that ladders of different cards, decks and eyes mean the same.
    """
    order = np.argsort(-np.ascontiguousarray(z.T), axis=1)  # (cards, clues) best match first
    return np.stack([_rungs(z[best, card], best, rungs) for card, best in enumerate(order)])


def _rungs(falling: NDArray[np.floating], best: Sequence[int] | NDArray[np.intp], rungs: int) -> NDArray[np.int64]:
    """Clue numbers on the rungs of one card: `falling` z-scores of the clues `best`, in that order."""
    steps = np.arange(rungs)
    levels = np.linspace(falling[0], min(FAINT, falling[0]), rungs)
    rank = np.searchsorted(-falling, -levels)
    rank = np.maximum.accumulate(rank - steps) + steps  # strictly increasing: every rung has another clue
    return np.asarray(best)[np.minimum(rank, len(falling) - rungs + steps)]
