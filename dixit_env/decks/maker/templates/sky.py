"""Scenes whose idea hangs in the sky."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..paint import Stage, arc, darker, mix
from ..scene import Scene
from .base import OPEN, WATERSIDE, filled, onlooker, strings, template
from .scale import ground


@template("boat", "swimmer", "walker person", kinds=OPEN + " city forest")
def sea_above(stage: Stage, scene: Scene) -> None:
    """The sky is a sea: boats sail upside down on it, fish swim in it."""
    stage.backdrop(0.74)
    seas = [view for view in stage.sources.landscapes.values() if view.key in ("sea1", "fog3", "beach1", "sea5")]
    sea = seas[int(stage.rng.integers(len(seas)))]
    h = stage.py(0.46)
    picture = stage.view(sea, (stage.w, h * 2), 0.42, stage.mood)
    water = picture.crop((0, round(h * 0.84), stage.w, round(h * 1.84))).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    blue = Image.new("RGB", water.size, mix(stage.mood.dark, (24, 96, 128), 0.6))
    water = Image.blend(water, blue, 0.4)
    rows = np.arange(h)[:, None]
    edge = h * (0.86 + 0.05 * np.sin(np.arange(stage.w) / stage.w * 9 + scene.seed)[None])
    mask = Image.fromarray((np.clip((edge - rows) / (h * 0.1), 0, 1) * 255).astype(np.uint8))
    stage.canvas.paste(water, (0, 0), mask)
    for x, y, size in ((0.25, 0.1, 0.2), (0.74, 0.16, 0.26), (0.5, 0.07, 0.13)):
        fish = stage.sprite(scene.small[0], size, flip=x < 0.5, depth=0.25)
        fish.putalpha(fish.getchannel("A").point(lambda value: int(value * 0.85)))
        stage.put(fish, x, y, anchor="centre")
    boat = stage.sprite(scene.main, 0.44, flip=stage.light > 0).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    stage.put(boat, 0.5 - 0.08 * stage.light, 0.36, anchor="top")
    spray = Image.new("RGBA", (boat.width, max(4, boat.height // 7)), (*mix(stage.mood.light, stage.haze, 0.3), 0))
    ImageDraw.Draw(spray).ellipse((0, 0, spray.width - 1, spray.height - 1), fill=(*stage.mood.light, 170))
    stage.put(spray.filter(ImageFilter.GaussianBlur(stage.w / 90)), 0.5 - 0.08 * stage.light, 0.36, anchor="centre")
    onlooker(stage, scene.small[1], 0.5 + 0.14 * stage.light, 0.93, 0.24, flip=stage.light < 0)


@template("building tree", "walker person", "flier", kinds="sea lake clouds mountains canyon valley snow")
def island(stage: Stage, scene: Scene) -> None:
    """An island floats in the air, and its water falls into the deep."""
    stage.backdrop(0.8)
    stage.fog(0.75, 0.2, 0.35)
    y = 0.46
    waterfall(stage, 0.5 - 0.2 * stage.light, y - 0.02, 0.9)
    ground(stage, 0.5, y, 0.4, 0.1)
    top = y - 0.05
    stage.put(stage.sprite("evergreen-tree", 0.22), 0.76, top + 0.012, sink=0.05)
    stage.put(stage.sprite("deciduous-tree", 0.18), 0.25, top + 0.01, sink=0.05)
    stage.put(stage.sprite(scene.main, 0.46), 0.5, top + 0.02, sink=0.05, shadow=0.3)
    for x, dy, size in ((0.2, 0.62, 0.16), (0.8, 0.68, 0.2)):
        cloud = stage.sprite("cloud", size, depth=0.6)
        stage.put(cloud, x, dy, anchor="centre")
    onlooker(stage, scene.small[0], 0.5 + 0.2 * stage.light, 0.95, 0.2, flip=stage.light < 0)
    stage.put(stage.sprite(scene.small[1], 0.15, depth=0.2), 0.5 + 0.33 * stage.light, 0.13)


def waterfall(stage: Stage, x: float, top: float, foot: float) -> None:
    """Water that falls from a height and is lost in spray."""
    size = (stage.px(0.15), stage.py(foot - top))
    columns = np.linspace(-1, 1, size[0])[None]
    rows = np.linspace(0, 1, size[1])[:, None]
    threads = np.repeat(stage.rng.uniform(0.35, 1, (1, max(3, size[0] // 2))), 2, axis=1)
    threads = np.interp(columns[0], np.linspace(-1, 1, threads.shape[1]), threads[0])[None]
    body = np.clip(1.2 - np.abs(columns) ** 2 * (1.3 - 0.5 * rows), 0, 1) * threads * (1 - 0.75 * rows**2)
    water = Image.new("RGBA", size, (*mix(stage.mood.light, (255, 255, 255), 0.5), 255))
    water.putalpha(Image.fromarray((body.clip(0, 1) * 255).astype(np.uint8)))
    stage.put(water, x, top, anchor="top")
    stage.glow(x, foot, 0.2, stage.mood.light, 0.5)


@template("walker flier swimmer face building boat", "person wanderer walker tiny", kinds=OPEN)
def cloud_shape(stage: Stage, scene: Scene) -> None:
    """A cloud has the shape of something; someone below looks up."""
    stage.backdrop(0.72)
    size = 0.82
    white = mix(stage.mood.light, (255, 255, 255), 0.5)
    body = filled(stage, scene.main, size, Image.new("RGB", (8, 8), white), flip=stage.light > 0)
    pad = round(stage.w * 0.09)
    layer = Image.new("RGBA", (body.width + 2 * pad, body.height + 2 * pad), (*white, 0))
    layer.paste(body, (pad, pad), body)
    noise = stage.rng.random((layer.height // max(2, pad // 3) + 2, layer.width // max(2, pad // 3) + 2)) * 255
    puff = Image.fromarray(noise.astype(np.uint8)).resize(layer.size, Image.Resampling.BICUBIC)
    alpha = np.asarray(layer.getchannel("A").filter(ImageFilter.GaussianBlur(pad / 5)), dtype=np.float32) / 255
    soft = np.clip((alpha + (np.asarray(puff, dtype=np.float32) / 255 - 0.55) * 0.32 - 0.26) * 3, 0, 1)
    shaded = stage.shade(layer)
    pixels = np.asarray(shaded.convert("RGB").filter(ImageFilter.GaussianBlur(stage.w / 300)), dtype=np.float32)
    pixels += (np.array(white, dtype=np.float32) - pixels) * 0.2
    cloud = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    cloud.putalpha(Image.fromarray((soft * 235).astype(np.uint8)))
    stage.put(cloud, 0.5, 0.32, anchor="centre")
    for x, y, extent in ((0.14, 0.52, 0.26), (0.86, 0.56, 0.3)):
        stage.put(stage.sprite("cloud", extent, depth=0.7), x, y, anchor="centre")
    onlooker(stage, scene.small[0], 0.5 - 0.16 * stage.light, 0.93, 0.2, flip=stage.light > 0)


@template("hang", "hang", "person wanderer walker", kinds=OPEN + " lake sea city forest clouds")
def hanging(stage: Stage, scene: Scene) -> None:
    """The same thing hangs on many threads from the sky, and among them one that isn't like the others."""
    stage.backdrop(0.76)
    places = [
        *((0.12, 0.2, 0.15), (0.3, 0.34, 0.15), (0.7, 0.31, 0.15), (0.89, 0.19, 0.15)),
        *((0.31, 0.07, 0.12), (0.7, 0.05, 0.12), (0.13, 0.52, 0.16), (0.88, 0.49, 0.16)),
    ]
    for x, y, size in places:
        strings(stage, x, 0, y)
        stage.put(stage.sprite(scene.main, size, depth=0.25), x, y - 0.01, anchor="top")
    strings(stage, 0.5, 0, 0.4, 0.006)
    stage.glow(0.5, 0.5, 0.5, amount=0.65)
    stage.put(stage.sprite(scene.small[0], 0.34), 0.5, 0.39, anchor="top")
    onlooker(stage, scene.small[1], 0.5, 0.95, 0.27)


