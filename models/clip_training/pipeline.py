"""All stages of making the embedded CLIP, each resumable, from packages to a folder that open_clip loads."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from dixit_env.models.clip_training.cards import TRAIN, WIDE, read_split, render_splits
from dixit_env.models.clip_training.contrast import contrast, start_head
from dixit_env.models.clip_training.corpus import Text, load_corpus
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.distil import TextBatches, distil, start_text_tower
from dixit_env.models.clip_training.network import DIM, new_network, save_network
from dixit_env.models.clip_training.teacher import teach
from dixit_env.models.sentences import Vectors
from dixit_env.packages import source_folder

_TEXT_BATCH = 192  # texts beside a batch of cards
_WIDE_SHARE = 0.25  # of the training cards


@dataclass(frozen=True)
class Work:
    """Where the stages keep what they make; removing a file makes its stage run again."""

    folder: Path

    @property
    def cards(self) -> Path:
        """Shards of rendered cards."""
        return self.folder / "cards"

    @property
    def curve(self) -> Curve:
        """What training measures as it goes."""
        return Curve(self.folder / "curve.csv")


def build(work: Work, out: Path, cards: int, text_epochs: float, steps: int) -> None:
    """Train from scratch, or from where an earlier run stopped, and write the network into `out`.

    `cards`: composed cards to train on; `text_epochs`: passes over the texts; `steps`: batches of cards.
    """
    work.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    corpus, targets = taught_corpus(work)
    network = new_network()
    start_text_tower(network, corpus, targets)
    distil(network, corpus, targets, text_epochs, work.folder / "text.pt", work.curve)

    render_splits({TRAIN: round(cards * (1 - _WIDE_SHARE)), WIDE: round(cards * _WIDE_SHARE)}, work.cards)
    known = [*read_split(TRAIN, work.cards), *read_split(WIDE, work.cards)]
    if not (work.folder / "cards.pt").exists():
        start_head(network, known[:4000])
    contrast(
        network, known, TextBatches(corpus, targets, _TEXT_BATCH, seed=1), steps, work.folder / "cards.pt", work.curve
    )
    save_network(network, out)


def taught_corpus(work: Work) -> tuple[Sequence[Text], Vectors]:
    """The corpus and the teachers' vectors of it, computed once."""
    corpus = load_corpus(source_folder())
    path = work.folder / "teacher.npy"
    if not path.exists():
        np.save(path, teach(corpus, DIM).astype(np.float16))
    return corpus, np.load(path)
