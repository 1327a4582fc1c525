"""Scenes in which sizes, weights and outlines are not what they should be."""

import math

from PIL import Image, ImageDraw

from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, filled, onlooker, template


@template("carrier", "building", "flier", kinds=OPEN)
def cargo(stage: Stage, scene: Scene) -> None:
    """A walking animal carries a piece of land with a building on its back."""
    stage.backdrop(0.64)
    flip = stage.light > 0
    animal = stage.sprite(scene.main, 0.74, flip=flip)
    house = stage.sprite(scene.small[0], 0.42, flip=flip)
    x = 0.52
    upper = 0.9 - animal.height / stage.h
    back = upper + 0.22 * animal.height / stage.h
    ground(stage, x + 0.03, back, 0.3, 0.07)
    stage.put(house, x + 0.03, back - 0.025, sink=0.06)
    stage.put(stage.sprite("evergreen-tree", 0.15), x + 0.2, back - 0.012, sink=0.05)
    stage.put(stage.sprite("deciduous-tree", 0.13), x - 0.17, back - 0.012, sink=0.05)
    stage.put(animal, x, 0.9, shadow=1, sink=0.03)
    stage.put(stage.sprite(scene.small[1], 0.14, flip=flip, depth=0.3), 0.24 if flip else 0.8, max(0.12, upper - 0.2))
    stage.fog(0.93, 0.06, 0.25)


def ground(stage: Stage, x: float, y: float, radius: float, thick: float) -> None:
    """A clod of land seen from the side: grass on top, earth and roots below."""
    w, h = stage.px(radius * 2), stage.py(thick * 2.6)
    big = 4
    layer = Image.new("RGBA", (w * big, h * big))
    draw = ImageDraw.Draw(layer)
    rng = stage.rng
    top, bottom = [], []
    for i in range(25):
        t = i / 24
        bow = math.sin(math.pi * t)
        top.append((t * w * big, h * big * (0.3 - 0.14 * bow + 0.03 * rng.random())))
        bottom.append((t * w * big, h * big * (0.32 + 0.55 * bow * (0.75 + 0.25 * rng.random()))))
    earth, grass = mix(stage.mood.dark, (104, 74, 50), 0.6), mix(stage.mood.middle, (96, 128, 62), 0.6)
    draw.polygon(top + bottom[::-1], fill=(*earth, 255))
    lower = [(px, py + h * big * 0.12 * math.sin(math.pi * i / 24)) for i, (px, py) in enumerate(top)]
    draw.polygon(top + lower[::-1], fill=(*grass, 255))
    layer = layer.resize((w, h), Image.Resampling.LANCZOS)
    stage.put(stage.shade(layer), x, y - thick * 0.8, anchor="top")


@template("carrier", "person wanderer", kinds="hills valley mountains desert dunes badlands snow lake")
def sleeping_mountain(stage: Stage, scene: Scene) -> None:
    """A mountain that is the back of an animal; someone walks before it."""
    stage.backdrop(0.6)
    texture = stage.view(scene.other, (stage.w, stage.h // 2), 0.06, stage.mood)
    flip = bool(stage.rng.random() < 0.5)
    body = filled(stage, scene.main, 0.96, texture, flip=flip)
    body = stage.shade(body, 0.2)
    stage.put(body, 0.5, 0.79, sink=0.34)
    stage.fog(0.79, 0.05, 0.6)
    for x, y, size in ((0.12, 0.8, 0.13), (0.22, 0.83, 0.17), (0.86, 0.81, 0.15)):
        stage.put(stage.sprite("evergreen-tree", size, depth=0.25), x, y, shadow=0.6, sink=0.05)
    onlooker(stage, scene.small[0], 0.56, 0.91, 0.13)


@template("carrier", "light flower tiny", kinds=OPEN)
def balance(stage: Stage, scene: Scene) -> None:
    """On a pair of scales a heavy animal weighs less than something slight."""
    stage.backdrop(0.66)
    side = stage.light
    wood = mix(stage.mood.dark, (126, 92, 54), 0.65)
    brass = mix(stage.mood.sunlight, (196, 150, 60), 0.6)
    tilt = 0.1 * side
    stage.glow(0.5, 0.25, 0.6, amount=0.3)
    stage.polygon([(0.485, 0.2), (0.515, 0.2), (0.53, 0.86), (0.47, 0.86)], wood)
    stage.polygon([(0.36, 0.88), (0.4, 0.85), (0.6, 0.85), (0.64, 0.88)], darker(wood, 0.2))
    ends = {-1: (0.2, 0.24 - tilt / 2), 1: (0.8, 0.24 + tilt / 2)}
    stage.line([ends[-1], (0.5, 0.21), ends[1]], 0.022, brass)
    stage.line([ends[-1], (0.5, 0.205), ends[1]], 0.006, mix(brass, (255, 255, 255), 0.6))
    for end, (x, y) in ends.items():
        low = y + (0.36 if end == side else 0.25)
        for dx in (-0.15, 0, 0.15):
            stage.line([(x, y), (x + dx, low)], 0.005, darker(brass))
        pan(stage, x, low, 0.17, brass)
    x, y = ends[-side]
    stage.put(stage.sprite(scene.main, 0.34, flip=side > 0), x, y + 0.255)
    x, y = ends[side]
    stage.put(stage.sprite(scene.small[0], 0.15), x, y + 0.365)
    for x, y in ends.values():
        stage.glow(x, y, 0.05, amount=0.5)


def pan(stage: Stage, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
    """A shallow bowl whose rim is at y."""
    layer = Image.new("RGBA", (stage.px(radius * 2), stage.px(radius * 0.5)))
    draw = ImageDraw.Draw(layer)
    w, h = layer.size
    draw.chord((0, -h, w - 1, h - 1), 0, 180, fill=(*colour, 255))
    stage.put(stage.shade(layer), x, y, anchor="top")
