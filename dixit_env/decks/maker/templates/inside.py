"""Scenes in which one thing is inside another, or where a way leads that shouldn't."""

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..moods import MOODS
from ..paint import Stage, darker, fade, mix
from ..scene import Scene
from .base import OPEN, ellipse_mask, masked, onlooker, template

RIMS = {
    "hot-beverage": (0.45, 0.41, 0.28),
    "teacup-without-handle": (0.5, 0.44, 0.38),
    "bowl-with-spoon": (0.5, 0.4, 0.42),
    "bucket": (0.52, 0.09, 0.36),
    "basket": (0.5, 0.3, 0.4),
    "bathtub": (0.47, 0.55, 0.42),
    "glass-of-milk": (0.5, 0.37, 0.4),
    "tumbler-glass": (0.5, 0.48, 0.37),
    "empty-nest": (0.5, 0.33, 0.26),
    "honey-pot": (0.5, 0.23, 0.27),
    "cocktail-glass": (0.48, 0.17, 0.36),
    "wastebasket": (0.5, 0.14, 0.38),
    "wine-glass": (0.5, 0.36, 0.38),
    "pot-of-food": (0.5, 0.5, 0.36),
}
"""where the opening of a vessel is: its centre's x and y and its half width, as fractions of the sprite"""


def emerge(stage: Stage, sprite: Image.Image, x: float, rim: float, half: float, drop: float = 0.12) -> None:
    """Puts a sprite so that it rises out of an elliptical opening; its lower part is hidden in it."""
    left = stage.px(x) - sprite.width // 2
    bottom = stage.py(rim) + round(sprite.height * drop)
    columns = (np.arange(sprite.width) + left - x * stage.w) / (half * stage.w)
    front = rim * stage.h + half * stage.w * 0.22 * np.sqrt(np.clip(1 - columns**2, 0, 1))
    rows = np.arange(sprite.height)[:, None] + bottom - sprite.height
    keep = np.where((rows < front[None]) & ((rows < rim * stage.h) | (np.abs(columns) < 1)[None]), 255, 0)
    stage.canvas.paste(
        sprite,
        (left, bottom - sprite.height),
        ImageChops.multiply(sprite.getchannel("A"), Image.fromarray(keep.astype(np.uint8))),
    )


@template("brim", "boat building tree swimmer mountain", "walker wanderer", kinds=OPEN + " lake beach")
def brimful(stage: Stage, scene: Scene) -> None:
    """Something large rises out of a small vessel that stands in the land."""
    stage.backdrop(0.6)
    cx, cy, half = RIMS[scene.main.key]
    vessel = stage.sprite(scene.main, 0.62)
    left, top, _, _ = stage.put(vessel, 0.5, 0.9, shadow=1, sink=0.02)
    x, y = (left + cx * vessel.width) / stage.w, (top + cy * vessel.height) / stage.h
    inner = half * vessel.width / stage.w
    stage.glow(x, y - 0.05, 0.45, amount=0.55)
    guest = scene.small[0]
    sprite = stage.sprite(guest, min(0.72, inner * 2.5), angle=8 * stage.light if "boat" in guest.roles else 0)
    emerge(stage, sprite, x, y, inner)
    if guest.roles & {"boat", "swimmer"}:
        for shift in (-0.5, 0.1, 0.6):
            wave = stage.sprite("water-wave", inner * 0.8)
            emerge(stage, wave, x + shift * inner, y + inner * 0.06, inner, 0.45)
    onlooker(stage, scene.small[1], 0.5 - 0.31 * stage.light, 0.96, 0.21, flip=stage.light > 0)


