"""All stages of making a CLIP, each resumable, from packages to a folder that open_clip loads."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from open_clip import CustomTextCLIP
from torch import Tensor

from dixit_env.bench.viewers.guesses import read_guesses
from dixit_env.bench.viewers.measure import painted, written
from dixit_env.decks.maker import load_sources
from dixit_env.errors import DixitError
from dixit_env.models.clip import load_clip
from dixit_env.models.clip_training import reader
from dixit_env.models.clip_training.cards import (
    HELD_OUT,
    PLAIN,
    TRAIN,
    WIDE,
    Truth,
    read_split,
    render_splits,
)
from dixit_env.models.clip_training.checkpoints import restore, store
from dixit_env.models.clip_training.corpus import common_texts
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.designs import DESIGNS, Design
from dixit_env.models.clip_training.e5 import E5, tokenizer_of
from dixit_env.models.clip_training.lesson import imagined, names_and_tags, speech, with_named_things
from dixit_env.models.clip_training.meanings import Said, ViewersClue, associated, viewers_clues
from dixit_env.models.clip_training.network import Tokens, new_network, save_network
from dixit_env.models.clip_training.picture_stage import train_pictures
from dixit_env.models.clip_training.scenes import PARTS, SceneSpace, keys_of
from dixit_env.models.clip_training.sharpness import HARVEST_GUESSES, among_others, cosines, own_scale
from dixit_env.models.clip_training.talk import Talk
from dixit_env.models.clip_training.text_stage import COUNTS, start_from_meanings, train_text
from dixit_env.models.clip_training.widen import widened
from dixit_env.models.sentences import sentence_encoder
from dixit_env.packages import source_folder

SHARPENED_ON = "harvest"  # deck of clues that set the logit scale
SHARES = {TRAIN: 0.25, PLAIN: 0.55, WIDE: 0.2}  # of the training cards
READER_STEPS = 1_000
# A place's part in a picture's vector. Texts leave it .13, because clues seldom speak of places. With .45 a place's
# name finds the right card nearly twice as often (perfect eyes: .34, .6), and viewers' clues one time in 100 less.
PLACE = 0.45
_READ = 8_192  # vectors that are read at a time
_FOR_VOCABULARY = 3_000  # imagined cards whose descriptions the vocabulary should spell


@dataclass(frozen=True)
class Work:
    """Where the stages keep what they make; removing a file makes its stage run again."""

    folder: Path

    @property
    def cards(self) -> Path:
        """Shards of rendered cards, for all designs."""
        return self.folder / "cards"

    def own(self, design: Design) -> Path:
        """What one design's stages keep."""
        return self.folder / design.name

    def curve(self, design: Design) -> Curve:
        """What training measures as it goes."""
        return Curve(self.own(design) / "curve.csv")


def build(work: Work, design: Design, out: Path, cards: int, text_steps: int, steps: int) -> None:
    """Train from scratch, or from where an earlier run stopped, and write the network into `out`.

    `cards`: composed cards, of which the design learns from its part; `text_steps`: batches of texts; `steps`: batches
    of cards.
    """
    own, curve = work.own(design), work.curve(design)
    own.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(design.seed)
    sources = load_sources()
    every = [*associated(), *names_and_tags(sources)]
    with_cards = _with_cards(viewers_clues())
    scenes, words = imagined(sources), common_texts(source_folder())
    e5 = E5.load()
    heard = [*(one.association.clue for one in every), *(text for text, _ in with_cards)]
    pieces = _vocabulary(work, e5, heard, scenes)
    vector_of = _e5_vectors(work, [*heard, *words], e5.words(pieces))

    associations = _part(design, associated())
    said = [*associations, *names_and_tags(sources)]
    clues = [clue for clue in viewers_clues() if design.learns_from(clue.card)]
    with_cards = [(text, truth) for text, truth in with_cards if design.learns_from(truth.seed)]
    space = SceneSpace(sorted({one.association.key for one in said}), design.dim)
    kept = [*pieces[: design.vocabulary - 1], pieces[-1]]
    tokens = Tokens(tokenizer_of(e5, kept))
    talk = Talk(said, with_cards, scenes, words, space, reader.COUNTS, design.seed)
    vectors = vector_of(talk.texts[: talk.spoken])
    read = _read(own, space, talk, vectors)
    network = new_network(design)
    with torch.no_grad():
        start_from_meanings(network, read(vector_of(e5.words(kept))), e5.written(kept, design.width - design.dim))
        meant = torch.cat([read(part) for part in torch.split(vectors, _READ)])
    talk = Talk(said, with_cards, scenes, words, space, COUNTS, design.seed)
    train_text(network, tokens, space, talk, meant, text_steps, own / "text.pt", curve)

    render_splits({split: round(cards * share) for split, share in SHARES.items()}, work.cards)
    known = [card for split in SHARES for card in read_split(split, work.cards)]
    known = [card for card in known if design.learns_from(card.truth.seed)]
    named = names_and_tags(widened(sources, HELD_OUT))
    spoken = speech(network, tokens, [*associations, *named], clues, [card.truth for card in known])
    space = with_named_things(space, spoken, [key for card in known for _, key in keys_of(card.truth)])
    with torch.no_grad():
        space.weights[PARTS.index("place")] = PLACE
    train_pictures(network, design, space, spoken, known, steps, own / "cards.pt", curve)
    save_network(network, design, tokens, out)
    sharpen(network, design, tokens, out)


