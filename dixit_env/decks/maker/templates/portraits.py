"""Portraits and family pictures: who is in them, who is missing, what is behind a face."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from ..moods import MOODS
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, silhouette, template
from .surfaces import (
    area,
    cloth,
    cut,
    fit,
    full_mask,
    light_area,
    oval,
    rectangle,
    room,
    shade_area,
    stand,
    stroke,
    toned,
    translucent,
)

Point = tuple[float, float]


@template("walker person", "walker person", "walker person", kinds=OPEN + " lake sea forest city")
def cut_out(stage: Stage, scene: Scene) -> None:
    """One has been cut out of a family photograph, and walks away from it."""
    stage.backdrop(0.62)
    side = stage.light
    width, height = stage.px(0.84), stage.py(0.48)
    inner = Stage(stage.sources, scene, (width, height))
    inner.mood, inner.light = MOODS["old"], stage.light
    inner.canvas = inner.view(scene.other, (width, height), 0.66, inner.mood)
    for thing, x, flip in ((scene.small[0], 0.17, True), (scene.small[1], 0.83, False)):
        sprite = fit(inner, thing, 0.33, 0.62, flip=flip)
        inner.put(sprite, x, 0.93, shadow=0.6)
    faded = inner.canvas.convert("L")
    old = Image.merge("RGB", [faded.point(lambda v, c=c: int(40 + v * c)) for c in (0.82, 0.72, 0.56)])
    old = Image.blend(inner.canvas, old, 0.75)
    keep = Image.new("L", (width, height), 255)
    missing = fit(inner, scene.main, 0.38, 0.72, flip=side > 0)
    hole = Image.new("L", (width, height))
    hole.paste(
        missing.getchannel("A"), (round(0.5 * width) - missing.width // 2, round(0.95 * height) - missing.height)
    )
    hole = hole.filter(ImageFilter.MaxFilter(2 * max(1, round(0.009 * stage.w)) + 1))
    keep = ImageChops.subtract(keep, hole)
    rim = stage.px(0.035)
    photo = Image.new(
        "RGBA", (width + 2 * rim, height + 2 * rim + rim // 2), (*toned(stage, (246, 240, 224), 0.4), 255)
    )
    photo.paste(old, (rim, rim))
    alpha = Image.new("L", photo.size, 255)
    alpha.paste(keep, (rim, rim))
    edge = ImageChops.subtract(hole.filter(ImageFilter.MaxFilter(2 * max(1, round(0.006 * stage.w)) + 1)), hole)
    photo.paste((252, 248, 238), (rim, rim), edge)
    photo.putalpha(alpha)
    big = photo.resize((photo.width * 2, photo.height * 2)).rotate(-4 * side, Image.Resampling.BICUBIC, expand=True)
    photo = big.resize((big.width // 2, big.height // 2), Image.Resampling.BOX)
    shadow = silhouette(photo, darker(stage.mood.dark, 0.6), 0.6).filter(ImageFilter.GaussianBlur(stage.w / 60))
    stage.put(shadow, 0.5 - 0.03 * side, 0.405, anchor="centre")
    stage.put(photo, 0.5, 0.385, anchor="centre")
    stand(stage, scene.main, 0.5 + 0.2 * side, 0.94, 0.34, 0.235, flip=side > 0)


@template("face", "face")
def masquerade(stage: Stage, scene: Scene) -> None:
    """Somebody lowers the mask of a face, and another face comes to light."""
    stage.outdoors = False
    stage.backdrop(0.8)
    side = stage.light
    shade_area(stage, rectangle(-0.1, -0.1, 1.1, 1.1), 0.3, 0.01)
    stage.glow(0.5, 0.36, 0.62, amount=0.55)
    colour = toned(stage, ((120, 32, 44), (44, 58, 104), (82, 42, 92), (36, 84, 74))[scene.seed % 4], 0.5)
    x = 0.5 - 0.09 * side
    for edge in (-1, 1):
        shoulder = [(x + edge * (0.06 + 0.6 * t), 0.66 + 0.2 * t**1.6) for t in np.linspace(0, 1, 14)]
        outline = [(x, 0.64), *shoulder, (x + edge * 0.66, 1.04), (x, 1.04)]
        cloth(stage, outline, colour, 2.6, sway=edge * 0.6, deep=0.22)
    face = fit(stage, scene.main, 0.66, 0.46)
    collar = toned(stage, (238, 230, 214), 0.5)
    for i in range(13):
        a = math.pi * i / 12
        cx, cy = x - 0.3 * math.cos(a), 0.64 + 0.075 * math.sin(a)
        area(stage, oval(cx, cy, 0.05, 0.03, 24), mix(collar, stage.mood.dark, 0.12 * (i % 2)), fall=0.4)
    stage.put(face, x, 0.66)
    px, py, lean = 0.5 + 0.225 * side, 0.57, 17
    mask = fit(stage, scene.small[0], 0.54, 0.38)
    paper = toned(stage, (240, 230, 210), 0.4)
    mask = translucent(mask, mix(paper, stage.mood.middle, 0.2), 0.22, 1)
    grown = Image.new("L", (mask.width + stage.px(0.06), mask.height + stage.px(0.06)))
    grown.paste(mask.getchannel("A"), (stage.px(0.03), stage.px(0.03)))
    grown = grown.filter(ImageFilter.MaxFilter(2 * max(1, round(0.012 * stage.w)) + 1)).filter(
        ImageFilter.GaussianBlur(0.8)
    )
    back = Image.new("RGBA", grown.size, (*paper, 255))
    back.putalpha(grown)
    back.paste(mask, (stage.px(0.03), stage.px(0.03)), mask)
    whole = back.rotate(-lean * side, Image.Resampling.BICUBIC, expand=True)
    dark = silhouette(whole, darker(stage.mood.dark, 0.6), 0.6).filter(ImageFilter.GaussianBlur(stage.w / 50))
    stage.put(dark, px - 0.05 * side, py + 0.025, anchor="centre")
    stick = [(px + 0.02 * side, py + 0.05), (px - 0.14 * side, 1.03)]
    stroke(stage, stick, 0.03, darker(toned(stage, (206, 158, 74), 0.4), 0.45))
    stroke(stage, stick, 0.016, toned(stage, (226, 182, 92), 0.4))
    stage.put(whole, px, py, anchor="centre")


PROFILE: tuple[Point, ...] = (
    (0.24, 1.02), (0.345, 0.93), (0.35, 0.855), (0.3, 0.815), (0.205, 0.8), (0.16, 0.765), (0.168, 0.718),
    (0.142, 0.69), (0.163, 0.664), (0.132, 0.634), (0.152, 0.602), (0.13, 0.58), (0.055, 0.553), (0.1, 0.47),
    (0.142, 0.415), (0.135, 0.36), (0.152, 0.27), (0.215, 0.155), (0.34, 0.062), (0.52, 0.025), (0.71, 0.065),
    (0.855, 0.19), (0.915, 0.37), (0.885, 0.54), (0.8, 0.68), (0.755, 0.79), (0.79, 0.9), (0.93, 1.02),
)  # fmt: skip
"""the outline of a human head seen from the left, from the throat over nose and crown to the nape"""
CROWN = (17, 21)
"""where the lid of the skull begins and ends in it"""


def smooth(points: tuple[Point, ...] | list[Point], steps: int = 8) -> list[Point]:
    """A curve through points (Catmull-Rom)."""
    path = np.array([points[0], *points, points[-1]])
    out = []
    for a, b, c, d in zip(path, path[1:], path[2:], path[3:], strict=False):
        for t in np.arange(steps) / steps:
            p = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            out.append((float(p[0]), float(p[1])))
    return [*out, points[-1]]


@template("walker person building tree boat", "flier", kinds=OPEN + " sea lake forest city")
def inner_world(stage: Stage, scene: Scene) -> None:
    """A human head holds a land of its own; its crown stands open like a lid, and something flies out."""
    stage.outdoors = False
    stage.backdrop(0.78)
    side = stage.light

    def place(point: Point) -> Point:
        x = 0.1 + 0.8 * point[0]
        return (x if side > 0 else 1 - x), 0.27 + 0.72 * point[1]

    outline = [place(point) for point in smooth(PROFILE[: CROWN[0] + 1])]
    outline += [place(point) for point in smooth(PROFILE[CROWN[1] :])]
    outline += [place((1.1, 1.05)), place((0.05, 1.05))]
    shade_area(stage, [(x - 0.03 * side, y + 0.01) for x, y in outline], 0.55, 0.03)
    mood = MOODS["night" if scene.mood in ("noon", "spring", "winter", "mist", "old") else "dawn"]
    corner, mask = cut(stage, outline)
    inner = Stage(stage.sources, scene, (stage.w, stage.h))
    inner.mood, inner.light = mood, stage.light
    world = stage.view(scene.other, mask.size, 0.55, mood)
    inner.canvas.paste(world, corner)
    if mood.stars:
        inner.stars(0.28, 0.6, 60)
    ground = 0.27 + 0.72 * 0.62
    cx = place((0.56, 0))[0]
    inner.glow(cx, 0.5, 0.45, amount=0.5)
    inner.put(fit(inner, scene.main, 0.44, 0.29), cx, ground + 0.03, shadow=0.7)
    face = full_mask(stage, outline)
    edge = ImageChops.invert(face).filter(ImageFilter.GaussianBlur(stage.w / 28))
    inner.canvas.paste(darker(mood.dark, 0.4), (0, 0, stage.w, stage.h), edge.point(lambda v: min(255, int(v * 1.5))))
    stage.canvas.paste(inner.canvas, (0, 0), face)
    cut_edge = [place(PROFILE[CROWN[0]]), place(PROFILE[CROWN[1]])]
    stroke(stage, cut_edge, 0.012, mix(mood.light, stage.mood.sunlight, 0.5))
    stage.glow(place((0.5, 0.1))[0], 0.36, 0.36, mix(mood.light, (255, 236, 190), 0.5), 0.5)
    hinge = np.array(place(PROFILE[CROWN[1]]))
    turn = math.radians(-58 * side)
    lid = []
    for point in [*smooth(PROFILE[CROWN[0] : CROWN[1] + 1])]:
        dx, dy = (np.array(place(point)) - hinge) * (1, 1.5)
        spin = (dx * math.cos(-turn) - dy * math.sin(-turn), dx * math.sin(-turn) + dy * math.cos(-turn))
        lid.append((float(hinge[0] + spin[0]), float(hinge[1] + spin[1] / 1.5)))
    area(stage, lid, darker(mood.dark, 0.3), fall=0.4)
    stroke(stage, [lid[0], lid[-1]], 0.012, mix(mood.light, stage.mood.sunlight, 0.5))
    for dx, y, size in ((0.46, 0.3, 0.17), (0.3, 0.2, 0.15), (0.14, 0.11, 0.12)):
        x = place((dx, 0))[0]
        stage.put(fit(stage, scene.small[0], size, size * 0.66, flip=side < 0), x, y, anchor="centre")


@template("tiny", "walker", kinds=OPEN + " city lake")
def throne(stage: Stage, scene: Scene) -> None:
    """On a throne far too large sits somebody tiny, and rows of the large bow before it."""
    stage.backdrop(0.56)
    stage.glow(0.5, 0.4, 0.6, amount=0.6)
    carpet = toned(stage, (150, 30, 42), 0.5)
    edge = toned(stage, (214, 168, 84), 0.5)
    for wide, colour in ((1.0, edge), (0.86, carpet)):
        area(
            stage,
            [
                (0.5 - 0.11 * wide, 0.66),
                (0.5 + 0.11 * wide, 0.66),
                (0.5 + 0.26 * wide, 1.03),
                (0.5 - 0.26 * wide, 1.03),
            ],
            colour,
            grain=0.1,
            streak=0.4,
        )
    stone = toned(stage, (150, 142, 136))
    for i, (wide, y) in enumerate(((0.3, 0.7), (0.25, 0.675), (0.2, 0.652))):
        area(stage, rectangle(0.5 - wide, y, 0.5 + wide, y + 0.027), darker(stone, 0.3 - 0.05 * i), streak=3)
        area(
            stage,
            [(0.5 - wide, y), (0.5 + wide, y), (0.5 + wide - 0.02, y - 0.008), (0.5 - wide + 0.02, y - 0.008)],
            mix(stone, stage.mood.sunlight, 0.25),
        )
    gold, velvet = toned(stage, (198, 148, 62), 0.5), toned(stage, (128, 30, 56), 0.5)
    w = 0.155
    peak = [
        (0.5 - w, 0.24),
        (0.5 - w * 0.7, 0.19),
        (0.5 - w * 0.35, 0.2),
        (0.5, 0.13),
        (0.5 + w * 0.35, 0.2),
        (0.5 + w * 0.7, 0.19),
        (0.5 + w, 0.24),
    ]
    area(stage, [*peak, (0.5 + w, 0.645), (0.5 - w, 0.645)], darker(gold, 0.15), fall=0.4, grain=0.1)
    area(
        stage,
        [
            (0.5 - w + 0.03, 0.26),
            (0.5 - 0.05, 0.225),
            (0.5, 0.2),
            (0.5 + 0.05, 0.225),
            (0.5 + w - 0.03, 0.26),
            (0.5 + w - 0.03, 0.56),
            (0.5 - w + 0.03, 0.56),
        ],
        velvet,
        fall=0.3,
    )
    for x in (-w, 0.0, w):
        area(
            stage, oval(0.5 + x, 0.225 if x else 0.125, 0.024, 0.016, 20), mix(gold, stage.mood.sunlight, 0.4), fall=0.5
        )
    shade_area(stage, rectangle(0.5 - w + 0.03, 0.5, 0.5 + w - 0.03, 0.565), 0.5, 0.02)
    area(
        stage,
        [(0.5 - w + 0.02, 0.56), (0.5 + w - 0.02, 0.56), (0.5 + w + 0.01, 0.6), (0.5 - w - 0.01, 0.6)],
        mix(velvet, stage.mood.sunlight, 0.15),
    )
    area(stage, rectangle(0.5 - w - 0.01, 0.6, 0.5 + w + 0.01, 0.648), gold, fall=0.4)
    for side in (-1, 1):
        x = 0.5 + side * (w + 0.012)
        area(stage, rectangle(x - 0.022, 0.5, x + 0.022, 0.648), darker(gold, 0.2), fall=0.4)
        area(stage, oval(x, 0.5, 0.036, 0.02, 24), mix(gold, stage.mood.sunlight, 0.2), fall=0.4)
    stage.glow(0.5, 0.52, 0.2, stage.mood.sunlight, 0.4)
    ruler = fit(stage, scene.main, 0.21, 0.14)
    stage.put(ruler, 0.5, 0.59, shadow=0.5)
    brow = 0.59 - ruler.height / stage.h + 0.01
    spikes = [(0.5 + 0.042 * t, brow - (0.036 if i % 2 == 0 else 0.016)) for i, t in enumerate(np.linspace(-1, 1, 7))]
    area(stage, [(0.464, brow), *spikes, (0.536, brow)], mix(gold, stage.mood.sunlight, 0.35), fall=0.5)
    for foot, size, x in ((0.7, 0.2, 0.29), (0.78, 0.27, 0.34), (0.93, 0.4, 0.37)):
        for side in (-1, 1):
            bow = fit(stage, scene.small[0], size, size * 0.58, flip=side < 0)
            bow = bow.rotate(11 * side, Image.Resampling.BICUBIC, expand=True)
            stage.put(bow, 0.5 + side * x, foot, shadow=0.8)


@template("walker face thing building flier", "thing walker edible tall", "walker tiny")
def easel(stage: Stage, scene: Scene) -> None:
    """A painter looks at a model and paints something else."""
    room(stage, 0.74, (150, 148, 132), (120, 84, 58))
    side = stage.light

    def at(x: float) -> float:
        return x if side > 0 else 1 - x

    light_area(
        stage, [(at(1.05), -0.05), (at(0.75), -0.05), (at(0.1), 0.9), (at(0.75), 0.9)], stage.mood.sunlight, 0.3, 0.05
    )
    block = toned(stage, (196, 186, 168))
    shade_area(stage, [(at(0.08), 0.84), (at(0.33), 0.84), (at(0.2), 0.9), (at(-0.05), 0.9)], 0.5, 0.02)
    area(stage, [(at(0.07), 0.655), (at(0.33), 0.655), (at(0.34), 0.84), (at(0.06), 0.84)], block, fall=0.35)
    area(
        stage,
        [(at(0.07), 0.655), (at(0.33), 0.655), (at(0.3), 0.64), (at(0.1), 0.64)],
        mix(block, stage.mood.sunlight, 0.3),
    )
    stage.put(fit(stage, scene.small[0], 0.25, 0.2, flip=side > 0), at(0.185), 0.652, shadow=0.4)
    wood = toned(stage, (140, 96, 60))
    cx = at(0.61)
    for dx in (-0.2, 0.2):
        stroke(stage, [(cx + dx * 0.3, 0.06), (cx + dx, 0.93)], 0.026, darker(wood, 0.2))
    stroke(stage, [(cx, 0.05), (cx, 0.2)], 0.026, darker(wood, 0.3))
    left, right, top, bottom = cx - 0.29, cx + 0.29, 0.14, 0.62
    shade_area(stage, rectangle(left - 0.02 * side, top + 0.015, right - 0.02 * side, bottom + 0.025), 0.6, 0.02)
    area(stage, rectangle(left - 0.014, top - 0.009, right + 0.014, bottom + 0.009), toned(stage, (236, 226, 204)))
    mood = MOODS["dream" if scene.mood in ("noon", "spring", "mist", "winter", "old") else "spring"]
    size = (stage.px(right - left), stage.py(bottom - top))
    canvas = Stage(stage.sources, scene, size)
    canvas.mood, canvas.light = mood, stage.light
    canvas.canvas = stage.view(scene.landscape, size, 0.62, mood)
    canvas.glow(0.5, 0.4, 0.6, amount=0.5)
    canvas.put(fit(canvas, scene.main, 0.86, 0.74, flip=side > 0), 0.5, 0.9, shadow=0.6)
    stage.canvas.paste(canvas.canvas, (stage.px(left), stage.py(top)))
    stroke(stage, [(left - 0.03, bottom + 0.022), (right + 0.03, bottom + 0.022)], 0.034, wood)
    painter = fit(stage, scene.small[1], 0.34, 0.24)
    if side < 0:
        painter = painter.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    x, foot = at(0.82), 0.955
    stage.put(painter, x, foot, shadow=1, sink=0.02)
    hand = (x - side * 0.36 * painter.width / stage.w, foot - 0.62 * painter.height / stage.h)
    tip = (hand[0] - 0.1 * side, hand[1] - 0.09)
    stroke(stage, [hand, tip], 0.014, toned(stage, (150, 60, 40)), 1, 0.8)
    stroke(stage, [tip, (tip[0] - 0.022 * side, tip[1] - 0.02)], 0.026, mood.middle, 1, 0.3)


def tab(start: Point, end: Point, sign: int) -> list[Point]:
    """One edge of a jigsaw piece: from start to end with a knob to the side `sign` (0 straight)."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, (y1 - y0) * 1.5
    shape = (
        (0, 0),
        (0.36, 0.03),
        (0.42, 0.02),
        (0.38, 0.11),
        (0.42, 0.2),
        (0.5, 0.23),
        (0.58, 0.2),
        (0.62, 0.11),
        (0.58, 0.02),
        (0.64, 0.03),
        (1, 0),
    )
    points = [(x0 + dx * t - dy * n * sign, y0 + (dy * t + dx * n * sign) / 1.5) for t, n in shape]
    return smooth(points, 4) if sign else [start, end]


