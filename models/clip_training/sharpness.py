"""How sure a belief should be: scales fitted on tables that viewers guessed.

A belief over the cards of a table is the softmax of their cosines with the clue, times a scale. Two scales matter: the
one at which the CLIP is as often right as it says (its own, kept as open_clip's logit scale), and the one at which it
says what viewers say, who now and then are lost altogether (`Viewers`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, softmax

from dixit_env.bench import viewers
from dixit_env.bench.stats import calibration_error
from dixit_env.models.clip import Clip
from dixit_env.paths import write_atomically
from dixit_env.textfiles import read_text

Floats = NDArray[np.float64]

FILE = "viewers.json"
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


@dataclass(frozen=True)
class Viewers:
    """How viewers read: `1 − lapse` of the softmax of cosines times `scale`, and `lapse` of an even belief."""

    scale: float
    lapse: float

    def belief(self, cosines: Floats) -> Floats:
        """Probabilities, (n, cards), from cosines of clues and cards, (n, cards)."""
        return (1 - self.lapse) * softmax(self.scale * cosines, axis=1) + self.lapse / cosines.shape[1]

    def write(self, folder: Path) -> None:
        """Keep them beside a network's weights."""
        write_atomically(folder / FILE, json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Viewers":
        """As `write` kept them."""
        return cls(**json.loads(read_text(folder / FILE)))


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


def on_tables(clip: Clip, tables: Sequence[Guessed], cosines: Floats, readers: Viewers) -> dict[str, float]:
    """How a CLIP's beliefs stand to what is right and to what viewers think, on tables that it was not fitted to.

    `cosines`: (tables, cards). The calibration error is that of the likeliest card, at the CLIP's own scale, over
    tables with the clue of one of their cards.
    """
    own = np.array([not table.control for table in tables])
    belief = softmax(clip.logit_scale * cosines, axis=1)[own]
    right = belief.argmax(1) == np.array([table.target for table in tables])[own]
    told = np.array([table.belief for table in tables])
    return {
        "tables": int(own.sum()),
        "right": float(right.mean()),
        "expected_error": calibration_error(belief.max(1), right),
        "correlation_with_viewers": float(np.corrcoef(readers.belief(cosines).ravel(), told.ravel())[0, 1]),
    }


def own_scale(cosines: Floats, targets: Sequence[int]) -> float:
    """The scale at which the right cards are likeliest; `cosines`: (n, cards), `targets`: (n,) their columns."""
    rows = np.arange(len(cosines))

    def surprise(scale: float) -> float:
        return float(-log_softmax(scale * cosines, axis=1)[rows, np.asarray(targets)].mean())

    return float(minimize_scalar(surprise, bounds=(0.1, LARGEST), method="bounded").x)


def fit_viewers(cosines: Floats, beliefs: Floats) -> Viewers:
    """The viewers whose belief is nearest to `beliefs` (n, cards) in cross-entropy."""

    def surprise(values: NDArray[np.float64]) -> float:
        told = Viewers(float(np.exp(values[0])), float(1 / (1 + np.exp(-values[1])))).belief(cosines)
        return float(-(beliefs * np.log(told)).sum(1).mean())

    best = minimize(surprise, np.array([2.5, -2.0]), method="Nelder-Mead").x
    return Viewers(float(np.exp(best[0])), float(1 / (1 + np.exp(-best[1]))))
