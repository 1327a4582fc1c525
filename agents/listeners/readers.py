"""Readers of viewers' clues: what finds the card of six, by sight, by captions, or by asking a language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.agents.language.viewer import LanguageViewer
from dixit_env.bench.stats import Estimate
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.bench.viewers.measure import Similarity, by_measure, sampled
from dixit_env.decks.deck import Deck
from dixit_env.errors import NoAnswer
from dixit_env.languages import LANGUAGES
from dixit_env.models.sentences import install_command, installed, sentence_vectors
from dixit_env.models.sight import Sight

ENCODERS: Mapping[str, tuple[str, ...]] = {"minilm": ("en",), "e5": LANGUAGES}
"""Readers of captions, named after their sentence encoder → the languages of the captions that each reads."""

COLUMNS = 3
OUTAGES = 3  # chosen: an endpoint that didn't answer three questions in a row is down


def readers(clip: str) -> tuple[dict[str, Similarity], dict[str, str]]:
    """The readers that can be had here, by name, and what the others lack. "clip" is the CLIP of that name."""
    named: dict[str, Similarity] = {"clip": lambda deck, texts: Sight(deck, clip).similarity(texts)}
    missing: dict[str, str] = {}
    for encoder, languages in ENCODERS.items():
        if installed(encoder):
            named[encoder] = partial(by_captions, encoder, languages)
        else:
            missing[encoder] = install_command(encoder)
    return named, missing


def by_captions(encoder: str, languages: Sequence[str], deck: Deck, texts: Sequence[str]) -> NDArray[np.float32]:
    """The mean cosine of texts and a card's captions in these languages, (texts, cards)."""
    captions = [sentence_vectors([card.captions[lang] for card in deck.cards], encoder) for lang in languages]
    return sentence_vectors(texts, encoder) @ np.mean(captions, axis=0).T


@dataclass(frozen=True)
class Asked:
    """What a language model found, and how often it could be asked."""

    figures: Mapping[str, Estimate]
    asked: int
    failed: int
    """replies that named no card; they count as not found"""
    outages: int
    """questions that the endpoint was asked in vain, or that weren't asked any more; they count for nothing"""


def ask(viewer: LanguageViewer, decks: Mapping[str, Deck], count: int, seed: int = 0) -> Asked:
    """Show a language model `count` tables of six cards, each with a viewer's clue for one of them.

    After `OUTAGES` questions in a row without an answer it is asked no more. Answers are kept on disk (`Chat`), so a
    second run asks only what is missing.
    """
    pictures = {card.name: card for deck in decks.values() for card in deck.cards}
    tables = sampled(decks, count, seed)
    found = []
    failed = down = 0
    for clue, table in tqdm(tables, desc=viewer.chat.model, unit="table", disable=None):
        picture = lay_out([pictures[name].picture() for name in table.cards], COLUMNS, table.clue)
        try:
            chosen = viewer.choose(picture, table.clue, len(table.cards), seed)
        except NoAnswer:
            down += 1
            if down == OUTAGES:
                break
            continue
        down = 0
        failed += chosen is None
        found.append((clue, float(chosen == table.target)))
    return Asked(by_measure(found, seed), len(tables), failed, len(tables) - len(found))
