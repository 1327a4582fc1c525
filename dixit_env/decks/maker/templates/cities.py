"""Scenes of streets and houses, of what is behind their windows, and of cities of things."""

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from ..things import Thing
from .base import silhouette, template
from .surfaces import (
    area,
    bars,
    fit,
    full_mask,
    ground_colour,
    light_area,
    oval,
    rectangle,
    sag,
    shade_area,
    stroke,
    toned,
)

FACADES = ((168, 108, 84), (150, 132, 112), (116, 124, 140), (176, 148, 104), (132, 92, 98))
LAMP = (255, 206, 118)
EVENINGS = "night dusk aurora storm dream red_sun"
"""moods in which lit windows shine"""


def stones(
    stage: Stage, left: float, top: float, right: float, bottom: float, colour: tuple[int, int, int], size: float = 0.06
) -> None:
    """A wall of the colour with the joints of a few of its bricks showing."""
    area(stage, rectangle(left, top, right, bottom), colour, fall=0.22, grain=0.09)
    for _ in range(int((right - left) * (bottom - top) * 130)):
        x, row = (
            float(stage.rng.uniform(left, right - size)),
            int(stage.rng.integers(0, max(1, int((bottom - top) / size * 2.6)))),
        )
        y = top + row * size / 2.6
        tone = darker(colour, 0.22) if stage.rng.random() < 0.6 else mix(colour, stage.mood.light, 0.18)
        area(stage, rectangle(x, y, x + size * 0.9, min(bottom, y + size / 2.6 * 0.8)), tone, alpha=0.6)


