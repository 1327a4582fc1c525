"""Scenes of what is inside and what passes: clockwork, time, mending, letting go, coming undone."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, onlooker, template
from .shapes import Point, bend, fill, inscribed, pigment, ring, shadow, stroke

BRASS = (196, 148, 62)


def cog(stage: Stage, x: float, y: float, radius: float, teeth: int, turn: float, colour: RGB) -> None:
    """A cogwheel with spokes, lit from the stage's side."""
    outline: list[Point] = []
    for i in range(teeth * 4):
        angle = (i + turn) * 2 * math.pi / (teeth * 4)
        r = radius * (1.0 if i % 4 in (1, 2) else 0.82)
        outline.append((x + r * math.cos(angle), y + r * math.sin(angle) * 2 / 3))
    lit, dim = mix(colour, stage.mood.sunlight, 0.35), darker(colour, 0.45)
    if stage.light > 0:
        lit, dim = dim, lit
    shadow(stage, [(px - 0.012 * stage.light, py + 0.012) for px, py in outline], 0.6, 0.008)
    fill(stage, outline, lit, dim, across=True)
    for i in range(5):
        angle = i * 72 + turn * 20
        wedge = [
            *ring(x, y, radius * 0.64, 1, angle, angle + 50),
            *ring(x, y, radius * 0.32, 1, angle, angle + 50)[::-1],
        ]
        fill(stage, wedge, darker(colour, 0.72))
    fill(stage, ring(x, y, radius * 0.14), darker(colour, 0.6), darker(colour, 0.3))


@template("carrier", "flower light tiny", kinds=OPEN + " city forest")
def clockwork(stage: Stage, scene: Scene) -> None:
    """A wind-up animal with an open flank: among the cogwheels something small keeps it going."""
    stage.backdrop(0.64)
    flip = stage.light > 0
    sprite = stage.sprite(scene.main, 0.94, flip=flip)
    left, top, _, _ = stage.put(sprite, 0.5, 0.86, shadow=1, sink=0.02)
    cx, cy, half = inscribed(sprite.getchannel("A"))
    x, y = (left + cx) / stage.w, (top + cy) / stage.h
    radius = min(0.2, max(0.14, 1.1 * half / stage.w))
    brass = pigment(stage, BRASS, 0.15)
    fill(stage, ring(x, y, radius * 1.17), mix(brass, stage.mood.sunlight, 0.4), darker(brass, 0.5))
    fill(stage, ring(x, y, radius), (18, 14, 16), (46, 30, 24))
    hole = Image.new("L", stage.canvas.size)
    ImageDraw.Draw(hole).polygon([(px * stage.w, py * stage.h) for px, py in ring(x, y, radius)], fill=255)
    before = stage.canvas.copy()
    for dx, dy, r, teeth, turn, tone in (
        (-0.62, -0.45, 0.62, 11, 0.0, 0.25),
        (0.66, -0.5, 0.5, 9, 1.3, 0.1),
        (0.6, 0.6, 0.66, 12, 0.6, 0.2),
        (-0.66, 0.66, 0.46, 8, 2.0, 0.05),
    ):
        cog(stage, x + dx * radius, y + dy * radius * 2 / 3, r * radius, teeth, turn, darker(brass, 0.4 - tone))
    stage.glow(x, y, radius * 1.1, (255, 206, 120), 0.85)
    stage.put(stage.sprite(scene.small[0], radius * 1.15), x, y, anchor="centre")
    before.paste(stage.canvas, (0, 0), hole.filter(ImageFilter.GaussianBlur(0.8)))
    stage.canvas = before
    for i in range(8):
        angle = i * math.pi / 4
        rivet = (x + radius * 1.085 * math.cos(angle), y + radius * 1.085 * math.sin(angle) * 2 / 3)
        fill(stage, ring(*rivet, 0.009), mix(brass, (255, 255, 255), 0.4), darker(brass, 0.5))
    column = np.flatnonzero(np.asarray(sprite.getchannel("A"))[:, cx] > 128)
    winder(stage, x, (top + int(column[0])) / stage.h, brass)


