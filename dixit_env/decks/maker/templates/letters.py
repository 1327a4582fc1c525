"""Scenes of paper: letters one lives in, boats folded from them, books as houses, drawings that aren't done."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..moods import RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, onlooker, silhouette, template
from .shapes import Point, fill, inner_stage, other_mood, pigment, ring, shadow, stroke

PAPER = (246, 236, 212)
INK = (58, 52, 74)


def handwriting(stage: Stage, start: Point, end: Point, width: float = 0.004, alpha: float = 0.6) -> None:
    """A line of writing that can't be read, from one point to another."""
    steps = max(6, round(abs(end[0] - start[0]) * 90))
    phase = float(stage.rng.uniform(0, 6))
    size = min(0.007, 0.1 * abs(end[0] - start[0]))
    points = []
    for i in range(steps + 1):
        t = i / steps
        lift = size * math.sin(i * 2.2 + phase) * (0.5 + 0.5 * math.sin(i * 0.9 + phase))
        points.append((start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t + lift))
    stroke(stage, points, width, mix(INK, stage.mood.dark, 0.4), alpha)


@template("face watcher", "building", kinds=OPEN + " beach forest lake sea")
def posted(stage: Stage, scene: Scene) -> None:
    """Someone looks out of a huge open envelope with a stamp on it, sent off like a letter."""
    stage.backdrop(0.6)
    paper = mix(pigment(stage, PAPER, 0.12), stage.mood.light, 0.15)
    dim, deep = darker(mix(paper, stage.mood.dark, 0.3), 0.05), mix(paper, stage.mood.dark, 0.72)
    left, right, top, foot = 0.11, 0.89, 0.56, 0.91
    shadow(
        stage,
        [(left - 0.04, foot - 0.01), (right + 0.04, foot - 0.01), (right, foot + 0.035), (left, foot + 0.035)],
        0.7,
    )
    fill(stage, [(left, top), (0.5, 0.27), (right, top)], dim, deep)
    fill(stage, [(left + 0.035, top), (0.5, 0.305), (right - 0.035, top)], deep, darker(deep, 0.35))
    fill(stage, [(left, top), (right, top), (right, top + 0.22), (left, top + 0.22)], darker(deep, 0.35))
    stage.glow(0.5, 0.5, 0.4, amount=0.4)
    stage.put(stage.sprite(scene.main, 0.54, flip=stage.light > 0), 0.5, top + 0.14)
    valley = 0.735
    fill(stage, [(left, top), (0.5, valley), (left, foot)], mix(paper, dim, 0.5), dim, across=True)
    fill(stage, [(right, top), (0.5, valley), (right, foot)], dim, mix(paper, dim, 0.5), across=True)
    shadow(stage, [(left, foot), (0.5, valley - 0.012), (right, foot)], 0.35, 0.012)
    fill(
        stage,
        [(left, foot), (0.46, valley + 0.01), (0.5, valley - 0.004), (0.54, valley + 0.01), (right, foot)],
        paper,
        dim,
    )
    for arm in (-1, 1):
        stroke(
            stage,
            [(0.5 + 0.39 * arm, foot - 0.002), (0.5, valley - 0.004)],
            0.004,
            mix(paper, (255, 255, 255), 0.5),
            0.8,
        )
    stamp(stage, scene, 0.5 + 0.25 * stage.light, 0.845)


