"""The clues that learning agents choose from: each card's ladder from literal to remote, drawn from the clue bank."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dixit_env.agents.clip.voter_kinds import Floats
from dixit_env.agents.clues.index import clue_index
from dixit_env.envs.clip_table import ClipTable
from dixit_env.models.sight import EYES_KEPT, Sight

RUNGS = 8  # chosen
FAINT = 0.0  # z-score of the last rung: the clue says nothing about its card


@lru_cache(maxsize=EYES_KEPT)
def shortlist(sight: Sight, langs: tuple[str, ...] = ("en",), rungs: int = RUNGS) -> ClipTable:
    """A CLIP table for the deck of a sight, with the whole clue bank and a ladder for every card.

    The ladder descends in even steps of the z-score over the deck, from the clue that makes the card stand out most to
    one that says nothing about it, so that ladders of different cards, decks and CLIPs mean the same.
    """
    index = clue_index(sight, langs)
    ladder = np.stack([_rungs(index.z[best, card], best, rungs) for card, best in enumerate(index.by_card)])
    return ClipTable(sight.cards, sight.texts(index.texts), index.texts, ladder)


def _rungs(falling: Floats, best: Sequence[int] | np.ndarray, rungs: int) -> np.ndarray:
    """Clue numbers on the rungs of one card: `falling` z-scores of the clues `best`, in that order."""
    steps = np.arange(rungs)
    levels = np.linspace(falling[0], min(FAINT, falling[0]), rungs)
    rank = np.searchsorted(-falling, -levels)
    rank = np.maximum.accumulate(rank - steps) + steps  # strictly increasing: every rung has another clue
    return np.asarray(best)[np.minimum(rank, len(falling) - rungs + steps)]
