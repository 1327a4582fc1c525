"""How often a reader finds the right card of six for viewers' clues: a listener benchmark that needs no one's pictures.

The cards are the expansions `nocturne` and `tides`, painted from their recipes, and the clues those that viewers wrote
for all of their cards (`written/`). A clue's five other cards are drawn from the rest of its deck; the figure is the
exact mean over all such draws.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.bench.stats import Estimate, mean, resample
from dixit_env.bench.viewers.clues import ViewersClue, read_clues
from dixit_env.decks.deck import Deck
from dixit_env.paths import cache_dir

DECKS = ("nocturne", "tides")
OTHERS = 5
MEASURES = ("evocative_en", "evocative_pt", "evocative_es", "evocative_da", "hint_en", "plain_en")

Similarity = Callable[[Deck, Sequence[str]], NDArray[np.floating]]
"""Texts and a deck → how well they go together, (texts, cards)"""


def painted(name: str) -> Deck:
    """The deck of a recipe, painted into the cache the first time (two or three minutes)."""
    from dixit_env.decks.maker import load_sources
    from dixit_env.decks.maker.recipes import load_recipe, write_deck

    folder = cache_dir() / "decks" / name
    if not (folder / "cards.json").exists():
        recipe = load_recipe(name)
        write_deck(
            load_sources(),
            recipe,
            folder,
            lambda cards: tqdm(cards, total=recipe.count, desc=name, unit="card", disable=None),
            workers=os.cpu_count() or 1,
        )
    return Deck.from_folder(folder)


def written(name: str) -> list[ViewersClue]:
    """The clues that viewers wrote for a deck."""
    return read_clues(Path(__file__).parent / "written" / f"{name}.tsv")


def right_of_six(similarity: NDArray[np.floating], target: int) -> float:
    """The chance that the target scores highest among itself and five other cards, all draws of them as likely.

    `similarity`: (cards,). A tie goes to the other card.
    """
    others = len(similarity) - 1
    above = int((np.delete(similarity, target) >= similarity[target]).sum())
    return comb(others - above, OTHERS) / comb(others, OTHERS)


def measure(similarity: Similarity, decks: Mapping[str, Deck], seed: int = 0) -> dict[str, Estimate]:
    """The share by measure (`MEASURES`), with 95 % intervals over cards."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
    for name, deck in decks.items():
        row = {card.name: number for number, card in enumerate(deck.cards)}
        clues = written(name)
        for clue, scores in zip(clues, similarity(deck, [clue.clue for clue in clues]), strict=True):
            found[clue.measures].setdefault(clue.card, []).append(right_of_six(scores, row[clue.card]))
    figures = {}
    for name, by_card in found.items():
        values = np.array([np.mean(shares) for shares in by_card.values()])
        figures[name] = mean(values, resample(len(values), seed=seed))
    return figures
