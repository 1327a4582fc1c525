"""The embedding cache: hits, interrupted runs, several processes."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from test_clip import save_checkpoint

from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, DixitError
from dixit_env.models.clip import Clip, load_clip
from dixit_env.models.embeddings import cache_file, embed_deck, embed_texts

CARDS = 40  # more than one transaction


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_checkpoint(tmp_path_factory.mktemp("clip") / "vit", "vit")


@pytest.fixture(scope="module")
def clip(checkpoint: Path) -> Clip:
    return load_clip(str(checkpoint))


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIXIT_ENV_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    rng = np.random.default_rng(3)
    folder = tmp_path / "deck"
    folder.mkdir()
    for number in range(CARDS):
        Image.fromarray(rng.integers(0, 256, (48, 32, 3), np.uint8)).save(folder / f"{number:03}.png")
    return Deck.from_folder(folder)


def pictures(deck: Deck) -> list[Path]:
    return [card.path for card in deck.cards if card.path]


def rows(clip: Clip) -> int:
    """How many vectors the cache holds; none while another process is still making its table."""
    with closing(sqlite3.connect(cache_file(clip))) as store:
        if not store.execute("SELECT name FROM sqlite_master WHERE name = 'vectors'").fetchone():
            return 0
        return int(store.execute("SELECT count(*) FROM vectors").fetchone()[0])


def test_cards_come_in_deck_order(clip: Clip, deck: Deck) -> None:
    expected = clip.embed_images(pictures(deck))
    np.testing.assert_allclose(embed_deck(deck, clip), expected, atol=1e-6)
    backwards = Deck("backwards", deck.cards[::-1])
    np.testing.assert_allclose(embed_deck(backwards, clip), expected[::-1], atol=1e-6)


def test_what_is_cached_needs_no_picture(clip: Clip, deck: Deck) -> None:
    first = embed_deck(deck, clip)
    for path in pictures(deck):
        path.unlink()
    np.testing.assert_array_equal(embed_deck(deck, clip), first)


def test_a_changed_picture_is_embedded_anew(clip: Clip, deck: Deck) -> None:
    first = embed_deck(deck, clip)
    path = pictures(deck)[7]
    Image.new("RGB", (32, 48), "red").save(path)
    second = embed_deck(Deck.from_folder(path.parent), clip)
    assert [n for n in range(CARDS) if not np.array_equal(first[n], second[n])] == [7]


def test_each_clip_has_its_own_vectors(clip: Clip, deck: Deck, tmp_path: Path) -> None:
    other = load_clip(str(save_checkpoint(tmp_path / "other", "vit", seed=1)))
    assert not np.allclose(embed_deck(deck, clip), embed_deck(deck, other))


def test_texts_are_cached_one_by_one(clip: Clip) -> None:
    first = embed_texts(["the sea", "infância"], clip)
    again = embed_texts(["infância", "a new one", "the sea", "the sea"], clip)
    np.testing.assert_array_equal(again[[2, 0]], first)
    np.testing.assert_array_equal(again[2], again[3])
    assert rows(clip) == 3
    assert embed_texts([], clip).shape == (0, clip.dim)


def test_an_interrupted_run_goes_on_where_it_stopped(clip: Clip, deck: Deck) -> None:
    last = pictures(deck)[-1]
    kept = last.read_bytes()
    last.unlink()
    with pytest.raises(DeckError, match=str(last)):
        embed_deck(deck, clip)
    done = rows(clip)
    assert 0 < done < CARDS
    last.write_bytes(kept)
    for path in pictures(deck)[:done]:
        path.unlink()  # they must not be needed again
    assert embed_deck(deck, clip).shape == (CARDS, clip.dim)


CHILD = """
import sys
from pathlib import Path
from dixit_env.decks.deck import Card, Deck
from dixit_env.models.clip import load_clip
from dixit_env.models.embeddings import embed_deck
clip = load_clip(sys.argv[1])
names = [line.split() for line in sys.stdin]
embed_deck(Deck("deck", tuple(Card(id, id, Path(path)) for id, path in names)), clip)
"""


def child(checkpoint: Path, cards: list[Card]) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", CHILD, str(checkpoint)], stdin=subprocess.PIPE, text=True)
    assert process.stdin
    process.stdin.write("".join(f"{card.id} {card.path}\n" for card in cards))
    process.stdin.close()
    return process


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_killed_process_leaves_a_sound_cache(clip: Clip, checkpoint: Path, deck: Deck, tmp_path: Path) -> None:
    stuck = tmp_path / "stuck"
    os.mkfifo(stuck)  # reading it waits for ever: the child hangs in its second batch
    cards = [*deck.cards[:-1], Card(deck.cards[-1].id, "stuck", stuck)]
    with child(checkpoint, cards) as process:
        wait_for(lambda: cache_file(clip).exists() and rows(clip) > 0)
        process.send_signal(signal.SIGKILL)
    assert 0 < rows(clip) < CARDS
    np.testing.assert_allclose(embed_deck(deck, clip), clip.embed_images(pictures(deck)), atol=1e-6)


def test_two_processes_share_the_cache(clip: Clip, checkpoint: Path, deck: Deck) -> None:
    with child(checkpoint, list(deck.cards)) as one, child(checkpoint, list(deck.cards[::-1])) as other:
        assert (one.wait(120), other.wait(120)) == (0, 0)
    assert rows(clip) == CARDS
    np.testing.assert_allclose(embed_deck(deck, clip), clip.embed_images(pictures(deck)), atol=1e-6)


def test_a_cached_deck_is_there_at_once(clip: Clip, deck: Deck) -> None:
    embed_deck(deck, clip)
    start = time.perf_counter()
    embed_deck(deck, clip)
    assert time.perf_counter() - start < 0.2


def test_without_a_cache_that_can_be_written_vectors_are_computed(
    clip: Clip, deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = embed_deck(deck, clip)
    (tmp_path / "file").touch()
    monkeypatch.setenv("DIXIT_ENV_CACHE", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        np.testing.assert_allclose(embed_deck(deck, clip), expected, atol=1e-6)
    assert len([record for record in caplog.records if "DIXIT_ENV_CACHE" in record.getMessage()]) == 1


def test_a_picture_replaced_after_the_deck_was_read_is_not_embedded_in_its_place(clip: Clip, deck: Deck) -> None:
    first = pictures(deck)[0]
    kept = first.read_bytes()
    Image.new("RGB", (32, 48), "red").save(first)
    with pytest.raises(DeckError, match="was changed"):
        embed_deck(deck, clip)
    first.write_bytes(kept)
    np.testing.assert_allclose(embed_deck(deck, clip), clip.embed_images(pictures(deck)), atol=1e-6)


def test_a_broken_cache_is_one_line(clip: Clip, deck: Deck) -> None:
    cache_file(clip).parent.mkdir(parents=True)
    cache_file(clip).write_bytes(b"no database" * 100)
    with pytest.raises(DixitError, match="delete it"):
        embed_deck(deck, clip)


def test_a_card_without_a_picture_is_named(clip: Clip) -> None:
    with pytest.raises(DeckError, match="has no picture"):
        embed_deck(Deck.blank(2), clip)
