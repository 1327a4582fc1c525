"""Stage two: pictures and texts meet in a contrastive loss over composed cards."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from open_clip import CustomTextCLIP
from PIL import Image
from torchvision.transforms.functional import pil_to_tensor
from tqdm import tqdm

from dixit_env.models.clip import encode_tokens
from dixit_env.models.clip_training.captions import Caption, draw_captions, facts
from dixit_env.models.clip_training.cards import TrainingCard
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.distil import TextBatches, encode_by_length, restore, store, text_loss, warm_cosine
from dixit_env.models.clip_training.network import CARD_SIZE, tokenizer

BATCH = 96  # cards
TEMPLATES = 4  # a batch's cards come from this many scene templates, so that most of its negatives are hard
FROZEN = 3  # the tower's first stages keep their ImageNet weights: edges and textures are the same on cards
_RATES = {"tower": 4e-4, "head": 1e-3, "text": 2e-4}
# Share of the steps by which each picture size (height, width) ends: most is learned cheaply from small pictures.
_SIZES = ((0.8, (216, 144)), (1.0, CARD_SIZE))
_PLACES = 0.6  # share of the steps after which captions say more of places: what things are has to be learned first
_WARM_UP = 50  # steps
_RIDGE = 1e-1
# Weight of a card's nearness to what is said of it. The contrastive loss asks no more than to tell known things apart;
# this keeps a thing among its kin, which is what lets the words of one never seen find it.
_PULL = 3.0


@dataclass
class Batch:
    """`pixels` (B, 3, H, W) normalised, `tokens` (T, context), `true` (T, B): which texts hold of which cards."""

    pixels: torch.Tensor
    tokens: torch.Tensor
    true: torch.Tensor


def contrast(
    network: CustomTextCLIP,
    cards: Sequence[TrainingCard],
    texts: TextBatches,
    steps: int,
    checkpoint: Path,
    curve: Curve,
) -> None:
    """Train both towers on the cards for `steps` batches; resumes from `checkpoint`.

    The loss is contrastive, plus a pull of each card towards the mean of what is said of it.
    `texts` goes on teaching the text tower what words mean, so that captions don't make it forget.
    """
    network.eval().to(memory_format=torch.channels_last)  # batch normalisation keeps ImageNet's statistics
    tower = network.visual.trunk
    late = [tower.blocks[FROZEN:], tower.conv_head, tower.bn2]
    groups = {
        "tower": [parameter for part in late for parameter in part.parameters()],
        "head": [*network.visual.head.parameters(), network.logit_scale],
        "text": list(network.text.parameters()),
    }
    optimizer = torch.optim.AdamW(
        [{"params": groups[name], "lr": _RATES[name]} for name in groups], weight_decay=0.02, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    parts = {"network": network, "optimizer": optimizer, "schedule": schedule}
    batches = CardBatches(cards)
    done = restore(checkpoint, parts)
    for step in tqdm(range(done, steps), desc="both towers", initial=done, total=steps, disable=None):
        size = next(size for end, size in _SIZES if step < end * steps)
        batch = batches.draw(step, size, places=step >= _PLACES * steps)
        pictures = F.normalize(image_features(network, batch.pixels), dim=-1)  # (B, dim)
        captions = F.normalize(encode_by_length(network, batch.tokens), dim=-1)  # (T, dim)
        matching = contrastive_loss(captions @ pictures.T * network.logit_scale.exp(), batch.true)
        meant = F.normalize(shared(batch.true).T @ captions.detach(), dim=-1)  # (B, dim), what is said of each card
        nearness = (pictures * meant).sum(-1).mean()
        meaning, cosine = text_loss(network, *texts.draw(step))
        optimizer.zero_grad()
        torch.autograd.backward(matching + meaning + _PULL * (1 - nearness))
        torch.nn.utils.clip_grad_norm_([p for group in groups.values() for p in group], 1.0)
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            network.logit_scale.clamp_(0.0, math.log(100.0))
            found = batch.true.gather(1, (captions @ pictures.T).argmax(1, keepdim=True)).float().mean()
        measures = {"loss": float(matching.detach()), "nearness": float(nearness.detach()), "cosine": cosine}
        curve.add("cards", step, found=float(found), **measures)
        if step % 25 == 24 or step == steps - 1:
            store(checkpoint, step + 1, parts)


def image_features(network: CustomTextCLIP, pixels: torch.Tensor) -> torch.Tensor:
    """The picture tower's features (B, dim), with gradients from stage `FROZEN` on."""
    trunk = network.visual.trunk
    pixels = pixels.contiguous(memory_format=torch.channels_last)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        early = trunk.blocks[:FROZEN](trunk.bn1(trunk.conv_stem(pixels)))
    late = trunk.bn2(trunk.conv_head(trunk.blocks[FROZEN:](early.float())))
    features: torch.Tensor = network.visual.head(trunk.global_pool(late))
    return features


