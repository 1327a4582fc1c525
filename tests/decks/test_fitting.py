"""A folder of photographs becomes a deck: shape, orientation, words, thumbnails; the originals stay."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dixit_env.decks.deck import Deck
from dixit_env.decks.fitting import CARD_SIZE, THUMBNAIL_WIDTH, fit_cards, off_shape, write_thumbnails, write_words
from dixit_env.errors import DeckError


@pytest.fixture
def photographs(tmp_path: Path) -> Deck:
    """A wide one, a 2:3 one, and a 2:3 one that lies on its side as phones store them."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "photos"
    folder.mkdir()
    lying = Image.Exif()
    lying[0x0112] = 6
    for name, (width, height), exif in (
        ("a_wide one.jpg", (900, 300), Image.Exif()),
        ("b.png", (200, 300), Image.Exif()),
        ("c.jpg", (600, 400), lying),
    ):
        noise = Image.fromarray(rng.integers(0, 256, (6, 6, 3), np.uint8)).resize((width, height))
        noise.save(folder / name, exif=exif)
    return Deck.from_folder(folder)


def test_only_pictures_of_another_shape_are_named(photographs: Deck) -> None:
    assert [card.name for card in off_shape(photographs.cards)] == ["photos/a_wide one"]


@pytest.mark.parametrize("fit", ["crop", "pad"])
def test_fitted_copies_are_cards_and_originals_stay(photographs: Deck, tmp_path: Path, fit: str) -> None:
    before = {card.path: card.path.read_bytes() for card in photographs.cards if card.path}
    list(fit_cards(photographs.cards, fit, tmp_path / "cards"))  # type: ignore[arg-type]
    deck = Deck.from_folder(tmp_path / "cards")
    assert len(deck) == len(photographs)
    for card in deck.cards:
        assert card.path
        with Image.open(card.path) as picture:
            assert picture.size == CARD_SIZE
    assert not off_shape(deck.cards)
    assert all(path.read_bytes() == data for path, data in before.items())


def test_padding_keeps_the_whole_picture_cropping_its_middle(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    wide = Image.new("RGB", (900, 300), "white")
    wide.paste("red", (0, 0, 100, 300))  # on the far left
    wide.save(folder / "wide.png")
    deck = Deck.from_folder(folder)

    def redness(fit: str) -> float:
        (file,) = fit_cards(deck.cards, fit, tmp_path / fit)  # type: ignore[arg-type]
        with Image.open(file) as picture:
            middle = np.asarray(picture.convert("RGB"), float)[CARD_SIZE[1] // 2]
        return float((middle[:, 0] - middle[:, 1]).max())

    assert redness("pad") > 200
    assert redness("crop") < 20


def test_originals_are_never_written_over(photographs: Deck, tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="--out"):
        list(fit_cards(photographs.cards, "crop", tmp_path / "photos"))


def test_words_and_thumbnails(photographs: Deck, tmp_path: Path) -> None:
    write_words(photographs.cards, tmp_path / "photos" / "cards.json")
    named = Deck.from_folder(tmp_path / "photos")
    assert [card.title["en"] for card in named.cards] == ["a wide one", "b", "c"]
    files = list(write_thumbnails(named.cards, tmp_path / "thumbnails"))
    with Image.open(files[0]) as wide, Image.open(files[2]) as upright:
        assert wide.size == (THUMBNAIL_WIDTH, 60)
        assert upright.size == (THUMBNAIL_WIDTH, 270)
