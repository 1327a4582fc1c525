"""Scenes in which somebody does what he shouldn't be able to."""

import numpy as np
from PIL import Image, ImageChops

from ..paint import Stage, darker, fade, mix
from ..scene import Scene
from .base import OPEN, WATERSIDE, ellipse_mask, islet, onlooker, silhouette, template


@template("face", "hat", "thing flower letter light", kinds=OPEN + " forest city")
def gentleman(stage: Stage, scene: Scene) -> None:
    """An animal stands dressed like a person, with a hat, holding something."""
    stage.backdrop(0.6)
    garment = ("coat", "kimono", "dress")[scene.seed % 3]
    body = stage.sprite(garment, 0.72)
    body = body.resize((body.width, round(body.height * 1.12)))
    stage.put(body, 0.5, 0.99, shadow=0.6, sink=0.04)
    top = 0.99 - body.height / stage.h
    head = stage.sprite(scene.main, 0.42)
    stage.put(head, 0.5, top + 0.075)
    crown = top + 0.075 - head.height / stage.h
    hat = stage.sprite(scene.small[0], 0.3)
    stage.put(hat, 0.5 + 0.01 * stage.light, crown + 0.05)
    held = stage.sprite(scene.small[1], 0.27, angle=8 * stage.light)
    stage.put(held, 0.5 + 0.27 * stage.light, top + 0.31, anchor="centre")


@template("building tree mountain", "walker", "light", kinds=OPEN)
def procession(stage: Stage, scene: Scene) -> None:
    """A line of the same animal winds from near to far towards one thing."""
    stage.backdrop(0.5)
    stage.glow(0.5 + 0.1 * stage.light, 0.44, 0.5, amount=0.6)
    stage.put(stage.sprite(scene.main, 0.38, depth=0.35), 0.5 + 0.1 * stage.light, 0.53, shadow=0.4, sink=0.04)
    count = 9
    for i in range(count):
        t = (i / (count - 1)) ** 0.75
        y = 0.555 + 0.385 * t
        swing = np.sin(t * 4.6) * 0.3 * (0.25 + 0.75 * t)
        x = 0.5 + (0.1 * (1 - t) + swing) * stage.light
        size = 0.05 + 0.27 * t
        onlooker(stage, scene.small[0], float(x), float(y), float(size), flip=stage.light > 0)
        if i % 3 == 2:
            light = stage.sprite(scene.small[1], float(size * 0.4))
            stage.put(light, float(x) + size * 0.1, float(y) - size * 0.52, anchor="foot")
            stage.glow(float(x) + size * 0.1, float(y) - size * 0.6, float(size), amount=0.5)


@template("tall thing building tree person walker", "tall thing building tree person walker", "boat", kinds=WATERSIDE)
def false_reflection(stage: Stage, scene: Scene) -> None:
    """What the water mirrors is not what stands above it."""
    stage.backdrop(0.52)
    stage.water(0.54)
    top = stage.sprite(scene.main, 0.5)
    stage.fog(0.55, 0.03, 0.5)
    base = 0.56
    mirror = stage.sprite(scene.small[0], 0.5).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    wobble = np.asarray(mirror)
    rows = np.arange(wobble.shape[0])
    shift = (np.sin(rows / wobble.shape[0] * 26) * stage.w * 0.008 * (0.3 + rows / wobble.shape[0])).round().astype(int)
    columns = (np.arange(wobble.shape[1])[None] + shift[:, None]).clip(0, wobble.shape[1] - 1)
    mirror = Image.fromarray(wobble[rows[:, None], columns])
    blue = silhouette(mirror, mix(stage.mood.dark, stage.mood.middle, 0.5), 1)
    mirror = Image.blend(mirror, blue, 0.14)
    mirror.putalpha(ImageChops.multiply(mirror.getchannel("A"), fade(mirror.size, 0.98, 0.75)))
    stage.put(mirror, 0.5, base + 0.012, anchor="top")
    islet(stage, 0.5, base + 0.01, 0.34)
    stage.put(top, 0.5, base + 0.004, sink=0.03)
    boat = stage.sprite(scene.small[1], 0.15, flip=stage.light > 0, depth=0.35)
    stage.put(boat, 0.5 + 0.34 * stage.light, 0.585)


SEATS = {"bed": (0.55, 0.56), "couch-and-lamp": (0.4, 0.74), "chair": (0.48, 0.5), "bathtub": (0.4, 0.56)}
"""where one sits: fractions of the sprite"""


@template("seat", "walker tiny", "swimmer", kinds="sea lake")
def adrift(stage: Stage, scene: Scene) -> None:
    """A piece of furniture drifts on the open water with an animal in it."""
    stage.backdrop(0.5)
    stage.water(0.5)
    stage.glow(0.5 + 0.2 * stage.light, 0.32, 0.6, amount=0.6)
    seat = stage.sprite(scene.main, 0.62)
    base = 0.76
    x, y = SEATS[scene.main.key]
    left, top = 0.5 - seat.width / 2 / stage.w, base - seat.height / stage.h
    mirror = seat.transpose(Image.Transpose.FLIP_TOP_BOTTOM).resize((seat.width, round(seat.height * 0.6)))
    mirror.putalpha(ImageChops.multiply(mirror.getchannel("A"), fade(mirror.size, 0.55, 0)))
    stage.put(mirror, 0.5, base - 0.02, anchor="top")
    stage.put(seat, 0.5, base, sink=0.12)
    rider = stage.sprite(scene.small[0], 0.28, flip=stage.light > 0)
    stage.put(rider, left + x * seat.width / stage.w, top + y * seat.height / stage.h + 0.01)
    foam = silhouette(stage.shade(ellipse(stage, 0.66, 0.012)), stage.mood.light, 0.55)
    stage.put(foam, 0.5, base - 0.006, anchor="centre")
    for dx, dy, size in ((0.3, 0.87, 0.22), (-0.3, 0.9, 0.26)):
        fish = stage.sprite(scene.small[1], size, flip=dx < 0)
        fish = Image.blend(fish, silhouette(fish, stage.mood.dark), 0.45)
        fish.putalpha(fish.getchannel("A").point(lambda value: int(value * 0.75)))
        stage.put(fish, 0.5 + dx * stage.light, dy, anchor="centre")


