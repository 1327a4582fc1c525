"""Stage two: the picture tower learns to see what a card shows, as a place in the space that the clues point into.

The text tower stays as stage one left it. A card's picture is drawn to its place (`scenes`), told from the other cards
of the batch, and matched with what is said of them: associations, names and tags of what they show, descriptions, and
viewers' clues where it has some.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from open_clip import CustomTextCLIP
from PIL import Image
from torch import Tensor
from torchvision.transforms.functional import pil_to_tensor
from tqdm import tqdm

from dixit_env.models.clip_training.cards import TrainingCard
from dixit_env.models.clip_training.checkpoints import restore, store, warm_cosine
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.meanings import Key
from dixit_env.models.clip_training.scenes import SceneSpace, keys_of
from dixit_env.models.clip_training.talk import matching_loss

BATCH = 96  # cards
TEMPLATES = 12  # a batch's cards come from this many scene templates, so that many of its negatives are hard
FROZEN = 3  # the tower's first stages keep their ImageNet weights: edges and textures are the same on cards
_RATES = {"tower": 4e-4, "head": 1e-3}
# Share of the steps by which each picture size (height, width) ends: most is learned cheaply from small pictures.
_SIZES = ((0.8, (192, 128)), (1.0, (264, 176)))
_WARM_UP = 40  # steps
_RIDGE = 1e-1
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
    space: SceneSpace,
    speech: Speech,
    cards: Sequence[TrainingCard],
    steps: int,
    checkpoint: Path,
    curve: Curve,
) -> None:
    """Train the picture tower on the cards for `steps` batches; resumes from `checkpoint`."""
    network.eval().to(memory_format=torch.channels_last)  # batch normalisation keeps ImageNet's statistics
    tower = network.visual.trunk
    late = [tower.blocks[FROZEN:], tower.conv_head, tower.bn2]
    groups = {
        "tower": [parameter for part in late for parameter in part.parameters()],
        "head": [*network.visual.head.parameters(), network.logit_scale],
    }
    optimizer = torch.optim.AdamW(
        [{"params": groups[name], "lr": _RATES[name]} for name in groups], weight_decay=0.02, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    parts = {"pictures": network.visual, "optimizer": optimizer, "schedule": schedule}
    batches = Batches(space, speech, cards)
    done = restore(checkpoint, parts)
    for step in tqdm(range(done, steps), desc="picture tower", initial=done, total=steps, disable=None):
        size = next(size for end, size in _SIZES if step < end * steps)
        batch = batches.draw(step, size)
        seen = F.normalize(image_features(network, batch.pixels), dim=-1)  # (B, dim)
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


def image_features(network: CustomTextCLIP, pixels: torch.Tensor) -> torch.Tensor:
    """The picture tower's features (B, dim), with gradients from stage `FROZEN` on."""
    trunk = network.visual.trunk
    pixels = pixels.contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        early = trunk.blocks[:FROZEN](trunk.bn1(trunk.conv_stem(pixels)))
    late = trunk.bn2(trunk.conv_head(trunk.blocks[FROZEN:](early)))
    features: torch.Tensor = network.visual.head(trunk.global_pool(late))
    return features


@dataclass(frozen=True)
class Batch:
    """Cards as pictures and as places, and what is said of them."""

    pixels: Tensor  # (B, 3, H, W) normalised
    places: Tensor  # (B, dim)
    said: Tensor  # (T, dim)
    true: Tensor  # (T, B) bool


