"""Scenes with a way that leads where none should: paths, stairs, rails, mazes, boards."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ..moods import MOODS
from ..paint import Stage, darker, mix
from ..scene import Scene
from .base import OPEN, onlooker, template


@template("shoe vessel building book music seat hat mountain", "walker person", kinds=OPEN)
def path(stage: Stage, scene: Scene) -> None:
    """A path winds from the viewer's feet into a thing."""
    stage.backdrop(0.46)
    foot = 0.62
    sand = mix(stage.mood.light, (224, 196, 148), 0.5)
    left, right = [], []
    for i in range(41):
        t = i / 40
        y = foot - 0.025 + (1.02 - foot) * t**1.5
        x = 0.5 + 0.2 * math.sin(t * 6.0) * t**0.6 * stage.light
        half = 0.014 + 0.2 * t**1.4
        left.append((x - half, y))
        right.append((x + half, y))
    stage.polygon([(x + 0.008, y + 0.006) for x, y in left] + right[::-1], darker(mix(stage.mood.dark, sand, 0.4)), 150)
    stage.polygon(left + right[::-1], sand, 235)
    for i in range(6, 40, 3):
        (x0, y0), (x1, _) = left[i], right[i]
        stage.line([(x0 + 0.1 * (x1 - x0), y0), (x0 + 0.9 * (x1 - x0), y0 + 0.004)], 0.003, darker(sand, 0.25), 90)
    stage.glow(0.5, foot - 0.08, 0.5, amount=0.5)
    stage.put(stage.sprite(scene.main, 0.54), 0.5, foot, shadow=0.8, sink=0.05)
    for x, y, size in ((0.12, 0.64, 0.18), (0.88, 0.66, 0.2), (0.8, 0.6, 0.13)):
        stage.put(stage.sprite("evergreen-tree", size, depth=0.2), x, y, shadow=0.7, sink=0.05)
    onlooker(stage, scene.small[0], 0.5 + 0.13 * stage.light, 0.82, 0.2, flip=stage.light > 0)


@template("seat tall thing door sky building", "person wanderer walker", kinds=OPEN + " clouds sea lake")
def stairs(stage: Stage, scene: Scene) -> None:
    """A staircase without a house climbs into the air to one thing at its top."""
    stage.backdrop(0.72)
    side = stage.light
    count, rise, run = 13, 0.038, 0.048
    x, y = 0.5 - 0.33 * side, 0.93
    stone = mix(stage.mood.light, (206, 196, 178), 0.5)
    lit, dim = mix(stone, stage.mood.sunlight, 0.4), darker(mix(stone, stage.mood.dark, 0.5), 0.1)
    stage.glow(0.5 + 0.3 * side, 0.25, 0.6, amount=0.5)
    for i in reversed(range(count)):
        sx, sy = x + i * run * side, y - i * rise
        half = 0.1 - 0.0015 * i
        depth = 0.05 + 0.05 * (1 - i / count)
        front = [(sx - half, sy - rise), (sx + half, sy - rise), (sx + half, sy + depth), (sx - half, sy + depth)]
        stage.polygon(front, mix(dim, stage.haze, 0.03 * i))
    for i in range(count):
        sx, sy = x + i * run * side, y - i * rise
        half = 0.1 - 0.0015 * i
        back = run * side
        tread = [
            (sx - half, sy - rise),
            (sx + half, sy - rise),
            (sx + half + back, sy - rise - 0.012),
            (sx - half + back, sy - rise - 0.012),
        ]
        stage.polygon(tread, lit)
        stage.line([(sx - half, sy - rise), (sx + half, sy - rise)], 0.004, mix(lit, (255, 255, 255), 0.5))
    top = (x + (count - 1) * run * side, y - count * rise)
    stage.put(stage.sprite(scene.main, 0.3), top[0], top[1] - 0.004, shadow=0.5)
    at = 5
    stage.put(stage.sprite(scene.small[0], 0.2, flip=side > 0), x + at * run * side, y - (at + 1) * rise, shadow=0.6)


@template("vehicle", "sky", "building", kinds="")
def sky_rails(stage: Stage, scene: Scene) -> None:
    """Rails leave the ground and curve through the sky to the moon; something drives along them."""
    stage.backdrop(0.8)
    if stage.mood.stars or scene.mood in ("dream", "dusk"):
        stage.stars(0, 0.6, 60)
    side = stage.light
    goal = (0.5 + 0.24 * side, 0.19)
    stage.glow(*goal, 0.5, amount=0.7)
    stage.put(stage.sprite(scene.small[0], 0.34), *goal, anchor="centre")

    def at(t: float) -> tuple[float, float, float]:
        a, b, c = (0.5 - 0.6 * side, 1.04), (0.5 + 0.8 * side, 0.8), (goal[0] - 0.06 * side, goal[1] + 0.07)
        x = (1 - t) ** 2 * a[0] + 2 * t * (1 - t) * b[0] + t * t * c[0]
        y = (1 - t) ** 2 * a[1] + 2 * t * (1 - t) * b[1] + t * t * c[1]
        return x, y, 0.1 * (1 - t) ** 1.2 + 0.012

    steel, wood = mix(stage.mood.light, (190, 190, 200), 0.5), mix(stage.mood.dark, (104, 74, 50), 0.7)
    for i in range(46):
        x, y, half = at(i / 45)
        stage.line([(x - half, y - half * 0.1), (x + half, y + half * 0.1)], 0.14 * half + 0.002, wood)
    for edge in (-0.72, 0.72):
        stage.line([(x + half * edge, y) for x, y, half in (at(i / 60) for i in range(61))], 0.007, steel)
    x, y, half = at(0.36)
    stage.put(stage.sprite(scene.main, 0.44, flip=side > 0, angle=8 * side), x - 0.03 * side, y + 0.012)
    for i, (dx, dy) in enumerate(((0.2, 0.2), (0.3, 0.26), (0.38, 0.3))):
        cloud = stage.sprite("cloud", 0.1 + 0.04 * i)
        cloud.putalpha(cloud.getchannel("A").point(lambda v: int(v * 0.8)))
        stage.put(cloud, x - dx * side, y - dy, anchor="centre")
    stage.put(stage.sprite(scene.small[1], 0.2, depth=0.4), 0.5 - 0.3 * side, 0.85, shadow=0.6, sink=0.05)


