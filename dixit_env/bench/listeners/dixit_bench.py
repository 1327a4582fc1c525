"""DixitBench: line-ups made for other pictures, for those who have them.

Its authors published 252 questions as `data/distractor_dataset.json` of the repository HKUST-KnowComp/DixitWorld: for
each of 84 pictures a phrase that a language model wrote, and five other pictures in each of three levels. Neither the
file nor the pictures come with this project.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.line_ups import LEVELS, Question
from dixit_env.bench.stats import Estimate, mean, resample
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.paths import printable
from dixit_env.textfiles import read_text


def read_dixit_bench(file: Path, deck: Deck) -> list[Question]:
    """The questions of the file, with the deck's cards in place of its pictures; the answer is the first option.

    `deck` is the folder of the pictures, which are told by their file names without the ending. Raises `DixitError` for
    a file of another shape, and for pictures that the deck lacks.
    """
    cards = {card.name.rpartition("/")[2]: card.id for card in deck.cards}
    text = read_text(file)
    try:
        questions = [_question(sample) for sample in json.loads(text)["dataset"]]
    except (ValueError, KeyError, TypeError) as error:
        raise DixitError(
            f"{printable(file)} is no DixitBench: give its distractor_dataset.json, as it was published"
        ) from error
    if not questions:
        raise DixitError(f"{printable(file)} holds no line-ups")
    if missing := sorted({name for question in questions for name in question["files"]} - cards.keys()):
        raise DixitError(f"{deck.name} lacks {len(missing)} pictures of {printable(file)}, such as {missing[0]}")
    return [{**question, "options": [cards[name] for name in question["files"]]} for question in questions]


def right_by_level(
    similarity: NDArray[np.floating], questions: list[Question], deck: Deck, seed: int = 0
) -> dict[str, Estimate]:
    """How often the right card scores highest of those shown, by level and in "all", with 95 % intervals over cards.

    `similarity`: each question's clue and the cards of the deck, (questions, cards). A tie is shared.
    """
    number = {card.id: row for row, card in enumerate(deck.cards)}
    found: dict[str, dict[str, list[float]]] = {level: {} for level in (*LEVELS, "all")}
    for row, question in zip(similarity, questions, strict=True):
        scores = row[[number[card] for card in question["options"]]]
        top = scores == scores.max()
        target = question["options"][question["answer"]]
        for level in (question["level"], "all"):
            found[level].setdefault(target, []).append(float(top[question["answer"]] / top.sum()))
    means = {level: np.array([np.mean(credit) for credit in by_card.values()]) for level, by_card in found.items()}
    return {level: mean(values, resample(len(values), seed=seed)) for level, values in means.items() if len(values)}


def _question(sample: dict[str, Any]) -> Question:
    """A question whose options aren't known yet; raises `ValueError`, `KeyError` or `TypeError` where it is none."""
    level, clue = sample["difficulty"], sample["target"]["caption"]
    files = [Path(picture["img"]).stem for picture in (sample["target"], *sample["distractors"])]
    if level not in LEVELS or not isinstance(clue, str) or len(set(files)) < len(files):
        raise ValueError("the level, the phrase or the pictures make no question")
    return Question(id=f"{sample['image_id']}-{level}", level=level, clue=clue, options=[], files=files, answer=0)
