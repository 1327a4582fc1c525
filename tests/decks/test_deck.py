"""Folders of pictures: what is read, what is refused and how it is said."""

import json
import logging
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from dixit_env import Deck, DeckError
from dixit_env.decks.deck import Card


def picture(path: Path, colour: int = 0, size: tuple[int, int] = (40, 60)) -> Path:
    Image.new("RGB", size, (colour, 255 - colour, 90)).save(path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(["b.png", "a.jpg", "c.webp"]):
        picture(tmp_path / name, number * 50)
    return tmp_path


def test_pictures_are_read_in_the_order_of_their_names(folder: Path) -> None:
    deck = Deck.from_folder(folder)
    assert [card.path.name for card in deck.cards if card.path] == ["a.jpg", "b.png", "c.webp"]
    assert deck.cards[0].name == f"{folder.name}/a"


def test_ids_stay_when_files_are_renamed(folder: Path) -> None:
    before = {card.id for card in Deck.from_folder(folder).cards}
    (folder / "a.jpg").rename(folder / "z.jpg")
    assert {card.id for card in Deck.from_folder(folder).cards} == before


def test_words_come_from_cards_json(folder: Path) -> None:
    card = {
        "file": "a.jpg",
        "title": {"en": "The last train", "pt": "O último trem"},
        "captions": {"en": "a train in the sky"},
        "tags": {"en": ["train", "sky"]},
        "licence": "CC0-1.0",
    }
    (folder / "cards.json").write_text(json.dumps({"cards": [card]}))
    first, second, _ = Deck.from_folder(folder).cards
    assert (first.title["pt"], first.captions["en"], first.tags["en"]) == (
        "O último trem",
        "a train in the sky",
        ("train", "sky"),
    )
    assert first.licence == "CC0-1.0"
    assert second.title == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cards.json"),
        ('{"cards": [{"title": {}}]}', "cards.json"),
        ('{"cards": [{"file": "gone.png"}]}', "gone.png"),
        ('{"cards": [{"file": "a.jpg", "title": "plain"}]}', "by language"),
    ],
)
def test_broken_words_are_refused(folder: Path, text: str, message: str) -> None:
    (folder / "cards.json").write_text(text)
    with pytest.raises(DeckError, match=message):
        Deck.from_folder(folder)


WORDS = {"cards": [{"file": "a.jpg", "title": {"en": "Card – é"}}]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_words_are_read_from_whatever_program_wrote_them(folder: Path, encoding: str, line_end: str) -> None:
    text = json.dumps(WORDS, indent=1, ensure_ascii=False).replace("\n", line_end)
    (folder / "cards.json").write_bytes(text.encode(encoding))
    assert Deck.from_folder(folder).cards[0].title == {"en": "Card – é"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 40,
        b"[]",
        b"null",
        b'{"cards": null}',
        b'{"cards": [1]}',
        b'{"cards": [{"file": 1}]}',
        b"[" * 100_000,
        "тайна".encode("cp1251"),
        json.dumps(WORDS).encode()[:-2],
        json.dumps(WORDS).encode() + b"\0",
    ],
)
def test_words_that_cannot_be_read_are_one_line_that_quotes_nothing(folder: Path, data: bytes) -> None:
    (folder / "cards.json").write_bytes(data)
    with pytest.raises(DeckError, match=r"cards\.json") as error:
        Deck.from_folder(folder)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_half_a_surrogate_pair_in_words_is_replaced(folder: Path) -> None:
    (folder / "cards.json").write_text('{"cards": [{"file": "a.jpg", "title": {"en": "a \\ud83d"}}]}')
    assert Deck.from_folder(folder).cards[0].title == {"en": "a ?"}


def test_a_picture_that_changed_after_the_deck_was_read_is_noticed(folder: Path) -> None:
    card = Deck.from_folder(folder).cards[0]
    assert card.picture().size == (40, 60)
    picture(folder / "a.jpg", 77)
    with pytest.raises(DeckError, match=r"a\.jpg was changed"):
        card.picture()
    (folder / "a.jpg").unlink()
    with pytest.raises(DeckError, match=r"a\.jpg"):
        card.picture()


def test_a_tilde_is_the_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    assert len(Deck.load(f"~/{folder.name}")) == len(Deck.from_folder(f"~/{folder.name}")) == 3


def png_bomb(path: Path, side: int) -> None:
    """A tiny file that claims side × side pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b""))


def test_all_unusable_pictures_are_named(folder: Path) -> None:
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("no picture")
    (folder / "cut.jpg").write_bytes((folder / "a.jpg").read_bytes()[:200])
    png_bomb(folder / "bomb.png", 30_000)
    png_bomb(folder / "huge.png", 12_000)
    picture(folder / "dot.png", size=(2, 3))
    with pytest.raises(DeckError) as error:
        Deck.from_folder(folder)
    for name in ("empty.png", "text.png", "cut.jpg", "bomb.png", "huge.png", "dot.png"):
        assert name in str(error.value)
    assert "a.jpg" not in str(error.value)


def test_other_files_are_passed_over_with_a_word(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "clip.gif").write_bytes(b"GIF89a")
    (folder / ".hidden.png").write_bytes(b"")
    (folder / "README.md").write_text("about")
    with caplog.at_level(logging.WARNING):
        assert len(Deck.from_folder(folder)) == 3
    assert "clip.gif" in caplog.text
    assert "README" not in caplog.text


def test_the_same_picture_twice_is_refused(folder: Path) -> None:
    (folder / "copy.png").write_bytes((folder / "b.png").read_bytes())
    with pytest.raises(DeckError, match=r"copy.*b are the same picture|b and .*copy are the same picture"):
        Deck.from_folder(folder)


def test_the_hash_names_the_cards_and_their_order_whatever_their_ids_are() -> None:
    names = [("a", "b"), ("b", "a"), ("a\udcff", "b"), ("a\udcfe", "b"), ("ō", "雪")]
    hashes = [Deck("d\udcff", tuple(Card(card, f"{card}\ud800") for card in ids)).hash for ids in names]
    assert len(set(hashes)) == len(names)
    assert Deck("another", (Card("a", "1"), Card("b", "2"))).hash == hashes[0]


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="no folder"):
        Deck.from_folder(tmp_path / "missing")
    with pytest.raises(DeckError, match="no png, jpg or webp"):
        Deck.from_folder(tmp_path)
    with pytest.raises(DeckError, match="dreams"):
        Deck.load("dreems")


def test_packs_are_combined(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    picture(other / "a.png", 200)
    deck = Deck.load(folder, other)
    assert len(deck) == 4
    assert deck.name == f"{folder.name}+other"
    assert deck.hash != Deck.load(other, folder).hash
    with pytest.raises(DeckError, match="same picture"):
        Deck.load(folder, folder)


def test_the_embedded_deck_is_complete() -> None:
    deck = Deck.load("dreams")
    assert len(deck) == 84
    for card in deck.cards:
        assert set(card.title) == set(card.captions) == set(card.tags) == {"en", "pt", "es", "da"}
        assert card.licence
