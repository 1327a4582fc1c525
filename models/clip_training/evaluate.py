"""How well a CLIP reads cards: the right card of six, for several kinds of clue, on cards never trained on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.errors import DixitError
from dixit_env.models.clip import Clip
from dixit_env.models.clip_training.captions import facts
from dixit_env.models.clip_training.cards import TEST, UNSEEN, TrainingCard, Truth

SIZES = {TEST: 600, UNSEEN: 300}  # cards to measure on
DRAWS = 5  # sets of five distractors a clue
RECALL_AMONG = 300
_SIX = 6
_RESAMPLES = 1000


@dataclass(frozen=True)
class Question:
    """A clue for one card (its row), and what the clue states."""

    clue: str
    row: int
    about: frozenset[str]


Asker = dict[str, list[Question]]


def questions(cards: Sequence[TrainingCard], rng: np.random.Generator) -> Asker:
    """One question of every kind a card: its description, main object, two tags, and something small or the place."""
    kinds: Asker = {"description": [], "tags": [], "small": []}
    kinds |= {f"object_{language}": [] for language in ("en", "pt", "es", "da")}
    for row, card in enumerate(cards):
        truth = card.truth
        kinds["description"].append(Question(truth.description["en"], row, frozenset({f"card:{truth.seed}"})))
        for language in ("en", "pt", "es", "da"):
            about = frozenset({f"thing:{truth.things[0]}"})
            kinds[f"object_{language}"].append(Question(truth.names[0][language], row, about))
        tags = associated_tags(truth)
        if len(tags) >= 2:
            drawn = [str(tag) for tag in rng.choice(tags, 2, replace=False)]
            kinds["tags"].append(Question(", ".join(drawn), row, frozenset(f"tag:en:{tag}" for tag in drawn)))
        kinds["small"].append(_small(truth, row, rng))
    return kinds


def unseen_questions(cards: Sequence[TrainingCard]) -> list[Question]:
    """The English names of held-out main objects."""
    return [
        Question(card.truth.names[0]["en"], row, frozenset({f"thing:{card.truth.things[0]}"}))
        for row, card in enumerate(cards)
    ]


def associated_tags(truth: Truth) -> list[str]:
    """English tags of the main thing that don't say its name."""
    name = set(truth.names[0]["en"].lower().split())
    return [
        tag
        for tag in truth.tags[0]["en"]
        if not any(_same(word, part) for word in tag.lower().split() for part in name)
    ]


def _same(left: str, right: str) -> bool:
    return len(left) > 2 and len(right) > 2 and (left.startswith(right[:5]) or right.startswith(left[:5]))


def _small(truth: Truth, row: int, rng: np.random.Generator) -> Question:
    if len(truth.things) > 1 and rng.random() < 0.5:
        thing = int(rng.integers(1, len(truth.things)))
        return Question(truth.names[thing]["en"], row, frozenset({f"thing:{truth.things[thing]}"}))
    return Question(truth.place_name["en"], row, frozenset({f"place:{truth.place}"}))


@dataclass(frozen=True)
class Answers:
    """What a CLIP made of the questions of one kind: a row of six similarities a draw, the right card's first."""

    six: NDArray[np.float32]  # (n, 6)
    owner: NDArray[np.intp]  # (n,) the question each row belongs to

    @property
    def right(self) -> NDArray[np.float64]:
        """Per row, 1 where the right card scores highest; a tie counts as its share."""
        best = self.six.max(1, keepdims=True) == self.six
        return best[:, 0] / best.sum(1)

    def share(self) -> float:
        return float(self.right.mean())

    def interval(self, rng: np.random.Generator) -> tuple[float, float]:
        """95 % of bootstrap means over cards (a card's draws stay together)."""
        count = np.bincount(self.owner)
        total = np.bincount(self.owner, self.right)
        asked = np.flatnonzero(count)
        drawn = asked[rng.integers(len(asked), size=(_RESAMPLES, len(asked)))]
        means = total[drawn].sum(1) / count[drawn].sum(1)
        low, high = np.quantile(means, (0.025, 0.975))
        return float(low), float(high)