def _part(design: Design, said: Sequence[Said]) -> list[Said]:
    return [one for number, one in enumerate(said) if design.learns_from(number)]


def sharpen(network: CustomTextCLIP, design: Design, tokens: Tokens, out: Path) -> None:
    """Give the network in `out` the logit scale at which it is as often right as it says."""
    deck, clues = painted(SHARPENED_ON), written(SHARPENED_ON)
    row = {card.name: number for number, card in enumerate(deck.cards)}
    clip = load_clip(str(out))
    pictures = clip.embed_images([card.picture() for card in deck.cards])
    scores = clip.embed_texts([clue.clue for clue in clues]) @ pictures.T
    six = among_others(scores.astype(np.float64), [row[clue.card] for clue in clues], np.random.default_rng(0))
    guesses = [guess for guess in read_guesses(HARVEST_GUESSES) if not guess.table.control]
    told = cosines(clip, guesses, {card.name: card.picture() for card in deck.cards})
    scale = own_scale((six, [0] * len(six)), (told, [guess.table.target for guess in guesses]))
    with torch.no_grad():
        network.logit_scale.fill_(math.log(scale))
    save_network(network, design, tokens, out)


def _with_cards(clues: Sequence[ViewersClue]) -> list[tuple[str, Truth]]:
    """Viewers' clues with what their cards show. Raises `DixitError` when the catalogue has changed since."""
    last = max(clue.card for clue in clues)
    scenes = TRAIN.scenes(load_sources())
    truths = {truth.seed: truth for truth in map(Truth.of, islice(scenes, last - TRAIN.first_seed + 1))}
    for clue in clues:
        if (truths[clue.card].things[0], truths[clue.card].template) != (clue.main, clue.template):
            raise DixitError(
                f"clues.tsv was written for cards of another catalogue (card {clue.card} showed {clue.main}): "
                "take the maker's catalogue back, or let viewers write anew"
            )
    return [(clue.clue, truths[clue.card]) for clue in clues]


def _e5_vectors(work: Work, texts: Sequence[str], pieces: Sequence[str]) -> Callable[[Sequence[str]], Tensor]:
    """Gives E5's vectors of some of these texts and pieces, centred by the texts' mean, unit length.

    All are computed once, for all designs.
    """
    path = work.folder / "e5.npy"
    different = list(dict.fromkeys([*texts, *pieces]))
    if not path.exists():
        np.save(path, sentence_encoder("e5").embed_texts(different).astype(np.float16))
    vectors = torch.from_numpy(np.load(path)).float()
    if len(vectors) != len(different):
        raise DixitError(f"{path} was made of other texts: remove {work.folder} and start again")
    row = {text: row for row, text in enumerate(different)}
    vectors = F.normalize(vectors - vectors[: len(set(texts))].mean(0), dim=-1)  # texts come first
    return lambda wanted: vectors[[row[text] for text in wanted]]


def _read(own: Path, space: SceneSpace, talk: Talk, vectors: Tensor) -> reader.Reader:
    """The reader, trained once, and the space as it left it."""
    path = own / "reader.pt"
    if path.exists():
        known = reader.Reader(vectors.shape[1], space.directions.shape[1])
        restore(path, {"reader": known, "space": space})
        return known.eval()
    trained = reader.train_reader(space, talk, vectors, READER_STEPS)
    store(path, READER_STEPS, {"reader": trained, "space": space})
    return trained


def _vocabulary(work: Work, e5: E5, texts: Sequence[str], scenes: Sequence[Truth]) -> list[int]:
    """The most pieces that a design keeps, the commonest first, chosen once: those that spell the texts and some of the
    scenes' descriptions."""
    path = work.folder / "vocabulary.json"
    if not path.exists():
        described = [text for truth in scenes[:_FOR_VOCABULARY] for text in truth.description.values()]
        most = max(design.vocabulary for design in DESIGNS.values())
        path.write_text(json.dumps(e5.vocabulary([*texts, *described], most)), encoding="utf-8")
    pieces: list[int] = json.loads(path.read_text(encoding="utf-8"))
    return pieces