@template(
    "walker person",
    "walker person",
    "walker person",
    kinds="snow forest hills fields city valley mountains",
    moods=EVENINGS,
)
def warm_window(stage: Stage, scene: Scene) -> None:
    """Through a lit window two are seen together at table; outside in the dark stands a third."""
    stage.outdoors = False
    stage.backdrop(0.7)
    side = stage.light
    wall = darker(toned(stage, FACADES[scene.seed % len(FACADES)]), 0.32)
    edge = 0.1 if side > 0 else 0.9
    outer = 1.05 if side > 0 else -0.05
    a, b = sorted((edge, outer))
    stones(stage, a, 0.1, b, 0.84, wall)
    roof = toned(stage, (92, 50, 48))
    area(
        stage,
        [(a - 0.1, 0.13), (b + 0.1, 0.13), (b + 0.1, -0.05), (a + 0.06, -0.05)]
        if side > 0
        else [(a - 0.1, 0.13), (b + 0.1, 0.13), (b - 0.06, -0.05), (a - 0.1, -0.05)],
        darker(roof, 0.3),
        grain=0.12,
        streak=4,
    )
    shade_area(stage, rectangle(a, 0.125, b, 0.18), 0.6, 0.02)
    cx = 0.5 + 0.1 * side
    box = (cx - 0.32, 0.22, cx + 0.32, 0.58)
    left, top, right, bottom = box
    wood = toned(stage, (120, 84, 60))
    area(stage, rectangle(left - 0.035, top - 0.022, right + 0.035, bottom + 0.022), wood, fall=0.3)
    before = stage.canvas.copy()
    area(stage, rectangle(left, top, right, bottom), LAMP, fall=-0.12, grain=0.05)
    shade_area(stage, rectangle(left - 0.1, top - 0.1, left + 0.06, bottom), 0.3, 0.06)
    shade_area(stage, rectangle(right - 0.06, top - 0.1, right + 0.1, bottom), 0.3, 0.06)
    lamp = [(cx - 0.075, top + 0.09), (cx + 0.075, top + 0.09), (cx + 0.035, top + 0.055), (cx - 0.035, top + 0.055)]
    stroke(stage, [(cx, top - 0.01), (cx, top + 0.06)], 0.006, (70, 44, 30))
    area(stage, lamp, (176, 60, 44), fall=0.3)
    for x, guest, flip in ((cx - 0.17, scene.small[0], True), (cx + 0.17, scene.small[1], False)):
        sprite = fit(stage, guest, 0.28, 0.21, flip=flip)
        stage.put(sprite, x, bottom - 0.035)
    area(stage, rectangle(left, bottom - 0.07, right, bottom), (150, 92, 56), fall=0.2, streak=5)
    area(stage, rectangle(left, bottom - 0.076, right, bottom - 0.062), (232, 178, 116))
    for dx in (-0.1, 0.1):
        area(stage, oval(cx + dx, bottom - 0.073, 0.045, 0.008), (250, 240, 220))
    light_area(stage, oval(cx, top + 0.1, 0.24, 0.12), (255, 236, 170), 0.6, 0.06)
    stage.canvas = Image.composite(stage.canvas, before, full_mask(stage, rectangle(left, top, right, bottom)))
    bars(stage, box, wood, (2, 2))
    area(stage, rectangle(left - 0.06, bottom + 0.018, right + 0.06, bottom + 0.042), mix(wood, LAMP, 0.4))
    stage.glow(cx, 0.4, 0.55, LAMP, 0.3)
    ground = darker(ground_colour(stage, 0.9), 0.2)
    area(stage, [(-0.02, 0.83), (1.02, 0.83), (1.02, 1.02), (-0.02, 1.02)], ground, grain=0.12, streak=4, soft=0.006)
    light_area(
        stage,
        [(left, 0.84), (right, 0.84), (right - 0.1 - 0.2 * side, 1), (left + 0.1 - 0.3 * side, 1)],
        LAMP,
        0.5,
        0.03,
    )
    lonely = fit(stage, scene.main, 0.38, 0.25, flip=side > 0)
    x, foot = 0.5 - 0.25 * side, 0.945
    dark = Image.blend(lonely, silhouette(lonely, darker(stage.mood.dark, 0.3)), 0.35)
    rim = ImageChops.subtract(
        lonely.getchannel("A"),
        ImageChops.offset(lonely.getchannel("A"), -round(0.012 * stage.w) * side, round(0.014 * stage.w)),
    )
    lit = silhouette(lonely, LAMP)
    lit.putalpha(rim.filter(ImageFilter.GaussianBlur(0.7)))
    dark.alpha_composite(lit)
    stage.put(dark, x, foot, shadow=0.9, sink=0.02)


