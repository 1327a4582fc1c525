"""Making and measuring the embedded CLIP: what is said, losses, batches, the evaluation's arithmetic."""

import io
from collections.abc import Sequence
from dataclasses import replace
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
from dixit_env.models.clip_training.cards import HELD_OUT, TEST, TRAIN, UNSEEN, TrainingCard, Truth
from dixit_env.models.clip_training.checkpoints import warm_cosine
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.designs import DESIGNS, EMBEDDED, LITE1, LITE2, Design
from dixit_env.models.clip_training.evaluate import (
    Answers,
    ask,
    associated_tags,
    confidences,
    evaluate,
    facts,
    questions,
)
from dixit_env.models.clip_training.lesson import names_and_tags, without_article
from dixit_env.models.clip_training.looks import FreshLooks, KeptLooks, augment
from dixit_env.models.clip_training.meanings import Association, Said, associated, viewers_clues, weights
from dixit_env.models.clip_training.network import Tokens, build_network, save_network
from dixit_env.models.clip_training.picture_stage import Batches, Speech, train_pictures
from dixit_env.models.clip_training.reader import train_reader
from dixit_env.models.clip_training.scenes import SceneSpace, keys_of
from dixit_env.models.clip_training.talk import Counts, Talk, matching_loss
from dixit_env.models.clip_training.text_stage import start_from_meanings, train_text


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


@pytest.fixture(scope="module")
def said(sources: Sources) -> list[Said]:
    """What is said of everything that a card may show."""
    return [*associated(), *names_and_tags(sources)]


@pytest.fixture(scope="module")
def space(said: list[Said]) -> SceneSpace:
    """The space of all keys, as it starts."""
    torch.manual_seed(0)
    return SceneSpace(sorted({one.association.key for one in said}), EMBEDDED.dim)


def test_everything_a_card_may_show_has_associations_in_four_languages(cards: list[TrainingCard]) -> None:
    known = {(one.association.key, one.association.language) for one in associated()}
    for card in cards:
        for _, key in keys_of(card.truth):
            assert {(key, language) for language in LANGUAGES} <= known


def test_viewers_wrote_for_training_cards_alone(sources: Sources) -> None:
    """The catalogue still gives the cards that they saw, and none is a card of a deck."""
    clues = viewers_clues()
    assert len({clue.card for clue in clues}) >= 1_200
    scenes = TRAIN.scenes(sources)
    shown = {scene.seed: (scene.main.key, scene.template) for scene in (next(scenes) for _ in range(1_280))}
    assert all(shown[clue.card] == (clue.main, clue.template) for clue in clues)


def test_a_clue_under_many_keys_says_little_of_each() -> None:
    everywhere = [Said(Association(("thing", name), "en", "Hope"), "thing") for name in "abcd"]
    own = Said(Association(("thing", "a"), "en", "Bray"), "thing")
    drawn = weights([*everywhere, own], {"thing": 1.0}, {"en": 1.0})
    assert drawn.sum() == pytest.approx(1)
    assert drawn[-1] == pytest.approx(4 * drawn[0])


@pytest.mark.parametrize(
    ("name", "bare"), [("an owl", "owl"), ("uma coruja", "coruja"), ("en ugle", "ugle"), ("owl", "owl"), ("un", "un")]
)
def test_names_lose_their_article(name: str, bare: str) -> None:
    assert without_article(name) == bare


def test_the_loss_of_pairs_is_the_usual_cross_entropy() -> None:
    logits = torch.randn(6, 6, generator=torch.Generator().manual_seed(0))
    own = torch.arange(6)
    to_cards, to_texts = matching_loss(logits, torch.eye(6, dtype=torch.bool))
    torch.testing.assert_close(to_cards, F.cross_entropy(logits, own))
    torch.testing.assert_close(to_texts, F.cross_entropy(logits.T, own))


def test_cards_that_share_a_text_are_not_pushed_apart_and_cards_without_one_count_for_nothing() -> None:
    logits = torch.zeros(1, 3, requires_grad=True)
    to_cards, to_texts = matching_loss(logits, torch.tensor([[True, True, False]]))
    torch.autograd.backward(to_cards)
    assert logits.grad is not None
    assert logits.grad[0, 0] == logits.grad[0, 1] < 0 < logits.grad[0, 2]
    assert to_texts == 0  # one text: nothing to tell it from


