"""Scenes told by outlines: shadows, holes, silhouettes, and what is dark against the light."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import MOODS, RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, onlooker, silhouette, template
from .shapes import bend, fill, inner_stage, inscribed, other_mood, pigment, ring, shadow, stroke


@template("tiny", "carrier flier", kinds=OPEN + " city forest lake sea")
def shadow_on_the_wall(stage: Stage, scene: Scene) -> None:
    """By the light of a candle something tiny throws the upright shadow of something great on a wall."""
    stage.backdrop(0.3)
    side = stage.light
    foot = 0.79
    plaster = pigment(stage, (236, 220, 188), 0.22)
    dim = mix(plaster, stage.mood.dark, 0.55)
    near, far = 0.5 - 0.56 * side, 0.5 + 0.37 * side
    wall = [(near, 0.1), (far, 0.15), (far, foot), (near, foot)]
    fill(stage, wall, plaster, dim)
    end = [(far, 0.15), (far + 0.07 * side, 0.17), (far + 0.07 * side, foot - 0.015), (far, foot)]
    fill(stage, end, darker(dim, 0.3), darker(dim, 0.55))
    for row in range(9):
        y = 0.16 + 0.07 * row
        for column in range(3):
            x = 0.5 + side * (0.33 - 0.36 * column - 0.18 * (row % 2) + 0.05 * float(stage.rng.random()))
            if stage.rng.random() < 0.35:
                stroke(stage, [(x - 0.06, y), (x + 0.05, y + 0.004)], 0.003, darker(dim, 0.2), 0.5)
    stage.glow(0.5 - 0.04 * side, 0.5, 0.66, (255, 214, 140), 0.75)
    shadow(stage, [(near, foot - 0.006), (far, foot - 0.006), (far, foot + 0.03), (near, foot + 0.03)], 0.5, 0.015)
    x = 0.5 - 0.06 * side
    shape = stage.sources.icon(scene.small[0].key, round(0.74 * stage.w))
    if side > 0:
        shape = shape.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    dark = silhouette(shape, darker(mix(stage.mood.dark, (40, 20, 30), 0.5), 0.4))
    mask = dark.getchannel("A").filter(ImageFilter.GaussianBlur(stage.w / 160)).point(lambda v: int(v * 0.86))
    dark.putalpha(mask)
    tall = shape.height / stage.h
    lift = 0.0 if "carrier" in scene.small[0].roles else max(0.0, 0.3 - tall / 2)
    stage.put(dark, x, foot - lift)
    shadow(stage, [(x - 0.05, 0.9), (x + 0.05, 0.9), (x + 0.2, foot), (x - 0.2, foot)], 0.5, 0.02)
    stage.glow(x, 0.97, 0.36, (255, 208, 120), 0.6)
    stage.put(stage.sprite(scene.main, 0.2, flip=side > 0), x, 0.905)
    candle(stage, x + 0.22 * side, 0.955)


def candle(stage: Stage, x: float, foot: float) -> None:
    """A burning stub of a candle."""
    wax = pigment(stage, (244, 234, 208), 0.1)
    fill(
        stage,
        [(x - 0.035, foot - 0.06), (x + 0.035, foot - 0.06), (x + 0.04, foot), (x - 0.04, foot)],
        wax,
        darker(wax, 0.3),
    )
    fill(stage, ring(x, foot - 0.06, 0.035, 0.35), mix(wax, (255, 255, 255), 0.4))
    stroke(stage, [(x, foot - 0.06), (x, foot - 0.075)], 0.005, (50, 36, 30))
    flame = [
        (x, foot - 0.125),
        (x + 0.02, foot - 0.09),
        (x + 0.012, foot - 0.072),
        (x - 0.012, foot - 0.072),
        (x - 0.02, foot - 0.09),
    ]
    fill(stage, flame, (255, 240, 170), (255, 170, 60), soft=0.003)
    stage.glow(x, foot - 0.09, 0.12, (255, 220, 140), 0.8)


@template("carrier walker", "wanderer walker", kinds=OPEN + " city forest")
def gap_in_the_land(stage: Stage, scene: Scene) -> None:
    """The land has a hole in the shape of the animal that walked out of it."""
    stage.backdrop(0.56)
    flip = stage.light < 0
    icon = stage.sources.icon(scene.main.key, round(0.86 * stage.w))
    if flip:
        icon = icon.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    world = inner_stage(stage, scene, icon.size, 0.75, other_mood(scene))
    left, top = stage.px(0.5) - icon.width // 2, stage.py(0.74) - icon.height
    if icon.height > stage.py(0.62):
        top = stage.py(0.12)
    hole = icon.getchannel("A")
    rim = hole.filter(ImageFilter.MaxFilter(2 * max(1, stage.w // 110) + 1))
    stage.canvas.paste(mix(stage.mood.light, (250, 244, 232), 0.6), (left, top), rim)
    stage.canvas.paste(world.canvas, (left, top), hole)
    reach = max(2, stage.w // 45)
    edge = ImageChops.subtract(hole, ImageChops.offset(hole, -reach * stage.light, reach))
    edge = edge.filter(ImageFilter.GaussianBlur(stage.w / 120)).point(lambda value: int(value * 0.75))
    stage.canvas.paste(darker(stage.mood.dark), (left, top), ImageChops.multiply(edge, hole))
    stage.glow(0.5, 0.82, 0.5, world.mood.light, 0.35)
    onlooker(stage, scene.main, 0.5 - 0.27 * stage.light, 0.85, 0.19, flip=stage.light < 0)
    onlooker(stage, scene.small[0], 0.5 + 0.2 * stage.light, 0.95, 0.34, flip=stage.light < 0)


@template("carrier", "building", kinds=OPEN + " sea lake clouds")
def night_inside(stage: Stage, scene: Scene) -> None:
    """An animal in the mist carries a whole night with a lit house inside its outline."""
    stage.backdrop(0.74)
    pale = mix(stage.mood.light, (255, 255, 255), 0.3)
    stage.canvas = Image.blend(stage.canvas, Image.new("RGB", stage.canvas.size, pale), 0.5)
    flip = stage.light > 0
    icon = stage.sources.icon(scene.main.key, round(0.92 * stage.w))
    if flip:
        icon = icon.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    hole = icon.getchannel("A")
    x, y, half = inscribed(hole)
    mood = MOODS["night"]
    inner = inner_stage(stage, scene, icon.size, min(0.8, (y + 0.55 * half) / icon.height), mood)
    scale = icon.width
    inner.glow(x / scale, y / icon.height, 1.7 * half / scale, (255, 220, 150), 0.7)
    foot = (y + 0.95 * half) / icon.height
    inner.put(stage.sprite(scene.small[0], 1.9 * half / stage.w), x / scale, foot, shadow=0.5)
    inner.glow(x / scale, (y + 0.2 * half) / icon.height, 1.3 * half / scale, (255, 214, 140), 0.45)
    left, top = stage.px(0.5) - icon.width // 2, stage.py(0.84) - icon.height
    stage.cast(icon, left, top + icon.height, 0.7)
    shaded = inner.canvas.convert("RGBA")
    detail = np.asarray(icon.convert("L").filter(ImageFilter.GaussianBlur(2)), dtype=np.float32)
    detail = detail - detail[np.asarray(hole) > 128].mean()
    pixels = np.asarray(shaded.convert("RGB"), dtype=np.float32) + 0.22 * detail[..., None]
    body = Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).convert("RGBA")
    body.putalpha(hole)
    stage.canvas.paste(body, (left, top), body)
    inside = hole.filter(ImageFilter.MinFilter(2 * max(1, stage.w // 170) + 1))
    line = ImageChops.subtract(hole, inside).filter(ImageFilter.GaussianBlur(0.8))
    stage.canvas.paste(mix(mood.dark, (0, 0, 0), 0.3), (left, top), line.point(lambda v: int(v * 0.8)))


@template("round", "walker", kinds=OPEN + " beach sea lake clouds moon")
def uphill(stage: Stage, scene: Scene) -> None:
    """Somebody small pushes something round, as large as a house, up a dark slope against the light."""
    stage.backdrop(0.8)
    side = stage.light
    steep = 0.3
    low = 0.9

    def slope(x: float) -> float:
        along = 0.5 + (x - 0.5) * side
        return low - steep * along - 0.05 * along**2

    x, size = 0.5 + 0.13 * side, 0.58
    sprite = stage.sprite(scene.main, size)
    y = slope(x) - 0.47 * sprite.height / stage.h * math.hypot(1, 0.2)
    bright = mix(stage.mood.light, stage.mood.sunlight, 0.5)
    stage.glow(x, y, 0.75, bright, 0.85)
    dark = darker(mix(stage.mood.dark, (20, 12, 20), 0.4), 0.2)
    rng = stage.rng
    ridge = [(i / 40, slope(i / 40) + 0.003 * float(rng.normal())) for i in range(41)]
    fill(stage, [*ridge, (1, 1.02), (0, 1.02)], mix(dark, stage.mood.middle, 0.25), dark)
    for i in range(3):
        shift = 0.05 + 0.012 * i
        edge = [(px, py + shift * 0.35 * (i + 1)) for px, py in ridge]
        stroke(stage, edge, 0.01, mix(dark, stage.mood.middle, 0.35), 0.35)
    lip = [(px, py - 0.001) for px, py in ridge]
    stroke(stage, lip, 0.005, mix(dark, stage.mood.sunlight, 0.55), 0.8)
    stage.put(sprite, x, y, anchor="centre")
    at = x - (0.5 * size + 0.06) * side
    pusher = stage.sprite(scene.small[0], 0.23, flip=side > 0, angle=15 * side)
    stage.put(pusher, at, slope(at) + 0.012, shadow=0.5)


@template("person wanderer walker", "building", kinds=OPEN + " forest city lake")
def jaws(stage: Stage, scene: Scene) -> None:
    """Seen out of the mouth of something immense: somebody small comes in between the teeth."""
    stage.outdoors = False
    stage.backdrop(0.5)
    stage.glow(0.5, 0.42, 0.6, amount=0.5)
    stage.put(stage.sprite(scene.small[0], 0.2, depth=0.5), 0.5 + 0.17 * stage.light, 0.53, shadow=0.5, sink=0.04)
    shadow(stage, [(0, 0), (1, 0), (1, 0.26), (0.5, 0.2), (0, 0.26)], 0.5, 0.08)
    ivory = pigment(stage, (246, 236, 208), 0.15)
    for upper, turn, size in (
        *((True, turn, size) for turn, size in ((-62, 0.8), (-37, 1.0), (-12, 1.25), (12, 1.25), (37, 1.0), (62, 0.8))),
        *((False, turn, size) for turn, size in ((-66, 0.7), (-45, 0.8), (45, 0.8), (66, 0.7))),
    ):
        tooth(stage, turn, size, ivory, upper=upper)
    flesh, deep = pigment(stage, (120, 44, 48), 0.2), darker(mix(stage.mood.dark, (30, 8, 14), 0.6), 0.3)
    w, h = stage.w, stage.h
    gullet = Image.new("L", (w, h), 255)
    opening = [(x * w, y * h) for x, y in ring(0.5, 0.47, 0.46, 1.12)]
    ImageDraw.Draw(gullet).polygon(opening, fill=0)
    gullet = gullet.filter(ImageFilter.GaussianBlur(w / 200))
    rows, columns = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    away = np.clip((np.hypot(columns, rows * 1.15) - 0.85) / 0.5, 0, 1)[..., None]
    pixels = np.array(flesh, np.float32) * (1 - away) + np.array(deep, np.float32) * away
    folds = 1 + 0.12 * np.sin(np.arctan2(rows, columns) * 22 + 3 * away[..., 0])[..., None]
    stage.canvas.paste(Image.fromarray((pixels * folds).clip(0, 255).astype(np.uint8)), (0, 0), gullet)
    red = pigment(stage, (188, 84, 88), 0.2)
    fill(stage, ring(0.5, 1.0, 0.44, 0.85), mix(red, stage.mood.sunlight, 0.35), darker(red, 0.6))
    stroke(stage, bend((0.5, 0.77), (0.48, 0.85), (0.5, 1.02)), 0.014, darker(red, 0.4), 0.5)
    onlooker(stage, scene.main, 0.5, 0.83, 0.27, flip=stage.light < 0)


def tooth(stage: Stage, turn: float, size: float, ivory: RGB, *, upper: bool) -> None:
    """A tooth in the rim of the mouth, `turn` degrees from its middle."""
    sign = -1 if upper else 1
    x = 0.5 + 0.47 * math.sin(math.radians(turn))
    y = 0.47 + sign * 0.47 * 1.12 * math.cos(math.radians(turn)) * 2 / 3
    tip = (x + (0.5 - x) * 0.2, y - sign * 0.13 * size)
    half = 0.07 * size**0.5
    base, bulge = y + sign * 0.05, y - sign * 0.06 * size
    gum, bright = mix(ivory, stage.mood.dark, 0.45), mix(ivory, (255, 255, 255), 0.25)
    first, last = (gum, bright) if upper else (bright, gum)
    edge = [(x - half, base), *bend((x - half, bulge), (tip[0] - half / 3, tip[1]), tip, 6)]
    edge += [*bend(tip, (tip[0] + half / 3, tip[1]), (x + half, bulge), 6), (x + half, base)]
    shadow(stage, [(px + 0.015 * sign, py + 0.012) for px, py in edge], 0.6, 0.012)
    fill(stage, edge, first, last)
    far = x - half * stage.light
    side = [(far, base), (far, bulge), tip, (x - half * 0.3 * stage.light, base)]
    fill(stage, side, stage.mood.dark, alpha=0.35, soft=0.008)
