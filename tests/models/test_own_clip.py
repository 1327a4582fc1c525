"""The project's own CLIPs without torch: the vectors are open_clip's."""

import subprocess
import sys
from typing import Any

import numpy as np
import open_clip
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.agents.clues.bank import load_bank
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip import Clip, load_clip
from dixit_env.models.own_clip import OwnClip
from dixit_env.models.own_files import OWN
from dixit_env.models.sight import Sight
from dixit_env.models.text_tower import TextTower

ODD = [
    "",
    "a word " * 60,
    "  two   spaces\tand a tab ",
    "ＷＩＤＥ",
    "schÃ¶n &amp;amp; gut",  # wrongly decoded and escaped
    "ended </s> too early <pad> <s>",
    "🦉 夜 ﬁ\u200b\u00ad…",
]
BANK = [clue.text for clue in load_bank(LANGUAGES)][::400]


@pytest.fixture(scope="module", params=["embedded", "lite1"])
def both(request: pytest.FixtureRequest) -> tuple[OwnClip, Clip]:
    return OwnClip(request.param), load_clip(request.param)


def test_texts_have_the_vectors_that_open_clip_gives(both: tuple[OwnClip, Clip]) -> None:
    own, clip = both
    np.testing.assert_allclose(own.embed_texts(ODD + BANK), clip.embed_texts(ODD + BANK), atol=2e-6)


def test_a_text_has_the_same_vector_alone_and_among_others(both: tuple[OwnClip, Clip]) -> None:
    own, _ = both
    alone = np.concatenate([own.embed_texts([text]) for text in ODD])
    np.testing.assert_allclose(own.embed_texts(ODD), alone, atol=2e-6)
    assert own.embed_texts([]).shape == (0, own.dim)


def test_it_is_the_same_clip_in_all_else(both: tuple[OwnClip, Clip]) -> None:
    own, clip = both
    assert (own.name, own.dim, own.fingerprint) == (clip.name, clip.dim, clip.fingerprint)
    assert own.logit_scale == pytest.approx(clip.logit_scale)


def test_pictures_have_the_vectors_that_open_clip_gives(sight: Sight) -> None:
    cards = [card.picture() for card in sight.deck.cards[:2]]
    np.testing.assert_allclose(load_clip().embed_images(cards), sight.cards[:2], atol=1e-5)


@pytest.fixture(scope="module")
def tokenizers() -> tuple[TextTower, Any]:
    return TextTower(OWN["lite1"]), open_clip.get_tokenizer(f"local-dir:{OWN['lite1']}")


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text(), min_size=10, max_size=10))
def test_any_text_has_the_tokens_that_open_clip_reads(tokenizers: tuple[TextTower, Any], texts: list[str]) -> None:
    tower, tokenizer = tokenizers
    tokens = tower.tokens(texts)
    np.testing.assert_array_equal(tokens, tokenizer(texts)[:, : tokens.shape[1]])


def test_a_game_on_a_deck_that_is_known_loads_no_torch(sight: Sight) -> None:
    assert len(sight.cards)  # now they are in the cache
    code = """
import sys
from dixit_env import Deck, DIXIT, play
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight

sight = Sight.load()
list(play(make_agents(["clip", "greedy", "greedy"], sight), DIXIT, sight.deck, 7))
assert not {"torch", "open_clip"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
