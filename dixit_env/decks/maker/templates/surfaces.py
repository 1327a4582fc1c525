"""Walls, boards, cloth, ropes: what templates build out of painted areas. Points are fractions of the card."""

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..moods import RGB, Mood
from ..paint import Stage, darker, mix
from ..things import Landscape, Thing

Points = Sequence[tuple[float, float]]
SMOOTH = 3
"""areas are drawn so many times larger and scaled down, for smooth edges"""


def toned(stage: Stage, colour: RGB, amount: float = 0.8) -> RGB:
    """A material's colour in the light of the mood; `amount` scales how far the mood takes it."""
    mood = stage.mood
    gray = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]
    dark = gray < 110
    tone = mix(mood.dark, mood.middle, gray / 110) if dark else mix(mood.middle, mood.light, (gray - 110) / 145)
    return darker(mix(colour, tone, 0.55 * amount), max(0.0, 1 - mood.exposure))


def cut(stage: Stage, points: Points, soft: float = 0.0) -> tuple[tuple[int, int], Image.Image]:
    """A polygon as an L mask cropped to the card, with the pixel of its upper left corner."""
    pad = math.ceil(2.5 * soft * stage.w) + 1
    xs, ys = [x * stage.w for x, _ in points], [y * stage.h for _, y in points]
    left, top = max(-pad, math.floor(min(xs)) - pad), max(-pad, math.floor(min(ys)) - pad)
    right, bottom = min(stage.w + pad, math.ceil(max(xs)) + pad), min(stage.h + pad, math.ceil(max(ys)) + pad)
    size = (max(1, right - left), max(1, bottom - top))
    mask = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
    path = [((x - left) * SMOOTH, (y - top) * SMOOTH) for x, y in zip(xs, ys, strict=True)]
    ImageDraw.Draw(mask).polygon(path, fill=255)
    mask = mask.resize(size, Image.Resampling.BOX)
    return (left, top), mask.filter(ImageFilter.GaussianBlur(soft * stage.w)) if soft else mask


def unevenness(stage: Stage, size: tuple[int, int], streak: float) -> np.ndarray:
    """Noise as a brush leaves it, (height, width) float32 around 0; a `streak` above 1 runs across, below 1 down."""
    total = np.zeros((size[1], size[0]), dtype=np.float32)
    for cell, weight in ((0.09, 0.6), (0.022, 0.4)):
        wide, tall = max(1.0, cell * stage.w * streak**0.5), max(1.0, cell * stage.w / streak**0.5)
        shape = (math.ceil(size[1] / tall) + 2, math.ceil(size[0] / wide) + 2)
        coarse = Image.fromarray(stage.rng.normal(0, 1, shape).astype(np.float32))
        total += np.asarray(coarse.resize(size, Image.Resampling.BICUBIC), dtype=np.float32) * weight
    return total


def material(
    stage: Stage, size: tuple[int, int], colour: RGB, fall: float = 0.2, grain: float = 0.07, streak: float = 1.0
) -> Image.Image:
    """A painted surface as RGB: lighter towards the light and the top by `fall`, uneven by `grain`."""
    across = np.linspace(-1, 1, size[0], dtype=np.float32)[None] * stage.light
    down = np.linspace(-1, 1, size[1], dtype=np.float32)[:, None]
    light = 0.65 * across - 0.55 * down
    value = fall * light + grain * unevenness(stage, size, streak)
    base = np.array(colour, dtype=np.float32) * (1 + value)[..., None]
    lit = np.clip(value, 0, 1)[..., None] * 0.5
    pixels = base + (np.array(stage.mood.sunlight, dtype=np.float32) - base) * lit
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def area(
    stage: Stage,
    points: Points,
    colour: RGB,
    *,
    fall: float = 0.2,
    grain: float = 0.07,
    streak: float = 1.0,
    soft: float = 0.0,
    alpha: float = 1.0,
) -> None:
    """Fills a polygon with a painted surface (see `material`); `soft` blurs its edge, in card widths."""
    corner, mask = cut(stage, points, soft)
    if alpha < 1:
        mask = mask.point(lambda value: int(value * alpha))
    stage.canvas.paste(material(stage, mask.size, colour, fall, grain, streak), corner, mask)