def winder(stage: Stage, x: float, back: float, brass: RGB) -> None:
    """A wind-up key that stands on a back at the height `back`."""
    lit, dim = mix(brass, stage.mood.sunlight, 0.3), darker(brass, 0.45)
    fill(
        stage,
        [(x - 0.013, back - 0.06), (x + 0.013, back - 0.06), (x + 0.013, back + 0.012), (x - 0.013, back + 0.012)],
        lit,
        dim,
        across=True,
    )
    for arm in (-1, 1):
        fill(stage, ring(x + 0.055 * arm, back - 0.075, 0.055, 0.95), lit, dim)
    for arm in (-1, 1):
        fill(stage, ring(x + 0.058 * arm, back - 0.075, 0.026, 0.95), darker(dim, 0.45))


@template("walker", "flier", kinds=OPEN + " city sea lake beach")
def hold_the_hour(stage: Stage, scene: Scene) -> None:
    """Somebody pulls back the hand of a clock as large as the moon; something that flies sits on the other hand."""
    stage.backdrop(0.76)
    side = stage.light
    x, y, radius = 0.5, 0.33, 0.43
    stage.glow(x, y, 0.75, amount=0.6)
    ivory = mix(pigment(stage, (244, 234, 206), 0.12), stage.mood.light, 0.35)
    iron = darker(mix(stage.mood.dark, (44, 34, 40), 0.5), 0.2)
    brass = pigment(stage, BRASS, 0.2)
    fill(stage, ring(x, y, radius), mix(brass, stage.mood.sunlight, 0.3), darker(brass, 0.5))
    fill(stage, ring(x, y, radius * 0.92), ivory, mix(ivory, stage.mood.middle, 0.4))
    stroke(stage, ring(x, y, radius * 0.9), 0.004, darker(brass, 0.4))
    stroke(stage, ring(x, y, radius * 0.62), 0.003, darker(brass, 0.2), 0.5)
    for i in range(60):
        angle = math.radians(i * 6)
        start = radius * (0.72 if i % 5 == 0 else 0.84)
        tick = [(x + r * math.sin(angle), y - r * math.cos(angle) * 2 / 3) for r in (start, radius * 0.87)]
        stroke(stage, tick, 0.016 if i % 15 == 0 else 0.01 if i % 5 == 0 else 0.003, iron)
    tip = (x - 0.36 * side, y - 0.045)
    other = (x + 0.17 * side, y - 0.075)
    hand(stage, (x, y), other, 0.03, iron)
    hand(stage, (x, y), tip, 0.022, iron)
    fill(stage, ring(x, y, 0.03), mix(brass, stage.mood.sunlight, 0.4), darker(brass, 0.4))
    stage.put(stage.sprite(scene.small[0], 0.2, flip=side < 0), other[0], other[1] + 0.012)
    animal = stage.sprite(scene.main, 0.42, flip=side < 0)
    foot, at = 0.93, 0.5 - 0.2 * side
    hold = (at + 0.06 * side, foot - 0.5 * animal.height / stage.h)
    rope = mix(pigment(stage, (190, 160, 110), 0.2), stage.mood.light, 0.1)
    end = (tip[0] + 0.02 * side, tip[1])
    stroke(stage, [end, hold], 0.014, darker(rope, 0.6))
    stroke(stage, [end, hold], 0.009, rope)
    onlooker(stage, scene.main, at, foot, 0.42, flip=side < 0)
    wrap = [(hold[0] - 0.035, hold[1] - 0.012), hold, (hold[0] + 0.035, hold[1] + 0.014)]
    stroke(stage, wrap, 0.012, darker(rope, 0.4))


def hand(stage: Stage, start: Point, end: Point, width: float, colour: RGB) -> None:
    """A clock's hand that tapers to a point, with its shadow on the dial."""
    dx, dy = end[0] - start[0], (end[1] - start[1]) * 1.5
    length = math.hypot(dx, dy)
    nx, ny = -dy / length * width, dx / length * width / 1.5
    mid = (start[0] + 0.72 * (end[0] - start[0]), start[1] + 0.72 * (end[1] - start[1]))
    shape = [
        (start[0] + nx / 2, start[1] + ny / 2),
        (mid[0] + nx, mid[1] + ny),
        end,
        (mid[0] - nx, mid[1] - ny),
        (start[0] - nx / 2, start[1] - ny / 2),
    ]
    shadow(stage, [(px + 0.012, py + 0.012) for px, py in shape], 0.35, 0.008)
    fill(stage, shape, mix(colour, stage.mood.light, 0.2), colour)


