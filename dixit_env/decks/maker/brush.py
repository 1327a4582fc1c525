"""Painting a picture again with brush strokes that run through things and ground alike.

Strokes are laid coarse to fine along the edges of the picture, the finer ones only where the coarser left something
out, and each lies thick on the canvas, so that light catches its ridges.
(Hertzmann 1998, "Painterly rendering with curved brush strokes of multiple sizes"; strokes along the structure tensor
as in Litwinowicz 1997, "Processing images and video for an impressionist effect".)
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from PIL import Image

from .extras import cv2
from .manner import Manner

ANGLES = 24
"""how many directions a brush comes in, over half a turn"""
VARIANTS = 3
IMPASTO = 9.0
"""how strongly light catches the ridges of the paint"""
KEY = np.array([0.55, 0.5, -0.05], dtype=np.float32)
"""the tone by which a stroke knows where another colour begins: brightness, and warm from cold"""


@dataclass(frozen=True)
class Layer:
    """Strokes of one size. Lengths are in card widths."""

    radius: float
    """half the width of a stroke"""
    length: float
    """a stroke's length, as a multiple of its width"""
    spacing: float
    """distance between strokes, as a multiple of `radius`"""
    needed: float
    """how far off the canvas has to be for a stroke to be laid, in tones (0 … 255)"""
    edge: float
    """how much colours may differ under one stroke, in tones"""
    opacity: float


LAYERS = (
    Layer(0.026, 3.0, 1.15, 0.0, 40.0, 0.95),
    Layer(0.0115, 3.2, 1.2, 7.0, 30.0, 0.9),
    Layer(0.005, 2.8, 1.4, 9.0, 22.0, 0.92),
)


@dataclass(frozen=True)
class Print:
    """What a brush leaves: a float32 mask with streaks of bristles; its corner where the stroke's middle is (0, 0).

    The corner counts from a margin around the canvas, half a stroke wide.
    """

    mask: np.ndarray
    top: int
    left: int


@cache
def brushes(radius: float, length: float) -> list[list[Print]]:
    """Prints of a brush by direction and variant. `radius` in pixels, `length` as a multiple of it."""
    rng = np.random.default_rng(0)
    half = radius * length
    reach = math.ceil(half) + 1
    rows, columns = np.indices((2 * reach + 1, 2 * reach + 1), dtype=np.float32) - reach
    prints = []
    for step in range(ANGLES):
        angle = np.pi * step / ANGLES
        along = columns * np.cos(angle) + rows * np.sin(angle)
        across = -columns * np.sin(angle) + rows * np.cos(angle)
        variants = []
        for _ in range(VARIANTS):
            bristles = np.convolve(rng.uniform(0, 1, 40), [0.25, 0.5, 0.25], "same")
            streak = np.interp(across / radius, np.linspace(-1.2, 1.2, 40), bristles)
            ragged = 1 - np.abs(along) / half + 0.35 * (streak - 0.5)
            body = np.clip(ragged * length * 1.1, 0, 1) * np.clip((1.08 - np.abs(across) / radius) * radius, 0, 1)
            mask = (body * (0.55 + 0.45 * streak)).astype(np.float32)
            used = np.argwhere(mask > 0.02)
            (top, left), (low, right) = used.min(0), used.max(0) + 1
            variants.append(Print(np.ascontiguousarray(mask[top:low, left:right]), int(top), int(left)))
        prints.append(variants)
    return prints


def flow(gray: np.ndarray, sigma: float, swirl: float, rng: np.random.Generator) -> np.ndarray:
    """Direction of the strokes at every pixel, (h, w) in radians: along edges, elsewhere in wide curves."""
    dx, dy = (cv2.Sobel(gray, cv2.CV_32F, *order, ksize=3) for order in ((1, 0), (0, 1)))
    xx, yy, xy = (cv2.GaussianBlur(product, (0, 0), sigma) for product in (dx * dx, dy * dy, dx * dy))
    height, width = gray.shape
    coarse = rng.normal(0, swirl, (6, 4)).astype(np.float32) + np.pi / 2
    wind = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    calm = 90.0
    across = 0.5 * np.arctan2(2 * xy + calm * np.sin(2 * wind), xx - yy + calm * np.cos(2 * wind))
    return across + np.pi / 2


