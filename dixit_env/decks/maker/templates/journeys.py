"""Scenes of being on the way: three moments of a journey, maps, forks, gaps, the ground seen from the air."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import MOODS, RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, onlooker, silhouette, template
from .shapes import Point, bend, fill, pigment, shadow, stroke

PAPER = (240, 226, 196)


@template("wanderer walker vehicle", "building", "light flower key letter seat", kinds=OPEN + " city forest beach")
def three_moments(stage: Stage, scene: Scene) -> None:
    """One journey in three pictures, one below another: leaving, the long way, arriving at something that shines."""
    stage.outdoors = False
    stage.canvas.paste(pigment(stage, PAPER, 0.12), (0, 0, stage.w, stage.h))
    first, last = ("dawn", "night") if scene.mood not in ("night", "aurora", "dawn") else ("noon", "dusk")
    views = (scene.landscape, scene.other, scene.landscape)
    gap, edge = 0.018, 0.045
    tall = (1 - 2 * 0.035 - 2 * gap) / 3
    size = (stage.px(1 - 2 * edge), stage.py(tall))
    for i, mood in enumerate((first, scene.mood, last)):
        panel = Stage(stage.sources, scene, size)
        panel.mood, panel.light = MOODS[mood], stage.light
        panel.canvas = stage.view(views[i], size, 0.6, panel.mood)
        panel.haze = panel.mood.light
        if panel.mood.stars:
            panel.stars(0, 0.5, 30)
        panel.fog(0.6, 0.14, 0.3)
        low = 0.95
        if i == 0:
            panel.put(panel.sprite(scene.small[0], 0.4), 0.2, 0.9, shadow=0.7)
            panel.put(panel.sprite(scene.main, 0.29, flip=True), 0.6, low, shadow=0.9)
        elif i == 1:
            panel.put(panel.sprite(scene.main, 0.17, flip=True), 0.5, 0.84, shadow=0.9)
        else:
            panel.glow(0.75, 0.62, 0.6, (255, 226, 150), 0.85)
            panel.put(panel.sprite(scene.small[1], 0.3), 0.78, 0.92, shadow=0.6)
            panel.put(panel.sprite(scene.main, 0.29, flip=True), 0.36, low, shadow=0.9)
        mask = Image.new("L", (size[0] * 2, size[1] * 2))
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] * 2 - 1, size[1] * 2 - 1), stage.w // 28, fill=255)
        corner = (stage.px(edge), stage.py(0.035 + i * (tall + gap)))
        stage.canvas.paste(panel.canvas, corner, mask.resize(size, Image.Resampling.BOX))


@template("building mountain tree", "wanderer walker vehicle", kinds=OPEN + " sea clouds")
def walked_map(stage: Stage, scene: Scene) -> None:
    """The ground is a folded map; someone follows the dotted line to what stands at its end."""
    stage.backdrop(0.38)
    side = 960
    board = Image.new("RGB", (side, side), pigment(stage, PAPER, 0.12))
    draw = ImageDraw.Draw(board)
    sea, ink = pigment(stage, (126, 170, 178), 0.2), darker(mix(stage.mood.dark, (70, 48, 34), 0.6), 0.1)
    rng = stage.rng
    waves = rng.uniform(0, 6, 4)
    coast = [
        (640 + 90 * math.sin(t / 130 + waves[0]) + 40 * math.sin(t / 47 + waves[1]), float(t))
        for t in range(0, 980, 20)
    ]
    if stage.light > 0:
        coast = [(side - x, y) for x, y in coast]
    edge = side if stage.light < 0 else 0
    for grow, tone in ((0, mix(sea, PAPER, 0.5)), (26, mix(sea, PAPER, 0.2)), (60, sea)):
        shift = -grow * stage.light
        draw.polygon([*((x + shift, y) for x, y in coast), (edge, side), (edge, 0)], fill=tone)
    draw.line(coast, fill=ink, width=6, joint="curve")
    draw.line(bend((150, 0), (420, 500), (90, 960), 40), fill=mix(sea, ink, 0.2), width=12, joint="curve")
    faint = mix(ink, PAPER, 0.35)
    for _ in range(16):
        x, y, size = rng.uniform(60, 900), rng.uniform(60, 900), rng.uniform(30, 52)
        draw.line([(x - size, y), (x, y - 1.5 * size), (x + size, y)], fill=faint, width=6, joint="curve")
        draw.line([(x + size * 0.2, y - 0.9 * size), (x + size * 0.5, y)], fill=faint, width=4)
    rose = 770 if stage.light > 0 else 190
    for radius in (86, 74):
        draw.ellipse((rose - radius, 790 - radius, rose + radius, 790 + radius), outline=ink, width=4)
    for angle in range(0, 360, 45):
        a, reach = math.radians(angle), 84 if angle % 90 else 116
        side_a, side_b = (
            (rose + 18 * math.cos(a + turn), 790 + 18 * math.sin(a + turn)) for turn in (-math.pi / 2, math.pi / 2)
        )
        tip = (rose + reach * math.cos(a), 790 + reach * math.sin(a))
        draw.polygon([side_a, tip, side_b], fill=ink if angle % 90 else pigment(stage, (170, 52, 44), 0.15))
    for fold in (side // 3, 2 * side // 3):
        for line in ((fold, 0, fold, side), (0, fold, side, fold)):
            draw.line(line, fill=mix(ink, PAPER, 0.6), width=4)
    shade = np.ones((side, side, 1), np.float32)
    for i in range(3):
        for j in range(3):
            block = slice(i * side // 3, (i + 1) * side // 3), slice(j * side // 3, (j + 1) * side // 3)
            shade[block] = (0.95 if (i + j) % 2 else 1.04) + np.linspace(-0.05, 0.05, side // 3)[None, :, None]
    board = Image.fromarray((np.asarray(board, np.float32) * shade).clip(0, 255).astype(np.uint8))
    lay_map(stage, board)
    red = pigment(stage, (190, 44, 40), 0.1)
    route = bend((0.5 + 0.1 * stage.light, 0.99), (0.5 - 0.5 * stage.light, 0.8), (0.5, 0.6), 60)
    for i in range(0, 60, 4):
        start, end = route[i], route[min(60, i + 2)]
        stroke(stage, [start, end], 0.004 + 0.018 * (start[1] - 0.55) / 0.44, red, 0.95)
    for turn in (-1, 1):
        stroke(stage, [(0.5 - 0.07 * turn, 0.598), (0.5 + 0.07 * turn, 0.572)], 0.012, red)
    stage.glow(0.5, 0.48, 0.4, amount=0.4)
    stage.put(stage.sprite(scene.main, 0.42), 0.5, 0.59, shadow=0.8)
    here = route[27]
    onlooker(stage, scene.small[0], here[0], here[1] + 0.02, 0.25, flip=stage.light < 0)


def lay_map(stage: Stage, board: Image.Image) -> None:
    """Lays a square picture on the ground from below the card's lower edge to the middle distance."""
    top, far, wide = stage.py(0.52), 2.3, 1.5
    height = stage.h - top
    t = 1 - np.arange(height, dtype=np.float32) / height
    depth = 1 / (1 - t * (1 - 1 / far))
    columns = (np.arange(stage.w, dtype=np.float32) - stage.w / 2) / stage.w
    u = 0.5 + columns[None] * depth[:, None] / wide
    v = np.broadcast_to((1 - (depth - 1) / (far - 1))[:, None], u.shape)
    pixels = np.asarray(board, dtype=np.float32)
    last = board.width - 1
    taken = pixels[(v * last).clip(0, last).astype(int), (u * last).clip(0, last).astype(int)]
    inside = Image.fromarray(((u >= 0) & (u <= 1)).astype(np.uint8) * 255)
    dark = Image.new("L", stage.canvas.size)
    dark.paste(inside, (0, top))
    dark = ImageChops.offset(dark, 0, stage.h // 90).filter(ImageFilter.GaussianBlur(stage.w / 60))
    stage.canvas.paste(darker(stage.mood.dark), (0, 0, stage.w, stage.h), dark.point(lambda value: int(value * 0.6)))
    sheet = taken + (np.array(stage.haze, np.float32) - taken) * (0.35 * t[:, None, None] ** 2)
    stage.canvas.paste(Image.fromarray(sheet.clip(0, 255).astype(np.uint8)), (0, top), inside)


def fields(stage: Stage) -> None:
    """Fields and hedges as a bird sees them, over what is on the card."""
    columns, rows = 3, 5
    rng = stage.rng
    turn = float(rng.uniform(-0.12, 0.12))
    grid = [
        [
            (
                -0.15 + 1.3 * i / columns + turn * (j / rows - 0.5) + float(rng.uniform(-0.07, 0.07)),
                -0.1 + 1.2 * j / rows + turn * (i / columns - 0.5) + float(rng.uniform(-0.035, 0.035)),
            )
            for i in range(columns + 1)
        ]
        for j in range(rows + 1)
    ]
    dark, middle, lit = stage.mood.ground
    for j in range(rows):
        for i in range(columns):
            field = [grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]]
            tone = mix(mix(dark, middle, 0.45), mix(middle, lit, 0.6), float(rng.random()))
            fill(stage, field, tone, mix(tone, stage.mood.middle, 0.2), alpha=0.72)
            for k in range(1, 12 if rng.random() < 0.5 else 1):
                t = k / 12
                furrow = [
                    (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)
                    for a, b in ((field[0], field[1]), (field[3], field[2]))
                ]
                stroke(stage, furrow, 0.005, mix(tone, dark, 0.5), 0.35)
    hedge = mix(dark, (20, 30, 20), 0.3)
    for j in range(rows + 1):
        stroke(stage, grid[j], 0.009, hedge, 0.7)
    for i in range(columns + 1):
        stroke(stage, [grid[j][i] for j in range(rows + 1)], 0.009, hedge, 0.7)