@template(
    "walker person face",
    "walker person face",
    "letter light flower key hang",
    kinds="hills mountains sea city valley lake snow",
)
def neighbours(stage: Stage, scene: Scene) -> None:
    """Two look at each other out of windows across a narrow street; something travels on the line between them."""
    stage.outdoors = False
    stage.backdrop(0.82)
    stage.fog(1.0, 0.2, 0.5)
    walls = {}
    for side, shift in ((-1, 0), (1, 1)):
        colour = toned(stage, FACADES[(scene.seed + shift) % len(FACADES)])
        walls[side] = darker(colour, 0.12 if side != stage.light else 0.4)
        a, b = sorted((0.5 + side * 0.17, 0.5 + side * 0.52))
        stones(stage, a, -0.02, b, 1.02, walls[side])
        a, b = sorted((0.5 + side * 0.17, 0.5 + side * 0.145))
        area(stage, rectangle(a, -0.02, b, 1.02), darker(walls[side], 0.45), fall=0.05)
    y0 = 0.5
    line = sag((0.28, y0 - 0.01), (0.72, y0 - 0.01), 0.045)
    for side, thing in zip((-1, 1), (scene.main, scene.small[0]), strict=True):
        for y in (0.1, y0 - 0.11, 0.75):
            x = 0.5 + side * 0.34
            lit = y == y0 - 0.11
            w, h = (0.13, 0.23) if lit else (0.1, 0.15)
            frame = toned(stage, (224, 210, 184))
            area(stage, rectangle(x - w - 0.022, y - 0.014, x + w + 0.022, y + h + 0.014), frame, fall=0.25)
            if lit:
                area(stage, rectangle(x - w, y, x + w, y + h), (150, 96, 58), fall=-0.1)
                light_area(stage, oval(x, y + h * 0.5, w, h * 0.5), LAMP, 0.8, 0.03)
                sprite = fit(stage, thing, 0.3, 0.2, flip=side < 0)
                before = stage.canvas.copy()
                stage.put(sprite, x, y + h + 0.012)
                reach = sorted((x - side * 0.3, x + side * w))
                stage.canvas = Image.composite(
                    stage.canvas, before, full_mask(stage, rectangle(reach[0], 0, reach[1], y + h))
                )
                sill = toned(stage, (146, 100, 70))
                area(
                    stage,
                    rectangle(x - w - 0.04, y + h, x + w + 0.04, y + h + 0.026),
                    mix(sill, stage.mood.sunlight, 0.25),
                )
                shade_area(stage, rectangle(x - w - 0.03, y + h + 0.026, x + w + 0.03, y + h + 0.045), 0.5, 0.012)
            else:
                area(
                    stage,
                    rectangle(x - w, y, x + w, y + h),
                    darker(mix(stage.mood.dark, stage.mood.middle, 0.3), 0.2),
                    fall=0.4,
                )
                bars(stage, (x - w, y, x + w, y + h), frame, (2, 2))
    stroke(stage, line, 0.006, darker(stage.mood.dark, 0.3))
    x, y = line[14]
    stage.glow(x, y + 0.05, 0.22, amount=0.5)
    stage.put(fit(stage, scene.small[1], 0.17, 0.12), x, y - 0.006, anchor="top")


def block(stage: Stage, x: float, base: float, wide: float, tall: float, colour: RGB) -> None:
    """A plain building far off, some of its windows lit."""
    area(stage, rectangle(x - wide, base - tall, x + wide, base), colour, fall=0.1)
    for j in range(int(tall / 0.02)):
        for i in range(3):
            if stage.rng.random() < 0.35:
                px, py = x + (i - 1) * wide * 0.55, base - tall + 0.012 + 0.02 * j
                area(stage, rectangle(px - 0.006, py - 0.004, px + 0.006, py + 0.005), LAMP, alpha=0.8)


def tower(stage: Stage, thing: Thing, x: float, base: float, wide: float, tall: float) -> None:
    """A thing as large as a building, with rows of lit windows where it is broad enough."""
    sprite = fit(stage, thing, wide, tall)
    inside = sprite.getchannel("A").filter(ImageFilter.MinFilter(2 * max(1, round(0.014 * stage.w)) + 1))
    pixels = np.asarray(inside)
    step_x, step_y = 0.042 * stage.w, 0.05 * stage.w
    lights = Image.new("L", sprite.size)
    draw = ImageDraw.Draw(lights)
    for j in range(1, int(sprite.height / step_y)):
        for i in range(1, int(sprite.width / step_x)):
            px, py = round(i * step_x), round(j * step_y)
            half_w, half_h = max(1, round(0.0075 * stage.w)), max(1, round(0.011 * stage.w))
            if pixels[min(py, sprite.height - 1), min(px, sprite.width - 1)] > 200 and stage.rng.random() < 0.4:
                draw.rectangle(
                    (px - half_w, py - half_h, px + half_w, py + half_h), fill=int(stage.rng.integers(170, 256))
                )
    shadow = darker(mix(stage.mood.dark, stage.mood.middle, 0.3), 0.2)
    night = Image.blend(sprite, silhouette(sprite, shadow), 0.12)
    warm = Image.new("RGBA", sprite.size, (*mix(LAMP, (255, 240, 200), 0.4), 255))
    warm.putalpha(ImageChops.multiply(lights, inside))
    night.alpha_composite(warm)
    stage.put(night, x, base)


