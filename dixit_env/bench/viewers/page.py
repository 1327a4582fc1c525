"""Tables as one page that a person opens in a browser: it needs nothing else, and saves an answer file at the end."""

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from dixit_env.bench.viewers.guesses import SUITS, Table, numbered
from dixit_env.decks.deck import Card
from dixit_env.paths import write_atomically

LARGEST = (320, 480)  # width, height of a picture: sharp where the page shows it, and small enough to send
QUALITY = 75
_PAGE = Path(__file__).with_name("page.html")


def write_page(tables: Sequence[Table], cards: Sequence[Card], out: Path) -> Path:
    """Write `out/page.html`, numbered as `write_tables` numbers the tables: clues and pictures, and no answers.

    Every picture is in it once, in the order in which tables show it. Progress is kept in the browser, by a hash of
    what the page shows.
    """
    by_name = {card.name: card for card in cards}
    shown_cards = dict.fromkeys(name for table in tables for name in table.cards)
    place = {name: number for number, name in enumerate(shown_cards)}
    shown = {
        "tables": [
            {"number": number, "clue": table.clue, "cards": [place[name] for name in table.cards]}
            for number, table in numbered(tables).items()
        ],
        "suits": SUITS,
        "cards": [_data_url(by_name[name].picture()) for name in place],
    }
    study = shown | {"id": hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]}
    data = json.dumps(study, ensure_ascii=False).replace("<", "\\u003c")  # no clue can close the script element
    path = out / "page.html"
    write_atomically(path, _PAGE.read_text(encoding="utf-8").replace("{{STUDY}}", data))
    return path


def _data_url(picture: Image.Image) -> str:
    """A picture as WebP, without its metadata."""
    small = picture.convert("RGB")
    small.thumbnail(LARGEST, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=QUALITY)
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"
