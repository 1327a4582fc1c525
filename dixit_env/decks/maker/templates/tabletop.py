"""Scenes of things on tables and in drawers: appetite, memory, luck."""

from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, template
from .surfaces import (
    area,
    fit,
    oval,
    plate,
    rectangle,
    shade_area,
    stroke,
    table,
    toned,
)


@template("building tree mountain sky boat", "tiny flower letter key", kinds=OPEN)
def drawers(stage: Stage, scene: Scene) -> None:
    """A tall chest of drawers stands in the land; from an open drawer rises what was kept in it."""
    stage.backdrop(0.66)
    side = stage.light
    wood = toned(stage, (128, 82, 50))
    left, right, top, foot = 0.25, 0.75, 0.34, 0.9
    shade_area(
        stage,
        [(left, foot), (right, foot), (right - 0.35 * side, foot + 0.06), (left - 0.35 * side, foot + 0.06)],
        0.6,
        0.02,
    )
    for x in (left + 0.03, right - 0.06):
        area(stage, rectangle(x, foot - 0.02, x + 0.03, foot + 0.012), darker(wood, 0.5))
    area(stage, rectangle(left, top, right, foot), wood, fall=0.25, grain=0.1, streak=5)
    tall = (foot - top) / 5
    for i in range(5):
        y = top + i * tall
        panel = rectangle(left + 0.022, y + 0.012, right - 0.022, y + tall - 0.008)
        shade_area(stage, rectangle(left + 0.016, y + 0.008, right - 0.016, y + tall - 0.004), 0.55, 0.004)
        area(stage, panel, mix(wood, stage.mood.sunlight, 0.1), fall=0.3, grain=0.12, streak=6)
        for x in (left + 0.15, right - 0.15):
            area(stage, oval(x, y + tall / 2, 0.018, 0.012, 20), (212, 168, 84), fall=0.5)
    pulls = ((0, 0.1), (3, 0.05))
    for number, (i, out) in enumerate(pulls):
        y = top + i * tall
        w = out * 0.32
        hole = [
            (left + 0.022, y + 0.012),
            (right - 0.022, y + 0.012),
            (right - 0.022 + w, y + 0.012 + out * 0.55),
            (left + 0.022 - w, y + 0.012 + out * 0.55),
        ]
        area(stage, hole, darker(stage.mood.dark, 0.55), fall=0)
        rim = y + 0.012 + out * 0.55
        if number == 0:
            stage.glow(0.5, y, 0.5, (255, 226, 160), 0.7)
            guest = fit(stage, scene.main, 0.5, 0.36)
            stage.put(guest, 0.5, rim + 0.005)
        else:
            stage.put(fit(stage, scene.small[0], 0.2, 0.13), 0.5 + 0.09 * side, rim + 0.012)
        front = [
            (left + 0.022 - w, rim),
            (right - 0.022 + w, rim),
            (right - 0.022 + w, rim + tall * 0.98),
            (left + 0.022 - w, rim + tall * 0.98),
        ]
        shade_area(stage, [(x, py + 0.022) for x, py in front], 0.6, 0.015)
        area(stage, front, mix(wood, stage.mood.sunlight, 0.2), fall=0.3, grain=0.12, streak=6)
        for x in (left + 0.15, right - 0.15):
            area(stage, oval(x, rim + tall / 2, 0.02, 0.013, 20), (226, 182, 92), fall=0.5)


