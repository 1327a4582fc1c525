"""Scenes of theatres, puppets and shows: who plays, who watches, who pulls the strings."""

import itertools
import math

import numpy as np
from PIL import Image

from ..moods import MOODS, RGB
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, WATERSIDE, silhouette, template
from .surfaces import (
    area,
    cloth,
    cut,
    fit,
    full_mask,
    light_area,
    oval,
    rectangle,
    shade_area,
    stand,
    stroke,
    toned,
)

VELVET = ((146, 28, 36), (38, 66, 120), (92, 34, 96), (28, 92, 80))
GILT = (206, 158, 74)


def velvet(stage: Stage, scene: Scene) -> RGB:
    """The colour of this card's curtains."""
    return toned(stage, VELVET[scene.seed % len(VELVET)], 0.45)


def drape(stage: Stage, colour: RGB, side: int, top: float, bottom: float, wide: float, tied: float) -> None:
    """A curtain drawn to one side and tied at the height `tied`."""
    outer = 0.5 + side * 0.54
    inner = []
    for t in np.linspace(0, 1, 26):
        y = top + (bottom - top) * float(t)
        gather = math.exp(-(((y - tied) / 0.16) ** 2))
        inner.append((outer - side * (wide * (1 - 0.62 * gather) * (1 - 0.18 * float(t))), y))
    shade_area(stage, [(outer, top), *[(x - side * 0.03, y) for x, y in inner], (outer, bottom)], 0.55, 0.025)
    cloth(stage, [(outer, top), *inner, (outer, bottom)], colour, 4.5, sway=side * 0.5)
    waist = outer - side * wide * 0.38
    stroke(stage, [(outer, tied - 0.02), (waist, tied + 0.012)], 0.026, toned(stage, GILT, 0.4))


def valance(stage: Stage, colour: RGB, top: float, deep: float) -> None:
    """The short curtain above a stage, in scallops with a golden hem."""
    hem = [(1.02 - 1.04 * i / 60, top + deep * (0.72 + 0.28 * abs(math.sin(i * math.pi / 12)))) for i in range(61)]
    shade_area(stage, [(-0.02, top), (1.02, top), *[(x, y + 0.022) for x, y in hem]], 0.5, 0.02)
    cloth(stage, [(-0.02, top), (1.02, top), *hem], darker(colour, 0.1), 10, deep=0.26)
    stroke(stage, hem, 0.014, toned(stage, GILT, 0.4))


def boards(stage: Stage, top: float, colour: RGB = (132, 92, 60)) -> None:
    """The floor of a stage, with its edge towards the house."""
    wood = toned(stage, colour)
    area(stage, rectangle(-0.02, top, 1.02, 1.02), wood, fall=0.12, streak=3)
    for i in range(-9, 10):
        stroke(stage, [(0.5 + i * 0.09, top), (0.5 + i * 0.17, 1.02)], 0.003, darker(wood, 0.5), 0.8, 2)


def spotlight(stage: Stage, x: float, y: float, radius: float, amount: float = 0.5, start: float = 0.5) -> None:
    """A cone of light from above and its pool on the floor."""
    light = mix(stage.mood.sunlight, (255, 244, 206), 0.6)
    cone = [(start - 0.02, -0.05), (start + 0.02, -0.05), (x + radius, y), (x - radius, y)]
    light_area(stage, cone, light, amount, 0.02)
    light_area(stage, oval(x, y, radius, radius * 0.24), light, amount, 0.012)