def ellipse(stage: Stage, width: float, height: float) -> Image.Image:
    """A soft flat ellipse as RGBA (sizes: fractions of the card's width and height)."""
    size = (stage.px(width), max(3, stage.py(height)))
    out = Image.new("RGBA", size, (255, 255, 255, 255))
    out.putalpha(ellipse_mask(size, stage.w / 160))
    return out


@template("carrier", "walker", "walker tiny", "tiny", kinds=OPEN)
def tower(stage: Stage, scene: Scene) -> None:
    """Animals stand on one another's backs, up to the sky."""
    stage.backdrop(0.74)
    y = 0.93
    sizes = (0.52, 0.4, 0.3, 0.2)
    for i, (thing, size) in enumerate(zip((scene.main, *scene.small), sizes, strict=True)):
        sprite = stage.sprite(thing, size, flip=(i % 2 == 0) == (stage.light > 0))
        stage.put(sprite, 0.5 + 0.015 * (i % 2), y, shadow=1 if i == 0 else 0)
        y -= sprite.height / stage.h * 0.86
    stage.glow(0.5, y - 0.05, 0.35, amount=0.6)
    stage.put(stage.sprite("glowing-star", 0.17), 0.5, max(0.09, y - 0.055), anchor="centre")


@template("music", "walker", "flier tiny flower", kinds=OPEN + " forest city lake")
def swarm(stage: Stage, scene: Scene) -> None:
    """Music turns into living things that swirl up out of the instrument."""
    stage.backdrop(0.66)
    side = stage.light
    x, y = 0.5 - 0.08 * side, 0.72
    stage.glow(x, y - 0.1, 0.5, amount=0.5)
    stage.put(stage.sprite(scene.small[0], 0.42, flip=side > 0), 0.5 - 0.26 * side, 0.92, shadow=1, sink=0.03)
    stage.put(stage.sprite(scene.main, 0.44, angle=6 * side), 0.5 + 0.02 * side, 0.92, shadow=0.9)
    for i in range(15):
        t = i / 14
        angle = t * 9.2
        radius = 0.06 + 0.3 * t
        at = (0.5 + 0.1 * side + radius * np.sin(angle) * side, y - 0.03 - 0.6 * t)
        sprite = stage.sprite(scene.small[1], 0.075 + 0.1 * t, flip=i % 2 == 0, angle=float(stage.rng.uniform(-30, 30)))
        stage.put(sprite, float(at[0]), float(at[1]), anchor="centre")


@template("face watcher", "tiny person wanderer", kinds="hills mountains valley dunes desert badlands snow fields")
def peeking(stage: Stage, scene: Scene) -> None:
    """A huge face looks over the horizon at someone small."""
    stage.backdrop(0.56)
    land = stage.canvas.copy()
    face = stage.sprite(scene.main, 0.86, depth=0.22)
    stage.put(face, 0.5, 0.45, anchor="centre")
    ridge = Image.new("L", (stage.w, stage.h))
    columns = np.arange(stage.w) / stage.w
    crest = 0.5 + 0.03 * np.sin(columns * 5 + stage.scene.seed) + 0.012 * np.sin(columns * 13)
    rows = np.arange(stage.h)[:, None] / stage.h
    ridge = Image.fromarray((np.clip((rows - crest[None]) * 70, 0, 1) * 255).astype(np.uint8))
    stage.canvas.paste(land, (0, 0), ridge)
    stage.fog(0.56, 0.05, 0.35)
    stage.put(stage.sprite("evergreen-tree", 0.12, depth=0.2), 0.14, 0.66, shadow=0.5, sink=0.05)
    stage.put(stage.sprite("evergreen-tree", 0.15, depth=0.15), 0.85, 0.69, shadow=0.5, sink=0.05)
    onlooker(stage, scene.small[0], 0.5 - 0.1 * stage.light, 0.86, 0.2, flip=stage.light > 0)


@template("thing edible hang light letter key", "walker person", kinds=OPEN + " lake")
def fruit_tree(stage: Stage, scene: Scene) -> None:
    """A tree bears things instead of fruit."""
    stage.backdrop(0.7)
    key = ("deciduous-tree", "leafless-tree")[scene.seed % 2]
    tree = stage.sprite(key, 1.0)
    foot = 0.88
    stage.put(tree, 0.5, foot, shadow=1, sink=0.03)
    top, wide = foot - tree.height / stage.h, tree.width / stage.w
    for dx, dy in (
        (-0.3, 0.3),
        (-0.12, 0.14),
        (0.1, 0.26),
        (0.28, 0.2),
        (-0.16, 0.44),
        (0.2, 0.46),
        (0.02, 0.5),
        (-0.36, 0.47),
        (0.38, 0.42),
    ):
        x, y = 0.5 + dx * wide, top + dy * (foot - top)
        stage.line([(x, y - 0.012), (x, y + 0.012)], 0.005, darker(stage.mood.dark, 0.2))
        stage.put(stage.sprite(scene.main, 0.135), x, y + 0.008, anchor="top")
    onlooker(stage, scene.small[0], 0.5 - 0.28 * stage.light, 0.95, 0.26, flip=stage.light > 0)
