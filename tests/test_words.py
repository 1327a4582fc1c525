"""Words of clues and cards: what names something, and what only holds a sentence together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.decks.deck import Card
from dixit_env.words import card_words, content_words, normalised, words_of


def test_letters_and_digits_decide_whether_clues_are_the_same() -> None:
    assert normalised("  Home, again!") == normalised("HOME again") == "home again"


@given(st.lists(st.text(max_size=20), max_size=3))
@settings(max_examples=50, deadline=None)
def test_whatever_is_no_letter_or_digit_parts_words(texts: list[str]) -> None:
    parted = ["".join(c if c.isalnum() else " " for c in text.casefold()).split() for text in texts]
    assert [normalised(text) for text in texts] == [" ".join(words) for words in parted]
    assert words_of(*texts) == {word for words in parted for word in words}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Over the moon", {"moon"}),
        ("The cat and two owls", {"cat", "two", "owl"}),
        ("Uma raposa e um barco", {"raposa", "barco"}),
        ("El viaje de los osos", {"viaje", "oso"}),
        ("Et hus ved en sø", {"hus", "sø"}),
        ("Now and then", set()),
    ],
)
def test_function_words_name_nothing_and_short_nouns_do(text: str, words: set[str]) -> None:
    assert content_words(text) == words


def card(captions: dict[str, str]) -> Card:
    tags = {"en": ("peace", "bird")}
    return Card("0" * 16, "birds/dove.webp", title={"en": "Many Hands"}, captions=captions, tags=tags)


def test_captions_say_what_a_card_shows_and_titles_and_tags_only_where_there_are_none() -> None:
    assert card_words(card({"en": "A dove carries a bathtub", "da": "En due"})) == {"dove", "carrie", "bathtub", "due"}
    assert card_words(card({})) == {"many", "hand", "peace", "bird"}