def test_a_card_lies_where_what_it_shows_lies(space: SceneSpace, cards: list[TrainingCard]) -> None:
    """Among all keys, the nearest to a card is its main thing: it weighs most."""
    with torch.no_grad():
        places = space.cards(*space.table([card.truth for card in cards]))
        nearest = (places @ space.unit().T).argmax(1)
    assert places.norm(dim=1) == pytest.approx(1)
    main = [space.row["thing", card.truth.things[0]] for card in cards]
    assert (nearest == torch.tensor(main)).float().mean() > 0.9


def test_what_is_said_in_a_batch_is_true_of_its_card(
    space: SceneSpace, said: list[Said], cards: list[TrainingCard]
) -> None:
    truths = [card.truth for card in cards]
    clues = [("a clue", truths[0]), ("another of it", truths[0]), ("of another", truths[1])]
    talk = Talk(said, clues, truths, ["og", "hjem"], space, Counts(said=24, clues=3, descriptions=4, words=2))
    batch = talk.draw(5)
    assert torch.equal(batch.true, talk.draw(5).true)
    assert not np.array_equal(batch.texts, talk.draw(6).texts)
    texts = [talk.texts[row] for row in batch.texts]
    assert len(batch.true) == 24 + 3 + 4
    assert batch.true.diagonal().all()
    assert sorted(texts[24:27]) == sorted(clue for clue, _ in clues)
    assert batch.true[24:27, 24:27].sum() == 5  # two clues of one card are true of each other's
    described = {text for truth in truths for text in (*truth.description.values(), *truth.title.values())}
    assert set(texts[27:31]) <= described
    assert set(texts[31:]) <= {"og", "hjem"}
    for text, key in zip(texts, batch.keys.tolist(), strict=False):
        assert any(one.association.clue == text and space.row[one.association.key] == key for one in said)


def test_a_reader_learns_what_is_said(sources: Sources, said: list[Said], cards: list[TrainingCard]) -> None:
    """Texts with vectors that tell their keys apart come to lie by the cards that they are true of."""
    torch.manual_seed(0)
    truths = [card.truth for card in cards]
    space = SceneSpace(sorted({one.association.key for one in said}), 32)
    talk = Talk(said, [("a clue", truths[0])], truths, [], space, Counts(said=64, clues=1))
    directions = F.normalize(torch.randn(len(space.keys), 48), dim=1)
    rows = torch.tensor([space.row[one.association.key] for one in said])
    vectors = torch.cat([directions[rows], directions[:1]])
    reader = train_reader(space, talk, vectors, steps=200)
    with torch.no_grad():
        named = reader(directions[[space.row["thing", truth.things[0]] for truth in truths]])
        found = (named @ space.cards(*space.table(truths)).T).argmax(1)
    assert np.mean([truths[row].things[0] in truth.things for row, truth in zip(found, truths, strict=True)]) > 0.5


def said_of(space: SceneSpace, cards: Sequence[TrainingCard], dim: int) -> Speech:
    """Something for every key and every card."""
    vectors = np.random.default_rng(0).normal(size=(40, dim)).astype(np.float32)
    of_key = {("name", key): np.array([row % 40]) for row, key in enumerate(space.keys)}
    return Speech(vectors, of_key, {card.truth.seed: np.array([1, 2]) for card in cards})


def test_batches_of_cards_repeat_by_step(space: SceneSpace, cards: list[TrainingCard]) -> None:
    batches = Batches(space, said_of(space, cards, EMBEDDED.dim), cards, seed=0)
    first, again, other = batches.draw(3), batches.draw(3), batches.draw(4)
    assert first.rows == again.rows
    assert first.rng.random() == again.rng.random()
    assert torch.equal(first.said, again.said)
    assert not torch.equal(first.places[:8], other.places[:8])
    assert first.true.shape == (len(first.said), len(first.rows))
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


def test_small_designs_learn_from_different_cards_clues_and_associations() -> None:
    for number in range(50):
        assert EMBEDDED.learns_from(number)
        assert LITE1.learns_from(number) != LITE2.learns_from(number)


