"""Scenes of two and what is between them: meeting, parting, burden, rescue, rivalry; and one against all."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import silhouette, template
from .surfaces import (
    area,
    fit,
    ground_colour,
    half,
    light_area,
    oval,
    rope,
    sag,
    shade_area,
    stand,
    stroke,
    toned,
    translucent,
)


def jagged(
    stage: Stage, start: tuple[float, float], end: tuple[float, float], rough: float, steps: int = 14
) -> list[tuple[float, float]]:
    """Points of a broken edge between two points."""
    (x0, y0), (x1, y1) = start, end
    points = []
    for i in range(steps + 1):
        t, inner = i / steps, 0 < i < steps
        dx, dy = stage.rng.uniform(-rough, rough, 2) if inner else (0.0, 0.0)
        points.append((x0 + (x1 - x0) * t + float(dx), y0 + (y1 - y0) * t + float(dy) * 0.3))
    return points


def cliff(stage: Stage, side: int, edge: float, top: float) -> None:
    """A wall of rock at one side of the card, flat on top, that falls into the deep."""
    rock = mix(ground_colour(stage, 0.7), toned(stage, (120, 96, 80)), 0.5)
    outer = 0.5 + side * 0.55
    face = jagged(stage, (edge, top), (edge + side * 0.1, 1.05), 0.018)
    outline = [(outer, top), *face, (outer, 1.05)]
    area(stage, outline, darker(rock, 0.3), fall=0.35, grain=0.14, streak=0.25)
    for i in range(5):
        x = edge + side * (0.05 + 0.08 * i)
        crack = jagged(stage, (x, top + 0.02), (x + side * 0.03, 1.02), 0.012)
        stroke(stage, crack, 0.006, darker(rock, 0.6), 0.55, 2.5)
    lip = [
        (outer, top - 0.012),
        (edge - side * 0.012, top - 0.006),
        (edge - side * 0.004, top + 0.016),
        (outer, top + 0.03),
    ]
    area(stage, lip, mix(rock, stage.mood.sunlight, 0.35), grain=0.12, streak=3)


@template(
    "walker person wanderer",
    "walker person wanderer",
    "tiny",
    kinds="canyon mountains valley hills desert sea badlands",
)
def red_thread(stage: Stage, scene: Scene) -> None:
    """Two stand on the edges of an abyss, joined by one red thread on which somebody small crosses."""
    stage.outdoors = False
    stage.backdrop(0.66)
    stage.fog(0.8, 0.25, 0.55)
    stage.fog(1.0, 0.15, 0.6, mix(stage.haze, stage.mood.dark, 0.35))
    top = 0.58
    for side in (-1, 1):
        cliff(stage, side, 0.5 + side * 0.18, top)
    left = stand(stage, scene.main, 0.165, top + 0.004, 0.31, 0.25, flip=True)
    right = stand(stage, scene.small[0], 0.835, top + 0.004, 0.31, 0.25)
    start = (0.165 + 0.36 * left.width / stage.w, top - 0.5 * left.height / stage.h)
    end = (0.835 - 0.36 * right.width / stage.w, top - 0.5 * right.height / stage.h)
    thread = sag(start, end, 0.045)
    stroke(stage, [(x, y + 0.004) for x, y in thread], 0.008, darker(stage.mood.dark), 0.35)
    stroke(stage, thread, 0.0085, mix((206, 30, 36), stage.mood.sunlight, 0.1))
    x, y = thread[13]
    stage.put(fit(stage, scene.small[1], 0.13, 0.09, flip=stage.light > 0), x, y + 0.004)


def floe(stage: Stage, side: int, crack: list[tuple[float, float]], far: float, near: float) -> None:
    """One half of a sheet of ice, its inner edge along a crack."""
    ice, deep = mix(stage.mood.light, (240, 248, 250), 0.5), mix(stage.mood.dark, (60, 120, 150), 0.5)
    ends = [(0.5 + side * (0.27 + 0.21 * math.sin(math.pi * i / 10)), far + (near - far) * i / 10) for i in range(11)]
    outline = [*crack, *ends[::-1]]
    thick = 0.032
    side_wall = [(x, y + thick) for x, y in outline]
    shade_area(stage, [(x, y + thick * 1.7) for x, y in outline], 0.45, 0.012)
    area(stage, side_wall, mix(deep, ice, 0.35), fall=0.1, streak=0.3)
    area(stage, outline, darker(ice, 0.04), fall=0.12, grain=0.05, streak=3)


@template("building tree seat", "walker person", "walker person", kinds="sea lake")
def drift_apart(stage: Stage, scene: Scene) -> None:
    """The ice has broken under a house; each half of it drifts off with one of the two who lived there."""
    stage.backdrop(0.4)
    stage.water(0.41)
    stage.fog(0.41, 0.05, 0.5)
    far, near, gap = 0.6, 0.86, 0.075
    crack = jagged(stage, (0.5, far), (0.5, near), 0.022, 9)
    sprite = fit(stage, scene.main, 0.56, 0.36)
    foot = 0.7
    for side in (-1, 1):
        floe(stage, side, [(x + side * gap * (0.6 + 0.5 * (y - far) / (near - far)), y) for x, y in crack], far, near)
        piece = half(sprite, side).rotate(-2.5 * side, Image.Resampling.BICUBIC, expand=True)
        x = 0.5 + side * (gap + 0.012 + piece.width / 2 / stage.w)
        stage.cast(piece, stage.px(x) - piece.width // 2, stage.py(foot), 0.5, 0.2)
        wall = silhouette(piece, mix(toned(stage, (150, 96, 70)), stage.mood.dark, 0.3))
        stage.put(wall, x - side * 0.014, foot + 0.003)
        stage.put(piece, x, foot, sink=0.02)
    stand(stage, scene.small[0], 0.2, 0.835, 0.24, 0.16, flip=True)
    stand(stage, scene.small[1], 0.8, 0.835, 0.24, 0.16)


@template("round sky", "walker carrier", "walker carrier", kinds="hills desert dunes fields snow beach valley badlands")
def tug_of_war(stage: Stage, scene: Scene) -> None:
    """Two pull with ropes in opposite directions at what hangs between them, until it tears."""
    stage.backdrop(0.74)
    y = 0.33
    stage.glow(0.5, y, 0.62, amount=0.6)
    sprite = fit(stage, scene.main, 0.56, 0.4)
    w, h = sprite.size
    spots = {-1: (0.2, 0.93), 1: (0.8, 0.93)}
    pullers = {
        side: fit(stage, thing, 0.36, 0.24, flip=side > 0) for side, thing in zip((-1, 1), scene.small, strict=True)
    }
    for side, (x, foot) in spots.items():
        hold = (x, foot - 0.62 * pullers[side].height / stage.h)
        rope(stage, sag((0.5 + side * 0.36 * w / stage.w, y + 0.05), hold, 0.012), 0.014)
    line = [
        (0.5 * w + float(d) * w, t * h)
        for t, d in zip(np.linspace(0, 1, 11), stage.rng.uniform(-0.06, 0.06, 11), strict=True)
    ]
    for side in (-1, 1):
        keep = Image.new("L", sprite.size)
        edge = [(0 if side < 0 else w, 0), *line, (0 if side < 0 else w, h)]
        ImageDraw.Draw(keep).polygon(edge, fill=255)
        piece = sprite.copy()
        piece.putalpha(ImageChops.multiply(sprite.getchannel("A"), keep))
        piece = piece.rotate(-5 * side, Image.Resampling.BICUBIC)
        stage.put(piece, 0.5 + side * 0.035, y, anchor="centre")
    stage.glow(0.5, y, 0.26, mix(stage.mood.sunlight, (255, 240, 190), 0.6), 0.55)
    for side, (x, foot) in spots.items():
        stage.put(pullers[side], x, foot, shadow=1, sink=0.03)
        loop = oval(x, foot - 0.58 * pullers[side].height / stage.h, 0.02, 0.03)
        stroke(stage, [*loop, loop[0]], 0.011, toned(stage, (186, 148, 92), 0.5))


def chain(stage: Stage, points: list[tuple[float, float]], size: float) -> None:
    """Iron links along points."""
    iron = toned(stage, (96, 98, 108), 0.5)
    path = np.array(points)
    length = np.r_[0, np.cumsum(np.hypot(*(np.diff(path, axis=0) * (1, 1.5)).T))]
    for i, at in enumerate(np.arange(0, float(length[-1]), size * 1.15)):
        x, y = float(np.interp(at, length, path[:, 0])), float(np.interp(at, length, path[:, 1]))
        ring = oval(x, y, size * 0.72, size * (0.36 if i % 2 else 0.12) / 1.5 * 1.2, 20)
        stroke(stage, [*ring, ring[0]], size * 0.42, darker(iron, 0.55))
        stroke(
            stage, [(px, py - 0.0012) for px, py in (*ring, ring[0])], size * 0.2, mix(iron, stage.mood.sunlight, 0.35)
        )


@template(
    "round building seat music",
    "walker tiny person wanderer",
    kinds="hills desert dunes fields snow badlands mountains moon",
)
def burden(stage: Stage, scene: Scene) -> None:
    """Somebody drags something far too large uphill by a chain."""
    stage.backdrop(0.8)
    side = stage.light
    rise = 0.22

    def slope(x: float) -> float:
        """height of the hillside at a distance x (0 … 1) along the way up"""
        return 0.93 - rise * x

    def across(x: float) -> float:
        return x if side > 0 else 1 - x

    earth = mix(ground_colour(stage, 0.85), toned(stage, (112, 92, 70)), 0.25)
    ridge = [(across(t / 30), slope(t / 30) + 0.006 * math.sin(t * 1.7 + scene.seed)) for t in range(-2, 33)]
    area(stage, [*ridge, (across(1.1), 1.1), (across(-0.1), 1.1)], darker(earth, 0.12), fall=0.25, grain=0.12, streak=3)
    stroke(stage, ridge, 0.012, mix(earth, stage.mood.sunlight, 0.4), 0.8)
    stage.glow(across(0.95), 0.42, 0.6, amount=0.55)
    sprite = fit(stage, scene.main, 0.56, 0.42)
    angle = math.degrees(math.atan(rise / 1.5 * 2.2)) * side * 0.75
    load = sprite.rotate(angle, Image.Resampling.BICUBIC, expand=True)
    x = 0.3
    place = (across(x), slope(x) + 0.035)
    furrow = [(across(t), slope(t) + 0.012) for t in np.linspace(-0.05, 0.3, 8)]
    stroke(stage, furrow, 0.05, darker(earth, 0.5), 0.5, 0.7)
    stage.put(load, *place, shadow=0.8)
    puller = fit(stage, scene.small[0], 0.24, 0.17, flip=side > 0)
    px = 0.8
    start = (across(x + 0.3 * load.width / stage.w), place[1] - 0.3 * load.height / stage.h)
    end = (across(px - 0.3 * puller.width / stage.w), slope(px) - 0.45 * puller.height / stage.h)
    chain(stage, sag(start, end, 0.012), 0.02)
    stage.put(puller, across(px), slope(px) + 0.012, shadow=0.8, sink=0.03)


@template(
    "face watcher walker",
    "tiny walker person",
    "light letter key",
    kinds="fields hills valley desert forest snow mountains",
)
def well(stage: Stage, scene: Scene) -> None:
    """Deep down a shaft in the earth sits somebody small; from above something is let down on a rope."""
    stage.outdoors = False
    stage.backdrop(0.24)
    top = 0.3
    earth = mix(ground_colour(stage, 0.6), toned(stage, (86, 60, 48)), 0.6)
    area(stage, [(-0.02, top), (1.02, top), (1.02, 1.02), (-0.02, 1.02)], darker(earth, 0.35), grain=0.16, streak=2.5)
    for _ in range(26):
        sx, sy, r = stage.rng.random(3)
        stone = oval(float(sx), top + 0.05 + 0.65 * float(sy), 0.012 + 0.03 * float(r), 0.007 + 0.014 * float(r), 14)
        area(stage, stone, mix(darker(earth, 0.5), earth, float(r)), fall=0.4)
    crest = [(i / 30, top - 0.006 + 0.005 * math.sin(i * 1.3)) for i in range(31)]
    stroke(stage, crest, 0.022, mix(earth, stage.mood.sunlight, 0.3))
    left = jagged(stage, (0.33, top - 0.01), (0.24, 0.93), 0.012)
    right = jagged(stage, (0.67, top - 0.01), (0.76, 0.93), 0.012)
    floor = [(0.3, 0.955), (0.5, 0.962), (0.7, 0.955)]
    shaft = [*left, *floor, *right[::-1]]
    area(stage, shaft, darker(stage.mood.dark, 0.62), fall=0.0, grain=0.05)
    light_area(
        stage,
        [(0.36, top), (0.64, top), (0.72, 0.95), (0.28, 0.95)],
        mix(stage.mood.light, stage.mood.sunlight, 0.5),
        0.3,
        0.04,
    )
    light_area(stage, oval(0.5, 0.93, 0.2, 0.025), stage.mood.sunlight, 0.35, 0.02)
    watcher = fit(stage, scene.main, 0.46, 0.27, flip=stage.light < 0)
    wx = 0.5 + 0.12 * stage.light
    held = fit(stage, scene.small[1], 0.13, 0.1)
    stage.put(watcher, wx, top + 0.006, shadow=0.5)
    wooden = toned(stage, (120, 82, 52))
    stroke(stage, [(0.27, top - 0.004), (0.73, top - 0.004)], 0.026, darker(wooden, 0.35))
    stroke(stage, [(0.27, top - 0.009), (0.73, top - 0.009)], 0.012, mix(wooden, stage.mood.sunlight, 0.3))
    low = 0.66
    rope(stage, [(0.5, top - 0.006), (0.503, 0.45), (0.5, low)], 0.009)
    stage.glow(0.5, low + 0.05, 0.24, (255, 222, 150), 0.6)
    stage.put(held, 0.5, low - 0.008, anchor="top")
    stand(stage, scene.small[0], 0.5 - 0.02 * stage.light, 0.952, 0.21, 0.13, flip=stage.light > 0, shadow=0.6)


@template("walker person wanderer", "walker", kinds="fields desert dunes snow beach hills city valley")
def against_the_stream(stage: Stage, scene: Scene) -> None:
    """A crowd of the same kind goes one way; one goes the other."""
    stage.backdrop(0.3)
    gray = mix(stage.mood.dark, stage.mood.middle, 0.35)
    rows = [(0.36, 0.1), (0.425, 0.135), (0.51, 0.18), (0.66, 0.24), (0.8, 0.3)]
    for i, (foot, size) in enumerate(rows):
        crowd = fit(stage, scene.small[0], size, size * 0.62)
        step = crowd.width / stage.w * 0.86
        start = float(stage.rng.uniform(-0.5, 0)) * step
        middle = i == 3
        for k in range(int(1.3 / step) + 2):
            x = start + k * step
            if middle and abs(x - 0.5) < step * 0.5 + 0.2:
                continue
            member = translucent(crowd, mix(gray, stage.haze, 0.4 - 0.12 * i), 0.78, 1)
            stage.put(member, x, foot + 0.008 * float(stage.rng.uniform(-1, 1)), shadow=0.6, sink=0.04)
        if middle:
            light_area(
                stage,
                [(0.44, -0.05), (0.56, -0.05), (0.76, foot + 0.01), (0.24, foot + 0.01)],
                stage.mood.sunlight,
                0.5,
                0.05,
            )
            light_area(stage, oval(0.5, foot, 0.25, 0.03), stage.mood.sunlight, 0.4, 0.02)
            stand(stage, scene.main, 0.5, foot, 0.38, 0.26, flip=True)
    near = fit(stage, scene.small[0], 0.52, 0.3)
    for x in (-0.02, 0.42, 0.86):
        stage.put(silhouette(near, darker(stage.mood.dark, 0.35)), x, 1.08)