@template("walker person face music")
def stage_fright(stage: Stage, scene: Scene) -> None:
    """Alone in the spotlight, before a dark house full of eyes."""
    stage.outdoors = False
    stage.canvas.paste(darker(mix(stage.mood.dark, stage.mood.middle, 0.12), 0.45), (0, 0, stage.w, stage.h))
    stage.haze = darker(stage.mood.dark, 0.4)
    area(
        stage,
        rectangle(-0.02, -0.02, 1.02, 0.8),
        darker(mix(stage.mood.dark, stage.mood.middle, 0.15), 0.4),
        grain=0.15,
    )
    rows = ((0.1, 0.05), (0.19, 0.062), (0.29, 0.078), (0.4, 0.098), (0.53, 0.122))
    for i, (y, size) in enumerate(rows):
        seat = darker(mix(stage.mood.dark, toned(stage, (110, 40, 46)), 0.3 + 0.08 * i), 0.4)
        count = int(1.0 / (size * 1.5)) + 2
        for k in range(count):
            x = (k - (count - 1) / 2 + 0.5 * (i % 2)) * size * 1.55 + 0.5
            crown = [
                (x + size * 0.62 * math.cos(a), y - size * 0.72 * math.sin(a)) for a in np.linspace(0, math.pi, 14)
            ]
            area(stage, [*crown, (x - size * 0.62, y + size), (x + size * 0.62, y + size)], seat, fall=0.3)
            if stage.rng.random() < 0.06:
                continue
            for dx in (-0.24, 0.24):
                eye = oval(x + dx * size, y - size * 0.12, size * 0.14, size * 0.085, 20)
                area(stage, eye, mix((255, 240, 190), stage.mood.light, 0.3), fall=0)
                look = x + dx * size + (0.5 - x) * 0.03
                area(
                    stage,
                    oval(look, y - size * 0.1, size * 0.055, size * 0.05, 12),
                    darker(stage.mood.dark, 0.7),
                    fall=0,
                )
        shade_area(stage, rectangle(-0.02, y + size * 0.45, 1.02, y + size * 0.9), 0.35, 0.02)
    shade_area(stage, rectangle(-0.1, 0.58, 1.1, 0.72), 0.8, 0.03)
    boards(stage, 0.68)
    shade_area(stage, rectangle(-0.1, 0.66, 0.26, 1.1), 0.55, 0.12)
    shade_area(stage, rectangle(0.74, 0.66, 1.1, 1.1), 0.55, 0.12)
    spotlight(stage, 0.5, 0.87, 0.32, 0.62, 0.5 + 0.25 * stage.light)
    stand(stage, scene.main, 0.5, 0.9, 0.44, 0.3, flip=stage.light > 0)


@template(
    "building tree mountain walker",
    "walker person tiny",
    kinds=OPEN + " lake sea",
    moods="dawn noon dusk autumn winter dream spring red_sun",
)
def curtain_of_night(stage: Stage, scene: Scene) -> None:
    """The night is a curtain; somebody small draws it aside, and behind it is another day."""
    side = stage.light
    stage.backdrop(0.7)
    stage.glow(0.5 + 0.22 * side, 0.42, 0.6, amount=0.6)
    stand(stage, scene.main, 0.5 + 0.22 * side, 0.84, 0.46, 0.42, shadow=0.9)
    night = MOODS["night"]
    size = (stage.w, stage.h)
    sky = Stage(stage.sources, scene, size)
    sky.mood = night
    sky.canvas = stage.view(scene.landscape, size, 0.78, night)
    area(sky, rectangle(-0.02, -0.02, 1.02, 0.7), darker(night.dark, 0.1), alpha=0.6)
    sky.stars(0, 0.75, 170)
    moon = fit(sky, "crescent-moon", 0.2, 0.14)
    sky.glow(0.5 - 0.28 * side, 0.2, 0.3, night.light, 0.5)
    sky.put(moon, 0.5 - 0.28 * side, 0.2, anchor="centre")

    def at(x: float) -> float:
        return x if side > 0 else 1 - x

    edge = [(at(0.62 - 0.4 * t**0.6 + 0.03 * math.sin(t * 16)), t * 0.93 - 0.02) for t in np.linspace(0, 1, 40)]
    foot = [(at(0.22 - 0.26 * t), 0.915 + 0.012 * math.sin(t * 26)) for t in np.linspace(0, 1, 20)]
    outline = [(at(-0.02), -0.02), *edge, *foot]
    shade_area(stage, [(x + 0.035 * side, y + 0.01) for x, y in outline], 0.55, 0.03)
    corner, mask = cut(stage, outline)
    picture = sky.canvas.crop((corner[0], corner[1], corner[0] + mask.width, corner[1] + mask.height))
    cloth(stage, outline, night.middle, 6, picture=picture.point(lambda v: min(255, int(v * 1.25))), sway=-0.6 * side)
    stroke(stage, edge, 0.016, mix(night.middle, stage.mood.sunlight, 0.55))
    rail = toned(stage, GILT, 0.4)
    stroke(stage, [(-0.02, 0.045), (1.02, 0.045)], 0.028, darker(rail, 0.5))
    stroke(stage, [(-0.02, 0.041), (1.02, 0.041)], 0.014, mix(rail, stage.mood.sunlight, 0.3))
    for i in range(9):
        ring = oval(at(0.02 + 0.07 * i), 0.05, 0.02, 0.017, 20)
        stroke(stage, [*ring, ring[0]], 0.007, rail)
    puller = fit(stage, scene.small[0], 0.32, 0.2, flip=side < 0)
    x, y = at(0.34), 0.955
    stage.glow(x, y - 0.07, 0.26, amount=0.45)
    stage.put(puller, x, y, shadow=1, sink=0.03)