@template("face watcher flier walker", "walker tiny person", kinds=OPEN + " city sea lake")
def missing_piece(stage: Stage, scene: Scene) -> None:
    """The picture is a jigsaw puzzle; somebody small has taken one piece out of the middle."""
    stage.outdoors = False
    stage.backdrop(0.66)
    stage.glow(0.5, 0.36, 0.6, amount=0.45)
    side = stage.light
    stage.put(fit(stage, scene.main, 0.9, 0.56, flip=side > 0), 0.5, 0.4, anchor="centre", shadow=0)
    columns, rows = 4, 6
    across = {(i, j): int(stage.rng.choice([-1, 1])) * (0 < j < rows) for i in range(columns) for j in range(rows + 1)}
    down = {(i, j): int(stage.rng.choice([-1, 1])) * (0 < i < columns) for i in range(columns + 1) for j in range(rows)}

    def corner(i: int, j: int) -> Point:
        return i / columns, j / rows

    for (i, j), sign in across.items():
        seam(stage, tab(corner(i, j), corner(i + 1, j), sign))
    for (i, j), sign in down.items():
        seam(stage, tab(corner(i, j), corner(i, j + 1), sign))
    i, j = (1 if side > 0 else 2), 2
    outline = [
        *tab(corner(i, j), corner(i + 1, j), across[i, j]),
        *tab(corner(i + 1, j), corner(i + 1, j + 1), down[i + 1, j]),
        *tab(corner(i, j + 1), corner(i + 1, j + 1), across[i, j + 1])[::-1],
        *tab(corner(i, j), corner(i, j + 1), down[i, j])[::-1],
    ]
    at, mask = cut(stage, outline)
    piece = stage.canvas.crop((at[0], at[1], at[0] + mask.width, at[1] + mask.height)).convert("RGBA")
    piece.putalpha(mask)
    board = toned(stage, (120, 92, 66))
    area(stage, outline, darker(board, 0.5), fall=-0.1, grain=0.1)
    deep = ImageChops.subtract(
        full_mask(stage, outline),
        ImageChops.offset(full_mask(stage, outline), -round(0.022 * stage.w) * side, round(0.022 * stage.w)),
    )
    stage.canvas.paste(
        darker(stage.mood.dark, 0.75),
        (0, 0, stage.w, stage.h),
        deep.filter(ImageFilter.GaussianBlur(stage.w / 110)).point(lambda v: int(v * 0.8)),
    )
    x, foot = 0.5 - 0.22 * side, 0.945
    thief = fit(stage, scene.small[0], 0.32, 0.17, flip=side < 0)
    piece = piece.resize((round(piece.width * 0.85), round(piece.height * 0.85)))
    whole = piece.rotate(16 * side, Image.Resampling.BICUBIC, expand=True)
    thick = silhouette(whole, darker(board, 0.2))
    lift = foot - thief.height / stage.h - 0.07
    stage.put(thief, x, foot, shadow=1, sink=0.02)
    stage.put(
        silhouette(whole, darker(stage.mood.dark, 0.6), 0.5).filter(ImageFilter.GaussianBlur(stage.w / 70)),
        x - 0.02 * side,
        lift + 0.03,
        anchor="centre",
    )
    for shift in (0.012, 0.008, 0.004):
        stage.put(thick, x, lift + shift, anchor="centre")
    stage.put(whole, x, lift, anchor="centre")


def seam(stage: Stage, points: list[Point]) -> None:
    """The dark and the lit side of a cut in the puzzle."""
    stroke(stage, points, 0.006, darker(stage.mood.dark, 0.4), 0.75)
    stroke(
        stage, [(x + 0.004, y + 0.0028) for x, y in points], 0.0035, mix(stage.mood.light, (255, 255, 255), 0.3), 0.6
    )
