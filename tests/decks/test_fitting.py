"""A folder of photographs becomes a deck: shape, orientation, words, thumbnails; the originals stay."""

import json
import os
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dixit_env.decks.deck import Card, Deck
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


def photograph(file: Path, seed: int) -> Path:
    noise = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), np.uint8)
    Image.fromarray(noise).resize((90, 60)).save(file, file.suffix[1:].replace("jpg", "jpeg"))
    return file


def fitted(folder: Path, out: Path, fit: str = "crop") -> dict[str, bytes]:
    """The copies of a folder's pictures by name."""
    files = list(fit_cards(Deck.from_folder(folder).cards, fit, out))  # type: ignore[arg-type]
    assert sorted(files) == sorted(out.glob("*.webp"))
    return {file.name: file.read_bytes() for file in files}


@pytest.fixture
def foxes(tmp_path: Path) -> Path:
    """Names that differ in their endings, in their case, or not in all programs."""
    folder = tmp_path / "foxes"
    folder.mkdir()
    for seed, name in enumerate(["fox.jpg", "fox.png", "fox-png.jpg", "FOX-PNG.webp", "café.png", "cafe\u0301.png"]):
        photograph(folder / name, seed)
    (folder / "fox.JPG").write_bytes(photograph(tmp_path / "x.jpg", 10).read_bytes())
    (folder / "Fox.jpg").write_bytes(photograph(tmp_path / "x.jpg", 11).read_bytes())
    return folder


def test_names_that_are_alike_are_different_cards(foxes: Path, tmp_path: Path) -> None:
    names = list(fitted(foxes, tmp_path / "cards"))
    assert len(names) == len(list(foxes.iterdir())) == 8
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == 8
    assert len(Deck.from_folder(tmp_path / "cards")) == 8


def test_the_copies_keep_their_names_when_others_come_and_go(foxes: Path, tmp_path: Path) -> None:
    before = fitted(foxes, tmp_path / "cards")
    (foxes / "Fox.jpg").unlink()
    photograph(foxes / "a new one.jpg", 20)
    after = fitted(foxes, tmp_path / "cards")
    assert len(before.items() & after.items()) == 7
    assert set(after) - set(before) == {"a new one.webp"}


def test_a_replaced_photograph_is_done_again_and_a_removed_one_goes(foxes: Path, tmp_path: Path) -> None:
    before = fitted(foxes, tmp_path / "cards")
    photograph(foxes / "fox.png", 30)
    (foxes / "café.png").unlink()
    after = fitted(foxes, tmp_path / "cards")
    assert len(after) == 7
    assert len([name for name in after if name in before and after[name] != before[name]]) == 1


def test_another_fit_is_another_result(foxes: Path, tmp_path: Path) -> None:
    cropped = fitted(foxes, tmp_path / "cards", "crop")
    padded = fitted(foxes, tmp_path / "cards", "pad")
    assert cropped.keys() == padded.keys()
    assert not cropped.items() & padded.items()
    assert padded == fitted(foxes, tmp_path / "other", "pad")


def test_copies_that_are_right_are_not_written_again(foxes: Path, tmp_path: Path) -> None:
    fitted(foxes, tmp_path / "cards")
    times = {file: file.stat().st_mtime_ns for file in (tmp_path / "cards").iterdir()}
    fitted(foxes, tmp_path / "cards")
    assert times == {file: file.stat().st_mtime_ns for file in (tmp_path / "cards").iterdir()}


def test_a_folder_with_other_pictures_is_refused(foxes: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    precious = photograph(tmp_path / "mine" / "fox-png.webp", 1).read_bytes()
    with pytest.raises(DeckError, match=r"fox-png.*--out"):
        list(fit_cards(Deck.from_folder(foxes).cards, "crop", tmp_path / "mine"))
    assert (tmp_path / "mine" / "fox-png.webp").read_bytes() == precious


def test_names_that_are_no_utf8_work(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    name = os.fsdecode(b"caf\xe9.png")
    photograph(tmp_path / "x.png", 0).rename(folder / name)
    photograph(folder / "b.png", 1)
    assert len(fitted(folder, tmp_path / "cards")) == 2
    for place in (folder, tmp_path / "cards"):
        write_words(Deck.from_folder(place).cards, place / "cards.json")
        titles = [card.title["en"] for card in Deck.from_folder(place).cards]
        assert titles == ["b", "caf\ufffd"]
        assert all(card.name.encode() for card in Deck.from_folder(place).cards)


def test_words_that_people_wrote_stay_with_their_pictures(foxes: Path, tmp_path: Path) -> None:
    file = foxes / "cards.json"
    write_words(Deck.from_folder(foxes).cards, file)
    words = json.loads(file.read_text())
    words["cards"][2]["title"]["en"] = "The thief"
    kept, gone = words["cards"][2]["file"], words["cards"][0]["file"]
    file.write_text(json.dumps({**words, "licence": "mine"}))
    (foxes / gone).unlink()
    photograph(foxes / "zebra.png", 40)
    with pytest.raises(DeckError, match="not there"):
        Deck.from_folder(foxes)
    cards = [
        Card(name, f"foxes/{Path(name).stem}", foxes / name)
        for name in sorted(each.name for each in foxes.iterdir())
        if name != file.name
    ]
    write_words(cards, file)
    titles = {card.path.name: card.title["en"] for card in Deck.from_folder(foxes).cards if card.path}
    assert titles[kept] == "The thief"
    assert titles["zebra.png"] == "zebra"
    assert gone not in titles
    assert json.loads(file.read_text())["licence"] == "mine"


def test_thumbnails_follow_the_pictures(photographs: Deck, tmp_path: Path) -> None:
    folder = tmp_path / "thumbnails"
    before = set(write_thumbnails(photographs.cards, folder))
    photograph(tmp_path / "photos" / "b.png", 50)
    after = set(write_thumbnails(Deck.from_folder(tmp_path / "photos").cards, folder))
    assert set(folder.iterdir()) == after
    assert len(before & after) == 2


def test_words_and_thumbnails(photographs: Deck, tmp_path: Path) -> None:
    write_words(photographs.cards, tmp_path / "photos" / "cards.json")
    named = Deck.from_folder(tmp_path / "photos")
    assert [card.title["en"] for card in named.cards] == ["a wide one", "b", "c"]
    files = list(write_thumbnails(named.cards, tmp_path / "thumbnails"))
    with Image.open(files[0]) as wide, Image.open(files[2]) as upright:
        assert wide.size == (THUMBNAIL_WIDTH, 60)
        assert upright.size == (THUMBNAIL_WIDTH, 270)
