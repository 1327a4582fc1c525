"""What the frozen stages of a picture tower make of training cards: computed for each batch, or once and kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchvision.transforms.functional import pil_to_tensor
from tqdm import tqdm

from dixit_env.models.clip_training.cards import TrainingCard
from dixit_env.models.clip_training.designs import Size

_BATCH = 64  # cards that are looked at together


class Looks(Protocol):
    """Training cards as the frozen stages see them."""

    def early(self, rows: Sequence[int], size: Size, rng: np.random.Generator) -> Tensor:
        """Features of the cards in these rows, (B, C, h, w), from pictures of `size` with changes that `rng` draws."""
        ...


class FreshLooks:
    """Each time a look of its own."""

    def __init__(self, stages: nn.Module, cards: Sequence[TrainingCard]) -> None:
        self._stages, self._cards = stages, cards

    def early(self, rows: Sequence[int], size: Size, rng: np.random.Generator) -> Tensor:
        """As in `Looks`."""
        pixels = torch.stack([pil_to_tensor(self._cards[row].image()) for row in rows])
        changed = augment(pixels, size, rng).contiguous(memory_format=torch.channels_last)
        with torch.no_grad():
            features: Tensor = self._stages(changed)
        return features


class KeptLooks:
    """One look at each card, kept, because the frozen stages are most of the work; batches mirror it at random.

    Args:
        fresh: looks at cards.
        count: cards.
        size: of the pictures (height, width).
        path: of the `.npy` file that keeps the features, half precision (cards, C, h, w); computed when it isn't there.
    """

    def __init__(self, fresh: FreshLooks, count: int, size: Size, path: Path) -> None:
        if not path.exists():
            _keep(fresh, count, size, path)
        self._size, self._features = size, np.load(path, mmap_mode="r")

    def early(self, rows: Sequence[int], size: Size, rng: np.random.Generator) -> Tensor:
        """As in `Looks`; raises `ValueError` where `size` isn't that of the kept look."""
        if size != self._size:
            raise ValueError(f"the kept look is of {self._size}, not of {size}")
        features = torch.from_numpy(self._features[rows]).float().contiguous(memory_format=torch.channels_last)
        mirrored = torch.from_numpy(rng.random(len(rows)) < 0.5)
        return torch.where(mirrored[:, None, None, None], features.flip(-1), features)


def _keep(fresh: FreshLooks, count: int, size: Size, path: Path) -> None:
    unfinished, kept = path.with_suffix(".part"), None
    for start in tqdm(range(0, count, _BATCH), desc="looks", disable=None):
        rows = range(start, min(start + _BATCH, count))
        features = fresh.early(rows, size, np.random.default_rng((0, start))).numpy()
        if kept is None:
            shape = (count, *features.shape[1:])
            kept = np.lib.format.open_memmap(unfinished, "w+", np.float16, shape)
        kept[rows.start : rows.stop] = features
    del kept  # writes what isn't on disk yet
    unfinished.replace(path)


def augment(pixels: Tensor, size: tuple[int, int], rng: np.random.Generator) -> Tensor:
    """Bytes (B, 3, H, W) → normalised floats of `size`, mirrored, cropped, turned, recoloured and blurred a little.

    Whatever changes must leave true what captions say: things stay on the card and colours recognisable.
    """
    count = len(pixels)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
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
