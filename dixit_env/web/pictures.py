"""The deck's pictures for the page: WebP in two sizes, made once, kept in memory and in the cache folder.

They are made from the decoded pixels, so metadata in the files (names, places, dates) is not sent. All are made before
the first request, to close a timing side channel: if a picture were made when it is first asked for, a slow answer
would show that no player had seen the card yet.
"""

import colorsys
import contextlib
import io
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

from dixit_env.decks.deck import Card, Deck
from dixit_env.decks.pictures import READING
from dixit_env.paths import cache_dir, write_atomically

log = logging.getLogger(__name__)

SIZES = {"small": (240, 360, 78), "full": (1024, 1024, 82)}  # the box it fits into, and the WebP quality


class Pictures:
    """The pictures of a deck, by card number and size."""

    def __init__(self, deck: Deck, folder: Path | None = None) -> None:
        self.folder = folder or cache_dir() / f"web-{READING}"
        self.numbers = {card.id: number for number, card in enumerate(deck.cards)}
        with ThreadPoolExecutor() as pool:
            made = pool.map(self._card, deck.cards)
            self._bytes = list(tqdm(made, "pictures", len(deck), leave=False, delay=2, disable=None))

    def webp(self, number: int, size: str) -> bytes:
        """The picture of card `number`; `size` is small or full."""
        return self._bytes[number][size]

    def _card(self, card: Card) -> dict[str, bytes]:
        if card.path is None:
            return dict.fromkeys(SIZES, _plain(card))
        return {size: self._kept(card, size) for size in SIZES}

    def _kept(self, card: Card, size: str) -> bytes:
        file = self.folder / f"{card.id}-{size}.webp"
        with contextlib.suppress(OSError):
            return file.read_bytes()
        made = shrunk(card, *SIZES[size])
        try:
            write_atomically(file, made)
        except OSError as error:
            log.warning("going on without a cache of pictures (%s): set DIXIT_ENV_CACHE to a folder", error)
        return made


def shrunk(card: Card, width: int, height: int, quality: int) -> bytes:
    """A card's picture as WebP that fits into a box; a drawn one for a card without a picture."""
    if card.path is None:
        return _plain(card)
    image, buffer = card.picture(max(width, height)), io.BytesIO()
    image.thumbnail((width, height))
    image.save(buffer, "WEBP", quality=quality)
    return buffer.getvalue()


def _plain(card: Card) -> bytes:
    """A coloured card with its name, for decks without pictures."""
    hue = int(card.id, 16) * 0.618 % 1
    image = Image.new("RGB", (240, 360), tuple(int(255 * x) for x in colorsys.hls_to_rgb(hue, 0.45, 0.5)))
    draw = ImageDraw.Draw(image)
    draw.text((120, 180), card.name.rpartition("/")[2], fill="white", anchor="mm", font=ImageFont.load_default(64))
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=60)
    return buffer.getvalue()