@template("walker swimmer", "flier", kinds="desert dunes fields hills badlands snow moon beach")
def drawn_on_the_ground(stage: Stage, scene: Scene) -> None:
    """Seen from the air: a figure drawn on the land, too large to be seen from below; something flies over it."""
    stage.outdoors = False
    ground = stage.view(scene.landscape, (stage.w, round(stage.h * 1.05)), 0.05, stage.mood)
    stage.canvas = ground.crop((0, ground.height - stage.h, stage.w, ground.height))
    stage.canvas = Image.blend(stage.canvas, Image.new("RGB", stage.canvas.size, stage.mood.middle), 0.25)
    w, h = stage.w, stage.h
    fields(stage)
    icon = stage.sources.icon(scene.main.key, round(0.9 * w))
    if stage.light > 0:
        icon = icon.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    shape = Image.new("L", (w, h))
    shape.paste(icon.getchannel("A"), (stage.px(0.5) - icon.width // 2, stage.py(0.45) - icon.height // 2))
    shape = shape.filter(ImageFilter.GaussianBlur(w / 130)).point(lambda value: 255 if value > 128 else 0)
    half = shape.resize((w // 2, h // 2))
    pale, dark = mix(stage.mood.light, (255, 250, 235), 0.5), darker(stage.mood.dark)
    stage.canvas.paste(pale, (0, 0, w, h), shape.point(lambda value: int(value * 0.14)))
    band = max(1, w // 220)
    for inset, strength in ((0, 1.0), (4, 0.55), (8, 0.4)):
        outer = half
        for _ in range(inset * band):
            outer = outer.filter(ImageFilter.MinFilter(3))
        line = ImageChops.subtract(outer, outer.filter(ImageFilter.MinFilter(2 * band + 1))).resize((w, h))
        line = line.filter(ImageFilter.GaussianBlur(0.8))
        trench = ImageChops.offset(line, -band * stage.light, band)
        stage.canvas.paste(dark, (0, 0, w, h), trench.point(lambda v, s=strength: int(v * 0.6 * s)))
        stage.canvas.paste(pale, (0, 0, w, h), line.point(lambda v, s=strength: int(v * s)))
    x, y = 0.5 + 0.16 * stage.light, 0.82
    flier = stage.sprite(scene.small[0], 0.32, flip=stage.light > 0)
    below = silhouette(flier, dark, 0.5).resize((flier.width * 2 // 3, flier.height * 2 // 3))
    below.putalpha(below.getchannel("A").filter(ImageFilter.GaussianBlur(w / 120)))
    stage.put(below, x - 0.2 * stage.light, y + 0.09, anchor="centre")
    stage.put(flier, x, y, anchor="centre")


@template("wanderer walker", "building tree mountain", "building tree mountain", kinds=OPEN + " forest")
def fork(stage: Stage, scene: Scene) -> None:
    """A road divides before someone: one arm leads into light, the other under a dark cloud."""
    stage.backdrop(0.5)
    side = stage.light
    stage.glow(0.5 + 0.32 * side, 0.42, 0.6, (255, 236, 176), 0.75)
    across = np.clip(0.5 - (np.arange(stage.w) / stage.w - 0.5) * side * 3.2, 0, 1)
    gloom = Image.fromarray((np.repeat(across[None], stage.h, axis=0) * 165).astype(np.uint8))
    dark = mix(stage.mood.dark, (20, 20, 32), 0.4)
    stage.canvas.paste(dark, (0, 0, stage.w, stage.h), gloom)
    for dx, y, size in ((0.44, 0.1, 0.5), (0.2, 0.14, 0.44), (0.36, 0.19, 0.5)):
        cloud = stage.sprite("cloud", size)
        shade = Image.blend(cloud, silhouette(cloud, dark), 0.6)
        stage.put(shade, 0.5 - dx * side, y, anchor="centre")
    for x, y in stage.rng.random((46, 2)):
        at = (0.5 - (0.1 + 0.4 * x) * side, 0.25 + 0.24 * y)
        stroke(stage, [at, (at[0] - 0.012 * side, at[1] + 0.035)], 0.003, stage.mood.light, 0.4)
    sand = mix(pigment(stage, (226, 200, 152), 0.2), stage.mood.light, 0.2)
    rim = darker(mix(sand, stage.mood.dark, 0.5), 0.1)
    for grow, colour in ((0.012, rim), (0.0, sand)):
        for arm in (-1, 1):
            goal = (0.5 + 0.29 * arm, 0.575)
            left = bend((0.35 - grow, 1.02), (0.46 + 0.05 * arm, 0.69), (goal[0] - 0.018 - grow / 3, goal[1]))
            right = bend((0.65 + grow, 1.02), (0.54 + 0.05 * arm, 0.69), (goal[0] + 0.018 + grow / 3, goal[1]))
            fill(stage, left + right[::-1], mix(colour, stage.haze, 0.3), colour)
    stage.put(stage.sprite(scene.small[0], 0.31), 0.5 + 0.3 * side, 0.585, shadow=0.6, sink=0.04)
    stage.put(stage.sprite(scene.small[1], 0.31, depth=0.25), 0.5 - 0.3 * side, 0.585, shadow=0.6, sink=0.04)
    wood = pigment(stage, (132, 94, 58), 0.2)
    fill(stage, [(0.488, 0.55), (0.512, 0.55), (0.514, 0.735), (0.486, 0.735)], wood, darker(wood, 0.4), across=True)
    for arm, y in ((side, 0.575), (-side, 0.62)):
        board = [
            (0.5 - 0.02 * arm, y - 0.017),
            (0.5 + 0.11 * arm, y - 0.02),
            (0.5 + 0.145 * arm, y),
            (0.5 + 0.11 * arm, y + 0.02),
            (0.5 - 0.02 * arm, y + 0.017),
        ]
        fill(stage, board, mix(wood, stage.mood.light, 0.35), darker(wood, 0.2))
        stroke(stage, [(0.5 + 0.01 * arm, y), (0.5 + 0.09 * arm, y)], 0.006, darker(wood, 0.6), 0.7)
    onlooker(stage, scene.main, 0.5, 0.92, 0.33, flip=side > 0)


@template(
    "wanderer walker person", "building tree walker", kinds="canyon mountains hills valley badlands snow sea desert"
)
def unfinished_bridge(stage: Stage, scene: Scene) -> None:
    """A bridge has been begun from both sides of a chasm and doesn't meet in the middle."""
    stage.backdrop(0.5)
    stage.glow(0.5, 0.42, 0.7, amount=0.45)
    w, h = stage.w, stage.h
    rock = stage.view(scene.other, (w, h), 0.05, stage.mood)
    top = 0.64
    fill(
        stage,
        [(0, top), (1, top), (1, 1), (0, 1)],
        mix(stage.haze, stage.mood.middle, 0.4),
        darker(stage.mood.dark, 0.35),
    )
    stage.fog(0.72, 0.1, 0.6)
    for arm in (-1, 1):
        lip = 0.5 + 0.24 * arm
        rng = stage.rng
        face: list[Point] = [(lip, top)]
        for i in range(1, 9):
            face.append((lip + arm * (0.012 * i + float(rng.uniform(-0.02, 0.025))), top + 0.045 * i))
        mask = Image.new("L", (w * 2, h * 2))
        outer = 0.5 + 0.6 * arm
        outline = [(outer, top), *face, (outer, 1.05)]
        ImageDraw.Draw(mask).polygon([(x * w * 2, y * h * 2) for x, y in outline], fill=255)
        mask = mask.resize((w, h), Image.Resampling.BOX)
        tone = 0.35 if arm == stage.light else 0.05
        stage.canvas.paste(
            Image.blend(rock, Image.new("RGB", (w, h), stage.mood.dark), 0.45 - tone * 0.6), (0, 0), mask
        )
        for i in range(1, 8):
            (x0, y0), (x1, y1) = face[i], face[i + 1] if i < 8 else face[i]
            inner = [(x0, y0), (x1, y1), (x1 + 0.05 * arm, y1 + 0.02), (x0 + 0.06 * arm, y0)]
            fill(stage, inner, darker(stage.mood.dark, 0.3), alpha=0.35 if arm == stage.light else 0.6, soft=0.006)
        turf = [(outer, top - 0.004), (lip + 0.01 * -arm, top - 0.004), (lip, top + 0.02), (outer, top + 0.03)]
        green = mix(pigment(stage, (96, 122, 64), 0.35), stage.mood.light, 0.12)
        fill(stage, turf, green, darker(green, 0.35))
        shadow(stage, [(lip, top + 0.02), (0.5 + 0.08 * arm, top + 0.02), (lip + 0.04 * arm, top + 0.2)], 0.35, 0.02)
        planks(stage, lip + 0.05 * arm, 0.5 + (0.065 if arm == stage.light else 0.1) * arm, top - 0.006, arm)
    onlooker(stage, scene.main, 0.5 - 0.25 * stage.light, top - 0.006, 0.3, flip=stage.light > 0)
    size = 0.36 if "walker" not in scene.small[0].roles else 0.3
    onlooker(stage, scene.small[0], 0.5 + 0.26 * stage.light, top - 0.004, size, flip=stage.light < 0)


def planks(stage: Stage, start: float, end: float, y: float, arm: int) -> None:
    """A wooden deck from `start` to a ragged `end`, with its struts below and the last boards hanging."""
    wood = pigment(stage, (150, 108, 66), 0.2)
    dark = darker(wood, 0.5)
    length = abs(end - start)
    for part, low in ((0.45, 0.12), (0.8, 0.085)):
        foot = (start - 0.005 * arm, y + low + 0.03)
        stroke(stage, [foot, (start - arm * length * part, y + 0.01)], 0.022, dark)
    rail = mix(wood, stage.mood.light, 0.25)
    for part in (0.5, 0.97):
        x = start - arm * length * part
        stroke(stage, [(x, y + 0.01), (x, y - 0.06)], 0.013, dark)
        stroke(stage, [(x, y + 0.01), (x, y - 0.06)], 0.007, rail)
    stroke(
        stage,
        bend(
            (start - arm * length * 0.5, y - 0.055),
            (start - arm * length * 0.75, y - 0.04),
            (start - arm * length * 0.97, y - 0.055),
        ),
        0.006,
        rail,
    )
    count = max(3, round(length / 0.03))
    for i in range(count):
        x = start - arm * (i + 0.5) * length / count
        sag = 0.002 * i
        half = length / count * 0.42
        board = [(x - half, y + sag), (x + half, y + sag), (x + half, y + sag + 0.024), (x - half, y + sag + 0.024)]
        fill(stage, board, mix(wood, stage.mood.sunlight, 0.25), dark)
    x = end - 0.012 * arm
    loose = [(x, y + 0.012), (x - 0.035 * arm, y + 0.05), (x - 0.026 * arm, y + 0.056), (x + 0.008 * arm, y + 0.02)]
    fill(stage, loose, wood, dark)
    rope: RGB = mix(dark, stage.mood.light, 0.3)
    stroke(stage, bend((end, y + 0.012), (end - 0.015 * arm, y + 0.09), (end + 0.006 * arm, y + 0.13)), 0.005, rope)
