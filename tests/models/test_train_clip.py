"""Making and measuring the embedded CLIP: captions, losses, batches, the evaluation's arithmetic."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from PIL import Image

from dixit_env.bench.stats import calibration_error
from dixit_env.decks.deck import Deck
from dixit_env.decks.maker import Sources
from dixit_env.decks.maker.things import catalogue, data_rows, landscapes
from dixit_env.errors import DixitError
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip import Clip, load_clip
from dixit_env.models.clip_training.captions import draw_captions, facts, without_article
from dixit_env.models.clip_training.cards import HELD_OUT, TEST, TRAIN, UNSEEN, TrainingCard, Truth
from dixit_env.models.clip_training.contrast import CardBatches, augment, contrastive_loss, shared
from dixit_env.models.clip_training.corpus import Text
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.distil import TextBatches, distil, start_text_tower, warm_cosine
from dixit_env.models.clip_training.evaluate import Answers, ask, associated_tags, confidences, evaluate, questions
from dixit_env.models.clip_training.network import DIM, build_network, save_network


@pytest.fixture(scope="module")
def sources() -> Sources:
    """The maker's catalogue without its pictures: enough to draw scenes."""
    keys = [row["key"] for row in data_rows("things.tsv")]
    tags: dict[str, dict[str, tuple[str, ...]]] = {
        key: {language: (f"{language} idea {number % 7}", f"{language} word {number % 11}") for language in LANGUAGES}
        for number, key in enumerate(keys)
    }
    return Sources(Path(), catalogue(tags), landscapes(), {})


@pytest.fixture(scope="module")
def cards(sources: Sources) -> list[TrainingCard]:
    """Cards whose truth is the maker's and whose pictures are plain colours."""
    scenes = TEST.scenes(sources)
    buffer = io.BytesIO()
    Image.new("RGB", (192, 288), "olive").save(buffer, "JPEG")
    return [TrainingCard(buffer.getvalue(), Truth.of(next(scenes))) for _ in range(150)]


def test_held_out_things_are_on_no_card_but_the_unseen(sources: Sources) -> None:
    assert sources.things.keys() >= HELD_OUT
    for split in (TRAIN, TEST):
        scenes = split.scenes(sources)
        shown = {thing.key for _ in range(300) for thing in (lambda scene: (scene.main, *scene.small))(next(scenes))}
        assert not shown & HELD_OUT
    scenes = UNSEEN.scenes(sources)
    assert all(next(scenes).main.key in HELD_OUT for _ in range(30))


def test_splits_and_the_embedded_deck_share_no_seed(sources: Sources) -> None:
    scenes = {split.name: split.scenes(sources) for split in (TRAIN, TEST, UNSEEN)}
    seeds = {name: {next(stream).seed for _ in range(300)} for name, stream in scenes.items()}
    assert not seeds["train"] & seeds["test"]
    assert not seeds["test"] & seeds["unseen"]
    assert max(max(values) for values in seeds.values()) < 1_000_000  # the embedded deck's first seed


def test_captions_state_what_their_card_shows(cards: list[TrainingCard]) -> None:
    rng = np.random.default_rng(0)
    for card in cards:
        for caption in [*draw_captions(card.truth, rng), *draw_captions(card.truth, rng, places=True)]:
            assert caption.text
            assert caption.about
            assert caption.about <= facts(card.truth)


@pytest.mark.parametrize(
    ("name", "bare"), [("an owl", "owl"), ("uma coruja", "coruja"), ("en ugle", "ugle"), ("owl", "owl"), ("un", "un")]
)
def test_names_lose_their_article(name: str, bare: str) -> None:
    assert without_article(name) == bare


def test_contrastive_loss_of_pairs_is_the_usual_cross_entropy() -> None:
    logits = torch.randn(6, 6, generator=torch.Generator().manual_seed(0))
    own = torch.arange(6)
    usual = 0.5 * (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own))
    torch.testing.assert_close(contrastive_loss(logits, torch.eye(6, dtype=torch.bool)), usual)


def test_the_last_captions_speak_more_of_places(cards: list[TrainingCard]) -> None:
    rng = np.random.default_rng(0)
    for card in cards:
        said = [caption.about for caption in draw_captions(card.truth, rng, places=True)]
        assert said[3:] == [{f"place:{card.truth.place}"}] * 2


def test_what_many_cards_share_outweighs_no_card_of_its_own() -> None:
    """Three cards of one place, each with a caption of its own and one of the place."""
    true = torch.cat([torch.eye(3), torch.ones(3, 3)]).bool()
    weights = shared(true)
    assert (weights.sum(1) == 1).all()
    assert (weights[:3].sum(0) == weights[3:].sum(0)).all()


