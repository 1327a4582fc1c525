"""Shapes that templates draw by themselves: smooth, graded and a little rough, so that they look painted."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..moods import MOODS, RGB, Mood
from ..paint import Stage, mix
from ..scene import Scene

Point = tuple[float, float]
OVERSAMPLING = 3


def pigment(stage: Stage, colour: RGB, amount: float = 0.3) -> RGB:
    """A material's colour under the card's mood and light; `amount` of it is the mood's."""
    tinted = mix(colour, stage.mood.middle, amount)
    return mix((0, 0, 0), tinted, min(1.0, 0.35 + 0.65 * stage.mood.exposure))


def fill(
    stage: Stage,
    points: Sequence[Point],
    first: RGB,
    last: RGB | None = None,
    *,
    across: bool = False,
    alpha: float = 1.0,
    soft: float = 0.0,
) -> None:
    """A polygon on the card that runs from one colour to another, down the card or across it.

    Args:
        points: corners in card fractions; they may lie outside the card.
        soft: blur of its edge in card widths.
    """
    part = _part(stage, points, pad=2 + math.ceil(2 * soft * stage.w))
    if part is None:
        return
    ImageDraw.Draw(part.mask).polygon(part.points, fill=round(255 * alpha))
    mask = part.mask.resize(part.size, Image.Resampling.BOX)
    if soft:
        mask = mask.filter(ImageFilter.GaussianBlur(soft * stage.w))
    stage.canvas.paste(graded(stage, part.size, first, last or first, across=across), part.corner, mask)


def graded(stage: Stage, size: tuple[int, int], first: RGB, last: RGB, *, across: bool = False) -> Image.Image:
    """A surface that runs from one colour to another, with the unevenness of paint."""
    width, height = size
    ramp = np.linspace(0, 1, width if across else height, dtype=np.float32)
    ramp = ramp[None, :, None] if across else ramp[:, None, None]
    cell = max(2, stage.w // 40)
    coarse = stage.rng.normal(128, 34, (height // cell + 2, width // cell + 2)).clip(0, 255).astype(np.uint8)
    blotches = Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)
    rough = (np.asarray(blotches, dtype=np.float32)[..., None] - 128) / 128
    colours = np.array(first, np.float32) * (1 - ramp) + np.array(last, np.float32) * ramp
    return Image.fromarray((colours * (1 + 0.1 * rough)).clip(0, 255).astype(np.uint8))


def stroke(stage: Stage, points: Sequence[Point], width: float, colour: RGB, alpha: float = 1.0) -> None:
    """A smooth line through points with round ends, `width` in card widths."""
    part = _part(stage, points, pad=2 + math.ceil(width * stage.w))
    if part is None:
        return
    draw = ImageDraw.Draw(part.mask)
    thick = max(1, round(width * stage.w * OVERSAMPLING))
    draw.line(part.points, fill=255, width=thick, joint="curve")
    for x, y in (part.points[0], part.points[-1]):
        draw.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill=255)
    mask = part.mask.resize(part.size, Image.Resampling.BOX).point(lambda value: int(value * alpha))
    stage.canvas.paste(colour, (*part.corner, part.corner[0] + part.size[0], part.corner[1] + part.size[1]), mask)


class _Part(NamedTuple):
    """The part of the card around some points, to draw a mask for it at `OVERSAMPLING` times its resolution."""

    corner: tuple[int, int]  # pixels: left, top
    size: tuple[int, int]  # pixels: width, height
    mask: Image.Image  # L, black
    points: list[Point]  # in pixels of the mask


def _part(stage: Stage, points: Sequence[Point], pad: int) -> _Part | None:
    """The part within `pad` pixels of the points; None when none of it is on the card."""
    xs, ys = [x * stage.w for x, _ in points], [y * stage.h for _, y in points]
    left, top = max(0, math.floor(min(xs)) - pad), max(0, math.floor(min(ys)) - pad)
    right, bottom = min(stage.w, math.ceil(max(xs)) + pad), min(stage.h, math.ceil(max(ys)) + pad)
    if right <= left or bottom <= top:
        return None
    size = (right - left, bottom - top)
    mask = Image.new("L", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
    enlarged = [((x - left) * OVERSAMPLING, (y - top) * OVERSAMPLING) for x, y in zip(xs, ys, strict=True)]
    return _Part((left, top), size, mask, enlarged)


def shadow(stage: Stage, points: Sequence[Point], strength: float = 0.5, soft: float = 0.02) -> None:
    """A soft dark patch."""
    dark = mix(stage.mood.dark, (0, 0, 0), 0.45)
    fill(stage, points, dark, alpha=strength, soft=soft)


def ring(x: float, y: float, radius: float, flat: float = 1.0, start: float = 0, end: float = 360) -> list[Point]:
    """Points of an arc on a 2:3 card, angles clockwise from the right; `flat` squeezes its height."""
    count = max(8, round(abs(end - start) / 5))
    angles = [math.radians(start + (end - start) * i / count) for i in range(count + 1)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a) * flat * 2 / 3) for a in angles]


def bend(start: Point, pull: Point, end: Point, steps: int = 24) -> list[Point]:
    """A curve from one point to another that is pulled towards a third."""
    curve = []
    for i in range(steps + 1):
        t = i / steps
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
        curve.append((a * start[0] + b * pull[0] + c * end[0], a * start[1] + b * pull[1] + c * end[1]))
    return curve


def other_mood(scene: Scene) -> Mood:
    """A mood that stands off from the scene's: day for a dark one, night for a bright one."""
    return MOODS["dawn" if scene.mood in ("night", "storm", "aurora", "dusk", "red_sun") else "night"]


def inner_stage(stage: Stage, scene: Scene, size: tuple[int, int], horizon: float, mood: Mood) -> Stage:
    """A picture within the picture: another stage with the scene's second landscape in another mood."""
    inner = Stage(stage.sources, scene, size)
    inner.mood, inner.light = mood, stage.light
    inner.haze, inner.bounce = mood.sky[1], mood.ground[1]
    inner.canvas = stage.view(scene.other, size, horizon, mood)
    if mood.stars:
        inner.stars(0, horizon * 0.8, 50)
    return inner


def inscribed(mask: Image.Image) -> tuple[int, int, int]:
    """The largest square-like place inside an outline (L mask): its centre's x and y, and half its width, in pixels."""
    solid = mask.point(lambda value: 255 if value > 140 else 0)
    radius = min(mask.size) // 2
    while radius > 2:
        spread = np.asarray(solid.filter(ImageFilter.BoxBlur(radius)))
        inside = spread[radius:-radius, radius:-radius]
        if inside.size and inside.max() >= 248:
            rows, columns = np.nonzero(inside >= inside.max() - 2)
            middle = len(rows) // 2
            return int(columns[middle]) + radius, int(rows[middle]) + radius, radius
        radius = round(radius * 0.92) - 1
    return mask.width // 2, mask.height // 2, max(2, min(mask.size) // 4)
