"""Decks of pictures: folders read, checked and combined.

The engine knows a card as its number in the deck (0, 1, …). A `Card` gives the number its picture and words. A card's
id is a hash of the picture's bytes, so it stays the same whatever the file or its neighbours are called.
"""

import hashlib
import json
import logging
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dixit_env.errors import DeckError

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
LARGEST = 100_000_000  # pixels; a larger picture is taken for a decompression bomb
EMBEDDED = Path(__file__).parent
LANGUAGES = ("en", "pt", "es", "da")
"""In which the embedded decks and the clue bank have words; another deck may have other ones."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Card:
    """One card. Words are by language code (en, pt, es, da, …) and may be missing."""

    id: str  # 16 hex digits of the picture's SHA-256
    name: str  # deck/file, for people
    path: Path | None = None  # None: a card without a picture
    title: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)  # what is to be seen
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Deck:
    """An ordered set of different cards."""

    name: str
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        seen: dict[str, Card] = {}
        for card in self.cards:
            if other := seen.get(card.id):
                raise DeckError(f"{card.name} and {other.name} are the same picture: remove one of them")
            seen[card.id] = card

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def hash(self) -> str:
        """16 hex digits that name the cards and their order."""
        return hashlib.sha256(" ".join(card.id for card in self.cards).encode()).hexdigest()[:16]

    @classmethod
    def blank(cls, count: int) -> "Deck":
        """A deck without pictures, for the engine alone."""
        return cls("blank", tuple(Card(f"{number:016x}", f"blank/{number:03}") for number in range(count)))

    @classmethod
    def combine(cls, decks: Iterable["Deck"]) -> "Deck":
        """Several decks as one; raises `DeckError` when they share a picture."""
        decks = list(decks)
        return cls("+".join(deck.name for deck in decks), tuple(card for deck in decks for card in deck.cards))

    @classmethod
    def from_folder(cls, path: str | Path) -> "Deck":
        """Read a folder of pictures (png, jpg, webp), sorted by file name, with an optional `cards.json`.

        Every picture is decoded once. Raises `DeckError` that names the files when pictures can't be read, are empty,
        too large or the same, and when `cards.json` is broken. Files of other kinds are passed over with a log line.
        """
        folder = Path(path)
        if not folder.is_dir():
            raise DeckError(f"{folder} is no folder: name a folder of png, jpg or webp pictures, or an embedded deck")
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
        pictures = [file for file in files if file.suffix.lower() in PICTURES]
        if others := [
            file.name for file in files if file not in pictures and file.suffix not in (".json", ".md", ".txt")
        ]:
            log.warning("%s: not a png, jpg or webp picture, passed over: %s", folder, ", ".join(others))
        if not pictures:
            raise DeckError(f"{folder} holds no png, jpg or webp picture")
        words = _words(folder / "cards.json")
        if missing := sorted(set(words) - {file.name for file in pictures}):
            raise DeckError(f"{folder / 'cards.json'} names pictures that are not there: {', '.join(missing)}")
        faults = [f"{file.name} ({fault})" for file in pictures if (fault := _fault(file))]
        if faults:
            raise DeckError(f"{folder}: pictures that can't be used: {', '.join(faults)}: mend or remove them")
        name = folder.resolve().name
        cards = [_card(file, f"{name}/{file.stem}", words.get(file.name, {})) for file in pictures]
        return cls(name, tuple(cards))

    @classmethod
    def load(cls, *names: str | Path) -> "Deck":
        """Embedded decks by name or folders by path, combined in that order.

        Raises `DeckError` for a name that is neither, listing the embedded decks.
        """
        return cls.combine(cls.from_folder(_folder(str(name))) for name in names)


def embedded_decks() -> tuple[str, ...]:
    """The names of the decks that come with the project."""
    return tuple(sorted(file.parent.name for file in EMBEDDED.glob("*/cards.json")))


def _folder(name: str) -> Path:
    if name in embedded_decks():
        return EMBEDDED / name
    if Path(name).is_dir():
        return Path(name)
    raise DeckError(f"no deck {name!r}: name a folder of pictures or one of {', '.join(embedded_decks())}")


def _fault(file: Path) -> str:
    """What is wrong with a picture, or ""."""
    from PIL import Image

    if file.stat().st_size == 0:
        return "empty file"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own bound is below
            with Image.open(file) as picture:
                width, height = picture.size
                if width * height > LARGEST:
                    return f"{width}×{height} pixels, too large"
                if min(width, height) < 16:
                    return f"{width}×{height} pixels, too small"
                picture.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return str(error).replace(str(file), "").strip(" '") or "unreadable"
    return ""


def _words(file: Path) -> dict[str, dict[str, object]]:
    """`cards.json` by file name."""
    if not file.exists():
        return {}
    try:
        cards = json.loads(file.read_text(encoding="utf-8"))["cards"]
        return {card["file"]: card for card in cards}
    except (ValueError, KeyError, TypeError) as error:
        raise DeckError(
            f'{file} can\'t be read ({error!r}): it needs {{"cards": [{{"file": …, "title": …}}]}}'
        ) from error


def _card(file: Path, name: str, words: Mapping[str, object]) -> Card:
    def mapping(key: str) -> dict[str, object]:
        value = words.get(key, {})
        if not isinstance(value, dict):
            raise DeckError(f'cards.json: {key!r} of {file.name} must be by language, like {{"en": …}}')
        return value

    return Card(
        id=hashlib.sha256(file.read_bytes()).hexdigest()[:16],
        name=name,
        path=file,
        title={lang: str(text) for lang, text in mapping("title").items()},
        captions={lang: str(text) for lang, text in mapping("captions").items()},
        tags={lang: tuple(map(str, tags)) for lang, tags in mapping("tags").items() if isinstance(tags, list)},
        licence=str(words.get("licence", "")),
    )