def plane(stage: Stage, board: Image.Image, horizon: float, near: float = 1.0) -> None:
    """Lays a square picture on the ground in perspective, from the lower edge to the horizon."""
    top, bottom = stage.py(horizon), stage.py(near)
    height = bottom - top
    rows = np.arange(height, dtype=np.float32) + 1
    depth = height / rows
    columns = (np.arange(stage.w, dtype=np.float32) - stage.w / 2) / stage.w
    u = 0.5 + columns[None] * depth[:, None] * 0.85
    v = 1 - (depth[:, None] - 1) / 5.2 + 0 * u
    size = board.width
    pixels = np.asarray(board, dtype=np.float32)
    inside = (u >= 0) & (u < 1) & (v >= 0) & (v < 1)
    taken = pixels[(v.clip(0, 0.999) * size).astype(int), (u.clip(0, 0.999) * size).astype(int)]
    ground = np.asarray(stage.canvas.crop((0, top, stage.w, bottom)), dtype=np.float32)
    haze = np.clip((depth - 1) / 6, 0, 0.6)[:, None, None]
    laid = taken * (1 - haze) + np.array(stage.haze, dtype=np.float32) * haze
    mixed = np.where(inside[..., None], laid * 0.86 + ground * 0.14, ground)
    stage.canvas.paste(Image.fromarray(mixed.clip(0, 255).astype(np.uint8)), (0, top))


@template("building tree thing tall", "walker person", kinds=OPEN)
def maze(stage: Stage, scene: Scene) -> None:
    """A maze of hedges covers the ground around one thing in its middle."""
    stage.backdrop(0.4)
    cells = 9
    grid = np.ones((2 * cells + 1, 2 * cells + 1), dtype=np.uint8)
    stack, seen = [(cells // 2, cells // 2)], {(cells // 2, cells // 2)}
    grid[cells | 1, cells | 1] = 0
    while stack:
        row, column = stack[-1]
        around = [(row + dr, column + dc) for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        free = [(r, c) for r, c in around if 0 <= r < cells and 0 <= c < cells and (r, c) not in seen]
        if not free:
            stack.pop()
            continue
        r, c = free[int(stage.rng.integers(len(free)))]
        grid[2 * r + 1, 2 * c + 1] = grid[row + r + 1, column + c + 1] = 0
        seen.add((r, c))
        stack.append((r, c))
    grid[-1, cells] = 0
    sand, hedge = mix(stage.mood.light, (220, 198, 156), 0.5), mix(stage.mood.dark, (52, 92, 52), 0.7)
    size = 1024
    walls = Image.fromarray(grid * 255).resize((size, size), Image.Resampling.NEAREST)
    layer = Image.new("RGB", (size, size), sand)
    shadow = walls.filter(ImageFilter.GaussianBlur(10)).point(lambda v: int(v * 0.55))
    layer.paste(darker(stage.mood.dark), (-14 * stage.light, 16), shadow)
    for lift in range(7):
        shade = mix(darker(hedge, 0.5), mix(hedge, stage.mood.sunlight, 0.3), lift / 6)
        layer.paste(shade, (0, -4 * lift), walls)
    plane(stage, layer, 0.44)
    stage.put(stage.sprite(scene.main, 0.34, depth=0.1), 0.5, 0.585, shadow=0.5)
    stage.glow(0.5, 0.5, 0.35, amount=0.5)
    onlooker(stage, scene.small[0], 0.5, 0.96, 0.24, flip=stage.light > 0)


@template("walker person face", "thing light flower", kinds=OPEN + " forest city")
def own_weather(stage: Stage, scene: Scene) -> None:
    """Under an umbrella it is another time of day."""
    stage.backdrop(0.7)
    x, top, half = 0.5, 0.34, 0.42
    mood = MOODS["night" if scene.mood not in ("night", "storm") else "noon"]
    size = (stage.px(half * 1.84), stage.h - stage.py(top))
    inside = stage.view(scene.other, size, 0.6, mood)
    inner = Stage(stage.sources, scene, size)
    inner.canvas, inner.mood = inside, mood
    if mood.stars:
        inner.stars(0.02, 0.6, 60)
    cone = Image.new("L", size)
    w, h = size
    ImageDraw.Draw(cone).polygon([(w * 0.03, 0), (w * 0.97, 0), (w * 0.9, h * 0.86), (w * 0.1, h * 0.86)], fill=255)
    ImageDraw.Draw(cone).ellipse((w * 0.1, h * 0.76, w * 0.9, h * 0.96), fill=255)
    stage.canvas.paste(
        inner.canvas, (stage.px(x) - w // 2, stage.py(top)), cone.filter(ImageFilter.GaussianBlur(stage.w / 28))
    )
    umbrella = stage.sprite("umbrella", half * 2.1)
    canopy = umbrella.crop((0, 0, umbrella.width, round(umbrella.height * 0.56)))
    stage.put(canopy, x, top + 0.035)
    onlooker(stage, scene.main, x, 0.9, 0.4, flip=stage.light > 0)
    stage.put(stage.sprite(scene.small[0], 0.16), x + 0.2 * stage.light, 0.9, shadow=0.7)
