"""Stage two: the picture tower learns to see what a card shows, as a place in the space that the clues point into.

The text tower stays as stage one left it. A card's picture is drawn to its place (`scenes`), told from the other cards
of the batch, and matched with what is said of them: associations, names and tags of what they show, descriptions, and
viewers' clues where it has some.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from open_clip import CustomTextCLIP
from torch import Tensor, nn
from tqdm import tqdm

from dixit_env.models.clip_training.cards import TrainingCard
from dixit_env.models.clip_training.checkpoints import restore, store, warm_cosine
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.designs import Design
from dixit_env.models.clip_training.looks import FreshLooks, KeptLooks, Looks
from dixit_env.models.clip_training.meanings import Key
from dixit_env.models.clip_training.scenes import SceneSpace, keys_of
from dixit_env.models.clip_training.talk import matching_loss

BATCH = 96  # cards
TEMPLATES = 12  # a batch's cards come from this many scene templates, so that many of its negatives are hard
_RATES = {"tower": 4e-4, "head": 1e-3}
_WARM_UP = 40  # steps
_RIDGE = 1e-1
_FOR_HEAD = 2_000  # cards that the head starts from
_NEAR, _TOLD, _SAID = 3.0, 0.5, 1.0  # weights of the three losses
_EVERY = 25  # steps between checkpoints
# What is said of a card in a batch: of its main thing, of a small one, and of the template, the place or the mood.
_SPEECH = (("thing", 0.4), ("name", 0.4), ("tag", 0.2))
_ABOUT = (("template", 0.5), ("place", 0.35), ("mood", 0.15))


@dataclass(frozen=True, eq=False)
class Speech:
    """What is said of keys and of cards, as vectors of the finished text tower."""

    vectors: NDArray[np.float32]  # (texts, dim)
    of_key: Mapping[tuple[str, Key], NDArray[np.int64]]
    """rows by kind (`association`'s own kind, `name` or `tag`) and key"""
    of_card: Mapping[int, NDArray[np.int64]]
    """rows by a card's seed: descriptions and viewers' clues"""


def train_pictures(
    network: CustomTextCLIP,
    design: Design,
    space: SceneSpace,
    speech: Speech,
    cards: Sequence[TrainingCard],
    steps: int,
    checkpoint: Path,
    curve: Curve,
) -> None:
    """Train the picture tower on the cards for `steps` batches; resumes from `checkpoint`.

    Looks that are kept lie beside the checkpoint.
    """
    network.eval().to(memory_format=torch.channels_last)  # batch normalisation keeps ImageNet's statistics
    trunk = network.visual.trunk
    late = nn.Sequential(trunk.blocks[design.frozen :], trunk.conv_head, trunk.bn2, trunk.global_pool)
    groups = {
        "tower": list(late.parameters()),
        "head": [*network.visual.head.parameters(), network.logit_scale],
    }
    optimizer = torch.optim.AdamW(
        [{"params": groups[name], "lr": _RATES[name]} for name in groups], weight_decay=0.02, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    parts = {"pictures": network.visual, "optimizer": optimizer, "schedule": schedule}
    batches = Batches(space, speech, cards, design.seed)
    looks = looks_at(network, design, cards, checkpoint.parent)
    done = restore(checkpoint, parts)
    if not done:
        start_head(network, late, design, looks, batches.places)
    for step in tqdm(range(done, steps), desc="picture tower", initial=done, total=steps, disable=None):
        size = next(size for end, size in design.sizes if step < end * steps)
        batch = batches.draw(step)
        early = looks.early(batch.rows, size, batch.rng)
        seen = F.normalize(network.visual.head(late(early)), dim=-1)  # (B, dim)
        scale = network.logit_scale.exp()
        near = 1 - (seen * batch.places).sum(-1).mean()
        own = torch.arange(len(seen))
        told = F.cross_entropy(seen @ batch.places.T * scale, own)
        logits = batch.said @ seen.T * scale  # (texts, B)
        to_cards, to_texts = matching_loss(logits, batch.true)
        optimizer.zero_grad()
        torch.autograd.backward(_NEAR * near + _TOLD * told + _SAID * 0.5 * (to_cards + to_texts))
        torch.nn.utils.clip_grad_norm_([p for group in groups.values() for p in group], 1.0)
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            network.logit_scale.clamp_(0.0, math.log(100.0))
            found = batch.true.gather(1, logits.argmax(1, keepdim=True)).float().mean()
        curve.add("cards", step, loss=float(to_cards.detach()), near=float(near.detach()), found=float(found))
        if step % _EVERY == _EVERY - 1 or step == steps - 1:
            store(checkpoint, step + 1, parts)


def looks_at(network: CustomTextCLIP, design: Design, cards: Sequence[TrainingCard], folder: Path) -> Looks:
    """The cards through the tower's frozen stages, as the design says."""
    trunk = network.visual.trunk
    fresh = FreshLooks(nn.Sequential(trunk.conv_stem, trunk.bn1, trunk.blocks[: design.frozen]), cards)
    if not design.keeps_looks:
        return fresh
    ((_, size),) = design.sizes
    return KeptLooks(fresh, len(cards), size, folder / "looks.npy")


@dataclass(frozen=True)
class Batch:
    """Cards, their places, and what is said of them."""

    rows: Sequence[int]  # (B,) of the cards
    places: Tensor  # (B, dim)
    said: Tensor  # (T, dim)
    true: Tensor  # (T, B) bool
    rng: np.random.Generator  # draws how the cards are looked at


class Batches:
    """Cards with what is said of them, drawn by step so that a resumed run goes on where it was."""

    def __init__(self, space: SceneSpace, speech: Speech, cards: Sequence[TrainingCard], seed: int) -> None:
        self._cards, self._speech, self._seed = cards, speech, seed
        with torch.no_grad():
            self.places = space.cards(*space.table([card.truth for card in cards]))
        self._keys = [keys_of(card.truth) for card in cards]
        by_template: dict[str, list[int]] = {}
        for row, card in enumerate(cards):
            by_template.setdefault(card.truth.template, []).append(row)
        self._by_template = [by_template[name] for name in sorted(by_template)]
        self._sizes = np.array([len(rows) for rows in self._by_template]) / len(cards)

    def draw(self, step: int) -> Batch:
        """The batch of that step."""
        rng = np.random.default_rng((self._seed, step))
        rows = self._rows(rng)
        texts: list[int] = []
        about: list[Key | int] = []
        for row in rows:
            for text, fact in self._said_of(row, rng):
                texts.append(text)
                about.append(fact)
        shown = [{key for _, key in self._keys[row]} for row in rows]
        seeds = [self._cards[row].truth.seed for row in rows]
        true = [
            [fact == seed if isinstance(fact, int) else fact in keys for seed, keys in zip(seeds, shown, strict=True)]
            for fact in about
        ]
        said = torch.from_numpy(self._speech.vectors[texts])
        return Batch(rows, self.places[rows], said, torch.tensor(true), rng)

    def _said_of(self, row: int, rng: np.random.Generator) -> list[tuple[int, "Key | int"]]:
        """Texts of a card and what each is true of: a key, or this card alone."""
        keys = self._keys[row]
        things = [key for part, key in keys if part < 2]
        rest = {key[0]: key for part, key in keys if part >= 2}
        said: list[tuple[int, Key | int]] = []
        for key in (things[0], things[int(rng.integers(len(things)))], rest[_pick(_ABOUT, rng)]):
            kind = _pick(_SPEECH, rng) if key[0] == "thing" else key[0] if rng.random() < 0.6 else "name"
            options = self._speech.of_key.get((kind, key), self._speech.of_key.get(("name", key)))
            if options is not None:
                said.append((int(rng.choice(options)), key))
        seed = self._cards[row].truth.seed
        said += [(int(text), seed) for text in rng.choice(self._speech.of_card[seed], 1)]
        return said

    def _rows(self, rng: np.random.Generator) -> list[int]:
        count = min(TEMPLATES, len(self._by_template))
        templates = rng.choice(len(self._by_template), count, replace=False, p=self._sizes)
        each = BATCH // count
        drawn = [
            rng.choice(self._by_template[t], min(each, len(self._by_template[t])), replace=False) for t in templates
        ]
        return [int(row) for row in np.concatenate(drawn)]


def _pick(options: Sequence[tuple[str, float]], rng: np.random.Generator) -> str:
    return str(rng.choice([name for name, _ in options], p=[share for _, share in options]))


def start_head(network: CustomTextCLIP, late: nn.Module, design: Design, looks: Looks, places: Tensor) -> None:
    """Start the picture tower's head by ridge regression from its features to the cards' places, (cards, dim)."""
    rows, size = list(range(0, len(places), max(1, len(places) // _FOR_HEAD))), design.sizes[0][1]
    inputs = []
    for start in tqdm(range(0, len(rows), BATCH), desc="head", disable=None):
        early = looks.early(rows[start : start + BATCH], size, np.random.default_rng(start))
        with torch.inference_mode():
            inputs.append(late(early))  # (B, channels)
    features = torch.cat(inputs)
    gram = features.T @ features
    penalty = _RIDGE * gram.trace() / len(gram) * torch.eye(len(gram))
    with torch.no_grad():
        wanted = places[rows] - places[rows].mean(0)  # (n, dim)
        solved: Tensor = torch.linalg.solve(gram + penalty, features.T @ wanted)  # (channels, dim)
        network.visual.head.proj.weight.copy_(solved.T)