@template("thing edible tiny flower letter", "person walker", kinds=OPEN + " city")
def strange_rain(stage: Stage, scene: Scene) -> None:
    """It rains things; someone stands among what has fallen already."""
    stage.backdrop(0.74)
    for x, size in ((0.22, 0.5), (0.78, 0.52), (0.5, 0.62)):
        stage.put(stage.sprite("cloud", size, depth=0.1), x, 0.1, anchor="centre")
    for column in range(5):
        for row in range(4):
            x = 0.1 + 0.2 * column + float(stage.rng.uniform(-0.05, 0.05))
            y = 0.24 + 0.12 * row + 0.05 * (column % 2) + float(stage.rng.uniform(-0.03, 0.03))
            if abs(x - 0.5) < 0.2 and y > 0.55:
                continue
            size = 0.09 + 0.018 * row
            drop = stage.sprite(scene.main, size, angle=float(stage.rng.uniform(-60, 60)), depth=0.3 - 0.1 * row)
            stage.put(drop, x, y, anchor="centre")
    heap = [(float(x), float(y)) for x, y in stage.rng.uniform((0.06, 0.82), (0.94, 0.97), (18, 2))]
    fallen = sorted(heap, key=lambda at: at[1])
    for x, y in [at for at in fallen if at[1] < 0.9]:
        stage.put(stage.sprite(scene.main, 0.14, angle=float(stage.rng.uniform(-80, 80))), x, y, shadow=0.6)
    onlooker(stage, scene.small[0], 0.5, 0.93, 0.34)
    for x, y in [at for at in fallen if at[1] >= 0.9]:
        stage.put(stage.sprite(scene.main, 0.16, angle=float(stage.rng.uniform(-80, 80))), x, y + 0.03, shadow=0.6)


