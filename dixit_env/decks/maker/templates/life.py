"""Scenes in which somebody does what he shouldn't be able to."""

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from ..paint import Stage, darker, fade, mix
from ..scene import Scene
from .base import OPEN, WATERSIDE, islet, onlooker, silhouette, template


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


@template("building thing tree", "walker", "light", kinds=OPEN)
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


@template(
    "thing tall tiny walker", "walker building tree person flier boat", kinds="desert dunes snow beach fields moon"
)
def false_shadow(stage: Stage, scene: Scene) -> None:
    """A thing's long shadow is that of something else."""
    stage.backdrop(0.4)
    side = -stage.light
    x, y = 0.5 - 0.2 * side, 0.6
    shape = stage.sources.icon(scene.small[0].key, round(0.82 * stage.w))
    if side < 0:
        shape = shape.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    mask = shape.getchannel("A").transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    width, height = mask.size
    lean = round(height * 0.42)
    size = (width + lean, height)
    slope = -side * lean / height
    start = 0 if side > 0 else -lean
    mask = mask.transform(size, Image.Transform.AFFINE, (1, slope, start, 0, 1, 0), Image.Resampling.BICUBIC)
    mask = mask.resize((size[0], round(height * 0.86)))
    mask = ImageChops.multiply(mask, fade(mask.size, 0.95, 0.6)).filter(ImageFilter.GaussianBlur(stage.w / 220))
    left = stage.px(x) - width // 2 - (lean if side < 0 else 0)
    stage.canvas.paste(
        darker(stage.mood.dark, 0.3), (left, stage.py(y) - round(0.012 * stage.h)), mask.point(lambda v: int(v * 0.78))
    )
    stage.put(stage.sprite(scene.main, 0.3), x, y, sink=0.03)


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
    mirror = Image.blend(mirror, blue, 0.28)
    mirror.putalpha(ImageChops.multiply(mirror.getchannel("A"), fade(mirror.size, 0.95, 0.62)))
    stage.put(mirror, 0.5, base + 0.012, anchor="top")
    islet(stage, 0.5, base + 0.01, 0.34)
    stage.put(top, 0.5, base + 0.004, sink=0.03)
    boat = stage.sprite(scene.small[1], 0.15, flip=stage.light > 0, depth=0.35)
    stage.put(boat, 0.5 + 0.34 * stage.light, 0.585)
