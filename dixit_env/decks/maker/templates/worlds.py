"""Scenes with a second world in, under or behind the first."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import MOODS
from ..paint import Stage, darker, fade, glow_mask, mix, tint
from ..scene import Scene
from .base import OPEN, ellipse_mask, onlooker, template

CONTRAST = {"night": "noon", "dream": "autumn", "storm": "dawn", "mist": "dusk", "winter": "dusk", "old": "dream"}
"""mood of the second world, where it isn't night"""


def opposite(scene: Scene) -> str:
    """The mood of the other world."""
    return CONTRAST.get(scene.mood, "night")


@template("building tree walker person", "tiny", kinds=OPEN + " forest city")
def snow_globe(stage: Stage, scene: Scene) -> None:
    """A glass globe holds a whole winter."""
    stage.backdrop(0.62)
    x, y, radius = 0.5, 0.5, 0.4
    size = stage.px(radius * 2)
    foot = stage.py(y) + round(size * 0.44)
    wood = mix(stage.mood.dark, (110, 62, 40), 0.7)
    base = Image.new("RGBA", (round(size * 0.82), round(size * 0.26)))
    draw = ImageDraw.Draw(base)
    w, h = base.size
    draw.polygon([(w * 0.12, 0), (w * 0.88, 0), (w, h), (0, h)], fill=(*wood, 255))
    draw.rectangle((0, h * 0.72, w, h), fill=(*darker(wood, 0.25), 255))
    bottom = foot + round(size * 0.17)
    stage.cast(base, stage.px(x) - w // 2, bottom, 0.9)
    world = stage.view(scene.other, (size, size), 0.66, MOODS["winter" if scene.mood != "winter" else "night"])
    inner = Stage(stage.sources, scene, (size, size))
    inner.canvas, inner.haze, inner.light = world, stage.haze, stage.light
    inner.fog(0.86, 0.16, 0.8, (240, 244, 248))
    inner.put(inner.sprite("evergreen-tree", 0.25), 0.26, 0.82, shadow=0.4)
    inner.put(inner.sprite("evergreen-tree", 0.2), 0.76, 0.8, shadow=0.4)
    inner.put(inner.sprite(scene.main, 0.5), 0.5, 0.86, shadow=0.5, sink=0.04)
    snow = ImageDraw.Draw(inner.canvas)
    for _ in range(70):
        sx, sy = stage.rng.random(2) * size
        r = size * float(stage.rng.uniform(0.004, 0.011))
        snow.ellipse((sx - r, sy - r, sx + r, sy + r), fill=(255, 255, 255))
    shine = glow_mask((size, size), size * (0.5 + 0.22 * stage.light), size * 0.24, size * 0.3, 3)
    inner.wash((255, 255, 255), shine, 0.85)
    rows, columns = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    edge = (np.clip(np.hypot(rows, columns) - 0.72, 0, 0.28) / 0.28) ** 1.6 * 170
    inner.canvas.paste(darker(stage.mood.dark), (0, 0, size, size), Image.fromarray(edge.astype(np.uint8)))
    corner = (stage.px(x) - size // 2, stage.py(y) - size // 2)
    stage.canvas.paste(inner.canvas, corner, ellipse_mask((size, size), 0.7))
    shaded = stage.shade(base)
    stage.canvas.paste(shaded, (stage.px(x) - w // 2, bottom - h), shaded)
    onlooker(stage, scene.small[0], 0.5 - 0.34 * stage.light, 0.96, 0.22, flip=stage.light > 0)


@template("round building carrier sky tree", "tiny walker", kinds=OPEN + " clouds forest")
def keyhole(stage: Stage, scene: Scene) -> None:
    """A thing has a keyhole with light behind it; an animal brings the key."""
    stage.backdrop(0.66)
    airy = "sky" in scene.main.roles
    sprite = stage.sprite(scene.main, 0.78)
    y = 0.42 if airy else 0.84 - 0.5 * sprite.height / stage.h
    stage.glow(0.5, y, 0.7, amount=0.4)
    stage.put(sprite, 0.5, y, anchor="centre", shadow=0 if airy else 0.9)
    half = 0.075
    w, h = stage.px(half * 2), stage.px(half * 4)
    hole = Image.new("L", (w, h))
    draw = ImageDraw.Draw(hole)
    draw.ellipse((w * 0.08, 0, w * 0.92, w * 0.84), fill=255)
    draw.polygon([(w * 0.36, w * 0.6), (w * 0.64, w * 0.6), (w * 0.95, h - 1), (w * 0.05, h - 1)], fill=255)
    rim = hole.filter(ImageFilter.MaxFilter(2 * max(1, w // 22) + 1)) if w > 22 else hole
    corner = (stage.px(0.5) - w // 2, stage.py(y) - h // 2)
    stage.canvas.paste(darker(stage.mood.dark), corner, rim)
    lit = stage.view(scene.other, (w, h), 0.6, MOODS[opposite(scene)])
    lit = Image.blend(lit, Image.new("RGB", lit.size, (255, 236, 170)), 0.45)
    stage.canvas.paste(lit, corner, hole)
    stage.glow(0.5, y, 0.34, (255, 226, 140), 0.65)
    x = 0.5 - 0.22 * stage.light
    onlooker(stage, scene.small[0], x, 0.95, 0.25, flip=stage.light > 0)
    key = stage.sprite("key", 0.2, angle=40 * stage.light)
    stage.put(key, x + 0.17 * stage.light, 0.9, anchor="centre")


@template("face flier swimmer walker", "walker person tiny", kinds=OPEN + " city forest lake sea")
def torn(stage: Stage, scene: Scene) -> None:
    """The world is a torn sheet of paper; another world and an animal come through the tear."""
    stage.backdrop(0.64)
    w, h = stage.w, stage.h
    world = stage.view(scene.other, (w, h), 0.62, MOODS[opposite(scene)])
    inner = Stage(stage.sources, scene, (w, h))
    inner.mood, inner.canvas, inner.light = MOODS[opposite(scene)], world, stage.light
    inner.put(inner.sprite(scene.main, 0.66, flip=stage.light > 0), 0.5, 0.46, anchor="centre")
    edges = []
    for side in (-1, 1):
        for i in range(19):
            t = i / 18
            bow = math.sin(math.pi * t) ** 0.7
            jag = float(stage.rng.uniform(-0.03, 0.03)) * (0.3 + bow)
            edges.append((side, 0.5 + 0.1 * math.sin(t * 5) + side * 0.34 * bow + jag, 0.08 + 0.74 * t))
    left = [(x * w, y * h) for side, x, y in edges if side < 0]
    right = [(x * w, y * h) for side, x, y in edges if side > 0]
    hole = Image.new("L", (w, h))
    ImageDraw.Draw(hole).polygon(left + right[::-1], fill=255)
    paper = hole.filter(ImageFilter.MaxFilter(2 * max(1, w // 70) + 1))
    shift = ImageChops.offset(paper, round(-0.012 * w * stage.light), round(0.014 * w))
    dark = shift.filter(ImageFilter.GaussianBlur(w / 60)).point(lambda v: int(v * 0.6))
    stage.canvas.paste(darker(stage.mood.dark), (0, 0, w, h), dark)
    stage.canvas.paste((246, 240, 228), (0, 0, w, h), paper)
    stage.canvas.paste(inner.canvas, (0, 0), hole)
    rim = ImageChops.subtract(hole, ImageChops.offset(hole, round(0.02 * w * stage.light), round(-0.015 * w)))
    rim = rim.filter(ImageFilter.GaussianBlur(w / 50)).point(lambda v: int(v * 0.7))
    stage.canvas.paste(darker(stage.mood.dark), (0, 0, w, h), ImageChops.multiply(rim, hole))
    onlooker(stage, scene.small[0], 0.5 - 0.2 * stage.light, 0.95, 0.2, flip=stage.light > 0)


@template("thing building vehicle round", "flower plant tree tiny", kinds=OPEN)
def buried(stage: Stage, scene: Scene) -> None:
    """The ground is cut open: under something small and alive lies something large."""
    stage.backdrop(0.3)
    top = 0.36
    earth, deep = mix(stage.mood.middle, (120, 84, 58), 0.6), mix(stage.mood.dark, (34, 22, 20), 0.6)
    h = stage.h - stage.py(top)
    rows = np.linspace(0, 1, h, dtype=np.float32)[:, None, None]
    soil = np.array(earth, np.float32) * (1 - rows) + np.array(deep, np.float32) * rows
    coarse = stage.rng.normal(128, 34, (h // 8 + 1, stage.w // 12 + 1)).clip(0, 255).astype(np.uint8)
    grit = Image.fromarray(coarse).resize((stage.w, h), Image.Resampling.BICUBIC)
    layers = np.sin(np.arange(h) / h * 40 + scene.seed)[:, None, None] * 5
    pixels = soil + (np.asarray(grit, dtype=np.float32)[..., None] - 128) * 0.5 + layers
    stage.canvas.paste(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)), (0, stage.py(top)))
    draw = ImageDraw.Draw(stage.canvas)
    for x, y, r in stage.rng.random((22, 3)):
        px, py, size = x * stage.w, stage.py(top + 0.08 + y * 0.56), stage.w * (0.008 + 0.02 * r)
        draw.ellipse(
            (px - size * 1.4, py - size, px + size * 1.4, py + size), fill=mix(deep, earth, float(0.3 + 0.6 * r))
        )
    grass = mix(stage.mood.middle, (84, 116, 52), 0.65)
    points = [(t / 40, top - 0.008 * math.sin(t * 0.7 + scene.seed)) for t in range(41)]
    stage.polygon([*points, (1, top + 0.03), (0, top + 0.03)], grass)
    stage.glow(0.5, 0.68, 0.5, amount=0.45)
    cave = Image.new("L", (stage.px(0.86), stage.py(0.46)))
    cave.paste(ellipse_mask(cave.size, stage.w / 18))
    stage.canvas.paste(mix(deep, (0, 0, 0), 0.3), (stage.px(0.07), stage.py(0.46)), cave.point(lambda v: int(v * 0.75)))
    stage.glow(0.5, 0.68, 0.4, amount=0.35)
    stage.put(stage.sprite(scene.main, 0.66, angle=-10 * stage.light), 0.5, 0.68, anchor="centre")
    for dx in (-0.07, -0.02, 0.03, 0.08):
        wave = [(0.5 + dx * t + 0.02 * math.sin(9 * t + dx * 90), top + 0.01 + 0.19 * t) for t in np.linspace(0, 1, 16)]
        stage.line(wave, 0.007, mix(earth, stage.mood.light, 0.35))
    onlooker(stage, scene.small[0], 0.5, top + 0.01, 0.3)


@template("walker flier face person swimmer vehicle", "walker tiny person", kinds=OPEN + " clouds lake sea")
def endless(stage: Stage, scene: Scene) -> None:
    """The same again and again, each time smaller, in a spiral that ends at someone small."""
    stage.backdrop(0.8)
    x, y, side = 0.5, 0.46, stage.light
    stage.glow(x, y, 0.6, amount=0.6)
    count = 13
    for i in range(count):
        shrink = 0.8**i
        turn = math.radians(75 + 52 * i)
        at = (x + 0.34 * shrink * math.cos(turn) * side, y + 0.3 * shrink * math.sin(turn))
        lean = -(52 * i - 10) * side if i else 0
        copy = stage.sprite(scene.main, 0.46 * shrink, flip=side > 0, angle=lean * 0.35, depth=0.04 * i)
        stage.put(copy, *at, anchor="centre")
    stage.put(stage.sprite(scene.small[0], 0.085, flip=side < 0), x, y, anchor="centre")


@template("swimmer flier walker vehicle boat", "walker person tiny", kinds=OPEN + " city forest")
def picture(stage: Stage, scene: Scene) -> None:
    """What is painted in a picture leaves its frame."""
    stage.backdrop(0.62)
    x, foot, w = 0.5 - 0.07 * stage.light, 0.84, stage.px(0.62)
    h = round(w * 1.12)
    gold = mix(stage.mood.sunlight, (150, 104, 50), 0.75)
    rim = max(3, w // 11)
    framed = stage.shade(Image.new("RGBA", (w + 2 * rim, h + 2 * rim), (*gold, 255)))
    left, top = stage.px(x) - w // 2, stage.py(foot) - h - rim
    stage.cast(framed, left - rim, stage.py(foot), 1, 0.25)
    stage.canvas.paste(framed, (left - rim, top - rim))
    draw = ImageDraw.Draw(stage.canvas)
    inner = max(1, rim // 3)
    draw.rectangle((left - inner, top - inner, left + w + inner, top + h + inner), fill=darker(gold, 0.45))
    views = [
        v
        for v in stage.sources.landscapes.values()
        if v.kind == ("sea" if scene.main.roles & {"swimmer", "boat"} else scene.other.kind)
    ]
    world = stage.view(views[scene.seed % len(views)], (w, h), 0.52, MOODS[opposite(scene)])
    stage.canvas.paste(world, (left, top))
    ground = scene.main.roles & {"walker", "vehicle"}
    sprite = stage.sprite(scene.main, 0.64, flip=stage.light > 0, angle=0 if ground else 12 * stage.light)
    place = x + 0.22 * stage.light
    if ground:
        stage.put(sprite, place, 0.9, shadow=0.9)
    else:
        stage.put(sprite, place, 0.5, anchor="centre")
    if scene.main.roles & {"swimmer", "boat"}:
        for dx, dy in ((0.06, 0.0), (-0.06, 0.05), (0.14, 0.07), (0.01, 0.1)):
            stage.put(stage.sprite("droplet", 0.05), place - dx * stage.light, 0.66 + dy, anchor="centre")
    onlooker(stage, scene.small[0], 0.5 - 0.3 * stage.light, 0.96, 0.22, flip=stage.light > 0)


@template("float", "building", "boat flier", kinds="sea lake")
def living_island(stage: Stage, scene: Scene) -> None:
    """An island in the sea is the back of a swimming animal."""
    stage.backdrop(0.5)
    stage.water(0.5)
    stage.glow(0.5 + 0.3 * stage.light, 0.3, 0.6, amount=0.5)
    base = 0.68
    body = stage.sprite(scene.main, 0.92, flip=stage.light > 0)
    cut = round(body.height * 0.24)
    top = base - (body.height - cut) / stage.h
    stage.put(stage.sprite(scene.small[0], 0.34), 0.5 + 0.06 * stage.light, top + 0.3 * body.height / stage.h)
    for dx, size in ((0.2, 0.17), (-0.16, 0.14), (0.28, 0.12)):
        tree = stage.sprite("evergreen-tree" if dx > 0 else "palm-tree", size)
        stage.put(tree, 0.5 + dx * stage.light, top + (0.34 + 0.25 * abs(dx)) * body.height / stage.h)
    mask = body.getchannel("A")
    strip = mask.crop((0, body.height - cut * 2, body.width, body.height))
    mask.paste(ImageChops.multiply(strip, fade(strip.size, 1, 0)), (0, body.height - cut * 2))
    mirror = body.transpose(Image.Transpose.FLIP_TOP_BOTTOM).resize((body.width, round(body.height * 0.5)))
    body.putalpha(mask)
    mirror.putalpha(ImageChops.multiply(mirror.getchannel("A"), fade(mirror.size, 0.4, 0)))
    stage.put(mirror, 0.5, base - 0.03, anchor="top")
    stage.put(body, 0.5, base + cut / stage.h)
    foam = Image.new("RGBA", (body.width, stage.py(0.02)), (*stage.mood.light, 0))
    foam.putalpha(ellipse_mask(foam.size, stage.w / 100).point(lambda v: int(v * 0.5)))
    stage.put(foam, 0.5, base, anchor="centre")
    x = 0.5 - 0.28 * stage.light
    if "boat" in scene.small[1].roles:
        stage.put(stage.sprite(scene.small[1], 0.2, flip=stage.light < 0), x, 0.87, sink=0.1)
    else:
        stage.put(stage.sprite(scene.small[1], 0.17, flip=stage.light < 0), x, 0.2)


@template("tall tree building walker person", "tiny", kinds=OPEN + " forest city lake sea")
def two_halves(stage: Stage, scene: Scene) -> None:
    """The card is split: half day, half night, and a thing that belongs to both."""
    stage.backdrop(0.62)
    sprite = stage.sprite(scene.main, 0.72, flip=stage.light > 0)
    sun_at, moon_at = (0.22, 0.17), (0.78, 0.17)
    stage.put(sprite, 0.5, 0.88, shadow=0.8, sink=0.03)
    night, dawn = MOODS["night"], MOODS["noon" if scene.mood != "autumn" else "autumn"]
    halves = []
    for mood in (dawn, night):
        half = Stage(stage.sources, scene, (stage.w, stage.h))
        half.mood = mood
        half.canvas = tint(stage.canvas, mood, 0.72).point(lambda v, bright=mood.exposure: int(v * bright))
        halves.append(half)
    halves[0].glow(*sun_at, 0.45, amount=0.8)
    halves[0].put(halves[0].sprite("sun", 0.26), *sun_at, anchor="centre")
    halves[1].stars(0, 0.55, 80)
    halves[1].glow(*moon_at, 0.35, amount=0.5)
    halves[1].put(halves[1].sprite("crescent-moon", 0.22), *moon_at, anchor="centre")
    stage.canvas = halves[0].canvas
    mask = Image.new("L", (stage.w, stage.h))
    ImageDraw.Draw(mask).rectangle((stage.w // 2, 0, stage.w, stage.h), fill=255)
    stage.canvas.paste(halves[1].canvas, (0, 0), mask)
    onlooker(stage, scene.small[0], 0.5, 0.96, 0.2, flip=stage.light < 0)
