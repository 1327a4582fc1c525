"""A folder of photographs made into a deck: cards of one shape, `cards.json`, thumbnails."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from PIL import Image, ImageFilter, ImageOps

from dixit_env.decks.deck import Card
from dixit_env.errors import DeckError

CARD_SIZE = (512, 768)  # width, height of a fitted card
THUMBNAIL_WIDTH = 180
THUMBNAILS = "thumbnails"

Fit = Literal["crop", "pad"]

_TOLERANCE = 0.02  # of the ratio of width and height
_CENTRE = (0.5, 0.4)  # what matters in a photograph lies a little above its middle


def off_shape(cards: Sequence[Card]) -> list[Card]:
    """The cards whose pictures, turned upright, aren't 2:3."""
    return [card for card in cards if abs(_ratio(_file(card)) - CARD_SIZE[0] / CARD_SIZE[1]) > _TOLERANCE]


def fit_cards(cards: Sequence[Card], fit: Fit, folder: Path) -> Iterator[Path]:
    """Write each card's picture upright and 2:3 into `folder` as WebP of `CARD_SIZE`, yielding the files.

    `crop` cuts what is too wide or too high, `pad` keeps all of it over a blurred copy of itself. Files that are there
    stay, so that an interrupted run goes on. Raises `DeckError` when `folder` is where the pictures come from.
    """
    if any(_file(card).parent.resolve() == folder.resolve() for card in cards):
        raise DeckError(f"{folder} holds the originals: give another folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    stems = [_file(card).stem for card in cards]
    for card, stem in zip(cards, stems, strict=True):
        source = _file(card)
        name = stem if stems.count(stem) == 1 else f"{stem}-{source.suffix[1:].lower()}"
        target = folder / f"{name}.webp"
        if not target.exists():
            _save(_fitted(_upright(source, CARD_SIZE), fit), target)
        yield target


def write_thumbnails(cards: Sequence[Card], folder: Path) -> Iterator[Path]:
    """Write a WebP `THUMBNAIL_WIDTH` pixels wide of every card into `folder`, named by card id, yielding the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for card in cards:
        target = folder / f"{card.id}.webp"
        if not target.exists():
            picture = _upright(_file(card), (THUMBNAIL_WIDTH, THUMBNAIL_WIDTH))
            height = max(1, round(picture.height * THUMBNAIL_WIDTH / picture.width))
            _save(picture.resize((THUMBNAIL_WIDTH, height), Image.Resampling.LANCZOS), target)
        yield target


def write_words(cards: Sequence[Card], file: Path) -> None:
    """Write a `cards.json` to fill in: each picture's file and, as an English title, its name in words."""
    entries = [{"file": _file(card).name, "title": {"en": _spoken(_file(card).stem)}, "tags": {}} for card in cards]
    file.write_text(json.dumps({"cards": entries}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _file(card: Card) -> Path:
    if card.path is None:
        raise DeckError(f"{card.name} has no picture")
    return card.path


def _ratio(file: Path) -> float:
    with Image.open(file) as picture:
        width, height = picture.size
        turned = picture.getexif().get(0x0112, 1) >= 5  # orientations 5 to 8 lie on their side
    return height / width if turned else width / height


def _upright(file: Path, least: tuple[int, int]) -> Image.Image:
    """The picture as RGB, turned as its camera says. A JPEG is decoded no larger than `least` asks for."""
    with Image.open(file) as picture:
        picture.draft("RGB", (2 * max(least), 2 * max(least)))
        return ImageOps.exif_transpose(picture).convert("RGB")


def _fitted(picture: Image.Image, fit: Fit) -> Image.Image:
    filled = ImageOps.fit(picture, CARD_SIZE, Image.Resampling.LANCZOS, centering=_CENTRE)
    if fit == "crop":
        return filled
    whole = ImageOps.contain(picture, CARD_SIZE, Image.Resampling.LANCZOS)
    card = filled.filter(ImageFilter.GaussianBlur(CARD_SIZE[0] // 16))
    card.paste(whole, ((card.width - whole.width) // 2, (card.height - whole.height) // 2))
    return card


def _save(picture: Image.Image, target: Path) -> None:
    unfinished = target.with_suffix(".part")
    picture.save(unfinished, "WEBP", quality=88)
    unfinished.replace(target)


def _spoken(stem: str) -> str:
    return " ".join(stem.replace("_", " ").replace("-", " ").split())