@template("building tree mountain", "walker", "flier", kinds=OPEN)
def book_world(stage: Stage, scene: Scene) -> None:
    """A world stands up from the pages of an open book."""
    stage.backdrop(0.55)
    book = stage.sprite("open-book", 0.96)
    book = book.resize((book.width, round(book.height * 0.62)))
    stage.put(book, 0.5, 0.95, shadow=0.7)
    top = 0.95 - book.height / stage.h
    stage.glow(0.5, top + 0.06, 0.6, amount=0.6)
    for x, y, size, key in (
        (0.2, 0.045, 0.22, "evergreen-tree"),
        (0.8, 0.04, 0.24, "deciduous-tree"),
        (0.33, 0.035, 0.17, "evergreen-tree"),
        (0.7, 0.06, 0.16, "evergreen-tree"),
    ):
        stage.put(stage.sprite(key, size, depth=0.15), x, top + y, shadow=0.6)
    stage.put(stage.sprite(scene.main, 0.46), 0.5, top + 0.1, shadow=0.9)
    onlooker(stage, scene.small[0], 0.27, top + 0.17, 0.17, flip=True)
    stage.put(stage.sprite(scene.small[1], 0.13), 0.74, top - 0.22, anchor="centre")


@template("walker building boat tree person flower", "tiny", kinds=OPEN)
def jar(stage: Stage, scene: Scene) -> None:
    """Something is kept in a glass jar, with the weather of another place."""
    stage.backdrop(0.64)
    glass = stage.sprite("jar", 0.86)
    w, h = glass.size
    x0, y1 = stage.px(0.5) - w // 2, stage.py(0.91)
    stage.cast(glass, x0, y1, 1)
    inner = (round(w * 0.86), round(h * 0.76))
    mood = MOODS["night" if scene.mood != "night" else "dawn"]
    world = stage.view(scene.other, inner, 0.72, mood)
    mask = Image.new("L", inner)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, inner[0] - 1, inner[1] - 1), radius=inner[0] // 4, fill=255)
    corner = (x0 + round(w * 0.07), y1 - round(h * 0.79))
    stage.canvas.paste(world, corner, mask.filter(ImageFilter.GaussianBlur(stage.w / 200)))
    stage.put(stage.sprite(scene.main, 0.42), 0.5, 0.91 - 0.1 * h / stage.h, shadow=0.8)
    lid = masked(glass, glass_mask(glass.size))
    stage.canvas.paste(lid, (x0, y1 - h), lid)
    onlooker(stage, scene.small[0], 0.5 - 0.36 * stage.light, 0.96, 0.21, flip=stage.light > 0)


def glass_mask(size: tuple[int, int]) -> Image.Image:
    """Keeps a jar's lid and, faintly, its glass; the middle least."""
    w, h = size
    rows, columns = np.mgrid[0 : 1 : h * 1j, -1 : 1 : w * 1j]
    glass = 0.12 + 0.5 * np.abs(columns) ** 4 + 0.4 * np.clip(rows - 0.93, 0, 0.07) / 0.07
    return Image.fromarray((np.where(rows < 0.24, 1, glass).clip(0, 1) * 255).astype(np.uint8))


@template("thing building tree walker boat", "person wanderer walker")
def doorway(stage: Stage, scene: Scene) -> None:
    """An open door stands alone; behind it lies another land."""
    stage.backdrop(0.58)
    portal(stage, scene, 0.5, 0.84, 0.4, 0.86)
    onlooker(stage, scene.small[0], 0.5 - 0.2 * stage.light, 0.93, 0.2, flip=stage.light > 0)


