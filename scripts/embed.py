"""Make a folder of pictures a deck that agents can see."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import tyro
from tqdm import tqdm

from dixit_env.decks.deck import Deck, embedded_decks
from dixit_env.decks.fitting import THUMBNAILS, Fit, fit_cards, off_shape, write_thumbnails, write_words
from dixit_env.models.clip import load_clip
from dixit_env.models.devices import device_for
from dixit_env.models.embeddings import cache_file, embed_deck
from dixit_env.paths import printable
from dixit_env.scripts.common import run

EXAMPLES = """
python scripts/embed.py dreams
python scripts/embed.py holiday_photos --fit crop
python scripts/embed.py my_deck --clip ViT-B-32:laion2b_s34b_b79k
python scripts/embed.py my_deck --clip ViT-H-14:laion2b_s32b_b79k --device cuda
"""


@dataclass
class Args:
    """Check a deck's pictures, write its cards.json and thumbnails where missing, and embed it into the cache."""

    deck: Annotated[str, tyro.conf.Positional]
    """an embedded deck's name, or a folder of png, jpg or webp pictures of any size"""
    clip: str = "embedded"
    """the CLIP that looks at the cards: embedded, lite1, lite2, ARCH:TAG, ARCH:FILE, hf-hub:NAME or a folder"""
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """where it looks: cpu, cuda, or auto: a GPU where there is one"""
    fit: Fit | None = None
    """write 2:3 copies first, cropped or padded; the originals stay as they are"""
    out: Path | None = None
    """where the copies go (default: the folder's name with -cards, beside it)"""


def main(args: Args) -> None:
    """Prepare and embed the deck."""
    clip = load_clip(args.clip, device_for(args.device))
    deck = Deck.load(args.deck)
    if args.fit:
        folder = args.out or Path(f"{_folder(deck).resolve()}-cards")
        files = _run(fit_cards(deck.cards, args.fit, folder), len(deck), f"{args.fit} to 2:3")
        copies = [replace(card, path=file) for card, file in zip(deck.cards, files, strict=True)]
        write_words(copies, folder / "cards.json")  # with the originals' names
        deck = Deck.from_folder(folder)
        print(f"{len(deck)} cards of 2:3 in {printable(folder)}")
    elif others := off_shape(deck.cards):
        print(f"{len(others)} of {len(deck)} pictures aren't 2:3, {others[0].name} for one: --fit crop or --fit pad")
    if args.deck not in embedded_decks() or args.fit:
        folder = _folder(deck)
        if not (folder / "cards.json").exists():
            write_words(deck.cards, folder / "cards.json")
        print(f"{printable(folder / 'cards.json')}: titles, captions and tags can be filled in here")
        _run(write_thumbnails(deck.cards, folder / THUMBNAILS), len(deck), "thumbnails")
    start = time.perf_counter()
    vectors = embed_deck(deck, clip)
    print(f"{deck.name}: {len(vectors)} cards × {clip.dim} by {clip.name} in {time.perf_counter() - start:.2f} s")
    print(f"cache: {cache_file(clip)}")


def _run(files: Iterator[Path], total: int, label: str) -> list[Path]:
    return list(tqdm(files, total=total, desc=label, disable=None))


def _folder(deck: Deck) -> Path:
    path = deck.cards[0].path
    assert path is not None  # a deck from a folder has pictures
    return path.parent


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