@template("boat swimmer float", "sky", "walker person", kinds=WATERSIDE)
def toy_theatre(stage: Stage, scene: Scene) -> None:
    """A theatre of paper: between wooden waves goes a boat, and somebody lets the moon down on a thread."""
    stage.outdoors = False
    side = stage.light
    stage.backdrop(0.6)
    paints = [
        mix(stage.mood.middle, (44, 110, 150), 0.55),
        mix(stage.mood.dark, (30, 84, 130), 0.5),
        mix(stage.mood.dark, (16, 50, 92), 0.4),
    ]
    star = fit(stage, scene.small[0], 0.3, 0.2)
    mx, my = 0.5 - 0.14 * side, 0.34
    stage.glow(mx, my, 0.42, amount=0.6)
    stroke(stage, [(mx, -0.02), (mx, my)], 0.005, darker(stage.mood.dark))
    stage.put(star, mx, my, anchor="centre")
    boat = fit(stage, scene.main, 0.46, 0.28, flip=side > 0).rotate(6 * side, Image.Resampling.BICUBIC, expand=True)
    for i, (y, high) in enumerate(((0.6, 0.02), (0.675, 0.026), (0.76, 0.03))):
        if i == 1:
            stage.put(boat, 0.5 + 0.06 * side, 0.705)
        crest = [
            (k / 80 - 0.02, y + high * (abs(math.sin(k / 80 * 1.05 * math.pi * (5 - i) + i * 1.1)) * -1 + 0.5))
            for k in range(84)
        ]
        shade_area(stage, [*[(px, py - 0.012) for px, py in crest], (1.02, 1.02), (-0.02, 1.02)], 0.45, 0.012)
        area(stage, [*crest, (1.02, 1.02), (-0.02, 1.02)], paints[i], fall=0.25, grain=0.1, streak=4)
        stroke(stage, crest, 0.011, mix(paints[i], stage.mood.light, 0.7))
    colour = velvet(stage, scene)
    apron = toned(stage, (120, 80, 54))
    area(stage, rectangle(-0.02, 0.845, 1.02, 1.02), apron, fall=0.2, streak=5)
    stroke(stage, [(-0.02, 0.845), (1.02, 0.845)], 0.022, toned(stage, GILT, 0.4))
    for edge in (-1, 1):
        drape(stage, colour, edge, 0.05, 0.86, 0.24, 0.5)
    actor = fit(stage, scene.small[1], 0.26, 0.18, flip=side < 0)
    x, foot = 0.5 + 0.33 * side, 0.955
    hand = (x - side * 0.1 * actor.width / stage.w, foot - 0.8 * actor.height / stage.h)
    stroke(stage, [(x - 0.03 * side, -0.01), hand], 0.006, mix(stage.mood.light, (250, 240, 220), 0.4))
    valance(stage, colour, -0.01, 0.13)
    stage.put(actor, x, foot, shadow=1)


