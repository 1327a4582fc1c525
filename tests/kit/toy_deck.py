"""Decks of plain pictures, for tests that look at no picture."""

from pathlib import Path

from PIL import Image


def colour(card: int) -> tuple[int, int, int]:
    """What a card of a toy deck is filled with."""
    return 20 * card, 90, 10


def toy_deck(folder: Path, cards: int) -> Path:
    """A folder `toy` with so many pictures, each of another colour."""
    deck = folder / "toy"
    deck.mkdir()
    for number in range(cards):
        Image.new("RGB", (40, 60), colour(number)).save(deck / f"{number:02}.png")
    return deck