def paint(picture: Image.Image, manner: Manner, light: int, rng: np.random.Generator) -> Image.Image:
    """The picture (RGB) in brush strokes. `light`: where it comes from, -1 left, 1 right."""
    target = np.asarray(picture, dtype=np.float32)
    height, width = target.shape[:2]
    ground = cv2.resize(target, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    canvas = np.dstack([cv2.GaussianBlur(ground, (0, 0), 0.01 * width), np.zeros(ground.shape[:2], np.float32)])
    layers = [replace(each, radius=each.radius * manner.size, length=each.length * manner.length) for each in LAYERS]
    canvas = _lay(layers[0], ground, canvas, manner.swirl, rng)  # broad strokes need no finer canvas
    canvas = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_CUBIC)
    for layer in layers[1:]:
        if layer.radius * width > 0.9:
            canvas = _lay(layer, target, canvas, manner.swirl, rng)
    dx, dy = (cv2.Sobel(canvas[..., 3], cv2.CV_32F, *order, ksize=3) for order in ((1, 0), (0, 1)))
    shine = np.clip((dy * 0.8 - dx * light * 0.6) * -IMPASTO * manner.relief, -18, 18)
    return Image.fromarray((canvas[..., :3] + shine[..., None]).clip(0, 255).astype(np.uint8))


def _lay(layer: Layer, target: np.ndarray, canvas: np.ndarray, swirl: float, rng: np.random.Generator) -> np.ndarray:
    """The canvas, (h, w, 4) float32 of red, green, blue and thickness, with one layer of strokes on it."""
    height, width = target.shape[:2]
    radius = layer.radius * width
    directions = flow(cv2.cvtColor(target, cv2.COLOR_RGB2GRAY), max(1.0, radius * 0.8), swirl, rng)
    gap = radius * layer.spacing
    rows, columns = (np.arange(gap / 2, length, gap) for length in (height, width))
    grid = np.stack(np.meshgrid(rows, columns, indexing="ij"), -1).reshape(-1, 2)
    places = (grid + rng.uniform(-0.5, 0.5, grid.shape) * gap).astype(int).clip(0, (height - 1, width - 1))
    if layer.needed:
        off = cv2.GaussianBlur(np.abs(target - canvas[..., :3]).mean(-1), (0, 0), max(0.6, radius * 0.5))
        places = places[off[places[:, 0], places[:, 1]] > layer.needed]
    places = rng.permutation(places)
    at = tuple(places.T)
    count = len(places)
    blurred = cv2.GaussianBlur(target, (0, 0), max(0.5, radius * 0.35))
    shades = blurred[at] * (1 + rng.normal(0, 0.02, (count, 1))) + rng.normal(0, 2.2, (count, 3))
    loads = np.column_stack([shades, rng.uniform(0.6, 1.0, count)]).astype(np.float32)
    turns = np.round((directions[at] + rng.normal(0, 0.12, count)) / np.pi * ANGLES).astype(int) % ANGLES
    kinds = rng.integers(0, VARIANTS, count)
    reach = math.ceil(radius * layer.length) + 1
    border = (reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    board, keys = cv2.copyMakeBorder(canvas, *border), cv2.copyMakeBorder(target @ KEY, *border)
    prints = brushes(radius, layer.length)
    strokes = zip(places.tolist(), loads, (loads[:, :3] @ KEY).tolist(), turns.tolist(), kinds.tolist(), strict=True)
    for (row, column), load, tone, turn, kind in strokes:
        mark = prints[turn][kind]
        top, left = row + mark.top, column + mark.left
        box = slice(top, top + mark.mask.shape[0]), slice(left, left + mark.mask.shape[1])
        cover = keys[box] - tone
        np.abs(cover, out=cover)
        cover *= -1 / layer.edge
        cover += 1.6
        np.minimum(cover, layer.opacity, out=cover)
        np.maximum(cover, 0, out=cover)
        cover *= mark.mask
        patch = board[box]
        change = load - patch
        change *= cover[..., None]
        patch += change
    return board[reach:-reach, reach:-reach]