@template("tiny walker", "swimmer thing hang shoe letter key", kinds=WATERSIDE)
def moon_fisher(stage: Stage, scene: Scene) -> None:
    """Someone sits on the crescent moon and has caught something on a line."""
    stage.backdrop(0.68)
    if not stage.mood.stars:
        stage.stars(0, 0.5, 40)
    stage.water(0.7)
    side = stage.light
    x, y = 0.5 + 0.1 * side, 0.27
    stage.glow(x, y, 0.7, amount=0.75)
    moon = stage.sprite("crescent-moon", 0.5, flip=side < 0)
    stage.put(moon, x, y, anchor="centre")
    seat = (x - 0.16 * side, y + 0.075)
    stage.put(stage.sprite(scene.main, 0.2, flip=side > 0), seat[0], seat[1] + 0.005)
    line_x = seat[0] - 0.13 * side
    stage.line([(seat[0], seat[1] - 0.035), (line_x, seat[1] - 0.09)], 0.007, mix(stage.mood.dark, (120, 84, 48), 0.7))
    stage.line([(line_x, seat[1] - 0.09), (line_x, 0.6)], 0.003, mix(stage.mood.light, stage.mood.dark, 0.3))
    catch = stage.sprite(scene.small[0], 0.26, angle=-20 * side)
    stage.put(catch, line_x, 0.595, anchor="top")
    for radius in (0.1, 0.16, 0.22):
        stage.line(arc(line_x, 0.8, radius, 0, 360), 0.003, stage.mood.light, 120)


@template("building seat vehicle thing", "flier", "walker person", kinds=OPEN + " city forest")
def flock(stage: Stage, scene: Scene) -> None:
    """A flock on threads carries something through the air."""
    stage.backdrop(0.78)
    side = stage.light
    x, top = 0.5 - 0.04 * side, 0.44
    for i in range(9):
        column, row = i % 3, i // 3
        at = (x + (column - 1) * 0.27 + 0.07 * (row - 1) * side, 0.12 + 0.085 * row + 0.03 * ((column + row) % 2))
        stage.line([at, (x + (column - 1) * 0.1, top + 0.06)], 0.003, darker(stage.mood.dark, 0.2), 210)
        size = float(stage.rng.uniform(0.14, 0.19))
        stage.put(stage.sprite(scene.small[0], size, flip=side > 0), at[0], at[1], anchor="centre")
    stage.put(stage.sprite(scene.main, 0.48, angle=-4 * side), x, top, anchor="top")
    onlooker(stage, scene.small[1], 0.5 - 0.25 * side, 0.94, 0.22, flip=side > 0)
