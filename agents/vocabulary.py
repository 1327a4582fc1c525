"""Which words a reader knows.

Sentence encoders and CLIPs take any string to pieces and find it a place, so that one of many strings without meaning
always lies near a given card. People make nothing of such a string, and neither shall the listeners of a benchmark.
"""

from collections.abc import Sequence, Set
from functools import cache

import numpy as np

from dixit_env.agents.clues.bank import load_bank
from dixit_env.bench.clues.panels import Eye
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.meanings import associations, viewers_clues
from dixit_env.models.sight import Floats
from dixit_env.words import normalised, words_of


@cache
def known_words(languages: tuple[str, ...]) -> frozenset[str]:
    """The words (`normalised`) of all clues that this project holds in these languages: those of the clue bank, what
    people associate with things, and what viewers wrote for training cards."""
    texts = [clue.text for clue in load_bank(languages)]
    texts += [one.clue for one in associations() if one.language in languages]
    for told in viewers_clues():  # whose kind is the language, or one of the English kinds
        if (told.kind if told.kind in LANGUAGES else "en") in languages:
            texts.append(told.clue)
    return words_of(*texts)


def of_known_words(eye: Eye, known: Set[str], cards: int) -> Eye:
    """The eye of a reader that passes over the words it doesn't know; a clue without any other means no card to it.

    Args:
        eye: sees any string.
        known: the reader's words, `normalised`.
        cards: in the deck.
    """

    def see(clues: Sequence[str]) -> Floats:
        read = [" ".join(word for word in clue.split() if set(normalised(word).split()) <= known) for clue in clues]
        rows = [row for row, text in enumerate(read) if normalised(text)]
        z = np.zeros((len(clues), cards))
        if rows:
            z[rows] = eye([read[row] for row in rows])
        return z

    return see
