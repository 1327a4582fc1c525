"""How sure a belief should be.

A belief over the cards of a table is the softmax of their cosines with the clue, times a scale: the one at which the
CLIP is as often right as it says, kept as open_clip's logit scale. It is fitted on clues for a deck of which nothing
was trained on, because on training cards the CLIP is surer than it may be. Half of the weight is on viewers' clues,
half on those that bots gave in games: each of these is one of thousands that a CLIP liked best, so CLIPs err more
about it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from dixit_env.bench import viewers
from dixit_env.bench.stats import calibration_error
from dixit_env.bench.viewers.guesses import Guess
from dixit_env.bench.viewers.measure import OTHERS
from dixit_env.models.clip import Clip

Floats = NDArray[np.float64]

DRAWS = 5  # tables of a clue
HELD_OUT_GUESSES = Path(viewers.__file__).parent / "guessed.tsv"  # of tables of nocturne and tides
HARVEST_GUESSES = Path(viewers.__file__).parent / "guessed_harvest.tsv"  # of games of bots
LARGEST = 100.0  # scale, as open_clip bounds it


def cosines(clip: Clip, guesses: Sequence[Guess], pictures: Mapping[str, Image.Image | Path]) -> Floats:
    """Of the clues and cards of guessed tables, (guesses, cards); `pictures` by the cards' names."""
    names = sorted({card for guess in guesses for card in guess.table.cards})
    row = {name: number for number, name in enumerate(names)}
    cards = clip.embed_images([pictures[name] for name in names])
    texts = clip.embed_texts([guess.table.clue for guess in guesses])
    return np.array(
        [cards[[row[card] for card in guess.table.cards]] @ text for guess, text in zip(guesses, texts, strict=True)],
        np.float64,
    )


def on_tables(clip: Clip, guesses: Sequence[Guess], cosines: Floats) -> dict[str, float]:
    """How a CLIP's beliefs stand to what is right and to what viewers think; `cosines`: (guesses, cards).

    Only tables with the clue of one of their cards have a right one. The calibration error is that of the likeliest
    card at the CLIP's own scale.
    """
    own = np.array([not guess.table.control for guess in guesses])
    belief = softmax(clip.logit_scale * cosines, axis=1)
    right = (belief.argmax(1) == np.array([guess.table.target for guess in guesses]))[own]
    told = np.array([guess.belief for guess in guesses])
    return {
        "tables": int(own.sum()),
        "right": float(right.mean()),
        "expected_error": calibration_error(belief.max(1)[own], right),
        "correlation_with_viewers": float(np.corrcoef(belief.ravel(), told.ravel())[0, 1]),
    }


def among_others(cosines: Floats, targets: Sequence[int], rng: np.random.Generator) -> Floats:
    """Tables of six from clues and a whole deck: (clues, cards) → (clues · `DRAWS`, 6), the right card first."""
    rows = []
    for scores, target in zip(cosines, targets, strict=True):
        others = np.delete(scores, target)
        rows += [[scores[target], *rng.choice(others, OTHERS, replace=False)] for _ in range(DRAWS)]
    return np.array(rows)


def own_scale(*tables: tuple[Floats, Sequence[int]]) -> float:
    """The scale at which the right cards are likeliest.

    `tables`: of each source, which all weigh the same, the cosines (n, cards) and the right cards' columns (n,).
    """

    def surprise(scale: float) -> float:
        likely = [log_softmax(scale * scores, axis=1)[range(len(scores)), targets].mean() for scores, targets in tables]
        return -float(np.mean(likely))

    return float(minimize_scalar(surprise, bounds=(0.1, LARGEST), method="bounded").x)
