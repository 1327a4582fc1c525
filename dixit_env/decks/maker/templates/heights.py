"""Scenes of up and down: stairs into the deep, ropes, card houses, two gravities, the edge of the picture."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..paint import Stage, darker, fade, mix
from ..scene import Scene
from .base import OPEN, ellipse_mask, masked, onlooker, template
from .shapes import Point, bend, fill, inner_stage, other_mood, pigment, ring, shadow, stroke


@template("walker person", "walker person", "light flower letter edible", kinds=OPEN + " city forest sea lake")
def two_gravities(stage: Stage, scene: Scene) -> None:
    """Two worlds face each other head to head; in the middle, out of reach of both, floats one thing."""
    stage.backdrop(0.82)
    half = stage.h // 2
    low = stage.canvas.copy()
    upper = inner_stage(stage, scene, (stage.w, stage.h), 0.82, other_mood(scene))
    upper.put(stage.sprite(scene.small[0], 0.44, flip=stage.light > 0), 0.5, 0.93, shadow=1, sink=0.05)
    turned = upper.canvas.transpose(Image.Transpose.ROTATE_180)
    ramp = np.clip((0.5 - np.linspace(0, 1, stage.h)) / 0.3 + 0.5, 0, 1)
    blend = Image.fromarray(np.repeat((ramp * 255)[:, None], stage.w, axis=1).astype(np.uint8))
    stage.canvas = low
    stage.canvas.paste(turned, (0, 0), blend)
    onlooker(stage, scene.main, 0.5, 0.93, 0.44, flip=stage.light < 0)
    stage.glow(0.5, 0.5, 0.34, (255, 232, 170), 0.9)
    stage.put(stage.sprite(scene.small[1], 0.2), 0.5, half / stage.h, anchor="centre")


@template("sky building tree face light flower seat", "walker person wanderer", kinds="")
def stairwell(stage: Stage, scene: Scene) -> None:
    """A look down a spiral of stairs: someone on the way, and at the bottom another world."""
    stage.backdrop(0.6)
    stage.canvas = Image.blend(stage.canvas, Image.new("RGB", stage.canvas.size, darker(stage.mood.dark)), 0.75)
    stage.outdoors = False
    stone = mix(pigment(stage, (206, 192, 168), 0.3), stage.mood.light, 0.2)
    deep = darker(mix(stage.mood.dark, (20, 16, 24), 0.4), 0.3)
    cx, cy, bottom, shrink, steps = 0.5, 0.47, 0.25, 0.6, 15
    start = 90 + 30 * stage.light

    def at(angle: float, radius: float) -> Point:
        a = math.radians(start - stage.light * angle)
        return cx + radius * math.cos(a), cy + radius * math.sin(a) * 2 / 3

    size = (stage.px(bottom * 2), stage.px(bottom * 2))
    inner = inner_stage(stage, scene, size, 0.66, other_mood(scene))
    inner.glow(0.5, 0.55, 0.5, amount=0.6)
    airy = "sky" in scene.main.roles
    inner.put(stage.sprite(scene.main, bottom * 1.3), 0.5, 0.5 if airy else 0.86, anchor="centre" if airy else "foot")
    for i in reversed(range(-steps, 3 * steps)):
        turn, after = i / steps, (i + 1) / steps
        outer, later = 0.92 * shrink**turn, 0.92 * shrink**after
        a0, a1 = 360 * turn, 360 * after
        edge = [at(a0, outer * shrink), at(a1, later * shrink)]
        shadow(
            stage,
            [at(a0, outer), at(a1, later), at(a1, later * shrink * 0.8), at(a0, outer * shrink * 0.8)],
            0.75,
            0.02 * outer,
        )
        dip = [*edge, at(a1, later * shrink * 0.93), at(a0, outer * shrink * 0.93)]
        tone = mix(stone, deep, min(0.8, max(0.0, 0.1 + 0.24 * turn)))
        fill(stage, dip, darker(tone, 0.5), darker(tone, 0.7))
        tread = [at(a0, outer * 1.02), at(a1, later * 1.02), *edge[::-1]]
        fill(stage, tread, mix(tone, stage.mood.sunlight, 0.3 if i % 2 else 0.2), darker(tone, 0.1))
        back = [
            at(a0, outer),
            at(a0 + 130 / steps, outer),
            at(a0 + 130 / steps, outer * shrink),
            at(a0, outer * shrink),
        ]
        fill(stage, back, darker(deep, 0.2), alpha=0.3, soft=0.012 * outer)
        stroke(stage, [at(a0, outer), at(a0, outer * shrink)], 0.009 * outer + 0.001, darker(tone, 0.62))
        stroke(stage, edge, 0.008 * outer + 0.001, mix(tone, stage.mood.light, 0.4), 0.8)
    corner = (stage.px(cx) - size[0] // 2, stage.py(cy) - size[1] // 2)
    shadow(stage, ring(cx, cy, bottom * 1.06), 0.8, 0.03)
    stage.canvas.paste(inner.canvas, corner, ellipse_mask(size, 1.0))
    stage.glow(cx, cy, 0.42, inner.mood.sunlight, 0.3)
    onlooker(stage, scene.small[0], 0.5 - 0.24 * stage.light, 0.9, 0.27, flip=stage.light > 0)


@template("sky building walker face tree", "walker person tiny", kinds=OPEN + " sea lake city forest")
def turned_page(stage: Stage, scene: Scene) -> None:
    """The landscape is only a sheet: somebody lifts its corner, and under it is another world."""
    stage.backdrop(0.62)
    side = stage.light
    w, h = stage.w, stage.h
    inner = inner_stage(stage, scene, (w, h), 0.72, other_mood(scene))
    airy = "sky" in scene.main.roles
    at = 0.5 + 0.22 * side
    inner.glow(at, 0.74, 0.55, (255, 236, 190), 0.7)
    a, b = (0.5 + 0.56 * side, 0.3), (0.5 - 0.3 * side, 1.05)
    tip = (0.5 - 0.2 * side, 0.47)
    hole = [a, *bend(a, (0.5 + 0.16 * side, 0.62), b), (0.5 + 0.6 * side, 1.05)]
    mask = Image.new("L", (w * 2, h * 2))
    ImageDraw.Draw(mask).polygon([(x * w * 2, y * h * 2) for x, y in hole], fill=255)
    mask = mask.resize((w, h), Image.Resampling.BOX)
    stage.canvas.paste(inner.canvas, (0, 0), mask)
    inside = np.asarray(mask, np.float32) / 255
    blurred = np.asarray(mask.filter(ImageFilter.GaussianBlur(w / 14)), np.float32) / 255
    dark = Image.fromarray((inside * np.clip(1.0 - blurred, 0, 1) * 235).astype(np.uint8))
    stage.canvas.paste(darker(inner.mood.dark, 0.7), (0, 0, w, h), dark)
    outside = stage.canvas.copy()
    stage.glow(at, 0.8, 0.42, (255, 236, 190), 0.35)
    beneath = stage.sprite(scene.main, 0.46)
    stage.put(beneath, at, 0.73 if airy else 0.93, anchor="centre" if airy else "foot", shadow=0 if airy else 0.6)
    outside.paste(stage.canvas, (0, 0), mask)
    stage.canvas = outside
    paper = mix(pigment(stage, (240, 228, 204), 0.15), stage.mood.light, 0.2)
    fold = bend(a, (0.5 + 0.16 * side, 0.62), b)
    curl = [*fold, *bend(b, (0.5 - 0.33 * side, 0.7), tip), *bend(tip, (0.5 + 0.16 * side, 0.36), a)]
    shadow(stage, [(x - 0.03 * side, y - 0.012) for x, y in curl], 0.55, 0.03)
    fill(stage, curl, mix(paper, (255, 255, 255), 0.2), darker(paper, 0.35))
    for i in range(5):
        t = 0.1 + 0.09 * i
        band = [
            (
                x + (tip[0] - x) * t * math.sin(math.pi * j / 24) ** 0.6,
                y + (tip[1] - y) * t * math.sin(math.pi * j / 24) ** 0.6,
            )
            for j, (x, y) in enumerate(fold)
        ]
        fill(stage, [*fold, *band[::-1]], stage.mood.dark, alpha=0.13, soft=0.012)
    stroke(
        stage,
        [*bend(b, (0.5 - 0.33 * side, 0.7), tip), *bend(tip, (0.5 + 0.16 * side, 0.36), a)],
        0.004,
        mix(paper, (255, 255, 255), 0.6),
    )
    onlooker(stage, scene.small[0], 0.5 - 0.3 * side, 0.93, 0.3, flip=side > 0)


@template("face watcher", "hang letter key", "tiny walker", kinds=OPEN + " city forest clouds")
def bottom_of_the_well(stage: Stage, scene: Scene) -> None:
    """From the bottom of a well: high up a round of light, a face over the rim lets something down on a thread."""
    stage.backdrop(0.95)
    stage.outdoors = False
    w, h = stage.w, stage.h
    cx, cy, radius = 0.5, 0.25, 0.32
    stage.glow(cx, cy, 0.5, amount=0.5)
    stage.put(stage.sprite(scene.main, 0.4), cx + 0.05 * stage.light, cy - 0.06, anchor="centre")
    rows, columns = np.mgrid[0:h, 0:w]
    x, y = columns / w - cx, (rows / h - cy) * 1.5
    fall = np.clip((y - 0.0) / 1.2, 0, 1)
    spread = np.hypot(x / (1 + 0.75 * fall), y * (1 - 0.45 * fall))
    depth = np.log(np.maximum(spread, 1e-3) / radius)
    wall = depth > 0
    course = np.floor(depth * 6.5)
    around = np.arctan2(y, x) * 7 / np.pi * 2 + 0.5 * (course % 2)
    joint = np.maximum(np.abs((depth * 6.5) % 1 - 0.5), np.abs(around % 1 - 0.5) * 0.94) > 0.44
    tone = np.sin(course * 37.7 + np.floor(around) * 91.3) * 0.5 + 0.5
    stone = np.array(mix(pigment(stage, (150, 144, 136), 0.4), stage.mood.light, 0.12), np.float32)
    deep = np.array(darker(mix(stage.mood.dark, (8, 8, 14), 0.5), 0.45), np.float32)
    lit = np.exp(-depth * 1.5) * (0.72 + 0.3 * tone) * (1 + 0.25 * x / radius * -stage.light)
    lit = np.where(joint, lit * 0.45, lit).clip(0, 1.25)[..., None]
    pixels = deep + (stone - deep) * lit
    picture = Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(w / 500))
    stage.canvas.paste(
        picture, (0, 0), Image.fromarray((wall * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.8))
    )
    beam = [(cx - 0.25, cy + 0.1), (cx + 0.25, cy + 0.1), (0.74, 0.98), (0.26, 0.98)]
    fill(stage, beam, stage.mood.light, alpha=0.13, soft=0.05)
    thread_x, low = cx - 0.1 * stage.light, 0.6
    stroke(stage, [(thread_x, cy + 0.0), (thread_x, low)], 0.005, mix(stage.mood.light, stage.mood.dark, 0.2))
    stage.glow(thread_x, low + 0.06, 0.26, amount=0.45)
    stage.put(stage.sprite(scene.small[0], 0.22), thread_x, low - 0.006, anchor="top")
    fill(stage, ring(0.5, 0.97, 0.36, 0.2), mix(stage.mood.light, stage.mood.dark, 0.5), alpha=0.45, soft=0.03)
    onlooker(stage, scene.small[1], 0.5 + 0.12 * stage.light, 0.945, 0.27, flip=stage.light < 0)


@template("building", "walker tiny", "boat", kinds="sea lake")
def only_roofs(stage: Stage, scene: Scene) -> None:
    """Only the upper halves of drowned houses stand out of the water; on a roof someone waits for a boat."""
    stage.backdrop(0.44)
    stage.water(0.44)
    side = stage.light
    stage.glow(0.5 + 0.3 * side, 0.25, 0.6, amount=0.5)
    for dx, y, size, depth, cut in (
        (0.36, 0.47, 0.2, 0.6, 0.35),
        (0.14, 0.5, 0.27, 0.4, 0.3),
        (-0.32, 0.53, 0.3, 0.25, 0.48),
    ):
        drowned(stage, scene, 0.5 + dx * side, y, size, depth, cut)
    top = drowned(stage, scene, 0.5 - 0.02 * side, 0.74, 0.74, 0.0, 0.33)
    ripples(stage, 0.74)
    stage.put(stage.sprite(scene.small[0], 0.25, flip=side > 0), 0.5 - 0.02 * side, top + 0.012)
    boat = stage.sprite(scene.small[1], 0.3, flip=side < 0)
    stage.put(boat, 0.5 + 0.28 * side, 0.91, sink=0.08)


def drowned(stage: Stage, scene: Scene, x: float, y: float, size: float, depth: float, cut: float) -> float:
    """A building whose lower part is under the water from the height y; returns the height of its roof's middle."""
    sprite = stage.sprite(scene.main, size, depth=depth)
    slim = size * stage.w / sprite.width
    if slim > 1.15:
        sprite = stage.sprite(scene.main, size * min(1.5, slim), depth=depth)
    keep = round(sprite.height * (1 - cut))
    above = sprite.crop((0, 0, sprite.width, keep))
    stage.put(above, x, y)
    mirror = above.transpose(Image.Transpose.FLIP_TOP_BOTTOM).resize((above.width, max(1, round(keep * 0.55))))
    blue = Image.new("RGBA", mirror.size, (*mix(stage.mood.dark, stage.mood.middle, 0.5), 255))
    blue.putalpha(mirror.getchannel("A"))
    mirror = masked(Image.blend(mirror, blue, 0.55), fade(mirror.size, 0.8, 0.0))
    stage.put(mirror, x, y, anchor="top")
    half = size * 0.55
    stroke(stage, [(x - half, y), (x + half, y)], 0.005, mix(stage.mood.light, (255, 255, 255), 0.3), 0.6)
    solid = np.asarray(above.getchannel("A"))[:, round(0.4 * above.width) : round(0.6 * above.width)].max(1) > 128
    return y - (keep - int(np.argmax(solid))) / stage.h


def ripples(stage: Stage, y: float) -> None:
    """Light lines on the water below a height."""
    for i in range(6):
        at = y + 0.03 * i + 0.006
        wide = 0.3 + 0.05 * i
        wave = [(0.5 + wide * (t / 15 - 1), at + 0.003 * math.sin(t * 0.8 + i)) for t in range(31)]
        stroke(stage, wave, 0.004, mix(stage.mood.light, (255, 255, 255), 0.3), 0.34 - 0.045 * i)