def test_cards_that_share_a_caption_are_not_pushed_apart() -> None:
    logits = torch.tensor([[5.0, 5.0, -5.0]], requires_grad=True)  # the caption is true of the first two cards
    torch.autograd.backward(contrastive_loss(logits, torch.tensor([[True, True, True]])))
    assert logits.grad is not None
    assert logits.grad[0, 0] == logits.grad[0, 1]
    fresh = torch.zeros(1, 3, requires_grad=True)
    texts = -(torch.tensor([[0.5, 0.5, 0.0]]) * fresh.log_softmax(1)).sum()
    torch.autograd.backward(texts)
    assert fresh.grad is not None
    assert fresh.grad[0, 0] < 0 < fresh.grad[0, 2]


def test_batches_repeat_by_step_and_keep_to_few_templates(cards: list[TrainingCard]) -> None:
    batches = CardBatches(cards)
    first, again, other = batches.draw(3, (72, 48)), batches.draw(3, (72, 48)), batches.draw(4, (72, 48))
    torch.testing.assert_close(first.pixels, again.pixels)
    assert torch.equal(first.tokens, again.tokens)
    assert first.tokens.shape != other.tokens.shape or not torch.equal(first.tokens, other.tokens)
    assert first.pixels.shape[1:] == (3, 72, 48)
    assert first.true.shape == (len(first.tokens), len(first.pixels))
    assert first.true.any(dim=1).all()
    assert first.true.any(dim=0).all()


def test_augmented_cards_stay_upright_and_in_range() -> None:
    card = torch.zeros(8, 3, 96, 64, dtype=torch.uint8)
    card[:, :, :48] = 255  # light above, dark below
    seen = augment(card, (48, 32), np.random.default_rng(0))
    assert seen.shape == (8, 3, 48, 32)
    assert seen.min() >= -1
    assert seen.max() <= 1
    assert (seen[:, :, :12].mean((1, 2, 3)) > seen[:, :, -12:].mean((1, 2, 3)) + 0.5).all()


class Oracle:
    """A CLIP stand-in whose vectors are given: the evaluation must count what they imply."""

    logit_scale = 100.0

    def __init__(self, texts: dict[str, NDArray[np.float32]], images: NDArray[np.float32]) -> None:
        self._texts, self._images = texts, images

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._texts[text] for text in texts])

    def embed_images(self, images: Sequence[object]) -> NDArray[np.float32]:
        return self._images[: len(images)]


@pytest.mark.parametrize(("kind", "share"), [("knows", 1.0), ("blind", 1 / 6), ("wrong", 0.0)])
def test_right_of_six(cards: list[TrainingCard], kind: str, share: float) -> None:
    own = np.eye(len(cards), dtype=np.float32)
    vectors = {"knows": own, "blind": np.ones_like(own), "wrong": -own}[kind]
    asked = questions(cards, np.random.default_rng(0))["description"]
    clip = Oracle({question.clue: vectors[question.row] for question in asked}, own)
    answers = ask(clip, asked, cards, own, hard=False, rng=np.random.default_rng(1))  # type: ignore[arg-type]
    assert answers.six.shape == (5 * len(cards), 6)
    assert answers.share() == pytest.approx(share)
    assert answers.interval(np.random.default_rng(2)) == pytest.approx((share, share))


def test_distractors_are_never_true_and_hard_ones_are_alike(cards: list[TrainingCard]) -> None:
    """A text scores 1 on cards of which it is true, and more on cards of another template and place."""
    own = np.eye(len(cards), dtype=np.float32)
    for asked in questions(cards, np.random.default_rng(0)).values():
        for question in asked:
            truth = cards[question.row].truth
            true = [question.about <= facts(card.truth) for card in cards]
            alike = [card.truth.template == truth.template or card.truth.place == truth.place for card in cards]
            if sum(near and not holds for near, holds in zip(alike, true, strict=True)) < 5:
                continue
            score = np.where(true, 1.0, np.where(alike, 0.0, 2.0)).astype(np.float32)
            clip = Oracle({question.clue: score}, own)
            answers = ask(clip, [question], cards, own, hard=True, rng=np.random.default_rng(1))  # type: ignore[arg-type]
            assert (answers.six[:, 0] == 1).all()
            assert (answers.six[:, 1:] == 0).all()


def test_associated_tags_do_not_name_the_thing(cards: list[TrainingCard]) -> None:
    truth = cards[0].truth
    name = truth.names[0]["en"].split()[-1]
    tags = ({"en": [f"{name}s", name, "wisdom"]}, *truth.tags[1:])
    assert associated_tags(Truth(**{**vars(truth), "tags": tags})) == ["wisdom"]


def test_intervals_keep_a_cards_draws_together() -> None:
    """Two hundred draws of two cards, one always right, one never, leave the share wide open."""
    right = np.tile([1.0, 0, 0, 0, 0, 0], (100, 1))
    wrong = np.tile([0.0, 1, 0, 0, 0, 0], (100, 1))
    answers = Answers(np.concatenate([right, wrong]).astype(np.float32), np.repeat([0, 1], 100))
    assert answers.share() == 0.5
    assert answers.interval(np.random.default_rng(0)) == (0.0, 1.0)


