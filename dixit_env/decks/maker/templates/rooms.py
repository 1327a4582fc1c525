"""Scenes indoors: who is there, who is missing, what comes in."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from ..moods import MOODS, Mood
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import silhouette, template
from .surfaces import (
    area,
    casement,
    cut,
    fit,
    light_area,
    oval,
    plate,
    rectangle,
    room,
    shade_area,
    stand,
    stroke,
    table,
    toned,
    translucent,
)

WALLS = ((134, 152, 140), (176, 128, 104), (120, 136, 168), (186, 164, 112), (150, 112, 132), (108, 142, 152))
BOARDS = ((126, 84, 56), (104, 74, 62), (142, 104, 70))


def furnished(stage: Stage, scene: Scene, floor: float, vanish: float = 0.5) -> None:
    """A room whose colours follow from the seed."""
    room(stage, floor, WALLS[scene.seed % len(WALLS)], BOARDS[scene.seed % len(BOARDS)], vanish)


def outside(scene: Scene) -> Mood:
    """The mood beyond a window."""
    return MOODS[scene.mood]


def sunbeam(stage: Stage, box: tuple[float, float, float, float], floor: float, amount: float = 0.4) -> None:
    """The light of a window on the floor, away from where the sun is."""
    left, _, right, _ = box
    shift = -0.22 * stage.light
    patch = [
        (left + shift, floor + 0.05),
        (right + shift, floor + 0.05),
        (right + 2.3 * shift + 0.03, 0.97),
        (left + 2.3 * shift - 0.03, 0.97),
    ]
    light_area(stage, patch, mix(stage.mood.light, stage.mood.sunlight, 0.5), amount, 0.012)


@template("walker person", "walker person", "edible light flower")
def absent_guest(stage: Stage, scene: Scene) -> None:
    """A table is laid for two; one has come, of the other there is only a pale shape in the light."""
    furnished(stage, scene, 0.74)
    box = (0.3, 0.1, 0.7, 0.4)
    casement(stage, box, scene.landscape, outside(scene))
    stage.glow(0.74, 0.45, 0.42, stage.mood.light, 0.3)
    for x in (0.2, 0.8):
        chair(stage, x, 0.83, 0.3)
    guest = fit(stage, scene.main, 0.4, 0.3)
    pale = mix(stage.mood.light, (255, 255, 255), 0.5)
    host = fit(stage, scene.small[0], 0.38, 0.29, flip=True)
    seat = 0.685
    stage.put(host, 0.22, seat)
    rim = Image.new("RGBA", guest.size, (*pale, 255))
    inner = guest.getchannel("A").filter(ImageFilter.GaussianBlur(stage.w / 130))
    edge = ImageChops.subtract(guest.getchannel("A"), inner.point(lambda v: max(0, (v - 140) * 2)))
    rim.putalpha(edge.point(lambda v: int(v * 0.95)))
    stage.put(translucent(guest, pale, 0.8, 0.55), 0.78, seat)
    stage.put(rim, 0.78, seat)
    table(stage, 0.04, 0.96, 0.69, 0.075, 0.17)
    for x in (0.24, 0.76):
        plate(stage, x, 0.668, 0.105)
    centre = fit(stage, scene.small[1], 0.2, 0.15)
    stage.glow(0.5, 0.6, 0.3, stage.mood.sunlight, 0.35)
    stage.put(centre, 0.5, 0.665, shadow=0.7)


def chair(stage: Stage, x: float, foot: float, tall: float) -> None:
    """The back of a plain wooden chair, seen from the front."""
    wood = toned(stage, (98, 62, 42))
    top, w = foot - tall - 0.12, 0.11
    for dx in (-w, w):
        area(stage, rectangle(x + dx - 0.013, top, x + dx + 0.013, foot), wood, fall=0.3, streak=0.2)
    for y in (top + 0.012, top + 0.1, top + 0.17):
        area(stage, rectangle(x - w, y, x + w, y + 0.028), darker(wood, 0.15), streak=4)
    for dx in (-w, w):
        area(stage, oval(x + dx, top, 0.02, 0.014), mix(wood, stage.mood.sunlight, 0.2))


@template("walker", "face", "light book", moods="night aurora storm dream winter old mist dusk red_sun")
def under_the_bed(stage: Stage, scene: Scene) -> None:
    """Somebody sleeps in a bed; in the dark beneath it somebody else is awake with a light."""
    furnished(stage, scene, 0.7)
    shade_area(stage, rectangle(-0.1, -0.1, 1.1, 1.1), 0.42, 0.01)
    side = stage.light
    wood, linen = toned(stage, (92, 58, 40)), toned(stage, (206, 196, 190))
    quilt = toned(stage, ((142, 52, 60), (54, 84, 132), (70, 110, 84))[scene.seed % 3])

    def at(x: float) -> float:
        return x if side > 0 else 1 - x

    box = (0.16, 0.08, 0.46, 0.31) if side > 0 else (0.54, 0.08, 0.84, 0.31)
    casement(stage, box, scene.landscape, outside(scene), frame=(120, 112, 120))
    area(stage, [(at(0.9), 0.24), (at(0.97), 0.24), (at(0.97), 0.93), (at(0.9), 0.93)], wood, fall=0.3, streak=0.2)
    area(stage, [(at(0.03), 0.4), (at(0.1), 0.4), (at(0.1), 0.93), (at(0.03), 0.93)], wood, fall=0.3, streak=0.2)
    shade_area(stage, rectangle(0.07, 0.58, 0.93, 0.91), 0.9, 0.02)
    area(stage, rectangle(0.07, 0.505, 0.93, 0.6), darker(wood, 0.25), streak=5)
    area(stage, rectangle(0.09, 0.46, 0.91, 0.53), linen)
    pillow = oval(at(0.76), 0.448, 0.15, 0.047)
    area(stage, pillow, mix(linen, stage.mood.light, 0.3), fall=0.3)
    sleeper = fit(stage, scene.small[0], 0.24, 0.17).rotate(-22 * side, Image.Resampling.BICUBIC, expand=True)
    stage.put(sleeper, at(0.72), 0.485)
    hump = [
        (at(0.66 - 0.57 * t), 0.435 - 0.07 * math.sin(math.pi * min(1, t * 1.15)) ** 0.8 + 0.03 * t)
        for t in np.linspace(0, 1, 20)
    ]
    hem = [(at(0.09 + 0.57 * i / 24), 0.585 + 0.012 * math.sin(i * 1.1)) for i in range(25)]
    area(stage, [*hump, *hem], quilt, fall=0.35, grain=0.1)
    for i in range(1, 6):
        fold = [(at(0.1 + 0.09 * i + 0.02 * t), 0.42 + 0.16 * t) for t in np.linspace(0, 1, 6)]
        stroke(stage, fold, 0.008, darker(quilt, 0.45), 0.4, 2)
    stage.glow(at(0.4), 0.83, 0.4, (255, 196, 110), 0.75)
    light = fit(stage, scene.small[1], 0.13, 0.11)
    stand(stage, scene.main, at(0.58), 0.92, 0.4, 0.255, flip=side < 0, shadow=0.6)
    stage.put(light, at(0.3), 0.92, shadow=0.6)
    stage.glow(at(0.3), 0.86, 0.16, (255, 226, 160), 0.6)


@template("walker building tree thing face", "walker person wanderer")
def corridor(stage: Stage, scene: Scene) -> None:
    """A long corridor of shut doors; one stands ajar, and at the end something waits in the light."""
    wall, boards = toned(stage, WALLS[scene.seed % len(WALLS)]), toned(stage, BOARDS[scene.seed % len(BOARDS)])
    vx, vy, end = 0.5 - 0.05 * stage.light, 0.47, 0.25
    stage.horizon, stage.haze, stage.outdoors = vy, wall, False

    def at(x: float, y: float, near: float) -> tuple[float, float]:
        """a point of the corridor's front opening, taken `near` (1 front … 0 vanishing point) into the depth"""
        return vx + (x - vx) * near, vy + (y - vy) * near

    left, right, top, foot = -0.05, 1.05, -0.12, 1.06
    corners = [(left, top), (right, top), (right, foot), (left, foot)]
    far = [at(x, y, end) for x, y in corners]
    for i, (colour, streak) in enumerate(
        ((darker(wall, 0.4), 1.0), (darker(wall, 0.22), 0.5), (boards, 1.0), (darker(wall, 0.1), 0.5))
    ):
        j = (i + 1) % 4
        area(stage, [corners[i], corners[j], far[j], far[i]], colour, fall=0.1, streak=streak)
    for i in range(1, 12):
        x = left + (right - left) * i / 12
        stroke(stage, [at(x, foot, 1), at(x, foot, end)], 0.005, darker(boards, 0.5), 0.7, 0.2)
    carpet = toned(stage, (128, 38, 44))
    area(stage, [at(0.22, foot, 1), at(0.78, foot, 1), at(0.78, foot, end), at(0.22, foot, end)], carpet, grain=0.1)
    size = (stage.px((right - left) * end), stage.py((foot - top) * end))
    corner, mask = cut(stage, far)
    stage.canvas.paste(stage.view(scene.landscape, size, 0.66, MOODS[scene.mood]).resize(mask.size), corner, mask)
    for side, x in ((-1, left), (1, right)):
        for near in (0.86, 0.58, 0.4):
            deep = near * 0.74
            quad = [at(x, 0.2, near), at(x, 0.2, deep), at(x, foot, deep), at(x, foot, near)]
            wood = toned(stage, (112, 76, 52))
            open_one = near == 0.58 and side == stage.light
            frame = [
                at(x, 0.15, near * 1.04),
                at(x, 0.15, deep * 0.97),
                at(x, foot, deep * 0.97),
                at(x, foot, near * 1.04),
            ]
            area(stage, frame, darker(wood, 0.5))
            area(stage, quad, (255, 224, 150) if open_one else wood, fall=0.15, streak=0.2)
            if open_one:
                spill = [
                    at(x, foot, near),
                    at(x, foot, deep),
                    at(0.5, foot, deep * 0.92),
                    at(0.5 - side * 0.2, foot, near * 0.94),
                ]
                light_area(stage, spill, (255, 214, 130), 0.65, 0.015)
                stage.glow(*at(x, 0.65, (near + deep) / 2), 0.3, (255, 214, 130), 0.5)
            else:
                for low, high in ((0.28, 0.52), (0.6, 0.92)):
                    a, b = near * 0.94, deep * 1.07
                    panel = [at(x, low, a), at(x, low, b), at(x, high, b), at(x, high, a)]
                    area(stage, panel, darker(wood, 0.25))
                knob = at(x, 0.62, deep * 1.05)
                area(stage, oval(*knob, 0.012 * near, 0.008 * near, 12), (222, 180, 96))
    low = vy + (foot - vy) * end
    stage.glow(vx, vy + 0.04, 0.34, mix(stage.mood.light, stage.mood.sunlight, 0.4), 0.75)
    light_area(
        stage,
        [at(0.25, foot, end), at(0.75, foot, end), at(0.85, foot, 0.8), at(0.15, foot, 0.8)],
        stage.mood.light,
        0.3,
        0.03,
    )
    goal = fit(stage, scene.main, 0.25, 0.19)
    stage.put(goal, vx, low + 0.004, shadow=0.4)
    stand(stage, scene.small[0], vx - 0.12 * stage.light, 0.92, 0.32, 0.21, flip=stage.light > 0)