def portal(stage: Stage, scene: Scene, x: float, foot: float, width: float, tall: float) -> None:
    """A door frame with a view of another land and the main thing in it, light falling out, the leaf ajar."""
    w, h = stage.px(width), stage.px(tall)
    left, top = stage.px(x) - w // 2, stage.py(foot) - h
    mood = MOODS["dawn" if scene.mood in ("night", "storm", "mist", "winter", "old") else "night"]
    sill = stage.py(foot)
    bright = mood.light
    size = (w * 3, stage.h - sill)
    beam = Image.new("L", size)
    ImageDraw.Draw(beam).polygon([(w, 0), (2 * w, 0), (round(2.7 * w), size[1]), (round(0.3 * w), size[1])], fill=200)
    beam = ImageChops.multiply(beam.filter(ImageFilter.GaussianBlur(w / 12)), fade(size, 1, 0.1))
    full = Image.new("L", stage.canvas.size)
    full.paste(beam, (left - w, sill))
    stage.wash(bright, full, 0.6)
    wood = mix(stage.mood.dark, (120, 80, 48), 0.7)
    rim = max(2, w // 14)
    frame = Image.new("RGBA", (w + 2 * rim, h + rim), (*wood, 255))
    framed = stage.shade(frame)
    stage.cast(framed, left - rim, sill, 0.7)
    stage.canvas.paste(framed, (left - rim, top - rim))
    world = stage.view(scene.other, (w, h), 0.68, mood)
    stage.canvas.paste(world, (left, top))
    inside = stage.sprite(scene.main, width * 0.72)
    stage.put(inside, x, foot - 0.035, shadow=0.8)
    leaf = stage.sprite("door", tall)
    leaf = leaf.resize((round(w * 0.34), h))
    lean = round(h * 0.07)
    shape = Image.new("RGBA", (leaf.width, h + 2 * lean))
    shape.paste(leaf, (0, lean))
    side = stage.light
    quad = (0, 0, 0, h + 2 * lean, leaf.width, h + lean, leaf.width, lean)
    shape = shape.transform(shape.size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC)
    if side < 0:
        shape = shape.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    edge = left + w if side > 0 else left - shape.width
    stage.canvas.paste(shape, (edge, top - lean), shape)


@template("flier", "walker wanderer", kinds=OPEN + " sea lake clouds")
def window(stage: Stage, scene: Scene) -> None:
    """A window frame hangs in the empty air; through it another season is seen."""
    stage.backdrop(0.72)
    mood = MOODS[{"winter": "noon", "night": "noon"}.get(scene.mood, "winter" if stage.light > 0 else "night")]
    w, h = stage.px(0.62), stage.px(0.7)
    world = stage.view(scene.other, (w, h), 0.62, mood)
    left, top = stage.px(0.5) - w // 2, stage.py(0.15)
    wood = mix(stage.mood.light, (236, 226, 206), 0.5)
    rim = max(3, w // 16)
    frame = Image.new("RGBA", (w + 2 * rim, h + 2 * rim), (*wood, 255))
    shadow = Image.new("L", (frame.width, frame.height // 9))
    shadow.paste(ellipse_mask(shadow.size, frame.width / 20).point(lambda value: value // 2))
    stage.canvas.paste(darker(stage.mood.dark), (left - rim, stage.py(0.86)), shadow)
    stage.canvas.paste(stage.shade(frame), (left - rim, top - rim))
    stage.canvas.paste(world, (left, top))
    draw = ImageDraw.Draw(stage.canvas)
    bar = max(2, rim // 2)
    dark = darker(wood, 0.25)
    draw.rectangle((left + w // 2 - bar, top, left + w // 2 + bar, top + h), fill=dark)
    draw.rectangle((left, top + h // 2 - bar, left + w, top + h // 2 + bar), fill=dark)
    draw.rectangle((left - 2 * rim, top + h + rim, left + w + 2 * rim, top + h + 2 * rim + bar), fill=wood)
    stage.glow(0.5, 0.38, 0.5, mood.light, 0.25)
    bird = stage.sprite(scene.main, 0.36, flip=stage.light > 0)
    stage.put(bird, 0.5 + 0.21 * stage.light, 0.29, anchor="centre")
    sill = 0.15 + (h + rim) / stage.h
    stage.put(
        stage.sprite(scene.small[0], 0.3, flip=stage.light > 0), 0.5 - 0.17 * stage.light, sill + 0.006, shadow=0.5
    )