class Batches:
    """Augmented cards with what is said of them, drawn by step so that a resumed run goes on where it was."""

    def __init__(self, space: SceneSpace, speech: Speech, cards: Sequence[TrainingCard], seed: int = 0) -> None:
        self._cards, self._speech, self._seed = cards, speech, seed
        with torch.no_grad():
            self._places = space.cards(*space.table([card.truth for card in cards]))
        self._keys = [keys_of(card.truth) for card in cards]
        by_template: dict[str, list[int]] = {}
        for row, card in enumerate(cards):
            by_template.setdefault(card.truth.template, []).append(row)
        self._by_template = [by_template[name] for name in sorted(by_template)]
        self._sizes = np.array([len(rows) for rows in self._by_template]) / len(cards)

    def draw(self, step: int, size: tuple[int, int]) -> Batch:
        """The batch of that step, its pictures of `size` (height, width)."""
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
        pixels = torch.stack([pil_to_tensor(self._cards[row].image()) for row in rows])
        said = torch.from_numpy(self._speech.vectors[texts])
        return Batch(augment(pixels, size, rng), self._places[rows], said, torch.tensor(true))

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


def augment(pixels: torch.Tensor, size: tuple[int, int], rng: np.random.Generator) -> torch.Tensor:
    """Bytes (B, 3, H, W) → normalised floats of `size`, mirrored, cropped, turned, recoloured and blurred a little.

    Whatever changes must leave true what captions say: things stay on the card and colours recognisable.
    """
    count = len(pixels)

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.from_numpy(rng.uniform(low, high, (count, *shape)).astype(np.float32))

    scale, turn = uniform(0.82, 1.04), uniform(-0.1, 0.1)  # share of the card seen, radians
    flip = torch.from_numpy(rng.choice([-1.0, 1.0], count).astype(np.float32))
    ratio = pixels.shape[2] / pixels.shape[3]
    affine = torch.zeros(count, 2, 3)
    affine[:, 0, 0], affine[:, 0, 1] = flip * scale * turn.cos(), -scale * turn.sin() * ratio
    affine[:, 1, 0], affine[:, 1, 1] = flip * scale * turn.sin() / ratio, scale * turn.cos()
    affine[:, :, 2] = uniform(-1, 1, 2) * (1 - scale).clamp(min=0)[:, None]
    grid = F.affine_grid(affine, [count, 3, *size], align_corners=False)
    moved = F.grid_sample(pixels.float() / 255, grid, padding_mode="reflection", align_corners=False)

    grey = moved.mean((1, 2, 3), keepdim=True)
    moved = grey * uniform(0.8, 1.2, 1, 1, 1) + (moved - grey) * uniform(0.75, 1.2, 1, 1, 1)  # brightness, contrast
    moved = torch.lerp(moved.mean(1, keepdim=True), moved, uniform(0.5, 1.3, 1, 1, 1))  # saturation
    moved = moved * uniform(0.92, 1.08, 3, 1, 1)  # tint
    blurred = F.avg_pool2d(moved, 3, stride=1, padding=1, count_include_pad=False)
    moved = torch.lerp(moved, blurred, uniform(-0.3, 0.7, 1, 1, 1))  # below zero: sharpened
    return (moved.clamp(0, 1) - 0.5) / 0.5


def start_head(network: CustomTextCLIP, space: SceneSpace, cards: Sequence[TrainingCard]) -> None:
    """Start the picture tower's head by ridge regression from its features to the cards' places."""
    network.eval()
    trunk = network.visual.trunk
    inputs = []
    for start in tqdm(range(0, len(cards), BATCH), desc="head", disable=None):
        pixels = torch.stack([_normalised(card.image()) for card in cards[start : start + BATCH]])
        with torch.inference_mode():
            inputs.append(trunk(pixels.contiguous(memory_format=torch.channels_last)))  # (B, 1280)
    features = torch.cat(inputs)
    gram = features.T @ features
    penalty = _RIDGE * gram.trace() / len(gram) * torch.eye(len(gram))
    with torch.no_grad():
        wanted = space.cards(*space.table([card.truth for card in cards]))  # (n, dim)
        solved: Tensor = torch.linalg.solve(gram + penalty, features.T @ (wanted - wanted.mean(0)))  # (1280, dim)
        network.visual.head.proj.weight.copy_(solved.T)


def _normalised(image: Image.Image) -> Any:
    return (pil_to_tensor(image).float() / 255 - 0.5) / 0.5
