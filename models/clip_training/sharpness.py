"""How sure a belief should be.

A belief over the cards of a table is the softmax of their cosines with the clue, times a scale: the one at which the
CLIP is as often right as it says, kept as open_clip's logit scale. It is fitted on viewers' clues for a deck of which
nothing was trained on; on training cards the CLIP is surer than it may be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from dixit_env.bench import viewers
from dixit_env.bench.stats import calibration_error
from dixit_env.bench.viewers.measure import OTHERS
from dixit_env.models.clip import Clip
from dixit_env.textfiles import read_text

Floats = NDArray[np.float64]

DRAWS = 5  # tables of a clue
HELD_OUT_GUESSES = Path(viewers.__file__).parent / "guessed.tsv"  # of tables of nocturne and tides
LARGEST = 100.0  # scale, as open_clip bounds it


@dataclass(frozen=True)
class Guessed:
    """A table that a viewer guessed."""

    clue: str
    cards: tuple[str, ...]  # names
    target: int  # place of the right card
    control: bool  # the clue is another table's
    belief: tuple[float, ...]  # of the viewer, sums to one


def read_guesses(file: Path) -> list[Guessed]:
    """Tables that viewers guessed, as kept in a file: clue, source, control, cards, target, belief, suits."""
    _, *rows = read_text(file).splitlines()
    found = []
    for row in rows:
        clue, _, control, cards, target, belief, _ = row.split("\t")
        shares = tuple(float(share) for share in belief.split())
        found.append(Guessed(clue, tuple(cards.split()), int(target), control == "1", shares))
    return found


def cosines(clip: Clip, tables: Sequence[Guessed], pictures: Mapping[str, Image.Image | Path]) -> Floats:
    """Of the tables' clues and cards, (tables, cards); `pictures` by the cards' names."""
    names = sorted({card for table in tables for card in table.cards})
    row = {name: number for number, name in enumerate(names)}
    cards = clip.embed_images([pictures[name] for name in names])
    texts = clip.embed_texts([table.clue for table in tables])
    return np.array(
        [cards[[row[card] for card in table.cards]] @ text for table, text in zip(tables, texts, strict=True)],
        np.float64,
    )


def on_tables(clip: Clip, tables: Sequence[Guessed], cosines: Floats) -> dict[str, float]:
    """How a CLIP's beliefs stand to what is right and to what viewers think; `cosines`: (tables, cards).

    Only tables with the clue of one of their cards have a right one. The calibration error is that of the likeliest
    card at the CLIP's own scale.
    """
    own = np.array([not table.control for table in tables])
    belief = softmax(clip.logit_scale * cosines, axis=1)
    right = (belief.argmax(1) == np.array([table.target for table in tables]))[own]
    told = np.array([table.belief for table in tables])
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


def own_scale(cosines: Floats, targets: Sequence[int]) -> float:
    """The scale at which the right cards are likeliest; `cosines`: (n, cards), `targets`: (n,) their columns."""
    rows = np.arange(len(cosines))

    def surprise(scale: float) -> float:
        return float(-log_softmax(scale * cosines, axis=1)[rows, np.asarray(targets)].mean())

    return float(minimize_scalar(surprise, bounds=(0.1, LARGEST), method="bounded").x)