@template("swimmer float", "boat", kinds="sea lake beach")
def flooded_room(stage: Stage, scene: Scene) -> None:
    """A room is half full of water; a boat drifts under the ceiling, and below it swims something large."""
    furnished(stage, scene, 0.86)
    box = (0.27, 0.1, 0.73, 0.5)
    casement(stage, box, scene.landscape, outside(scene), panes=(2, 3), horizon=0.8)
    level = 0.44
    deep, bright = mix(stage.mood.dark, (10, 66, 90), 0.55), mix(stage.mood.light, (120, 206, 206), 0.6)
    line = [(i / 40, level + 0.006 * math.sin(i * 0.9 + scene.seed)) for i in range(-1, 42)]
    before = np.asarray(stage.canvas, dtype=np.float32)
    rows = np.clip((np.arange(stage.h) / stage.h - level) / (1 - level), 0, 1)[:, None, None]
    water = np.array(bright, np.float32) * (1 - rows) + np.array(deep, np.float32) * rows
    amount = 0.42 + 0.3 * rows
    mixed = Image.fromarray((before * (1 - amount) + water * amount).clip(0, 255).astype(np.uint8))
    corner, mask = cut(stage, [*line, (1.05, 1.05), (-0.05, 1.05)])
    full = Image.new("L", stage.canvas.size)
    full.paste(mask, corner)
    stage.canvas.paste(mixed, (0, 0), full)
    swimmer = fit(stage, scene.main, 0.74, 0.34, flip=stage.light > 0)
    stage.put(translucent(swimmer, mix(deep, bright, 0.35), 0.2, 0.94), 0.5, 0.7, anchor="centre")
    stroke(stage, line, 0.014, mix(bright, (255, 255, 255), 0.5), 0.85)
    for x, y, r in stage.rng.random((18, 3)):
        ring = oval(
            0.1 + 0.8 * float(x), level + 0.06 + 0.45 * float(y), 0.004 + 0.012 * float(r), 0.003 + 0.008 * float(r), 16
        )
        stroke(stage, [*ring, ring[0]], 0.003, mix(bright, (255, 255, 255), 0.6), 0.7)
    boat = fit(stage, scene.small[0], 0.34, 0.24, flip=stage.light > 0)
    stage.put(boat, 0.5 + 0.17 * stage.light, level + 0.022, sink=0.1)