def stamp(stage: Stage, scene: Scene, x: float, y: float) -> None:
    """A stamp that shows the small thing, with a postmark over it."""
    w, h = stage.px(0.17), stage.px(0.2)
    inner = inner_stage(stage, scene, (w, h), 0.7, other_mood(scene))
    inner.put(inner.sprite(scene.small[0], 0.7), 0.5, 0.88)
    edge = max(2, w // 12)
    rim = Image.new("RGBA", (w + 2 * edge, h + 2 * edge), (*pigment(stage, (250, 244, 230), 0.05), 255))
    holes = ImageDraw.Draw(rim)
    for i in range(9):
        along, down, r = i * rim.width / 8, i * rim.height / 8, edge * 0.45
        for left, top in ((along, 0.0), (along, float(rim.height)), (0.0, down), (float(rim.width), down)):
            holes.ellipse((left - r, top - r, left + r, top + r), fill=(0, 0, 0, 0))
    rim.paste(inner.canvas, (edge, edge))
    tilted = rim.rotate(-5 * stage.light, Image.Resampling.BICUBIC, expand=True)
    stage.put(tilted, x, y, anchor="centre")
    mark = darker(mix(stage.mood.dark, (60, 40, 50), 0.5), 0.2)
    at = x - 0.12 * stage.light
    stroke(stage, ring(at, y, 0.062), 0.004, mark, 0.7)
    stroke(stage, ring(at, y, 0.045), 0.003, mark, 0.6)
    for i in range(4):
        row = y - 0.022 + 0.015 * i
        wave = [(at - stage.light * (0.07 + 0.012 * j), row + 0.004 * math.sin(j * 1.2)) for j in range(15)]
        stroke(stage, wave, 0.003, mark, 0.6)


@template("walker tiny", "building", kinds="sea lake beach")
def paper_boat(stage: Stage, scene: Scene) -> None:
    """Someone sails out in a boat folded from a letter; behind lies what was left."""
    stage.backdrop(0.46)
    side = stage.light
    islet = mix(darker(stage.mood.dark, 0.1), stage.mood.middle, 0.4)
    at = 0.5 + 0.24 * side
    fill(stage, [*ring(at, 0.467, 0.26, 0.2, 180, 360), (at + 0.26, 0.475), (at - 0.26, 0.475)], islet, darker(islet))
    stage.put(stage.sprite(scene.small[0], 0.26, depth=0.35), at, 0.452)
    stage.water(0.47)
    stage.glow(0.5 + 0.3 * side, 0.3, 0.6, amount=0.5)
    paper = mix(pigment(stage, PAPER, 0.1), (255, 255, 255), 0.25)
    dim = mix(paper, stage.mood.dark, 0.45)
    x, line = 0.5 - 0.04 * side, 0.8
    keel = line + 0.05
    peak, rim = 0.42, line - 0.07
    shade = [(x - 0.34, keel), (x + 0.34, keel), (x + 0.26, keel + 0.07), (x - 0.26, keel + 0.07)]
    fill(stage, shade, darker(stage.mood.dark, 0.3), alpha=0.5, soft=0.03)
    fill(stage, [(x - 0.17, rim + 0.02), (x, peak), (x, rim + 0.05)], paper if side < 0 else dim)
    fill(stage, [(x + 0.17, rim + 0.02), (x, peak), (x, rim + 0.05)], paper if side > 0 else dim)
    for i in range(6):
        y = peak + 0.09 + 0.038 * i
        half = 0.17 * (y - peak) / (rim + 0.02 - peak) - 0.03
        handwriting(stage, (x - half, y), (x + half, y))
    rider = stage.sprite(scene.main, 0.32, flip=side < 0)
    stage.put(rider, x - 0.22 * side, rim + 0.058)
    hull = [
        (x - 0.4, rim - 0.02),
        (x - 0.2, rim + 0.035),
        (x, rim + 0.045),
        (x + 0.2, rim + 0.035),
        (x + 0.4, rim - 0.02),
    ]
    fill(stage, [*hull, (x + 0.27, keel), (x - 0.27, keel)], paper, mix(dim, stage.mood.middle, 0.2))
    far = [
        (x, rim + 0.045),
        (x - 0.2 * side, rim + 0.035),
        (x - 0.4 * side, rim - 0.02),
        (x - 0.27 * side, keel),
        (x, keel),
    ]
    fill(stage, far, dim, darker(dim, 0.2), alpha=0.55)
    stroke(stage, [(x, rim + 0.045), (x, keel)], 0.003, darker(dim, 0.2), 0.7)
    for i in range(3):
        handwriting(stage, (x - 0.3 + 0.03 * i, rim + 0.036 + 0.02 * i), (x + 0.3 - 0.03 * i, rim + 0.036 + 0.02 * i))
    foam = mix(stage.mood.light, (255, 255, 255), 0.4)
    for i in range(5):
        y = keel - 0.004 + 0.022 * i
        wide = 0.3 + 0.06 * i
        wave = [(x + wide * (t / 20 - 1), y + 0.006 * math.sin(t * 0.7 + i * 2)) for t in range(41)]
        stroke(stage, wave, 0.005, foam, 0.5 - 0.08 * i)


@template("walker person face", "tiny light", kinds=OPEN + " forest city sea")
def book_house(stage: Stage, scene: Scene) -> None:
    """A book stood open like a tent is a lit house for someone."""
    stage.backdrop(0.62)
    cover = pigment(stage, [(150, 46, 48), (38, 84, 110), (60, 96, 70), (120, 78, 130)][scene.seed % 4], 0.15)
    page = mix(pigment(stage, PAPER, 0.1), stage.mood.light, 0.1)
    foot, ridge = 0.9, 0.33
    side = stage.light
    shadow(stage, [(0.02, foot - 0.01), (0.98, foot - 0.01), (0.94, foot + 0.04), (0.06, foot + 0.04)], 0.7)
    depth = (0.1 * side, -0.035)
    roof = [
        (0.5, ridge),
        (0.5 + 0.45 * side, foot),
        (0.5 + 0.45 * side + depth[0], foot + depth[1]),
        (0.5 + depth[0], ridge + depth[1]),
    ]
    fill(stage, roof, mix(cover, stage.mood.sunlight, 0.25), darker(cover, 0.3))
    fill(stage, [(0.04, foot), (0.5, ridge), (0.96, foot)], cover, darker(cover, 0.35))
    fill(stage, [(0.085, foot), (0.5, ridge + 0.045), (0.915, foot)], page, mix(page, stage.mood.dark, 0.25))
    for i in range(7):
        inset = 0.1 + 0.017 * i
        at = ridge + 0.06 + 0.0225 * i
        for arm in (-1, 1):
            stroke(stage, [(0.5 + arm * (0.5 - inset), foot), (0.5, at)], 0.0025, mix(page, stage.mood.dark, 0.55), 0.6)
    warm, glow = (92, 54, 30), (255, 214, 130)
    fill(stage, [(0.215, foot), (0.5, ridge + 0.215), (0.785, foot)], darker(warm, 0.2), mix(warm, glow, 0.4))
    stage.glow(0.5, 0.78, 0.36, glow, 0.85)
    fill(stage, [(0.215, foot), (0.785, foot), (0.93, 1.0), (0.07, 1.0)], glow, glow, alpha=0.3, soft=0.03)
    onlooker(stage, scene.main, 0.455, foot - 0.002, 0.31, flip=True)
    onlooker(stage, scene.small[0], 0.665, foot - 0.002, 0.13)
    smoke = pigment(stage, (120, 74, 60), 0.2)
    at = 0.5 - 0.16 * side
    top = ridge + 0.2
    fill(
        stage,
        [(at - 0.035, top - 0.1), (at + 0.035, top - 0.1), (at + 0.035, top + 0.04), (at - 0.035, top + 0.04)],
        smoke,
        darker(smoke, 0.3),
        across=True,
    )
    fill(
        stage,
        [(at - 0.045, top - 0.115), (at + 0.045, top - 0.115), (at + 0.045, top - 0.095), (at - 0.045, top - 0.095)],
        smoke,
    )
    for i in range(6):
        puff = ring(at - side * (0.012 * i + 0.01 * i * i), top - 0.14 - 0.04 * i, 0.025 + 0.01 * i)
        fill(stage, puff, mix(stage.mood.light, (255, 255, 255), 0.3), alpha=0.55 - 0.06 * i, soft=0.012)


@template("walker building tree", "walker tiny", kinds=OPEN + " city forest lake beach")
def half_drawn(stage: Stage, scene: Scene) -> None:
    """Half of the world is painted, the other half only pencilled on paper; a thing stands across the border."""
    stage.outdoors = False
    stage.backdrop(0.6)
    side = stage.light
    stage.put(stage.sprite(scene.main, 0.74, flip=side > 0), 0.5, 0.83, shadow=0.8, sink=0.02)
    onlooker(stage, scene.small[0], 0.5 - 0.26 * side, 0.945, 0.33, flip=side > 0)
    gray = np.asarray(stage.canvas.convert("L").filter(ImageFilter.GaussianBlur(stage.w / 420)), dtype=np.float32)
    wide = np.asarray(
        Image.fromarray(gray.astype(np.uint8)).filter(ImageFilter.GaussianBlur(stage.w / 130)), np.float32
    )
    lines = np.clip((wide - gray - 1.5) / 13, 0, 1)
    columns, rows = np.arange(stage.w)[None], np.arange(stage.h)[:, None]
    hatch = (0.5 + 0.5 * np.sin((columns + rows * 0.8) * (2 * np.pi * 80 / stage.w))) * np.clip(
        (105 - wide) / 150, 0, 0.5
    )
    amount = np.clip(lines * 0.95 + hatch, 0, 0.92)[..., None]
    paper = np.array(mix(PAPER, stage.mood.light, 0.25), np.float32)
    graphite = np.array(mix((52, 50, 58), stage.mood.dark, 0.35), np.float32)
    sketch = Image.fromarray((paper * (1 - amount) + graphite * amount).clip(0, 255).astype(np.uint8))
    ragged = np.cumsum(stage.rng.normal(0, 1, stage.h // 6 + 1))
    ragged = np.interp(np.arange(stage.h), np.arange(len(ragged)) * 6, ragged - ragged.mean()) * stage.w * 0.006
    border = stage.w * (0.5 + 0.03 * side) + ragged[:, None] + (rows / stage.h - 0.5) * stage.w * 0.16
    bristle = 6 * np.sin(rows * 1.9) + 5 * np.sin(rows * 0.71)
    keep = np.clip(((border + bristle - columns) * side) / (stage.w * 0.012) + 0.5, 0, 1)
    stage.canvas.paste(sketch, (0, 0), Image.fromarray((keep * 255).astype(np.uint8)))
    pencil(stage, (0.5 + 0.02 * side, 0.6), (0.5 - 0.3 * side, 0.2))


def pencil(stage: Stage, tip: Point, end: Point) -> None:
    """A pencil whose tip touches the card, with its shadow."""
    dx, dy = (end[0] - tip[0]) * stage.w, (end[1] - tip[1]) * stage.h
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length

    def at(along: float, across: float) -> Point:
        return (
            tip[0] + (along * ux - across * uy),
            tip[1] + (along * uy + across * ux) * stage.w / stage.h,
        )

    total, half = length / stage.w, 0.026
    yellow, wood = pigment(stage, (222, 164, 52), 0.1), pigment(stage, (228, 190, 140), 0.1)
    shadow(stage, [at(0, 0.01), at(0.1, half + 0.03), at(total, half + 0.05), at(total, 0)], 0.4, 0.015)
    fill(stage, [at(0, 0), at(0.1, half), at(0.1, -half)], wood, darker(wood, 0.2))
    fill(stage, [at(0, 0), at(0.032, half * 0.32), at(0.032, -half * 0.32)], (40, 38, 44))
    for low, high, tone in ((-1.0, -0.4, 0.75), (-0.4, 0.4, 1.0), (0.4, 1.0, 0.55)):
        colour = mix((0, 0, 0), yellow, tone)
        fill(stage, [at(0.1, half * low), at(0.1, half * high), at(total, half * high), at(total, half * low)], colour)
    metal, rubber = pigment(stage, (186, 186, 190), 0.15), pigment(stage, (214, 120, 120), 0.1)
    fill(
        stage,
        [at(total, -half), at(total, half), at(total + 0.04, half), at(total + 0.04, -half)],
        metal,
        darker(metal, 0.3),
    )
    fill(
        stage,
        [at(total + 0.04, -half), at(total + 0.04, half), at(total + 0.08, half * 0.9), at(total + 0.08, -half * 0.9)],
        rubber,
        darker(rubber, 0.3),
    )


@template("flier", "person walker", kinds=OPEN + " city sea lake clouds")
def words_take_wing(stage: Stage, scene: Scene) -> None:
    """A torn letter: its scraps rise and become things that fly."""
    stage.backdrop(0.74)
    side = stage.light
    paper = mix(pigment(stage, PAPER, 0.08), (255, 255, 255), 0.2)
    dim = mix(paper, stage.mood.dark, 0.4)
    stage.glow(0.5 + 0.25 * side, 0.2, 0.6, amount=0.5)
    torn = [
        (
            0.5 - 0.12 * side + 0.05 * math.sin(i * 2.4) * side + 0.028 * i * side,
            0.56 + 0.02 * i + 0.012 * math.sin(i * 3.7),
        )
        for i in range(9)
    ]
    sheet = [(0.5 - 0.46 * side, 0.6), *torn, (0.5 + 0.1 * side, 0.96), (0.5 - 0.4 * side, 0.98)]
    shadow(stage, [(x + 0.02, y + 0.02) for x, y in sheet], 0.5, 0.02)
    fill(stage, sheet, paper, dim)
    for i in range(8):
        y = 0.65 + 0.04 * i
        handwriting(
            stage, (0.5 - 0.41 * side + 0.006 * i * side, y), (0.5 - (0.19 - 0.028 * i) * side, y - 0.005), 0.005
        )
    onlooker(stage, scene.small[0], 0.5 + 0.26 * side, 0.94, 0.32, flip=side < 0)
    for dx, y, size in (
        (-0.1, 0.57, 0.035),
        (-0.2, 0.51, 0.045),
        (-0.33, 0.45, 0.055),
        (-0.2, 0.405, 0.06),
        (0.0, 0.45, 0.04),
    ):
        scrap(stage, 0.5 + dx * side, y, size, paper, dim)
    for dx, y, size, blank in (
        (-0.35, 0.33, 0.15, 0.72),
        (-0.15, 0.29, 0.17, 0.5),
        (0.06, 0.35, 0.19, 0.28),
        (0.3, 0.26, 0.22, 0.0),
        (0.02, 0.18, 0.23, 0.08),
        (-0.3, 0.16, 0.2, 0.2),
        (0.3, 0.1, 0.26, 0.0),
    ):
        bird = stage.sprite(scene.main, size, flip=side > 0)
        stage.put(Image.blend(bird, silhouette(bird, paper), blank), 0.5 + dx * side, y, anchor="centre")


def scrap(stage: Stage, x: float, y: float, size: float, paper: RGB, dim: RGB) -> None:
    """A torn scrap of a letter in the air, creased like a pair of wings."""
    turn = float(stage.rng.uniform(-0.5, 0.5))
    corners = []
    for angle in (0.3, 1.3, 2.6, 3.6, 5.2):
        r = size * float(stage.rng.uniform(0.7, 1.1))
        corners.append((x + r * math.cos(angle + turn), y + r * 0.62 * math.sin(angle + turn)))
    fill(stage, corners, paper, dim)
    fill(stage, [corners[0], corners[1], (x, y), corners[4]], dim, alpha=0.55)
    for row in (-0.25, 0.1):
        stroke(stage, [(x - size * 0.45, y + row * size), (x + size * 0.35, y + row * size)], 0.003, INK, 0.5)
