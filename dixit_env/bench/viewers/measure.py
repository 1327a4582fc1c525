"""How often a reader finds the right card of six for viewers' clues: a listener benchmark that needs no one's pictures.

The cards are the expansions `nocturne` and `tides`, painted from their recipes, and the clues those that viewers wrote
for all of their cards (`written/`). A clue's five other cards are drawn from the rest of its deck; for a reader that
scores all cards the figure is the exact mean over all such draws (`measure`), for one that has to be shown each table
it is estimated on a sample (`sampled`).
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import comb, isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.bench.stats import NOTHING, Estimate, mean, resample
from dixit_env.bench.viewers.clues import ViewersClue, by_card, read_clues
from dixit_env.bench.viewers.folder import ViewersError
from dixit_env.bench.viewers.guesses import SIX, Table, among_six, in_turn
from dixit_env.decks.deck import Deck, read_words
from dixit_env.paths import cache_dir, printable

DECKS = ("nocturne", "tides")
# Deck → `scenes` of the cards that viewers saw: a generator that paints other ones needs other clues. `harvest`
# measures nothing: on it is fitted how sure the embedded CLIP is.
SEEN = {"harvest": "5ba8b0b7c119b902", "nocturne": "e395d97a284ae968", "tides": "9bca2cee244c32f1"}
OTHERS = SIX - 1
MEASURES = ("evocative_en", "evocative_pt", "evocative_es", "evocative_da", "hint", "plain")

Similarity = Callable[[Deck, Sequence[str]], NDArray[np.floating]]
"""Texts and a deck → how well they go together, (texts, cards)"""


def painted(name: str) -> Deck:
    """The deck of a recipe, painted into the cache the first time (two or three minutes).

    Raises `ViewersError` when its cards aren't those that viewers wrote clues for.
    """
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
    if scenes(read_words(folder / "cards.json")["cards"]) != SEEN[name]:
        raise ViewersError(
            f"the cards in {printable(folder)} aren't those that viewers wrote clues for: delete the folder"
        )
    return Deck.from_folder(folder)


def scenes(cards: Sequence[Mapping[str, Any]]) -> str:
    """16 hex digits that name what the cards of a `cards.json` show, whatever the bytes of their pictures."""
    shown = [card.get("scene") for card in cards]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


def written(name: str) -> list[ViewersClue]:
    """The clues that viewers wrote for a deck."""
    return read_clues(Path(__file__).parent / "written" / f"{name}.tsv")


def clues_for(deck: Deck) -> Mapping[str, Sequence[ViewersClue]] | None:
    """The clues that viewers wrote, by card, where they saw just the cards of this deck; else None."""
    folders = {card.path.parent.resolve() if card.path else None for card in deck.cards}
    found: dict[str, Sequence[ViewersClue]] = {}
    for folder in folders:
        if folder is None or folder.name not in SEEN:
            return None
        if scenes(read_words(folder / "cards.json")["cards"]) != SEEN[folder.name]:
            return None
        found |= by_card(written(folder.name))
    return found


def right_of_six(similarity: NDArray[np.floating], target: int) -> float:
    """The chance that the target scores highest among itself and five other cards, all draws of them as likely.

    `similarity`: (cards,), at least six. A tie goes to the other card.
    """
    others = len(similarity) - 1
    above = int((np.delete(similarity, target) >= similarity[target]).sum())
    return comb(others - above, OTHERS) / comb(others, OTHERS)


def measure(similarity: Similarity, decks: Mapping[str, Deck], seed: int = 0) -> dict[str, Estimate]:
    """The share by measure (`MEASURES`), with 95 % intervals over cards."""
    return by_measure(_scored(similarity, decks), seed)


def sampled(decks: Mapping[str, Deck], count: int, seed: int = 0) -> list[tuple[ViewersClue, Table]]:
    """Clues, each with a table of six cards that it is among: at most `count`, as many of each measure as there can
    be."""
    rng = np.random.default_rng(seed)
    groups: dict[str, list[tuple[ViewersClue, Deck]]] = {name: [] for name in MEASURES}
    there = [(clue, deck) for name, deck in decks.items() for clue in written(name)]
    for row in rng.permutation(len(there)):
        groups[there[row][0].measures].append(there[row])
    drawn = islice(in_turn(groups.values()), count)
    return [(clue, among_six(clue, [card.name for card in deck.cards], rng)) for clue, deck in drawn]


def by_measure(shares: Iterable[tuple[ViewersClue, float]], seed: int = 0) -> dict[str, Estimate]:
    """The mean share by measure, of cards; NaN for a measure without clues."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
    for clue, share in shares:
        found[clue.measures].setdefault(clue.card, []).append(share)
    figures = {}
    for name, of_cards in found.items():
        values = np.array([np.mean(shares) for shares in of_cards.values()])
        figures[name] = mean(values, resample(len(values), seed=seed)) if of_cards else NOTHING
    return figures


def as_json(figures: Mapping[str, Estimate]) -> dict[str, Any]:
    """The figures as they stand in results: `right_of_six` and `intervals`, by measure; None for NaN."""
    there = {name: told for name, told in figures.items() if not isnan(told.value)}
    return {
        "right_of_six": {name: there[name].value if name in there else None for name in figures},
        "intervals": {name: {"low": told.low, "high": told.high} for name, told in there.items()},
    }


def _scored(similarity: Similarity, decks: Mapping[str, Deck]) -> Iterable[tuple[ViewersClue, float]]:
    for name, deck in decks.items():
        row = {card.name: number for number, card in enumerate(deck.cards)}
        clues = written(name)
        for clue, scores in zip(clues, similarity(deck, [clue.clue for clue in clues]), strict=True):
            yield clue, right_of_six(scores, row[clue.card])