def test_a_kept_look_is_a_fresh_one_that_batches_mirror(tmp_path: Path, cards: list[TrainingCard]) -> None:
    """With stages that pass pictures on, a look is a picture."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").rotate(90).convert("RGB").save(buffer, "JPEG")
    striped = [replace(card, jpeg=buffer.getvalue()) for card in cards]
    kept = KeptLooks(FreshLooks(torch.nn.Identity(), striped), 70, (24, 16), tmp_path / "looks.npy")
    rows, rng = [3, 69, 3, 3, 3, 3], np.random.default_rng(0)
    seen = kept.early(rows, (24, 16), rng)
    assert seen.shape == (6, 3, 24, 16)
    assert len({look.numpy().tobytes() for look in seen[2:]}) == 2
    assert torch.equal(seen[0], seen[2]) or torch.equal(seen[0], seen[2].flip(-1))
    blind = KeptLooks(FreshLooks(torch.nn.Identity(), []), 70, (24, 16), tmp_path / "looks.npy")  # nobody looks again
    torch.testing.assert_close(blind.early(rows, (24, 16), np.random.default_rng(0)), seen)
    with pytest.raises(ValueError, match="kept look"):
        kept.early(rows, (48, 32), rng)


@pytest.mark.parametrize("keeps_looks", [False, True])
def test_the_picture_towers_late_stages_alone_learn_and_a_finished_run_stays(
    tmp_path: Path, space: SceneSpace, cards: list[TrainingCard], keeps_looks: bool
) -> None:
    torch.manual_seed(0)
    design = replace(LITE1, size=(48, 32), sizes=((1.0, (48, 32)),), dim=EMBEDDED.dim, keeps_looks=keeps_looks)
    network = build_network(design)

    def weights_after_training() -> dict[str, torch.Tensor]:
        speech, curve = said_of(space, cards, design.dim), Curve(tmp_path / "curve.csv")
        train_pictures(network, design, space, speech, cards, 3, tmp_path / "cards.pt", curve)
        return {name: value.clone() for name, value in network.visual.state_dict().items()}

    start = {name: value.clone() for name, value in network.visual.state_dict().items()}
    trained = weights_after_training()
    changed = [name for name in start if not torch.equal(start[name], trained[name])]
    late = ("trunk.blocks.5", "trunk.blocks.6", "trunk.conv_head", "trunk.bn2", "head")
    assert {next(part for part in late if name.startswith(part)) for name in changed} == set(late)
    again = weights_after_training()
    assert all(torch.equal(trained[name], again[name]) for name in start)


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


def letters(design: Design) -> Tokens:
    """A tokenizer of the design's size whose pieces are letters and a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = ["▁the", "▁far", "▁sea", "▁owl", "▁night", *map(chr, range(32, 127))]
    pieces = ["<s>", "<pad>", "<unk>", "▁", *words]
    pieces += [f"▁spare{number}" for number in range(design.vocabulary - len(pieces) - 1)]
    made = Tokenizer(models.Unigram([(piece, -1.0) for piece in [*pieces, "</s>"]], unk_id=2))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = [("<s>", 0), ("</s>", design.vocabulary - 1)]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=specials)
    return Tokens(made)


@pytest.mark.parametrize(
    "design", [pytest.param(EMBEDDED, marks=pytest.mark.slow), LITE2], ids=lambda design: design.name
)
def test_text_tower_learns_what_the_reader_says_and_resumes(
    tmp_path: Path, design: Design, said: list[Said], cards: list[TrainingCard]
) -> None:
    torch.manual_seed(0)
    truths = [card.truth for card in cards]
    space = SceneSpace(sorted({one.association.key for one in said}), design.dim)
    network, tokens = build_network(design), letters(design)
    some = said[::2000]
    talk = Talk(some, [("a clue", truths[0])], truths, ["sea"], space, Counts(said=8, clues=1, descriptions=2, words=1))
    meant = F.normalize(torch.randn(talk.spoken, design.dim), dim=1)
    meaning = F.normalize(torch.randn(design.vocabulary, design.dim), dim=1)
    start_from_meanings(network, meaning, torch.randn(design.vocabulary, design.width - design.dim))
    shown = tokens(talk.texts[: len(some)])

    def reached() -> float:
        with torch.inference_mode():
            return float(F.cosine_similarity(network.text(shown), meant[: len(some)]).mean())

    before = reached()
    curve = Curve(tmp_path / "curve.csv")
    train_text(network, tokens, space, talk, meant, 40, tmp_path / "text.pt", curve)
    after = reached()
    assert after > before + 0.1
    train_text(network, tokens, space, talk, meant, 40, tmp_path / "text.pt", curve)  # nothing is left to do
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


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_a_saved_network_is_the_same_through_open_clip(tmp_path: Path, design: Design) -> None:
    torch.manual_seed(1)
    network, tokens = build_network(design).eval(), letters(design)
    save_network(network, design, tokens, tmp_path)
    clip = load_clip(str(tmp_path))
    texts = ["the far sea", "owl " * 60]  # the second is longer than the context
    with torch.inference_mode():
        own = F.normalize(network.encode_text(tokens(texts)), dim=-1).numpy()
    np.testing.assert_allclose(clip.embed_texts(texts), own, atol=5e-3)
    card = Image.fromarray(np.random.default_rng(0).integers(0, 256, (*design.size, 3), np.uint8))
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