@template("walker person seat", "flier", kinds="sea hills fields valley mountains lake forest")
def wallpaper(stage: Stage, scene: Scene) -> None:
    """The pattern of the wallpaper comes alive and flies out of the open window."""
    furnished(stage, scene, 0.82)
    side = stage.light
    box = (0.52, 0.16, 0.88, 0.52) if side > 0 else (0.12, 0.16, 0.48, 0.52)
    colour = darker(toned(stage, WALLS[scene.seed % len(WALLS)]), 0.38)
    motif = silhouette(fit(stage, scene.small[0], 0.115, 0.085, flip=side > 0), colour, 0.9)
    for j in range(7):
        for i in range(6):
            x, y = 0.04 + 0.19 * i + 0.095 * (j % 2), 0.07 + 0.11 * j
            gone = box[0] - 0.12 < x < box[2] + 0.12 and box[1] - 0.06 < y < box[3] + 0.14
            loose = abs(x - (box[0] if side > 0 else box[2])) < 0.3 and 0.3 < y < 0.64
            if not gone and not loose:
                stage.put(motif, x, y, anchor="centre")
    casement(stage, box, scene.landscape, outside(scene), panes=(1, 1))
    sunbeam(stage, box, 0.82, 0.3)
    wood = toned(stage, (222, 206, 178))
    for edge in (-1, 1):
        x = box[0] if edge < 0 else box[2]
        leaf = [(x, box[1]), (x + edge * 0.1, box[1] - 0.025), (x + edge * 0.1, box[3] + 0.035), (x, box[3])]
        area(stage, leaf, wood, fall=0.2)
        pane = [
            (x + edge * 0.015, box[1] + 0.012),
            (x + edge * 0.085, box[1] - 0.005),
            (x + edge * 0.085, box[3] + 0.016),
            (x + edge * 0.015, box[3] - 0.012),
        ]
        area(stage, pane, mix(stage.mood.light, stage.mood.middle, 0.4), fall=0.3)
    near = box[0] if side > 0 else box[2]
    for dx, y, size, turn in (
        (-0.38, 0.66, 0.13, 8),
        (-0.26, 0.575, 0.15, 14),
        (-0.12, 0.48, 0.18, 18),
        (0.1, 0.4, 0.2, 12),
        (0.25, 0.27, 0.13, 8),
    ):
        bird = fit(stage, scene.small[0], size, size * 0.62, flip=side > 0).rotate(
            turn * side, Image.Resampling.BICUBIC, expand=True
        )
        stage.put(bird, near + dx * side, y, anchor="centre")
    stand(stage, scene.main, 0.5 - 0.16 * side, 0.94, 0.36, 0.22, flip=side > 0)


