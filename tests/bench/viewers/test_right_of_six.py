"""The right card of six: exact over all draws of the others, summed up by measure, and asked of a sample of tables."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.bench.viewers.clues import KINDS
from dixit_env.bench.viewers.folder import ViewersError
from dixit_env.bench.viewers.measure import (
    DECKS,
    MEASURES,
    SEEN,
    as_json,
    by_measure,
    measure,
    painted,
    right_of_six,
    sampled,
    scenes,
    written,
)
from dixit_env.decks.deck import Card, Deck

BLANK = {name: Deck(name, tuple(Card(f"{name}{n}", f"{name}/{n:03}") for n in range(1, 85))) for name in DECKS}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=10), st.data())
def test_it_is_the_mean_over_all_draws_of_five_others(scores: list[int], data: st.DataObject) -> None:
    target = data.draw(st.integers(0, len(scores) - 1))
    others = [score for place, score in enumerate(scores) if place != target]
    draws = [scores[target] > max(five) for five in combinations(others, 5)]
    assert right_of_six(np.array(scores), target) == pytest.approx(np.mean(draws))


def test_who_knows_everything_finds_all_and_who_is_always_wrong_none() -> None:
    card_of = {(clue.card.split("/")[0], clue.clue): clue.card for name in DECKS for clue in written(name)}

    def knowing(deck: Deck, texts: Sequence[str]) -> np.ndarray:
        return np.array([[card.name == card_of[deck.name, text] for card in deck.cards] for text in texts], float)

    assert {name: told.value for name, told in measure(knowing, BLANK).items()} == dict.fromkeys(MEASURES, 1.0)
    wrong = measure(lambda deck, texts: -knowing(deck, texts), BLANK)
    assert {told.value for told in wrong.values()} == {0.0}


def test_who_guesses_finds_a_sixth() -> None:
    rng = np.random.default_rng(1)
    figures = measure(lambda deck, texts: rng.normal(size=(len(texts), len(deck))), BLANK)
    for told in figures.values():
        assert told.low < told.value < told.high
        assert told.value == pytest.approx(1 / 6, abs=0.08)


def test_a_card_counts_once_however_many_clues_it_has() -> None:
    *first, last = [clue for clue in written("tides") if clue.measures == "evocative_en"][:4]
    assert len({clue.card for clue in first}) == 1
    assert last.card != first[0].card
    figures = by_measure([*((clue, 1.0) for clue in first), (last, 0.0)])
    assert figures["evocative_en"].value == 0.5
    assert as_json(figures)["right_of_six"] == {**dict.fromkeys(MEASURES), "evocative_en": 0.5}
    assert set(as_json(figures)["intervals"]) == {"evocative_en"}


def test_viewers_wrote_a_clue_of_each_kind_for_each_card() -> None:
    for name, deck in BLANK.items():
        asked = Counter((clue.card, clue.kind) for clue in written(name))
        assert asked == {(card.name, kind): 1 for card in deck.cards for kind in KINDS}


def test_a_sample_is_spread_over_the_measures_and_every_table_holds_the_card_once() -> None:
    sample = sampled(BLANK, 60)
    assert Counter(clue.measures for clue, _ in sample) == dict.fromkeys(MEASURES, 10)
    for clue, table in sample:
        assert table.clue == clue.clue
        assert table.cards[table.target] == clue.card
        assert len(set(table.cards)) == 6
        assert {card.split("/")[0] for card in table.cards} == {clue.card.split("/")[0]}
    assert set(Counter(table.target for _, table in sampled(BLANK, 600))) == set(range(6))


def test_a_sample_repeats_with_its_seed_and_ends_with_the_clues() -> None:
    assert sampled(BLANK, 30, seed=4) == sampled(BLANK, 60, seed=4)[:30]
    assert sampled(BLANK, 30, seed=4) != sampled(BLANK, 30, seed=5)
    everything = sampled(BLANK, 10_000)
    assert {clue for clue, _ in everything} == {clue for name in DECKS for clue in written(name)}


def test_a_deck_that_was_painted_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIXIT_ENV_CACHE", str(tmp_path))
    folder = tmp_path / "decks" / "tides"
    folder.mkdir(parents=True)
    (folder / "cards.json").write_text(json.dumps({"cards": [{"file": "001.webp", "scene": {"seed": 1}}]}))
    with pytest.raises(ViewersError, match=r"tides aren't those that viewers wrote clues for: delete the folder"):
        painted("tides")


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEN)
def test_the_generator_still_makes_the_scenes_that_viewers_saw(name: str) -> None:
    from dixit_env.decks.maker import MissingSource, load_sources
    from dixit_env.decks.maker.recipes import card_entry, choose_scenes, load_recipe

    try:
        sources = load_sources()
    except MissingSource as missing:
        pytest.skip(str(missing))
    assert scenes([card_entry(scene, "") for scene in choose_scenes(sources, load_recipe(name))]) == SEEN[name]
