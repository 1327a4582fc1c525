"""A folder of photographs made into a deck: cards of one shape, `cards.json`, thumbnails."""

import hashlib
import io
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from PIL import Image, ImageFilter, ImageOps

from dixit_env.decks.deck import PICTURES, Card, read_words
from dixit_env.decks.pictures import READING, picture_size
from dixit_env.errors import DeckError
from dixit_env.paths import printable, write_atomically

CARD_SIZE = (512, 768)  # width, height of a fitted card
THUMBNAIL_WIDTH = 180
THUMBNAILS = "thumbnails"

Fit = Literal["crop", "pad"]

_DESCRIPTION = 0x010E  # EXIF tag
_MADE = "dixit-env copy:"  # how the description of a copy begins
_TOLERANCE = 0.02  # of the ratio of width and height
_CENTRE = (0.5, 0.4)  # what matters in a photograph lies a little above its middle


def off_shape(cards: Sequence[Card]) -> list[Card]:
    """The cards whose pictures, turned upright, aren't 2:3."""
    return [card for card in cards if abs(_ratio(_file(card)) - CARD_SIZE[0] / CARD_SIZE[1]) > _TOLERANCE]


def fit_cards(cards: Sequence[Card], fit: Fit, folder: Path) -> Iterator[Path]:
    """Write each card's picture upright and 2:3 into `folder` as WebP of `CARD_SIZE`, yielding the files.

    `crop` cuts what is too wide or too high, `pad` keeps all of it over a blurred copy of itself. A copy is named after
    its original and says in its EXIF what it was made of: copies that are still right stay, so that an interrupted run
    goes on; after the last card those whose original is gone are removed. Raises `DeckError` when `folder` holds other
    pictures than such copies.
    """
    if any(_file(card).parent.resolve() == folder.resolve() for card in cards):
        raise DeckError(f"{printable(folder)} holds the originals: give another folder with --out")
    present = {file.name: _origin(file) for file in _pictures(folder)}
    if foreign := [name for name, origin in present.items() if not origin]:
        raise DeckError(
            f"{printable(folder)} holds pictures that were not made here, {printable(Path(foreign[0]))} for one: "
            "give another folder with --out"
        )
    names = _copy_names(cards)
    for card, name in zip(cards, names, strict=True):
        origin = f"{_MADE} {fit} {CARD_SIZE[0]}x{CARD_SIZE[1]} {READING} {card.id}"
        if present.get(name) != origin:
            _save(_fitted(card.picture(2 * max(CARD_SIZE)), fit), folder / name, origin)
        yield folder / name
    for name in set(present) - set(names):
        (folder / name).unlink()


def write_thumbnails(cards: Sequence[Card], folder: Path) -> Iterator[Path]:
    """Write a WebP `THUMBNAIL_WIDTH` pixels wide of every card into `folder`, named by card id, yielding the files.

    After the last one those of other cards are removed.
    """
    for card in cards:
        origin, target = f"{_MADE} {READING} {card.id}", folder / f"{card.id}.webp"
        if _origin(target) != origin:
            picture = card.picture(2 * THUMBNAIL_WIDTH)
            height = max(1, round(picture.height * THUMBNAIL_WIDTH / picture.width))
            _save(picture.resize((THUMBNAIL_WIDTH, height), Image.Resampling.LANCZOS), target, origin)
        yield target
    kept = {card.id for card in cards}
    for file in _pictures(folder):
        if file.stem not in kept and _origin(file):
            file.unlink()


def write_words(cards: Sequence[Card], file: Path) -> None:
    """Write a `cards.json` to fill in: each picture's file and, as an English title, the card's name in words.

    In one that is there, what people wrote stays; pictures that it lacks are added, and those that are gone removed.
    """
    words, names = read_words(file), {_file(card).name: _spoken(card.name) for card in cards}
    kept = [entry for entry in words["cards"] if entry["file"] in names]
    present = {entry["file"] for entry in kept}
    kept += [
        {"file": name, "title": {"en": spoken}, "tags": {}} for name, spoken in names.items() if name not in present
    ]
    if kept != words["cards"]:
        write_atomically(file, json.dumps({**words, "cards": kept}, ensure_ascii=False, indent=1) + "\n")


def _copy_names(cards: Sequence[Card]) -> list[str]:
    """A file name for each card's copy, different without regard to case.

    It is the original's without its ending. Where several would be alike, a few digits of a hash of the whole name are
    added to each: they stay the same whichever others come and go, and so do the words in `cards.json`.
    """

    def alike(file: Path) -> str:
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", printable(Path(file.stem))).casefold())

    files = [_file(card) for card in cards]
    count = Counter(map(alike, files))
    digests = [hashlib.sha256(os.fsencode(file.name)).hexdigest()[:6] for file in files]
    return [
        f"{file.stem}.webp" if count[alike(file)] == 1 else f"{file.stem}-{digest}.webp"
        for file, digest in zip(files, digests, strict=True)
    ]


def _pictures(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [file for file in folder.iterdir() if file.suffix.lower() in PICTURES and not file.name.startswith(".")]


def _file(card: Card) -> Path:
    if card.path is None:
        raise DeckError(f"{card.name} has no picture")
    return card.path


def _ratio(file: Path) -> float:
    width, height = picture_size(file)
    return width / height


def _origin(file: Path) -> str:
    """What a copy says it was made of; "" for a file that is no copy, or not there."""
    try:
        with Image.open(file) as picture:
            said = str(picture.getexif().get(_DESCRIPTION, ""))
    except Exception:  # Pillow's readers raise almost anything on broken files
        return ""
    return said if said.startswith(_MADE) else ""


def _fitted(picture: Image.Image, fit: Fit) -> Image.Image:
    filled = ImageOps.fit(picture, CARD_SIZE, Image.Resampling.LANCZOS, centering=_CENTRE)
    if fit == "crop":
        return filled
    whole = ImageOps.contain(picture, CARD_SIZE, Image.Resampling.LANCZOS)
    card = filled.filter(ImageFilter.GaussianBlur(CARD_SIZE[0] // 16))
    card.paste(whole, ((card.width - whole.width) // 2, (card.height - whole.height) // 2))
    return card


def _save(picture: Image.Image, target: Path, origin: str) -> None:
    exif, buffer = Image.Exif(), io.BytesIO()
    exif[_DESCRIPTION] = origin
    picture.save(buffer, "WEBP", quality=88, exif=exif)
    write_atomically(target, buffer.getvalue())


def _spoken(name: str) -> str:
    return " ".join(name.rpartition("/")[2].replace("_", " ").replace("-", " ").split())
