"""Decks of pictures: folders read, checked and combined.

The engine knows a card as its number in the deck (0, 1, …). A `Card` gives the number its picture and words. A card's
id is a hash of the picture's bytes, so it stays the same whatever the file or its neighbours are called.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dixit_env.errors import DeckError
from dixit_env.paths import home_expanded, printable
from dixit_env.textfiles import TextError, read_text

if TYPE_CHECKING:
    from PIL.Image import Image  # many games look at no picture; Pillow is imported where one is opened

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
SMALLEST = 16  # pixels a side; less is no picture for people
EMBEDDED = Path(__file__).parent

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

    def picture(self, least: int = 0) -> "Image":
        """The card's picture, opened as `open_picture` does, with its `least`.

        Raises `DeckError` when the card has none, and when its file is no longer the one that the deck was read from.
        """
        from dixit_env.decks.pictures import picture_of

        if self.path is None:
            raise DeckError(f"{self.name} has no picture: load the deck from a folder of pictures")
        data = _bytes(self.path)
        if _id(data) != self.id:
            raise DeckError(f"{printable(self.path)} was changed after the deck was read: start again")
        return picture_of(data, self.path, least)


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
        """16 hex digits that name the cards and their order; ids may hold any characters, half surrogate pairs too."""
        ids = " ".join(card.id for card in self.cards)
        return hashlib.sha256(ids.encode("utf-8", "surrogatepass")).hexdigest()[:16]

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
        folder = home_expanded(Path(path))
        try:
            files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
        except OSError as error:
            raise DeckError(
                f"{printable(folder)} is no folder that can be read ({error.strerror}): "
                "name a folder of png, jpg or webp pictures, or an embedded deck"
            ) from error
        pictures = [file for file in files if file.suffix.lower() in PICTURES]
        if others := [file for file in files if file not in pictures and file.suffix not in (".json", ".md", ".txt")]:
            log.warning("%s: not a png, jpg or webp picture, passed over: %s", printable(folder), _listed(others))
        if not pictures:
            raise DeckError(f"{printable(folder)} holds no png, jpg or webp picture")
        words = {str(entry["file"]): entry for entry in read_words(folder / "cards.json")["cards"]}
        if missing := sorted(set(words) - {file.name for file in pictures}):
            raise DeckError(
                f"{printable(folder / 'cards.json')} names pictures that are not there: {_listed(map(Path, missing))}"
            )
        checked = {file: _checked(file) for file in pictures}
        if faults := [f"{printable(Path(file.name))} ({fault})" for file, (_, fault) in checked.items() if fault]:
            raise DeckError(
                f"{printable(folder)}: pictures that can't be used: {', '.join(faults)}: mend or remove them"
            )
        name = printable(Path(folder.resolve().name))
        cards = [_card(file, card_id, name, words.get(file.name, {})) for file, (card_id, _) in checked.items()]
        return cls(name, tuple(cards))

    @classmethod
    def load(cls, *names: str | Path) -> "Deck":
        """Embedded decks by name or folders by path, combined in that order.

        Raises `DeckError` for a name that is neither, listing the embedded decks.
        """
        return cls.combine(cls.from_folder(_folder(str(name))) for name in names)

    @classmethod
    def some(cls, name: str, stems: Iterable[str]) -> "Deck":
        """Some cards of an embedded deck, by the names of their files without the ending; the others are not read."""
        words = {Path(entry["file"]).stem: entry for entry in read_words(EMBEDDED / name / "cards.json")["cards"]}
        files = {stem: EMBEDDED / name / words[stem]["file"] for stem in stems}
        return cls(name, tuple(_card(file, _id(_bytes(file)), name, words[stem]) for stem, file in files.items()))


def embedded_decks() -> tuple[str, ...]:
    """The names of the decks that come with the project."""
    return tuple(sorted(file.parent.name for file in EMBEDDED.glob("*/cards.json")))


def read_words(file: Path) -> dict[str, Any]:
    """A `cards.json`: an object with "cards", a list of objects that each name a "file". No file is an empty list.

    Raises `DeckError` for anything else.
    """
    if not file.exists():
        return {"cards": []}
    try:
        words = json.loads(read_text(file))
        if all(isinstance(entry["file"], str) for entry in words["cards"]):
            return words
    except TextError as error:
        raise DeckError(str(error)) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DeckError(f"{printable(file)} is no JSON: {error.msg} at {where}") from error
    except (KeyError, TypeError, RecursionError):
        pass
    raise DeckError(f'{printable(file)} needs the form {{"cards": [{{"file": …, "title": {{"en": …}}}}]}}')


def _folder(name: str) -> Path:
    if name in embedded_decks():
        return EMBEDDED / name
    folder = home_expanded(Path(name))
    if folder.is_dir():
        return folder
    raise DeckError(
        f"no deck {printable(Path(name))!r}: name a folder of pictures or one of {', '.join(embedded_decks())}"
    )


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise DeckError(f"can't read {printable(file)}: {error.strerror}") from error


def _id(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _listed(files: Iterable[Path]) -> str:
    return ", ".join(printable(Path(file.name)) for file in files)


def _checked(file: Path) -> tuple[str, str]:
    """The id of the card with this picture, and what is wrong with it, or ""."""
    from dixit_env.decks.pictures import PictureError, picture_of

    data = _bytes(file)
    try:
        width, height = picture_of(data, file, least=SMALLEST).size
    except PictureError as error:
        return _id(data), error.reason
    return _id(data), f"{width}×{height} pixels, too small" if min(width, height) < SMALLEST else ""


def _card(file: Path, key: str, deck: str, words: Mapping[str, object]) -> Card:
    def mapping(field_name: str) -> dict[str, object]:
        value = words.get(field_name, {})
        if not isinstance(value, dict):
            raise DeckError(
                f'cards.json: {field_name!r} of {printable(Path(file.name))} must be by language, like {{"en": …}}'
            )
        return value

    return Card(
        id=key,
        name=f"{deck}/{printable(Path(file.stem))}",
        path=file,
        title={lang: _text(text) for lang, text in mapping("title").items()},
        captions={lang: _text(text) for lang, text in mapping("captions").items()},
        tags={lang: tuple(map(_text, tags)) for lang, tags in mapping("tags").items() if isinstance(tags, list)},
        licence=_text(words.get("licence", "")),
    )


def _text(value: object) -> str:
    """As text that can be written: JSON may hold half of a surrogate pair."""
    return str(value).encode("utf-8", "replace").decode()