def picture_in(stage: Stage, points: Points, picture: Image.Image, soft: float = 0.0) -> None:
    """Fills a polygon with a picture stretched over its box."""
    corner, mask = cut(stage, points, soft)
    stage.canvas.paste(picture.convert("RGB").resize(mask.size, Image.Resampling.BICUBIC), corner, mask)


def shade_area(stage: Stage, points: Points, strength: float, soft: float = 0.02) -> None:
    """Darkens a polygon softly."""
    corner, mask = cut(stage, points, soft)
    stage.canvas.paste(
        Image.new("RGB", mask.size, darker(stage.mood.dark, 0.6)), corner, mask.point(lambda v: int(v * strength))
    )


def light_area(stage: Stage, points: Points, colour: RGB, amount: float, soft: float = 0.02) -> None:
    """Lays light of a colour over a polygon."""
    corner, mask = cut(stage, points, soft)
    full = Image.new("L", stage.canvas.size)
    full.paste(mask, corner)
    stage.wash(colour, full, amount)


def rectangle(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    """Points of an upright rectangle."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def oval(x: float, y: float, rx: float, ry: float, steps: int = 48) -> list[tuple[float, float]]:
    """Points of an ellipse; `rx` in card widths, `ry` in card heights."""
    angles = [2 * math.pi * i / steps for i in range(steps)]
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles]


def stroke(stage: Stage, points: Points, width: float, colour: RGB, alpha: float = 1.0, end: float = 1.0) -> None:
    """A smooth line through points, `width` card widths thick, at the end `end` times as thick."""
    path = np.array(points, dtype=float) * (1, 1.5)
    along = np.gradient(path, axis=0)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normal /= np.maximum(np.hypot(normal[:, 0], normal[:, 1]), 1e-9)[:, None]
    half = width / 2 * np.linspace(1, end, len(path))[:, None]
    outline = np.concatenate([path + normal * half, (path - normal * half)[::-1]]) / (1, 1.5)
    area(stage, [(float(x), float(y)) for x, y in outline], colour, fall=0.12, grain=0.05, alpha=alpha)


def sag(
    start: tuple[float, float], end: tuple[float, float], depth: float, steps: int = 28
) -> list[tuple[float, float]]:
    """Points of a rope that hangs by `depth` card heights between two points."""
    (x0, y0), (x1, y1) = start, end
    fractions = [i / steps for i in range(steps + 1)]
    return [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t + 4 * depth * t * (1 - t)) for t in fractions]


def rope(stage: Stage, points: Points, width: float = 0.012, colour: RGB = (186, 148, 92)) -> None:
    """A twisted rope through points: a thick line with a dark edge and light twists."""
    base = toned(stage, colour, 0.5)
    stroke(stage, points, width * 1.35, darker(base, 0.6))
    stroke(stage, points, width, base)
    path = np.array(points)
    length = np.r_[0, np.cumsum(np.hypot(*(np.diff(path, axis=0) * (1, 1.5)).T))]
    for at in np.arange(0, float(length[-1]), width * 1.1):
        x, y = float(np.interp(at, length, path[:, 0])), float(np.interp(at, length, path[:, 1]))
        stroke(
            stage, [(x - width * 0.3, y + width * 0.25), (x + width * 0.3, y - width * 0.25)], width * 0.3, darker(base)
        )


def fit(
    stage: Stage, thing: Thing | str, width: float, height: float, *, flip: bool = False, depth: float = 0.0
) -> Image.Image:
    """The thing's sprite, as large as a box of card widths × card heights allows."""
    icon = stage.sources.icon(thing if isinstance(thing, str) else thing.key, 64)
    longer = max(icon.size)
    size = min(width * longer / icon.width, height * stage.h / stage.w * longer / icon.height)
    return stage.sprite(thing, size, flip=flip, depth=depth)


def stand(
    stage: Stage,
    thing: Thing,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    flip: bool = False,
    shadow: float = 1.0,
) -> Image.Image:
    """Puts a thing on the ground, no larger than the box; returns its sprite."""
    sprite = fit(stage, thing, width, height, flip=flip)
    stage.put(sprite, x, y, shadow=shadow, sink=0.03)
    return sprite


def ground_colour(stage: Stage, top: float = 0.75) -> RGB:
    """The mean colour of the lower part of what is painted so far."""
    strip = np.asarray(stage.canvas)[stage.py(top) :].reshape(-1, 3).mean(0)
    return int(strip[0]), int(strip[1]), int(strip[2])


def room(stage: Stage, floor: float, wall: RGB, boards: RGB, vanish: float = 0.5) -> None:
    """A back wall down to the height `floor` and a wooden floor before it, darker towards the corners."""
    stage.horizon, stage.outdoors = floor - 0.15, False
    wall, boards = toned(stage, wall), toned(stage, boards)
    stage.haze = wall
    area(stage, rectangle(-0.02, -0.02, 1.02, floor), wall, fall=0.3, grain=0.06, streak=0.6)
    area(stage, rectangle(-0.02, floor, 1.02, 1.02), boards, fall=0.15, grain=0.09, streak=3)
    depth = 1.02 - floor
    for i in range(-14, 15):
        x = vanish + i * 0.075
        far, near = (x, floor), (vanish + (x - vanish) * (1 + 4 * depth), 1.02)
        stroke(stage, [far, near], 0.0025, darker(boards, 0.5), 0.8, 3)
    area(stage, rectangle(-0.02, floor - 0.028, 1.02, floor), mix(wall, darker(boards, 0.2), 0.6), grain=0.03)
    shade_area(stage, rectangle(-0.02, floor - 0.002, 1.02, floor + 0.008), 0.55, 0.008)
    shade_area(stage, [(-0.1, -0.1), (0.1, -0.1), (0.02, 1.1), (-0.1, 1.1)], 0.5, 0.08)
    shade_area(stage, [(1.1, -0.1), (0.9, -0.1), (0.98, 1.1), (1.1, 1.1)], 0.5, 0.08)
    shade_area(stage, rectangle(-0.1, -0.1, 1.1, 0.04), 0.5, 0.07)


def casement(
    stage: Stage,
    box: tuple[float, float, float, float],
    landscape: Landscape,
    mood: Mood,
    *,
    frame: RGB = (222, 206, 178),
    panes: tuple[int, int] = (2, 2),
    horizon: float = 0.66,
) -> None:
    """A window (left, top, right, bottom) in a wall that looks out on a landscape."""
    left, top, right, bottom = box
    wood = toned(stage, frame)
    rim = 0.028
    shade_area(stage, rectangle(left - rim, top - rim, right + rim, bottom + rim + 0.01), 0.5, 0.015)
    area(stage, rectangle(left - rim, top - rim * 0.67, right + rim, bottom + rim * 0.67), wood, fall=0.25, streak=0.3)
    size = (stage.px(right - left), stage.py(bottom - top))
    picture_in(stage, rectangle(left, top, right, bottom), stage.view(landscape, size, horizon, mood))
    bars(stage, box, wood, panes)
    area(
        stage,
        rectangle(left - 0.05, bottom + 0.016, right + 0.05, bottom + 0.038),
        mix(wood, stage.mood.sunlight, 0.25),
    )
    shade_area(stage, rectangle(left - 0.04, bottom + 0.038, right + 0.04, bottom + 0.052), 0.45, 0.012)


def bars(stage: Stage, box: tuple[float, float, float, float], wood: RGB, panes: tuple[int, int]) -> None:
    """The bars between the panes of a window."""
    left, top, right, bottom = box
    for i in range(1, panes[0]):
        x = left + (right - left) * i / panes[0]
        area(stage, rectangle(x - 0.008, top, x + 0.008, bottom), darker(wood, 0.15))
    for i in range(1, panes[1]):
        y = top + (bottom - top) * i / panes[1]
        area(stage, rectangle(left, y - 0.005, right, y + 0.005), darker(wood, 0.15))
    shade_area(stage, rectangle(left, top, right, top + 0.012), 0.5, 0.01)


def cloth(
    stage: Stage,
    outline: Points,
    colour: RGB,
    folds: float,
    *,
    picture: Image.Image | None = None,
    sway: float = 0.0,
    deep: float = 0.34,
) -> None:
    """Hanging cloth in vertical folds, of one colour or printed with a picture; `sway` leans the folds."""
    corner, mask = cut(stage, outline)
    width, height = mask.size
    rows = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    columns = np.linspace(0, 1, width, dtype=np.float32)[None]
    wobble = 0.25 * np.sin(rows * 5 + columns * 9) + sway * rows**1.5
    wave = np.sin((columns * folds + wobble) * 2 * np.pi)
    light = 1.12 - deep + deep * wave * np.abs(wave) ** 0.4 + 0.1 * np.sin((columns * folds * 2.3 + wobble) * 2 * np.pi)
    light = light * (1.08 - 0.25 * rows) + 0.05 * unevenness(stage, mask.size, 0.15)
    base = np.array(colour, dtype=np.float32)[None, None]
    if picture:
        base = np.asarray(picture.convert("RGB").resize(mask.size, Image.Resampling.BICUBIC), dtype=np.float32)
    pixels = base * light[..., None]
    lit = np.clip(light - 0.95, 0, 1)[..., None] * 0.6
    pixels += (np.array(stage.mood.sunlight, dtype=np.float32) - pixels) * lit
    stage.canvas.paste(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)), corner, mask)


