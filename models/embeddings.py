"""Vectors of cards and texts, kept on disk so that each is computed once a CLIP.

One SQLite file a CLIP (named by its fingerprint) under the cache folder; a picture's key is its content hash, a text's
the hash of its bytes. Every batch is one transaction: a killed run loses at most a batch, and several processes may
share the file.
"""

import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.decks.deck import Card, Deck
from dixit_env.decks.pictures import READING
from dixit_env.errors import DixitError
from dixit_env.paths import cache_dir

if TYPE_CHECKING:
    from PIL import Image

Vectors = NDArray[np.float32]  # (n, dim), rows of unit norm

log = logging.getLogger(__name__)

Item = TypeVar("Item")

_BATCH = 32  # pictures a transaction
_TEXT_BATCH = 1024
_WAIT_SECONDS = 60.0  # for another process to end its transaction


class TextEncoder(Protocol):
    """What makes vectors of texts, as far as the cache needs it."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal vectors."""

    @property
    def dim(self) -> int: ...
    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, (n, dim)."""


class DualEncoder(TextEncoder, Protocol):
    """What makes vectors of pictures too, which lie near those of texts: a CLIP."""

    @property
    def logit_scale(self) -> float:
        """Times a similarity it is a logit."""

    def embed_images(self, images: Sequence["Image.Image | Path"]) -> Vectors:
        """Unit vectors, (n, dim)."""


def embed_deck(deck: Deck, clip: DualEncoder, progress: bool = True) -> Vectors:
    """Unit vectors of a deck's cards in deck order, (n_cards, dim), from the cache where it has them.

    `progress` shows a bar on a terminal. Raises `DeckError` for a card whose picture is gone or broken.
    """

    def embed(cards: Sequence[Card]) -> Vectors:
        return clip.embed_images([card.picture() for card in cards])

    keys = [f"image {READING} {card.id}" for card in deck.cards]
    return _cached(clip, keys, deck.cards, embed, _BATCH, f"{deck.name} → {clip.name}" if progress else "")


def embed_texts(texts: Sequence[str], clip: TextEncoder, progress: bool = False) -> Vectors:
    """Unit vectors of texts, (n, dim), from the cache where it has them."""
    keys = [f"text {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}" for text in texts]
    return _cached(clip, keys, texts, clip.embed_texts, _TEXT_BATCH, f"texts → {clip.name}" if progress else "")


def cache_file(clip: TextEncoder) -> Path:
    """Where the vectors of this CLIP lie."""
    return cache_dir() / "embeddings" / f"{clip.fingerprint[:32]}.sqlite"


def _cached(
    clip: TextEncoder,
    keys: Sequence[str],
    items: Sequence[Item],
    embed: Callable[[Sequence[Item]], Vectors],
    batch: int,
    label: str,
) -> Vectors:
    """Vectors of the items by their keys; those the cache lacks are embedded and stored batch by batch."""
    with closing(_Store(cache_file(clip))) as store:
        found = store.read(keys, clip.dim)
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in found}
        for names in _batches(list(missing), batch, label):
            vectors = embed([missing[name] for name in names])
            store.write(names, vectors)
            found.update(zip(names, vectors, strict=True))
    return np.stack([found[key] for key in keys]) if keys else np.empty((0, clip.dim), np.float32)


class _Store:
    """A file of vectors by key. Where it can't be opened or written, it holds nothing, and a warning says so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database: sqlite3.Connection | None = None
        with self._failing():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Writers queue from their first statement on. (The WAL journal would spare readers the wait, but two
            # processes that switch a new file to it at once are refused, however long they would wait.)
            self._database = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level="IMMEDIATE")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
            )

    def read(self, keys: Sequence[str], dim: int) -> dict[str, Vectors]:
        """The vectors that are there and have `dim` numbers."""
        found: dict[str, Vectors] = {}
        for start in range(0, len(keys), 500):  # SQLite's limit on the values of one query is 999 in old builds
            part = keys[start : start + 500]
            query = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(part))})"
            with self._failing():
                if self._database:
                    rows = self._database.execute(query, part)
                    found.update(
                        (key, np.frombuffer(blob, "<f4").astype(np.float32))
                        for key, blob in rows
                        if len(blob) == 4 * dim
                    )
        return found

    def write(self, keys: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors, (n, dim), in one transaction."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._failing():
            if self._database:
                with self._database:
                    self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def close(self) -> None:
        if self._database:
            self._database.close()
            self._database = None

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """A disk that can't be written costs the cache, not the vectors; a file that is no cache is an error."""
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            _warn_once(self.path, str(error))
            self.close()
        except sqlite3.Error as error:
            self.close()
            raise DixitError(
                f"can't use the embedding cache {self.path} ({error}): delete it, or set DIXIT_ENV_CACHE"
            ) from error


@cache
def _warn_once(path: Path, error: str) -> None:
    log.warning("going on without the embedding cache %s (%s): set DIXIT_ENV_CACHE to a folder", path, error)


def _batches(keys: Sequence[str], size: int, label: str) -> Iterator[Sequence[str]]:
    with tqdm(total=len(keys), desc=label, unit="", disable=None if label and keys else True) as bar:
        for start in range(0, len(keys), size):
            names = keys[start : start + size]
            yield names
            bar.update(len(names))