def ask(
    clip: Clip,
    asked: Sequence[Question],
    cards: Sequence[TrainingCard],
    pictures: NDArray[np.float32],
    hard: bool,
    rng: np.random.Generator,
) -> Answers:
    """Score each clue against its card and five others of which it isn't true, `DRAWS` times.

    `hard`: the five share the card's template or its kind of landscape; a card with fewer than five such is left out.
    Raises `DixitError` when that leaves none.
    """
    known = [facts(card.truth) for card in cards]
    similarities = clip.embed_texts([question.clue for question in asked]) @ pictures.T  # (Q, N)
    rows, owners = [], []
    for number, question in enumerate(asked):
        own = cards[question.row].truth
        others = [
            row
            for row, card in enumerate(cards)
            if not question.about <= known[row]
            and (not hard or card.truth.template == own.template or card.truth.place == own.place)
        ]
        if len(others) < _SIX - 1:
            continue
        for _ in range(DRAWS):
            drawn = rng.choice(others, _SIX - 1, replace=False)
            rows.append(similarities[number, [question.row, *drawn]])
            owners.append(number)
    if not rows:
        raise DixitError(f"{len(cards)} cards are too few to draw distractors from")
    return Answers(np.array(rows, np.float32), np.array(owners, np.intp))


def evaluate(
    clip: Clip, test: Sequence[TrainingCard], unseen: Sequence[TrainingCard], seed: int = 0
) -> tuple[dict[str, Any], list[Answers]]:
    """All figures as nested dictionaries, and the answers with random distractors behind them."""
    rng = np.random.default_rng(seed)
    pictures = clip.embed_images([card.image() for card in test])
    new_pictures = clip.embed_images([card.image() for card in unseen])
    kinds = questions(test, rng)
    figures: dict[str, Any] = {"right_of_six": {}, "hard": {}, "intervals": {"right_of_six": {}, "hard": {}}}
    answered = []
    for group, hard in (("right_of_six", False), ("hard", True)):
        for kind, asked in [*kinds.items(), ("unseen_object", unseen_questions(unseen))]:
            deck = (unseen, new_pictures) if kind == "unseen_object" else (test, pictures)
            answers = ask(clip, asked, *deck, hard, rng)
            figures[group][kind] = answers.share()
            figures["intervals"][group][kind] = answers.interval(rng)
            if not hard:
                answered.append(answers)
    figures["recall_at_1_of_300"] = recall_at_1(clip, test[:RECALL_AMONG], pictures[:RECALL_AMONG])
    figures["calibration"] = {"expected_error": reliability(answered, clip.logit_scale)[3]}
    return figures | {"cards": len(test), "unseen_cards": len(unseen), "draws": DRAWS, "chance": 1 / _SIX}, answered


def recall_at_1(clip: Clip, cards: Sequence[TrainingCard], pictures: NDArray[np.float32]) -> float:
    """Share of descriptions that lie nearest to their own card among all."""
    texts = clip.embed_texts([card.truth.description["en"] for card in cards])
    return float(((texts @ pictures.T).argmax(1) == np.arange(len(cards))).mean())


def reliability(
    answered: Sequence[Answers], scale: float, bins: int = 10
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """Confidence against truth: (mean probability of the chosen card, share right, share of answers) a bin, mean gap.

    Probabilities are the softmax of six similarities times the model's own logit scale.
    """
    six = np.concatenate([answers.six for answers in answered]).astype(np.float64) * scale
    right = np.concatenate([answers.right for answers in answered])
    chances = np.exp(six - six.max(1, keepdims=True))
    confidence = chances.max(1) / chances.sum(1)
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    counts = np.bincount(bin_of, minlength=bins)
    filled = counts > 0
    said = np.bincount(bin_of, confidence, bins)[filled] / counts[filled]
    was = np.bincount(bin_of, right, bins)[filled] / counts[filled]
    weight = counts[filled] / counts.sum()
    return said, was, weight, float((weight * np.abs(said - was)).sum())
