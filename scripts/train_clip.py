"""Make or measure one of the project's own CLIPs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dixit_env.errors import DixitError
from dixit_env.models.sight import Sight
from dixit_env.paths import cache_dir
from dixit_env.scripts.common import run, write_results

EXAMPLES = """
python scripts/train_clip.py --out models/embedded
python scripts/train_clip.py --design lite1 --text-steps 300 --steps 300 --out models/small/lite1
python scripts/train_clip.py --evaluate --out runs/clip
python scripts/train_clip.py --evaluate --clip ViT-B-32:laion2b_s34b_b79k --out runs/clip_b32
"""


@dataclass
class Args:
    """Train a small CLIP on composed cards, resuming where an earlier run stopped, or measure one on held-out cards."""

    out: Path
    """where the network goes, or with --evaluate results.json and calibration.png"""
    design: Literal["embedded", "lite1", "lite2"] = "embedded"
    """which of the project's CLIPs to make"""
    evaluate: bool = False
    """only measure"""
    clip: str = "embedded"
    """with --evaluate: the CLIP to measure"""
    cards: int = 12_000
    """composed cards, of which a small CLIP learns from half; a core paints three a second, or composes ten without"""
    text_steps: int = 400
    """batches of 288 texts that teach the text tower"""
    steps: int = 1_300
    """batches of 96 cards that teach the picture tower"""
    work: Path = field(default_factory=lambda: cache_dir() / "train_clip")
    """where rendered cards, checkpoints and curve.csv are kept between runs"""


def main(args: Args) -> None:
    """Train or measure."""
    try:
        measure(args) if args.evaluate else train(args)
    except ModuleNotFoundError as error:
        raise DixitError(f"{error.name} is missing: pip install -e '.[deck,clip]'") from error


def train(args: Args) -> None:
    """Go through all stages and draw the curve."""
    from dixit_env.models.clip_training.designs import DESIGNS
    from dixit_env.models.clip_training.pipeline import Work, build

    work, design = Work(args.work), DESIGNS[args.design]
    build(work, design, args.out, args.cards, args.text_steps, args.steps)
    picture = work.own(design) / "curve.png"
    work.curve(design).draw(picture)
    print(f"network in {args.out}, curve in {picture}")


def measure(args: Args) -> None:
    """Print and write how often the CLIP finds the right card."""
    from dixit_env.bench.viewers.guesses import read_guesses
    from dixit_env.bench.viewers.measure import DECKS, as_json, painted
    from dixit_env.bench.viewers.measure import measure as measure_viewers
    from dixit_env.decks.deck import Deck
    from dixit_env.models.clip import load_clip
    from dixit_env.models.clip_training.cards import TEST, UNSEEN, read_split, render_splits
    from dixit_env.models.clip_training.charts import draw_calibration
    from dixit_env.models.clip_training.evaluate import SIZES, evaluate
    from dixit_env.models.clip_training.pipeline import Work
    from dixit_env.models.clip_training.sharpness import HELD_OUT_GUESSES, cosines, on_tables

    clip = load_clip(args.clip)
    cards = Work(args.work).cards
    render_splits(SIZES, cards)
    test, unseen = (read_split(split, cards, SIZES[split]) for split in (TEST, UNSEEN))
    figures, answered = evaluate(clip, test, unseen)

    def similarity(deck: Deck, texts: Sequence[str]) -> NDArray[np.float32]:
        sight = Sight(deck, args.clip)
        return sight.similarity(texts)

    decks = {name: painted(name) for name in DECKS}
    viewers = measure_viewers(similarity, decks)
    figures["viewers"] = {args.clip: as_json(viewers)}
    guesses = read_guesses(HELD_OUT_GUESSES)
    pictures = {card.name: card.picture() for deck in decks.values() for card in deck.cards}
    figures["viewers"][args.clip]["tables"] = on_tables(clip, guesses, cosines(clip, guesses, pictures))
    path = write_results(args.out, {"clip": {"name": clip.name, "fingerprint": clip.fingerprint}, **figures}, args)
    draw_calibration(answered, clip.logit_scale, args.out / "calibration.png")
    print(f"right card of six (chance {figures['chance']:.3f})     random     hard")
    for kind, share in figures["right_of_six"].items():
        low, high = figures["intervals"]["right_of_six"][kind]
        print(f"  {kind:14} {share:12.3f}  ({low:.3f}–{high:.3f})  {figures['hard'][kind]:.3f}")
    for kind, share in viewers.items():
        print(f"  viewers: {kind:14} {share.value:4.3f}  ({share.low:.3f}–{share.high:.3f})")
    held = figures["viewers"][args.clip]["tables"]
    print(f"  on tables that viewers guessed: {held['right']:.3f} right, off by {held['expected_error']:.3f}")
    print(f"nearest of 300 by description: {figures['recall_at_1_of_300']:.3f}")
    print(path)


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