def contrastive_loss(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """Cross-entropy both ways for texts (rows) and cards (columns), where several may belong together.

    `logits`, `true`: (T, B).
    """
    share = shared(true)
    to_cards = -(share * logits.log_softmax(1)).sum(1)
    to_texts = -(share / share.sum(0, keepdim=True) * logits.log_softmax(0)).sum(0)
    return 0.5 * (to_cards.mean() + to_texts.mean())


def shared(true: torch.Tensor) -> torch.Tensor:
    """`true` (T, B) as weights: each text's weight of one is shared equally among the cards that it is true of.

    A card's place is named by every card of the batch that lies there. Unshared, those many captions would outweigh the
    few that say what only this card shows.
    """
    weights = true.float()
    return weights / weights.sum(1, keepdim=True)


class CardBatches:
    """Augmented cards with captions, drawn by step so that a resumed run goes on where it was."""

    def __init__(self, cards: Sequence[TrainingCard], seed: int = 0) -> None:
        self._cards = cards
        self._facts = [facts(card.truth) for card in cards]
        self._words = tokenizer()
        self._seed = seed
        by_template: dict[str, list[int]] = {}
        for row, card in enumerate(cards):
            by_template.setdefault(card.truth.template, []).append(row)
        self._by_template = [by_template[name] for name in sorted(by_template)]
        self._sizes = np.array([len(rows) for rows in self._by_template]) / len(cards)

    def draw(self, step: int, size: tuple[int, int], places: bool = False) -> Batch:
        """The batch of that step, its pictures of `size` (height, width); `places`: see `draw_captions`."""
        rng = np.random.default_rng((self._seed, step))
        rows = self._rows(rng)
        truths = [self._cards[row].truth for row in rows]
        captions: list[Caption] = [caption for truth in truths for caption in draw_captions(truth, rng, places)]
        true = [[caption.about <= self._facts[row] for row in rows] for caption in captions]
        images = [self._cards[row].image() for row in rows]
        return Batch(
            augment(torch.stack([pil_to_tensor(image) for image in images]), size, rng),
            self._words([caption.text for caption in captions]),
            torch.tensor(true),
        )

    def _rows(self, rng: np.random.Generator) -> list[int]:
        count = min(TEMPLATES, len(self._by_template))
        templates = rng.choice(len(self._by_template), count, replace=False, p=self._sizes)
        each = BATCH // count
        drawn = [
            rng.choice(self._by_template[t], min(each, len(self._by_template[t])), replace=False) for t in templates
        ]
        return [int(row) for row in np.concatenate(drawn)]


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


def start_head(network: CustomTextCLIP, cards: Sequence[TrainingCard]) -> None:
    """Start the picture tower's head by ridge regression from its features to the captions' place among texts."""
    network.eval()
    trunk, words = network.visual.trunk, tokenizer()
    inputs, outputs = [], []
    for start in tqdm(range(0, len(cards), BATCH), desc="head", disable=None):
        part = cards[start : start + BATCH]
        with torch.inference_mode():
            pixels = torch.stack([_normalised(card.image()) for card in part])
            inputs.append(trunk(pixels.contiguous(memory_format=torch.channels_last)))  # (B, 1280)
            said = [card.truth.description["en"] for card in part], [card.truth.names[0]["en"] for card in part]
            texts = [F.normalize(encode_tokens(network, words(list(lines))), dim=-1) for lines in said]
            outputs.append(torch.stack(texts).mean(0))  # (B, dim)
    features, wanted = torch.cat(inputs), torch.cat(outputs)
    wanted = wanted - wanted.mean(0)
    gram = features.T @ features
    penalty = _RIDGE * gram.trace() / len(gram) * torch.eye(len(gram))
    with torch.no_grad():
        solved: torch.Tensor = torch.linalg.solve(gram + penalty, features.T @ wanted)  # (1280, dim)
        network.visual.head.proj.weight.copy_(solved.T)


def _normalised(image: Image.Image) -> Any:
    return (pil_to_tensor(image).float() / 255 - 0.5) / 0.5