@template("hat thing music book", "walker", kinds="sea hills fields valley mountains lake forest snow")
def empty_chair(stage: Stage, scene: Scene) -> None:
    """An armchair by the window is empty but for one thing; an animal still waits beside it."""
    furnished(stage, scene, 0.76)
    side = stage.light
    box = (0.46, 0.08, 0.86, 0.46) if side > 0 else (0.14, 0.08, 0.54, 0.46)
    casement(stage, box, scene.landscape, outside(scene), panes=(2, 3))
    sunbeam(stage, box, 0.76, 0.4)
    x = 0.5 + 0.12 * side
    velvet = toned(stage, ((128, 50, 52), (48, 88, 84), (92, 62, 110))[scene.seed % 3])
    dark = darker(velvet, 0.35)
    w = 0.25
    shade_area(stage, oval(x - 0.06 * side, 0.9, 0.36, 0.03), 0.65, 0.03)
    wood = toned(stage, (84, 54, 38))
    for dx in (-w, w):
        area(stage, rectangle(x + dx - 0.02, 0.86, x + dx + 0.02, 0.905), wood)
    back = [(x + (w + 0.02) * math.cos(a), 0.52 - 0.14 * math.sin(a)) for a in np.linspace(0, math.pi, 24)]
    area(stage, [*back, (x - w - 0.02, 0.8), (x + w + 0.02, 0.8)], velvet, fall=0.35, grain=0.08)
    for i in range(3):
        for k in range(3 - i % 2):
            area(
                stage,
                oval(x - 0.12 + 0.12 * k + 0.06 * (i % 2), 0.46 + 0.055 * i, 0.01, 0.007, 12),
                darker(velvet, 0.5),
            )
    shade_area(stage, rectangle(x - w + 0.02, 0.62, x + w - 0.02, 0.69), 0.55, 0.025)
    area(
        stage,
        [(x - w + 0.02, 0.69), (x + w - 0.02, 0.69), (x + w + 0.02, 0.79), (x - w - 0.02, 0.79)],
        mix(velvet, stage.mood.sunlight, 0.12),
        fall=0.25,
    )
    area(stage, rectangle(x - w - 0.02, 0.785, x + w + 0.02, 0.87), dark, fall=0.3)
    for edge in (-1, 1):
        arm = x + edge * (w + 0.03)
        area(stage, rectangle(arm - 0.05, 0.65, arm + 0.05, 0.875), darker(velvet, 0.15), fall=0.35, grain=0.08)
        area(stage, oval(arm, 0.65, 0.062, 0.036), velvet, fall=0.4)
    left = fit(stage, scene.main, 0.26, 0.17)
    stage.put(left, x, 0.752, shadow=0.5)
    stand(stage, scene.small[0], 0.5 - 0.28 * side, 0.94, 0.34, 0.2, flip=side > 0)