@template("person walker tall flower tiny", "tiny walker")
def music_box(stage: Stage, scene: Scene) -> None:
    """On an open music box something turns; somebody small winds it up."""
    stage.outdoors = False
    stage.backdrop(0.6)
    side = stage.light
    shade_area(stage, rectangle(-0.1, -0.1, 1.1, 1.1), 0.18, 0.01)
    wood = toned(stage, ((120, 58, 44), (58, 74, 110), (104, 56, 92))[scene.seed % 3])
    gilt = toned(stage, GILT, 0.4)
    cx = 0.5 + 0.07 * side
    left, right, top, foot = cx - 0.33, cx + 0.33, 0.68, 0.9
    desk = toned(stage, (96, 66, 48))
    area(stage, [(-0.02, 0.8), (1.02, 0.8), (1.02, 1.02), (-0.02, 1.02)], desk, fall=0.2, streak=5)
    shade_area(
        stage,
        [(left, foot), (right, foot), (right - 0.3 * side, foot + 0.06), (left - 0.3 * side, foot + 0.06)],
        0.7,
        0.02,
    )
    lid = [(left + 0.03, top - 0.045), (right - 0.03, top - 0.045), (right + 0.02, 0.13), (left - 0.02, 0.13)]
    area(stage, [(x, y - 0.008) for x, y in lid], darker(wood, 0.2), fall=0.3)
    glass = [(left + 0.065, top - 0.06), (right - 0.065, top - 0.06), (right - 0.02, 0.16), (left + 0.02, 0.16)]
    corner, mask = cut(stage, glass)
    night = MOODS["night" if scene.mood != "night" else "dream"]
    stage.canvas.paste(stage.view(scene.other, mask.size, 0.8, night), corner, mask)
    keep = full_mask(stage, glass)
    before = stage.canvas.copy()
    stage.stars(0.15, 0.5, 60)
    dancer = fit(stage, scene.main, 0.4, 0.38, flip=side > 0)
    twin = fit(stage, scene.main, 0.4, 0.35, flip=side < 0)
    stage.put(
        Image.blend(twin, silhouette(twin, mix(night.dark, night.middle, 0.5)), 0.4), cx + 0.17 * side, top - 0.06
    )
    stage.canvas = Image.composite(stage.canvas, before, keep)
    ring = [*glass, glass[0]]
    for a, b in itertools.pairwise(ring):
        stroke(stage, [a, b], 0.012, gilt)
    plush = toned(stage, (150, 40, 60), 0.5)
    area(
        stage,
        [(left + 0.03, top - 0.045), (right - 0.03, top - 0.045), (right, top + 0.015), (left, top + 0.015)],
        darker(plush, 0.35),
        fall=0.1,
    )
    stage.glow(cx, 0.52, 0.4, (255, 226, 170), 0.4)
    area(stage, oval(cx - 0.05 * side, top - 0.006, 0.15, 0.02), darker(gilt, 0.45))
    area(stage, oval(cx - 0.05 * side, top - 0.014, 0.15, 0.02), mix(gilt, stage.mood.sunlight, 0.2), fall=0.4)
    stage.put(dancer, cx - 0.05 * side, top - 0.006, shadow=0.5)
    area(stage, rectangle(left, top + 0.012, right, foot), wood, fall=0.3, grain=0.1, streak=5)
    for y in (top + 0.026, foot - 0.014):
        stroke(stage, [(left, y), (right, y)], 0.014, gilt)
    for i in range(5):
        x = left + (right - left) * (i + 0.5) / 5
        area(
            stage,
            [(x, top + 0.055), (x + 0.045, (top + foot) / 2), (x, foot - 0.043), (x - 0.045, (top + foot) / 2)],
            mix(wood, gilt, 0.55),
            fall=0.4,
        )
    winder = fit(stage, scene.small[0], 0.2, 0.13, flip=side > 0)
    edge = right if side < 0 else left
    stage.put(stage.sprite("key", 0.15, angle=90 if side > 0 else -45), edge - 0.05 * side, 0.8, anchor="centre")
    stage.put(winder, edge - 0.1 * side, 0.955, shadow=0.9, sink=0.03)


@template("face watcher", "walker person tiny")
def behind_the_curtain(stage: Stage, scene: Scene) -> None:
    """Before the curtain somebody small stands in the light; through the gap peeps somebody huge."""
    stage.outdoors = False
    colour = velvet(stage, scene)
    side = stage.light
    stage.haze = darker(stage.mood.dark, 0.3)
    area(stage, rectangle(-0.02, -0.02, 1.02, 0.85), darker(stage.mood.dark, 0.5))
    stage.glow(0.5, 0.42, 0.5, mix(stage.mood.middle, stage.mood.sunlight, 0.4), 0.55)
    giant = fit(stage, scene.main, 0.78, 0.5, flip=side > 0)
    stage.put(giant, 0.5, 0.43, anchor="centre")
    boards(stage, 0.8)
    for edge in (-1, 1):
        gap = [
            (0.5 + edge * (0.045 + 0.215 * math.sin(math.pi * min(1.0, t * 1.02)) ** 1.4), t * 0.84 - 0.02)
            for t in np.linspace(0, 1, 30)
        ]
        outer = 0.5 + edge * 0.54
        hem = [(gap[-1][0] + (outer - gap[-1][0]) * t, 0.822 + 0.008 * math.sin(t * 30)) for t in np.linspace(0, 1, 24)]
        outline = [(outer, -0.02), *gap, *hem]
        shade_area(stage, [(x - edge * 0.035, y) for x, y in outline], 0.6, 0.03)
        cloth(stage, outline, colour, 4.2, sway=edge * 0.3)
    valance(stage, colour, -0.01, 0.11)
    shade_area(stage, rectangle(-0.1, 0.8, 1.1, 0.84), 0.5, 0.02)
    x = 0.5 - 0.14 * side
    light_area(stage, oval(x, 0.905, 0.24, 0.045), mix(stage.mood.sunlight, (255, 244, 206), 0.6), 0.6, 0.014)
    stand(stage, scene.small[0], x, 0.925, 0.27, 0.18, flip=side < 0)
