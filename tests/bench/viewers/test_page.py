"""The page on which a person answers tables: what is in it, and what isn't."""

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from toy_deck import colour, toy_deck

from dixit_env.bench.viewers.guesses import Table
from dixit_env.bench.viewers.page import write_page
from dixit_env.decks.deck import Deck

FIRST = Table("</script><b>home", "clip", ("toy/04", "toy/01", "toy/03"), 1)
SECOND = Table("sea", "greedy", ("toy/01", "toy/00", "toy/04", "toy/02"), 0, control=True)


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck.from_folder(toy_deck(tmp_path, 6))


def study(page: str) -> dict[str, Any]:
    """What the page shows, as its script reads it: up to the first end of a script element."""
    (found,) = re.findall(r'id="study">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_the_page_shows_clues_and_pictures_and_nothing_else(deck: Deck, tmp_path: Path) -> None:
    page = study(write_page([FIRST, SECOND], deck.cards, tmp_path).read_text())
    assert page.keys() == {"id", "tables", "suits", "cards"}
    assert page["tables"] == [
        {"number": "001", "clue": FIRST.clue, "cards": [0, 1, 2]},
        {"number": "002", "clue": "sea", "cards": [1, 3, 0, 4]},
    ]
    for url, number in zip(page["cards"], (4, 1, 3, 0, 2), strict=True):
        with Image.open(io.BytesIO(base64.b64decode(url.removeprefix("data:image/webp;base64,")))) as picture:
            assert np.abs(np.asarray(picture, float) - colour(number)).max() < 8
            assert set(picture.info) <= {"loop", "background", "timestamp", "duration"}


def test_the_page_does_not_depend_on_the_answers(deck: Deck, tmp_path: Path) -> None:
    page = write_page([FIRST, SECOND], deck.cards, tmp_path).read_text()
    other = [replace(table, source="viewers", target=2, control=not table.control) for table in (FIRST, SECOND)]
    assert write_page(other, deck.cards, tmp_path).read_text() == page


def test_the_page_needs_nothing_from_anywhere(deck: Deck, tmp_path: Path) -> None:
    page = write_page([FIRST], deck.cards, tmp_path).read_text()
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|//\w|\bimport\b|<link|fetch\(|url\(", re.sub(r"base64,[\w+/=]+", "", page))