@template("building tree walker seat vehicle", "flower tiny tree", kinds=OPEN + " city")
def sandglass(stage: Stage, scene: Scene) -> None:
    """In an hourglass one world runs out above, and of its sand something new grows below."""
    stage.backdrop(0.66)
    wood = pigment(stage, (112, 70, 44), 0.2)
    top, waist, foot, half = 0.09, 0.5, 0.9, 0.33
    left = [
        *bend((0.5 - half, top), (0.5 - half * 1.06, 0.36), (0.485, waist - 0.01)),
        *bend((0.485, waist + 0.01), (0.5 - half * 1.06, 0.64), (0.5 - half, foot)),
    ]
    right = [(1 - x, y) for x, y in left]
    shadow(stage, [(0.12, foot + 0.03), (0.88, foot + 0.03), (0.8, foot + 0.065), (0.2, foot + 0.065)], 0.7)
    glass = Image.new("L", (stage.w * 2, stage.h * 2))
    ImageDraw.Draw(glass).polygon([(x * stage.w * 2, y * stage.h * 2) for x, y in left + right[::-1]], fill=255)
    glass = glass.resize(stage.canvas.size, Image.Resampling.BOX)
    before = stage.canvas.copy()
    bright, dim = mix(stage.mood.light, (255, 255, 255), 0.4), mix(stage.mood.dark, stage.mood.middle, 0.3)
    stage.canvas = Image.blend(stage.canvas, Image.new("RGB", stage.canvas.size, bright), 0.42)
    upper = Image.blend(before, Image.new("RGB", before.size, dim), 0.5)
    stage.canvas.paste(upper.crop((0, 0, stage.w, stage.h // 2)), (0, 0))
    sand = pigment(stage, (232, 190, 116), 0.12)
    deep = darker(sand, 0.4)
    stage.glow(0.5, 0.3, 0.34, (255, 226, 160), 0.5)
    sprite = stage.sprite(scene.main, 0.46, angle=9 * stage.light)
    if sprite.height > 0.27 * stage.h:
        sprite = stage.sprite(scene.main, 0.46 * 0.27 * stage.h / sprite.height, angle=9 * stage.light)
    stage.put(sprite, 0.5, 0.41)
    slope = [(0.1, 0.335), *bend((0.14, 0.33), (0.5, 0.385), (0.86, 0.33)), (0.9, 0.335), (0.52, 0.52), (0.48, 0.52)]
    fill(stage, slope, sand, deep)
    stroke(stage, [(0.5, waist - 0.02), (0.5, 0.82)], 0.012, sand)
    heap = [(0.1, 0.91), (0.16, 0.87), *bend((0.2, 0.855), (0.5, 0.735), (0.8, 0.855)), (0.84, 0.87), (0.9, 0.91)]
    fill(stage, heap, sand, deep)
    stage.glow(0.5, 0.7, 0.3, amount=0.5)
    stage.put(stage.sprite(scene.small[0], 0.34), 0.5, 0.812, shadow=0.5, sink=0.04)
    for x, y in stage.rng.random((40, 2)):
        fill(stage, ring(0.5 + 0.03 * (float(x) - 0.5), 0.53 + 0.25 * float(y), 0.004), sand)
    rim = ImageChops.subtract(glass, glass.filter(ImageFilter.GaussianBlur(stage.w / 26))).point(
        lambda v: min(255, int(v * 1.3))
    )
    stage.wash(bright, ImageChops.multiply(rim, glass), 0.85)
    shine = bend((0.5 + 0.22 * stage.light, 0.14), (0.5 + 0.27 * stage.light, 0.3), (0.5 + 0.14 * stage.light, 0.39))
    stroke(stage, shine, 0.018, bright, 0.6)
    stroke(stage, [(x, 0.5 + (0.5 - y)) for x, y in shine], 0.014, bright, 0.45)
    before.paste(stage.canvas, (0, 0), glass)
    stage.canvas = before
    for edge in (left, right):
        stroke(stage, edge, 0.007, mix(bright, stage.mood.middle, 0.3), 0.85)
    for arm in (-1, 1):
        post = 0.5 + 0.385 * arm
        fill(
            stage,
            [(post - 0.02, top), (post + 0.02, top), (post + 0.02, foot), (post - 0.02, foot)],
            mix(wood, stage.mood.light, 0.3 if arm == stage.light else 0.1),
            darker(wood, 0.5),
            across=True,
        )
    for y, grow in ((top, 0.0), (foot, 0.02)):
        slab = [
            (0.06 - grow, y - 0.03 * (y < 0.5)),
            (0.94 + grow, y - 0.03 * (y < 0.5)),
            (0.94 + grow, y + 0.012 + 0.03 * (y > 0.5)),
            (0.06 - grow, y + 0.012 + 0.03 * (y > 0.5)),
        ]
        fill(stage, slab, mix(wood, stage.mood.sunlight, 0.35), darker(wood, 0.5))


@template("sky flower tree building face hang", "flier", kinds=OPEN + " sea lake clouds city forest")
def open_cage(stage: Stage, scene: Scene) -> None:
    """Something that nobody can keep stays in a cage whose door is open; what could fly waits outside."""
    stage.backdrop(0.76)
    side = stage.light
    x, floor, dome, half = 0.5 - 0.05 * side, 0.72, 0.3, 0.33
    metal = pigment(stage, (176, 140, 74), 0.25)
    lit, dim = mix(metal, stage.mood.sunlight, 0.45), darker(metal, 0.5)
    stroke(stage, [(x, -0.01), (x, 0.08)], 0.008, dim)
    stage.glow(x, 0.5, 0.5, amount=0.55)

    def bar(position: float, low: float = floor) -> list[Point]:
        column = [(x + position * half, low), (x + position * half, dome)]
        return [*column, *bend((x + position * half, dome), (x + position * half * 0.95, 0.15), (x, 0.095), 14)]

    for position in (-0.8, -0.42, 0.0, 0.42, 0.8):
        stroke(stage, bar(position, floor - 0.02), 0.006, dim, 0.75)
    fill(stage, ring(x, floor, half, 0.22), mix(metal, stage.mood.dark, 0.5), darker(metal, 0.6))
    thing = scene.main
    airy = bool(thing.roles & {"sky", "hang"})
    sprite = stage.sprite(thing, 0.46)
    if airy:
        stage.put(sprite, x, 0.44, anchor="centre")
    else:
        stage.put(sprite, x, floor + 0.015, shadow=0.4)
    opening = (0.18, 0.86)
    for position in (-1.0, -0.76, -0.45, -0.1, 0.18, 0.86, 1.0):
        stroke(stage, bar(position * side), 0.013, dim)
        stroke(stage, [(px + 0.003 * side, py) for px, py in bar(position * side)], 0.006, lit)
    for i in (0.34, 0.52, 0.7):
        stroke(stage, [p for p in bar(i * side) if p[1] <= dome + 0.03], 0.012, dim)
    lintel, sill = dome + 0.03, floor - 0.03
    ends = [x + side * half * o for o in opening]
    for y in (lintel, sill):
        stroke(stage, [(ends[0], y), (ends[1], y)], 0.013, dim)
        stroke(stage, [(ends[0], y - 0.002), (ends[1], y - 0.002)], 0.006, lit)
    hinge, leaf = ends[1], 0.16 * side
    for i in range(4):
        at = hinge + leaf * i / 3
        drop = 0.03 * i / 3
        stroke(stage, [(at, lintel - drop), (at, sill + drop)], 0.012, dim)
        stroke(stage, [(at, lintel - drop), (at, sill + drop)], 0.005, lit)
    for y, sign in ((lintel, -1), (sill, 1)):
        stroke(stage, [(hinge, y), (hinge + leaf, y + 0.03 * sign)], 0.013, dim)
    base = [*ring(x, floor, half, 0.22, 0, 180), *ring(x, floor + 0.035, half, 0.22, 0, 180)[::-1]]
    fill(stage, base, lit, dim, across=True)
    for y in (dome, 0.5):
        arc = ring(x, y, half, 0.08, 0, 180)
        if y == 0.5:
            arc = [point for point in arc if (point[0] - ends[0]) * side < 0]
        stroke(stage, arc, 0.01, dim)
        stroke(stage, [(px, py - 0.002) for px, py in arc], 0.004, lit)
    stroke(stage, ring(x, 0.08, 0.026), 0.009, lit)
    onlooker(stage, scene.small[0], 0.5 + 0.29 * side, 0.945, 0.3, flip=side < 0)


@template("carrier", "tiny", kinds=OPEN + " forest snow beach")
def unravelling(stage: Stage, scene: Scene) -> None:
    """An animal is knitted of one thread; somebody small winds it up, and the animal comes undone."""
    stage.backdrop(0.62)
    side = stage.light
    sprite = stage.sprite(scene.main, 0.86, flip=side < 0)
    width, height = sprite.size
    rows, columns = np.mgrid[0:height, 0:width]
    pitch = max(4, round(stage.w / 64))
    along = columns / width if side > 0 else 1 - columns / width
    stitch = 0.5 + 0.5 * np.cos(2 * np.pi * rows / pitch + 1.2 * np.abs(np.sin(np.pi * columns / pitch)))
    pixels = np.asarray(sprite.convert("RGB"), np.float32) * (0.62 + 0.5 * stitch[..., None])
    wave = np.sin(columns / width * 16 + (rows // pitch) * 2.4) * pitch * 0.33
    threads = ((rows + wave) % pitch) < pitch * 0.42
    border = 0.52 + 0.07 * np.sin((rows // pitch) * 1.9) + 0.05 * np.sin((rows // pitch) * 4.7)
    reach = border + 0.12 + 0.22 * np.abs(np.sin((rows // pitch) * 2.7))
    alpha = np.asarray(sprite.getchannel("A"), np.float32)
    keep = np.where(along < border, 1.0, np.where((along < reach) & threads, 0.95, 0.0))
    knitted = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    knitted.putalpha(Image.fromarray((alpha * keep).astype(np.uint8)))
    foot = 0.8
    left, top, _, _ = stage.put(knitted, 0.5 - 0.04 * side, foot, shadow=0.8)
    solid = np.asarray(sprite.getchannel("A")) > 128
    tone = np.asarray(sprite.convert("RGB"))[solid].mean(0)
    colour: RGB = (int(tone[0]), int(tone[1]), int(tone[2]))
    ball = (0.5 + 0.24 * side, 0.88)
    start = ((left + (0.62 if side > 0 else 0.38) * width) / stage.w, (top + 0.55 * height) / stage.h)
    loops = [
        *bend(start, (0.5 + 0.55 * side, start[1]), (0.5 + 0.3 * side, 0.72)),
        *bend((0.5 + 0.3 * side, 0.72), (0.5 + 0.02 * side, 0.79), (0.5 + 0.1 * side, 0.87)),
        *bend((0.5 + 0.1 * side, 0.87), (0.5 + 0.14 * side, 0.93), (ball[0], ball[1] + 0.035)),
    ]
    stroke(stage, [(px, py + 0.006) for px, py in loops], 0.012, darker(stage.mood.dark), 0.5)
    stroke(stage, loops, 0.012, darker(colour, 0.25))
    stroke(stage, loops, 0.006, mix(colour, stage.mood.light, 0.3))
    shadow(stage, ring(ball[0], ball[1] + 0.055, 0.12, 0.3), 0.6)
    fill(stage, ring(*ball, 0.1), mix(colour, stage.mood.sunlight, 0.25), darker(colour, 0.5))
    for i in range(5):
        for arm in (-1, 1):
            wrap = bend(
                (ball[0] - 0.085 * arm, ball[1] - 0.03 + 0.018 * i),
                (ball[0] + 0.02 * i * arm, ball[1] - 0.09 + 0.03 * i),
                (ball[0] + 0.08 * arm, ball[1] + 0.035 - 0.01 * i),
            )
            stroke(stage, wrap, 0.004, darker(colour, 0.45) if arm < 0 else mix(colour, stage.mood.light, 0.45), 0.7)
    onlooker(stage, scene.small[0], 0.5 - 0.0 * side, 0.96, 0.26, flip=side > 0)
