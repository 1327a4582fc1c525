"""The panel `viewers`: its constants are those at which viewers' votes are likeliest."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dixit_env.agents.panels import PanelAgents, default_panels
from dixit_env.agents.viewers_panel import (
    FILE,
    SEATS,
    Constants,
    Guesses,
    fit,
    in_english,
    load_constants,
    losses,
    seen_guesses,
)
from dixit_env.bench.clues.panels import Eye, listener
from dixit_env.bench.stats import Floats
from dixit_env.bench.viewers.guesses import Guess, Table
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DixitError

pytest.importorskip("scipy")
TRUE = Constants({"captions": 1.4, "words": 0.5}, 0.2)


def guess(belief: Floats, *, source: str = "clip", clue: str = "a clue", deck: str = "d", cards: int = 6) -> Guess:
    names = tuple(f"{deck}/{number:03}" for number in range(cards))
    return Guess("viewer", "001", Table(clue, source, names, 0), tuple(belief.tolist()), 2)


def eye(scale: float) -> Eye:
    return lambda clues: np.tile(scale * np.arange(6), (len(clues), 1))


@pytest.fixture(scope="module")
def tables() -> Guesses:
    """Votes of the panel with the constants `TRUE`, each the card that its viewer finds likeliest."""
    rng = np.random.default_rng(0)
    z = {eye: rng.normal(size=(1500, 6)) for eye in ("captions", "words")}
    blank = Guesses((), z)
    votes = [rng.multinomial(1, belief) for belief in blank.belief(TRUE.listeners)]
    return Guesses(tuple(guess((1 + vote) / 7) for vote in votes), z)


@pytest.fixture(scope="module")
def found(tables: Guesses) -> Constants:
    return fit(tables, tuple(tables.z))


def test_a_fit_finds_the_constants_that_votes_were_made_with(tables: Guesses, found: Constants) -> None:
    assert found.sharpness["captions"] == pytest.approx(1.4, abs=0.4)
    assert found.sharpness["words"] == pytest.approx(0.5, abs=0.4)
    assert losses(tables.belief(found.listeners), tables.votes).mean() <= (
        losses(tables.belief(TRUE.listeners), tables.votes).mean()
    )


def test_no_constants_around_it_make_the_votes_likelier(tables: Guesses, found: Constants) -> None:
    best = losses(tables.belief(found.listeners), tables.votes).mean()
    for steps in product((-0.1, 0.0, 0.1), repeat=3):
        near = Constants(
            {eye: found.sharpness[eye] + step for eye, step in zip(("captions", "words"), steps, strict=False)},
            float(np.clip(found.lapse + steps[2], 0, 1)),
        )
        assert losses(tables.belief(near.listeners), tables.votes).mean() >= best - 1e-6


def test_a_viewer_who_is_torn_votes_in_parts() -> None:
    torn = guess(np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1]))
    told = Guesses((torn,), {})
    assert told.votes.tolist() == [[0.5, 0.5, 0, 0, 0, 0]]
    assert losses(np.array([[0.5, 0.25, 0.25, 0, 0, 0]]), told.votes) == pytest.approx(1.5 * np.log(2))


def test_clues_in_other_languages_than_the_listeners_read_are_left_out() -> None:
    belief = np.full(6, 1 / 6)
    told = {
        "agent": guess(belief),
        "agent in Danish": guess(belief, source="clip:lang=da"),
        "viewer": guess(belief, source="viewers", clue="home"),
        "viewer in Danish": guess(belief, source="viewers", clue="hjem"),
    }
    kept = list(in_english(list(told.values()), {"home": "idea", "hjem": "da"}))
    assert kept == [told["agent"], told["viewer"]]


def test_every_table_is_seen_by_the_eye_of_its_own_deck() -> None:
    decks = {
        name: Deck(name, tuple(Card(f"{name}{number}", f"{name}/{number:03}") for number in range(6))) for name in "ab"
    }
    eyes = {"captions": {"a": eye(1.0), "b": eye(10.0)}}
    shown = [guess(np.full(6, 1 / 6), deck=deck) for deck in ("b", "a", "b")]
    seen = seen_guesses(shown, decks, eyes)
    assert seen.z["captions"].tolist() == [[scale * card for card in range(6)] for scale in (10, 1, 10)]
    with pytest.raises(DixitError, match="tables of one size"):
        seen_guesses([*shown, guess(np.full(5, 0.2), deck="a", cards=5)], decks, eyes)


def test_the_constants_that_come_with_the_project_are_those_of_the_main_panel() -> None:
    kept = load_constants()
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(kept.to_json())
    main = default_panels(PanelAgents(("dreams",)).deck())[0]
    assert main.name == "viewers"
    assert [listener(name) for name in main.listeners] == list(kept.listeners)
    assert [one.eye for one in kept.listeners] == list(SEATS)
    assert 0 <= kept.lapse < 1


def test_constants_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "constants.json").write_text(TRUE.to_json(), encoding="utf-8")
    assert load_constants(tmp_path / "constants.json") == TRUE