@template("walker person face watcher", "flier", moods=EVENINGS)
def sleepless(stage: Stage, scene: Scene) -> None:
    """A house front at night: all windows are dark but one, where somebody is awake; outside hovers a visitor."""
    stage.outdoors = False
    stage.haze = stage.mood.middle
    wall = darker(toned(stage, FACADES[scene.seed % len(FACADES)]), 0.4)
    stones(stage, -0.02, -0.02, 1.02, 1.02, wall)
    column, row = int(stage.rng.integers(0, 3)), int(stage.rng.integers(1, 3))
    wide, tall = 0.095, 0.08
    frame, glass = (
        darker(toned(stage, (196, 184, 164)), 0.35),
        darker(mix(stage.mood.dark, stage.mood.middle, 0.25), 0.25),
    )
    for j in range(4):
        for i in range(3):
            x, y = 0.18 + 0.32 * i, 0.12 + 0.255 * j
            if (i, j) != (column, row):
                pane(stage, x, y, wide, tall, frame, glass)
    x, y = 0.2 + 0.3 * column, 0.12 + 0.255 * row
    stage.glow(x, y, 0.5, LAMP, 0.6)
    wide, tall = 0.165, 0.125
    area(
        stage,
        rectangle(x - wide - 0.024, y - tall - 0.016, x + wide + 0.024, y + tall + 0.016),
        toned(stage, (206, 180, 140)),
    )
    area(stage, rectangle(x - wide, y - tall, x + wide, y + tall), LAMP, fall=-0.1, grain=0.05)
    before = stage.canvas.copy()
    side = 1 if column == 0 else -1 if column == 2 else stage.light
    stage.put(fit(stage, scene.main, wide * 1.9, tall * 1.75, flip=side > 0), x, y + tall + 0.008)
    stage.canvas = Image.composite(
        stage.canvas, before, full_mask(stage, rectangle(x - wide, y - tall, x + wide, y + tall))
    )
    area(stage, rectangle(x - wide - 0.05, y + tall, x + wide + 0.05, y + tall + 0.026), mix(frame, LAMP, 0.5))
    shade_area(stage, rectangle(x - wide - 0.03, y + tall + 0.026, x + wide + 0.03, y + tall + 0.05), 0.5, 0.012)
    visitor = fit(stage, scene.small[0], 0.28, 0.19, flip=side < 0)
    vx, vy = x + side * (0.36 if column == 1 else 0.4), y + 0.1
    shadow = silhouette(visitor, darker(stage.mood.dark, 0.5), 0.5).filter(ImageFilter.GaussianBlur(stage.w / 90))
    stage.put(shadow, vx + 0.05 * side, vy + 0.03, anchor="centre")
    stage.glow(vx, vy, 0.3, LAMP, 0.35)
    stage.put(visitor, vx, vy, anchor="centre")


def pane(stage: Stage, x: float, y: float, wide: float, tall: float, frame: RGB, glass: RGB) -> None:
    """A dark window with its curtains drawn aside."""
    area(stage, rectangle(x - wide - 0.018, y - tall - 0.012, x + wide + 0.018, y + tall + 0.012), frame)
    area(stage, rectangle(x - wide, y - tall, x + wide, y + tall), glass, fall=0.5)
    for edge in (-1, 1):
        outer, inner = x + edge * wide, x + edge * wide * 0.5
        area(
            stage,
            [
                (outer, y - tall),
                (inner, y - tall),
                (x + edge * wide * 0.75, y),
                (outer - edge * 0.01, y + tall),
                (outer, y + tall),
            ],
            mix(glass, frame, 0.3),
        )
    bars(stage, (x - wide, y - tall, x + wide, y + tall), frame, (2, 2))
    area(
        stage,
        rectangle(x - wide - 0.03, y + tall + 0.006, x + wide + 0.03, y + tall + 0.024),
        mix(frame, stage.mood.light, 0.12),
    )
