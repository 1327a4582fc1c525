"""Rows of the clue benchmark: what they tell, and that an attack without meaning gains nothing."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dixit_env.agents.clue_rows import NonsenseGiver, TextGiver, invented, rows_for, texts_for
from dixit_env.agents.panels import OTHERS_EYES, PanelAgents, any_string_eye, make_eye
from dixit_env.agents.vocabulary import known_words, of_known_words
from dixit_env.bench.clues.panels import Eye, listener
from dixit_env.bench.viewers.measure import SEEN, scenes
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import SpecError
from dixit_env.game.engine import new_game
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import ODYSSEY
from dixit_env.game.view import View, view
from dixit_env.languages import LANGUAGES
from dixit_env.models.sight import Floats, Sight
from dixit_env.words import normalised, words_of

CARDS = 84


def told(giver: NonsenseGiver | TextGiver, deal: int) -> tuple[GiveClue, View]:
    state = new_game(ODYSSEY, 6, CARDS, deal, first=0)
    giver.begin(0, Random(deal))
    move = giver.act(view(state, 0)).move
    assert isinstance(move, GiveClue)
    return move, view(state, 0)


def eye_of_sounds(clues: Sequence[str]) -> Floats:
    """An eye that likes some cards for any string, whatever it says: the string's letters, by a fixed lot."""
    codes = [[sum(ord(letter) * 31**place for place, letter in enumerate(clue)) % 2**32] for clue in clues]
    return np.stack([np.random.default_rng(code).normal(size=CARDS) for code in codes])


def readers(sight: Sight, *, any_string: bool) -> list[tuple[Eye, float]]:
    make = any_string_eye if any_string else make_eye
    return [(make(one.eye, sight), one.sharpness) for one in map(listener, OTHERS_EYES)]


def found(listeners: list[tuple[Eye, float]], moves: list[GiveClue], hands: list[list[int]]) -> float:
    """Mean belief of the listeners in the card among the six of a hand."""
    beliefs = []
    for eye, sharpness in listeners:
        for z, move, hand in zip(eye([move.clue for move in moves]), moves, hands, strict=True):
            odds = np.exp(sharpness * z[hand])
            beliefs.append(odds[hand.index(move.card)] / odds.sum())
    return float(np.mean(beliefs))


class TestVocabulary:
    def test_it_knows_words_of_four_languages_each_in_its_own(self) -> None:
        assert {"home", "shadow", "secret"} <= known_words(("en",))
        assert {"saudade", "hjem"} <= known_words(LANGUAGES)
        assert "hjem" not in known_words(("en",))

    def test_a_reader_passes_over_what_it_does_not_know(self) -> None:
        seen: list[list[str]] = []

        def eye(clues: Sequence[str]) -> Floats:
            seen.append(list(clues))
            return np.ones((len(clues), 3))

        knowing = of_known_words(eye, frozenset({"the", "way", "home", "s"}), 3)
        z = knowing(["The ixoo way, home!", "ixoo", "—", "home's ixoo"])
        assert seen == [["The way, home!", "home's"]]
        assert z.tolist() == [[1] * 3, [0] * 3, [0] * 3, [1] * 3]

    def test_a_reader_asks_nothing_of_an_eye_for_nonsense_alone(self) -> None:
        def never(clues: Sequence[str]) -> Floats:
            raise AssertionError

        assert of_known_words(never, frozenset(), 4)(["ixoo", "velo rai"]).tolist() == [[0] * 4] * 2


class TestNonsense:
    def test_strings_are_different_pronounceable_and_no_words(self) -> None:
        strings = invented(300)
        assert len(set(strings)) == 300
        assert not words_of(*strings) & known_words(LANGUAGES)
        assert all(text.isalpha() and set(text) & set("aeiou") for text in strings)
        assert invented(300) == strings

    def test_it_fools_eyes_that_see_any_string_and_not_those_that_read(self) -> None:
        """A string is drawn for the attack among many, so the attacked eye finds the card in half of the cases."""
        giver = NonsenseGiver([(eye_of_sounds, 2.0)])
        turns = [told(giver, deal) for deal in range(40)]
        moves, hands = [move for move, _ in turns], [list(own.hand) for _, own in turns]
        fooled = found([(eye_of_sounds, 2.0)], moves, hands)
        assert fooled == pytest.approx(0.5, abs=0.05)
        safe = of_known_words(eye_of_sounds, known_words(LANGUAGES), CARDS)
        assert found([(safe, 2.0)], moves, hands) == pytest.approx(1 / 6)

    @pytest.mark.slow
    def test_chosen_through_the_main_panels_encoders_it_is_at_chance_before_the_main_panel(self, sight: Sight) -> None:
        giver = NonsenseGiver(readers(sight, any_string=True))
        turns = [told(giver, deal) for deal in range(40)]
        moves, hands = [move for move, _ in turns], [list(own.hand) for _, own in turns]
        assert found(readers(sight, any_string=True), moves, hands) > 0.4
        assert found(readers(sight, any_string=False), moves, hands) == pytest.approx(1 / 6)


class TestTexts:
    def test_title_and_tags_belong_to_the_card(self, sight: Sight) -> None:
        for row in ("title", "tags"):
            move, own = told(TextGiver(row, texts_for(row, sight.deck)), 3)
            card = sight.deck.cards[move.card]
            assert move.card in own.hand
            words = {"title": {card.title["en"]}, "tags": set(card.tags["en"])}[row]
            assert set(normalised(move.clue).split()) <= words_of(*words)

    def test_the_caption_stands_for_a_title_that_is_missing(self) -> None:
        deck = Deck(
            "bare", (Card("a", "bare/1", captions={"en": "a red boat"}), Card("b", "bare/2", title={"en": "B"}))
        )
        assert texts_for("title", deck) == [("a red boat",), ("B",)]

    def test_rows_that_a_deck_has_no_texts_for_are_left_out_with_the_reason(self, sight: Sight) -> None:
        rows, reasons = rows_for(sight.deck)
        assert rows == ("nonsense", "title", "tags")
        assert reasons == (
            "The row viewers is left out: nobody who saw only the pictures wrote clues for the deck dreams.",
        )
        assert rows_for(Deck.blank(CARDS))[0] == ("nonsense",)
        with pytest.raises(SpecError, match="84 cards of the deck blank have no tags in English"):
            texts_for("tags", Deck.blank(CARDS))

    def test_viewers_clues_are_told_of_just_the_cards_that_viewers_saw(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder, shown = tmp_path / "nocturne", [{"file": "001.webp", "scene": {"main": "goat"}}]
        folder.mkdir()
        (folder / "cards.json").write_text(json.dumps({"cards": shown}))
        deck = Deck("nocturne", (Card("a", "nocturne/001", folder / "001.webp"),))
        with pytest.raises(SpecError, match="nobody who saw only the pictures"):
            texts_for("viewers", deck)
        monkeypatch.setitem(SEEN, "nocturne", scenes(shown))
        (texts,) = texts_for("viewers", deck)
        assert "Courage for the length of a corridor" in texts
        assert "Hotel hallway, farmyard guests" not in texts  # a hint

    def test_the_source_of_the_benchmark_knows_the_rows(self) -> None:
        assert isinstance(PanelAgents(("dreams",)).agent("title"), TextGiver)