@template("face watcher", "building tree boat mountain", "tiny")
def dinner(stage: Stage, scene: Scene) -> None:
    """Somebody huge sits down to table; on the plate lies a piece of the world."""
    stage.outdoors = False
    stage.backdrop(0.5)
    stage.glow(0.5, 0.3, 0.6, amount=0.35)
    face = fit(stage, scene.main, 0.74, 0.46)
    stage.put(face, 0.5, 0.575)
    table(stage, -0.12, 1.12, 0.82, 0.28, 0.3)
    for side in (-1, 1):
        check = toned(stage, (188, 60, 54))
        stroke(stage, [(0.5 + side * 0.5, 0.545), (0.5 + side * 0.58, 0.82)], 0.018, check, 0.5)
    stroke(stage, [(-0.06, 0.8), (1.06, 0.8)], 0.014, toned(stage, (188, 60, 54)), 0.5)
    plate(stage, 0.5, 0.715, 0.33, 0.32)
    meal = fit(stage, scene.small[0], 0.36, 0.23)
    stage.put(meal, 0.5, 0.722, shadow=0.7, sink=0.02)
    steel = toned(stage, (206, 210, 216), 0.5)
    for side in (-1, 1):
        x = 0.5 + side * 0.41
        handle = [(x + side * 0.018, 0.8), (x + side * 0.005, 0.7)]
        stroke(stage, [(px - 0.006, py + 0.006) for px, py in handle], 0.03, darker(stage.mood.dark), 0.35)
        stroke(stage, handle, 0.026, steel, 1, 0.7)
        if side < 0:
            for dx in (-0.026, -0.009, 0.009, 0.026):
                stroke(stage, [(x + dx, 0.675), (x + dx * 0.8, 0.615)], 0.009, steel)
            area(stage, [(x - 0.032, 0.67), (x + 0.032, 0.67), (x + 0.012, 0.705), (x - 0.012, 0.705)], steel)
        else:
            area(
                stage,
                [(x - 0.016, 0.705), (x + 0.016, 0.705), (x + 0.022, 0.62), (x + 0.004, 0.595), (x - 0.014, 0.63)],
                steel,
                fall=0.4,
            )
    runner = fit(stage, scene.small[1], 0.14, 0.085, flip=stage.light > 0)
    stage.put(runner, 0.5 + 0.27 * stage.light, 0.795, shadow=0.8)


@template("building person walker tall", "flier", kinds=OPEN + " sea lake")
def house_of_cards(stage: Stage, scene: Scene) -> None:
    """At the top of a house of cards stands something precious; a flier is about to land."""
    stage.backdrop(0.74)
    base, tall, wide, levels = 0.9, 0.135, 0.185, 4
    stage.glow(0.5, 0.35, 0.55, amount=0.5)
    shade_area(stage, oval(0.5 - 0.08 * stage.light, base + 0.005, 0.46, 0.03), 0.55, 0.03)
    backs = [toned(stage, colour, 0.5) for colour in ((176, 48, 48), (48, 78, 138))]
    paper = toned(stage, (246, 240, 226), 0.4)
    skew = 0.045 * stage.light
    for level in range(levels):
        count = levels - level
        foot = base - level * (tall + 0.012)
        for i in range(count):
            x = 0.5 + (i - (count - 1) / 2) * wide * 1.04
            card(
                stage,
                (x - wide * 0.47, foot),
                (x - 0.006, foot - tall),
                skew,
                darker(backs[(i + level) % 2], 0.25 if stage.light > 0 else 0),
                paper,
            )
            card(
                stage,
                (x + wide * 0.47, foot),
                (x + 0.006, foot - tall),
                skew,
                darker(backs[(i + level + 1) % 2], 0.25 if stage.light < 0 else 0),
                paper,
            )
        if level < levels - 1:
            y = foot - tall
            for i in range(count - 1):
                x = 0.5 + (i - (count - 2) / 2) * wide * 1.04
                lid = [
                    (x - wide * 0.56, y - 0.002),
                    (x + wide * 0.56, y - 0.002),
                    (x + wide * 0.56 + skew, y - 0.022),
                    (x - wide * 0.56 + skew, y - 0.022),
                ]
                area(stage, lid, mix(paper, stage.mood.sunlight, 0.3), fall=0.1)
                area(stage, rectangle(x - wide * 0.56, y - 0.004, x + wide * 0.56, y + 0.004), darker(paper, 0.25))
    top = base - levels * (tall + 0.012) + 0.024
    jewel = fit(stage, scene.main, 0.34, 0.24)
    stage.put(jewel, 0.5 + skew * 0.4, top + 0.004)
    guest = fit(stage, scene.small[0], 0.2, 0.13, flip=stage.light < 0)
    stage.put(guest, 0.5 + 0.33 * stage.light, top - 0.03, anchor="centre")


def card(
    stage: Stage,
    foot: tuple[float, float],
    top: tuple[float, float],
    skew: float,
    colour: tuple[int, int, int],
    paper: tuple[int, int, int],
) -> None:
    """A playing card that leans: seen from its back, with a white rim."""
    (x0, y0), (x1, y1) = foot, top

    def at(u: float, v: float) -> tuple[float, float]:
        return x0 + (x1 - x0) * v + skew * u, y0 + (y1 - y0) * v - 0.02 * u

    area(stage, [at(0, 0), at(1, 0), at(1, 1), at(0, 1)], paper, fall=0.1)
    area(stage, [at(0.14, 0.06), at(0.86, 0.06), at(0.86, 0.94), at(0.14, 0.94)], colour, fall=0.25, grain=0.12)
    stroke(stage, [at(0, 0), at(0, 1)], 0.009, darker(paper, 0.12))