def test_the_calibration_error_of_a_model_that_is_too_sure() -> None:
    six = np.zeros((100, 6), np.float32)
    six[:50, 0] = six[50:, 1] = 1.0  # half of the answers are right, all are given with certainty
    confidence, right = confidences([Answers(six, np.arange(100))], scale=50)
    assert confidence == pytest.approx(1)
    assert right.mean() == 0.5
    assert calibration_error(confidence, right) == pytest.approx(0.5)


def test_all_figures_are_reported(cards: list[TrainingCard]) -> None:
    rng = np.random.default_rng(0)
    vectors: dict[str, NDArray[np.float64]] = {}

    class Noise(Oracle):
        def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([vectors.setdefault(text, rng.normal(size=8)) for text in texts], np.float32)

    images = rng.normal(size=(len(cards), 8)).astype(np.float32)
    with pytest.raises(DixitError, match="too few"):
        evaluate(Noise({}, images), cards[:4], cards)  # type: ignore[arg-type]
    figures, _ = evaluate(Noise({}, images), cards, cards)  # type: ignore[arg-type]
    kinds = {"description", "object_en", "object_pt", "object_es", "object_da", "tags", "small", "unseen_object"}
    assert figures["right_of_six"].keys() == figures["hard"].keys() == kinds
    for kind in kinds:
        low, high = figures["intervals"]["right_of_six"][kind]
        assert low <= figures["right_of_six"][kind] <= high
    assert 0 <= figures["recall_at_1_of_300"] <= 1


def test_text_tower_learns_its_targets_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dixit_env.models.clip_training.distil.BATCH", 32)
    rng = np.random.default_rng(0)
    words = ["the far sea", "owl", "at night", "keys and locks", "moonlit boats", "saudade", "infância", "hjem"]
    corpus = [Text(word, "en", english=word if word == "hjem" else "") for word in words]
    targets = rng.normal(size=(8, DIM)).astype(np.float32)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    torch.manual_seed(0)
    network = build_network()
    start_text_tower(network, corpus, targets)
    tokens, wanted = TextBatches(corpus, targets, 32, seed=5).draw(0)

    def reached() -> float:
        with torch.inference_mode():
            return float(F.cosine_similarity(network.text(tokens), wanted).mean())

    before = reached()
    curve = Curve(tmp_path / "curve.csv")
    distil(network, corpus, targets, epochs=80, checkpoint=tmp_path / "text.pt", curve=curve)  # 20 steps
    after = reached()
    assert after > before + 0.1
    distil(network, corpus, targets, epochs=80, checkpoint=tmp_path / "text.pt", curve=curve)  # nothing is left to do
    assert reached() == after
    curve.draw(tmp_path / "curve.png")
    with Image.open(tmp_path / "curve.png") as picture:
        assert picture.width > 100


def test_learning_rate_rises_then_falls() -> None:
    rates = [warm_cosine(step, 100, 10) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == pytest.approx(1.0)
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert rates[-1] == pytest.approx(0.01, abs=0.01)


def test_a_saved_network_is_the_same_through_open_clip(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = build_network().eval()
    save_network(network, tmp_path)
    clip = load_clip(str(tmp_path))
    card = Image.fromarray(np.random.default_rng(0).integers(0, 256, (288, 192, 3), np.uint8))
    pixels = (torch.from_numpy(np.asarray(card).copy()).permute(2, 0, 1)[None] / 255 - 0.5) / 0.5
    with torch.inference_mode():
        own = F.normalize(network.encode_image(pixels), dim=-1).numpy()
    np.testing.assert_allclose(clip.embed_images([card]), own, atol=2e-3)  # weights are stored in half precision


@pytest.fixture(scope="module")
def dreams() -> tuple[Deck, Clip, NDArray[np.float32]]:
    """The embedded deck through the embedded CLIP."""
    deck, clip = Deck.load("dreams"), load_clip()
    return deck, clip, clip.embed_images([card.path for card in deck.cards if card.path])


@pytest.mark.parametrize(("language", "share"), [("en", 0.85), ("pt", 0.7), ("es", 0.7), ("da", 0.7)])
def test_a_description_picks_its_card_of_six(
    dreams: tuple[Deck, Clip, NDArray[np.float32]], language: str, share: float
) -> None:
    deck, clip, pictures = dreams
    similarities = clip.embed_texts([card.captions[language] for card in deck.cards]) @ pictures.T
    rng = np.random.default_rng(0)
    right = []
    for row in range(len(deck)):
        for _ in range(5):
            others = rng.choice([other for other in range(len(deck)) if other != row], 5, replace=False)
            right.append(similarities[row, row] > similarities[row, others].max())
    assert np.mean(right) > share