def table(
    stage: Stage, left: float, right: float, top: float, depth: float, drop: float, colour: RGB = (236, 226, 206)
) -> None:
    """A table under a cloth: its top recedes by `depth`, the cloth hangs down by `drop` card heights."""
    inset = 0.06
    linen = toned(stage, colour)
    wood = toned(stage, (92, 60, 40))
    shade_area(stage, rectangle(left, top + drop, right, top + drop + 0.2), 0.45, 0.04)
    for x in (left + 0.05, right - 0.08):
        area(stage, [(x, top), (x + 0.035, top), (x + 0.028, top + drop + 0.16), (x + 0.007, top + drop + 0.16)], wood)
    hem = [(right - (right - left) * i / 40, top + drop + 0.008 * math.sin(i * 0.9)) for i in range(41)]
    cloth(stage, [(left, top), (right, top), *hem], darker(linen, 0.12), 5, deep=0.09)
    area(
        stage,
        [(left + inset, top - depth), (right - inset, top - depth), (right, top), (left, top)],
        mix(linen, stage.mood.sunlight, 0.25),
        fall=0.12,
    )


def plate(stage: Stage, x: float, y: float, radius: float, flat: float = 0.24) -> None:
    """A white plate seen from the side; `flat` is its height to its width."""
    china = toned(stage, (244, 242, 236), 0.5)
    ry = radius * flat * stage.w / stage.h
    shade_area(stage, oval(x - 0.015 * stage.light, y + ry * 0.35, radius * 1.05, ry * 1.1), 0.45, 0.012)
    area(stage, oval(x, y, radius, ry), darker(china, 0.1))
    area(stage, oval(x, y - ry * 0.08, radius * 0.97, ry * 0.92), china)
    area(stage, oval(x, y, radius * 0.66, ry * 0.6), darker(china, 0.14), fall=-0.15)


def translucent(sprite: Image.Image, colour: RGB, blend: float, alpha: float) -> Image.Image:
    """A sprite on its way to a single colour, seen through."""
    flat = Image.new("RGBA", sprite.size, (*colour, 255))
    flat.putalpha(sprite.getchannel("A"))
    out = Image.blend(sprite, flat, blend)
    out.putalpha(sprite.getchannel("A").point(lambda value: int(value * alpha)))
    return out


def half(sprite: Image.Image, side: int) -> Image.Image:
    """The left (-1) or right (1) half of a sprite, cropped."""
    middle = sprite.width // 2
    return sprite.crop((0, 0, middle, sprite.height) if side < 0 else (middle, 0, sprite.width, sprite.height))


def full_mask(stage: Stage, points: Points, soft: float = 0.0) -> Image.Image:
    """A polygon as an L mask of the card's size."""
    corner, mask = cut(stage, points, soft)
    full = Image.new("L", stage.canvas.size)
    full.paste(mask, corner)
    return full
