"""How often a CLIP finds the right card of six, for several kinds of clue, on cards that it was not trained on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.stats import calibration_error
from dixit_env.errors import DixitError
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip import Clip
from dixit_env.models.clip_training.cards import TEST, UNSEEN, TrainingCard, Truth

SIZES = {TEST: 600, UNSEEN: 300}  # cards to measure on
DRAWS = 5  # sets of five distractors a clue
RECALL_AMONG = 300  # cards, as the key in results.json says
_SIX = 6  # cards to choose from: the largest table of the public play data
_RESAMPLES = 1000  # of the bootstrap over cards


def facts(truth: Truth) -> frozenset[str]:
    """What holds of the card, such as `thing:owl`, `place:forest` or `tag:en:wisdom`."""
    things = {f"thing:{key}" for key in truth.things}
    tags = {
        f"tag:{language}:{tag}" for words in truth.tags for language in LANGUAGES for tag in words.get(language, ())
    }
    titles = {f"title:{title}" for title in truth.title.values()}  # some belong to a template, not to a card
    return frozenset({*things, *tags, *titles, f"place:{truth.place}", f"card:{truth.seed}"})


@dataclass(frozen=True)
class Question:
    """A clue for the card in a row of the test set, and the `facts` that the clue states."""

    clue: str
    row: int
    about: frozenset[str]


def questions(cards: Sequence[TrainingCard], rng: np.random.Generator) -> dict[str, list[Question]]:
    """By kind of clue, a question for each card: its description, its main object in each language, two of its tags
    (where it has two), and a smaller object or the place."""
    kinds: dict[str, list[Question]] = {"description": [], "tags": [], "small": []}
    kinds |= {f"object_{language}": [] for language in LANGUAGES}
    for row, card in enumerate(cards):
        truth = card.truth
        kinds["description"].append(Question(truth.description["en"], row, frozenset({f"card:{truth.seed}"})))
        for language in LANGUAGES:
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
    """A CLIP's answers to the questions of one kind: a row for each draw of distractors."""

    six: NDArray[np.float32]  # (n, 6) cosines of the clue and six cards, the right card first
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
    """Score each clue against its card and five distractors, cards of which the clue isn't true; `DRAWS` times.

    Args:
        clip: the model.
        asked: questions about `cards`, by row.
        cards: the test set.
        pictures: unit vectors of the cards, (cards, dim).
        hard: draw distractors from cards with the same template or landscape; questions with fewer than five such
            cards are left out.
        rng: draws the distractors.

    Raises `DixitError` when no question is left.
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
    """All figures, nested as in results.json, and the answers with random distractors that they come from."""
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
    figures["calibration"] = {"expected_error": calibration_error(*confidences(answered, clip.logit_scale))}
    return figures | {"cards": len(test), "unseen_cards": len(unseen), "draws": DRAWS, "chance": 1 / _SIX}, answered


def recall_at_1(clip: Clip, cards: Sequence[TrainingCard], pictures: NDArray[np.float32]) -> float:
    """Share of descriptions that lie nearest to their own card among all."""
    texts = clip.embed_texts([card.truth.description["en"] for card in cards])
    return float(((texts @ pictures.T).argmax(1) == np.arange(len(cards))).mean())


def confidences(answered: Sequence[Answers], scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The probability of each chosen card, (n,), and whether it is the right one, (n,); a tie counts as its share.

    Probabilities are the softmax of six cosines times `scale`, the model's own logit scale.
    """
    logits = np.concatenate([answers.six for answers in answered]).astype(np.float64) * scale
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return odds.max(1) / odds.sum(1), np.concatenate([answers.right for answers in answered])
