"""Clues as texts: what is one, which name their card, how varied they are."""

from math import isnan

import pytest

from dixit_env.bench.clues.text import names_card, reply_fault, variety
from dixit_env.decks.deck import Card


class TestTexts:
    @pytest.mark.parametrize(
        ("clue", "fault"),
        [
            (None, "failed"),
            ("…", "empty"),
            ('{"clue": "sea"}', "json"),
            ("```sea```", "json"),
            ("Clue: the sea", "instructions"),
            ("As an AI language model, I can't", "instructions"),
            ("I would choose card 3", "instructions"),
            ("some players should see why it fits the card", "instructions"),
            ("sea " * 41, "long"),
            ("a sea of stars", ""),
            ("“To be or not to be”", ""),
            ("it's a card game", ""),
            ("¡Olé!", ""),
            ("海", ""),
        ],
    )
    def test_what_is_a_clue(self, clue: str | None, fault: str) -> None:
        assert reply_fault(clue, "Some players should see why it fits the card, and some should not.") == fault

    def test_naming_the_card(self) -> None:
        card = Card("1", "d/1", captions={"en": "A whale over the town", "pt": "Uma baleia"})
        assert names_card("Whales!", card)
        assert names_card("a baleia", card)
        assert not names_card("over and out", Card("2", "d/2", captions={"en": "A fox out at sea"}))

    def test_variety(self) -> None:
        clues = [(1, "the sea"), (1, "The sea!"), (2, "the sky")]
        measured = variety(clues, {"other": ["The Sky"]}, frozenset({"the sea"}))
        assert measured["distinct_1"] == 3 / 6
        assert measured["distinct_2"] == 2 / 3
        assert measured["repeats"] == pytest.approx(1 / 3)
        assert measured["per_card"] == 1 / 2
        assert measured["overlap"] == pytest.approx(1 / 3)
        assert measured["known"] == pytest.approx(2 / 3)
        assert isnan(variety([], {}, frozenset())["words"])
