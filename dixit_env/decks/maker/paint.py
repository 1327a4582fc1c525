"""Composing one card: backdrop, things with light and shadow, haze, foreground.

Positions are fractions of the card: x of its width, y of its height, sizes of its width. Sizes in pixels follow the
card's, so that a small and a large rendering of a scene look alike.
"""

import math
from typing import Literal

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from .extras import cv2
from .land import colour_land, mean_colour
from .light import Light, lit, ragged
from .moods import MOODS, RGB, Mood
from .scene import Scene
from .sources import Sources
from .things import Landscape, Thing

GROWING = frozenset(["fields", "forest", "hills", "lake", "mountains", "valley"])
"""kinds of landscape in whose foreground grass grows"""
LUMA = np.array([0.3, 0.59, 0.11], dtype=np.float32)
CONTRAST = 58.0
"""how far a thing and what is around it ought to be apart in brightness (0 … 255)"""
LARGE = 0.05
"""a thing with more of the card's area than this also changes what is around it"""


def tint(picture: Image.Image, mood: Mood, amount: float) -> Image.Image:
    """Takes the colours of an RGB picture towards the mood's dark, middle and light tones."""
    pixels = np.asarray(picture, dtype=np.float32)
    gray = pixels @ LUMA
    points = np.array([0, 110, 255], dtype=np.float32)
    tones = np.array([mood.dark, mood.middle, mood.light], dtype=np.float32)
    mapped = np.stack([np.interp(gray, points, tones[:, c]) for c in range(3)], axis=-1)
    mixed = pixels * (1 - amount) + mapped * amount
    return Image.fromarray(np.clip(mixed, 0, 255).astype(np.uint8))


def stretch_horizon(view: Image.Image, source: float, target: float) -> Image.Image:
    """Moves the horizon of a picture by stretching what is above and below it."""
    width, height = view.size
    at, to = round(height * source), round(height * target)
    out = Image.new("RGB", view.size)
    out.paste(view.crop((0, 0, width, at)).resize((width, to)), (0, 0))
    out.paste(view.crop((0, at, width, height)).resize((width, height - to)), (0, to))
    return out


def fade(size: tuple[int, int], top: float, bottom: float) -> Image.Image:
    """An L mask that runs evenly from `top` to `bottom` (0 … 1) down the picture."""
    column = np.linspace(top * 255, bottom * 255, size[1], dtype=np.float32)
    return Image.fromarray(np.repeat(column[:, None], size[0], axis=1).astype(np.uint8))


def glow_mask(size: tuple[int, int], x: float, y: float, radius: float, power: float = 2.0) -> Image.Image:
    """An L mask, 255 at the pixel (x, y), nothing from `radius` pixels on."""
    rows, columns = np.ogrid[: size[1], : size[0]]
    distance = np.hypot(columns - x, rows - y) / radius
    return Image.fromarray((np.clip(1 - distance, 0, 1) ** power * 255).astype(np.uint8))


class Stage:
    """The picture while it is composed. Everything drawn later lies in front."""

    def __init__(self, sources: Sources, scene: Scene, size: tuple[int, int]) -> None:
        self.sources = sources
        self.scene = scene
        self.mood = MOODS[scene.mood]
        self.w, self.h = size
        self.rng = np.random.default_rng((scene.seed, 2))
        self.light: int = 1 if self.rng.random() < 0.5 else -1
        """where the light comes from: -1 left, 1 right"""
        self.horizon = 0.62
        self.canvas = Image.new("RGB", size)
        self.haze: RGB = self.mood.sky[1]
        """colour of the air, which distant things take on"""
        self.bounce: RGB = self.mood.ground[1]
        """colour of the light that the ground throws back"""
        self.outdoors = True
        """whether the card's corners lie in the landscape, where something may grow"""

    # --- places -----------------------------------------------------------------------------------------------

    def view(self, landscape: Landscape, size: tuple[int, int], horizon: float, mood: Mood) -> Image.Image:
        """A landscape in the mood's colours, RGB of `size`, its horizon at a height, lit from the stage's side."""
        picture = self.sources.view(landscape.key)
        width = min(picture.width, round(picture.height * size[0] / size[1]))
        left = int(self.rng.integers(0, picture.width - width + 1))
        picture = picture.crop((left, 0, left + width, picture.height))
        picture = stretch_horizon(picture, landscape.horizon, horizon).resize(size, Image.Resampling.BICUBIC)
        if _brighter_side(picture, horizon) == -self.light:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        pixels = colour_land(np.asarray(picture, dtype=np.float32), horizon, mood)
        return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))

    def backdrop(self, horizon: float = 0.62, landscape: Landscape | None = None) -> None:
        """Fills the card with a landscape; sky, stars, sunlight and haze at the horizon as the mood has them."""
        self.horizon = horizon
        self.canvas = self.view(landscape or self.scene.landscape, (self.w, self.h), horizon, self.mood)
        band = self.canvas.crop((0, max(0, self.py(horizon - 0.12)), self.w, self.py(horizon)))
        self.haze = mix(mean_colour(band), self.mood.sky[1], 0.4)
        self.bounce = mean_colour(self.canvas.crop((0, self.py(min(0.9, horizon + 0.1)), self.w, self.h)))
        if self.mood.stars:
            self.stars(0.0, horizon * 0.7, 90)
        if self.scene.mood == "aurora":
            self.aurora(horizon)
        x, y = (0.34, horizon - 0.075) if self.mood.low_sun else (0.55, 0.02)
        self.glow(0.5 + x * self.light, y, 1.1, amount=0.45)
        self.fog(horizon, 0.14, 0.3 + self.mood.fog)
        near = fade((self.w, self.h - self.py(0.8)), 0, 0.45)
        self.canvas.paste(mix(darker(self.mood.dark), self.mood.ground[0], 0.5), (0, self.py(0.8)), near)

    def stars(self, top: float, bottom: float, count: int) -> None:
        draw = ImageDraw.Draw(self.canvas, "RGBA")
        for _ in range(count):
            x, y = self.rng.random() * self.w, self.py(top + (bottom - top) * self.rng.random() ** 1.3)
            radius = self.w / 512 * float(self.rng.choice([0.8, 1.2, 2.0], p=[0.6, 0.3, 0.1]))
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(255, 252, 235, 210))

    def aurora(self, horizon: float) -> None:
        """Green curtains of light in the sky."""
        columns = np.arange(self.w) / self.w
        rows = np.arange(self.h)[:, None] / self.h
        for at, phase in ((0.16, 0.0), (0.3, 2.0)):
            foot = horizon * (at + 0.5) * (0.75 + 0.12 * np.sin(columns * 5 + phase + self.scene.seed % 7))
            height = np.clip((foot[None] - rows) / (horizon * 0.5), 0, 1)
            rays = 0.65 + 0.35 * np.sin(columns * 60 + 3 * np.sin(columns * 9 + phase))
            light = np.where(height > 0, (1 - height) ** 1.8, 0) * rays[None]
            curtain = Image.fromarray((light * 255).astype(np.uint8))
            self.wash((70, 235, 160) if phase else (120, 200, 220), curtain, 0.5)

    def fog(self, y: float, spread: float, amount: float, colour: RGB | None = None) -> None:
        """A band of haze around a height."""
        rows = (np.arange(self.h, dtype=np.float32) / self.h - y) / spread
        column = np.exp(-(rows**2)) * 255 * amount
        mask = Image.fromarray(np.repeat(column[:, None], self.w, axis=1).clip(0, 255).astype(np.uint8))
        self.canvas.paste(colour or self.haze, (0, 0, self.w, self.h), mask)

    def wash(self, colour: RGB, mask: Image.Image, amount: float = 1.0) -> None:
        """Lays light of a colour over the card ("screen")."""
        layer = Image.new("RGB", self.canvas.size, colour)
        lit = ImageChops.screen(self.canvas, layer)
        self.canvas.paste(lit, (0, 0), mask.point(lambda value: int(value * amount)))

    def glow(self, x: float, y: float, radius: float, colour: RGB | None = None, amount: float = 0.7) -> None:
        """Light around a point."""
        mask = glow_mask((self.w, self.h), self.px(x), self.py(y), radius * self.w)
        self.wash(colour or self.mood.sunlight, mask, amount)

    def water(self, top: float, mirror: bool = True) -> None:
        """Water from a height downwards that mirrors what is above it."""
        y = self.py(top)
        height = self.h - y
        above = self.canvas.crop((0, max(0, y - height), self.w, y)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        picture = above.resize((self.w, height)) if mirror else self.canvas.crop((0, y, self.w, self.h))
        pixels = np.asarray(picture, dtype=np.float32)
        rows = np.arange(height)
        phase = float(self.rng.random()) * 6
        shift = np.sin(rows**0.8 * (26 / self.h**0.8 * 8) + phase) * self.w * 0.012 * (rows / height + 0.25)
        columns = (np.arange(self.w)[None] + shift[:, None]).round().astype(int) % self.w
        pixels = pixels[rows[:, None], columns]
        deep = np.array(mix(self.mood.dark, self.mood.middle, 0.45), dtype=np.float32)
        depth = (0.22 + 0.4 * rows / height)[:, None, None]
        ripples = 1 + 0.07 * np.sin(rows**0.85 * (60 / self.h**0.85 * 6) + phase)[:, None, None]
        pixels = (pixels * (1 - depth) + deep * depth) * ripples
        self.canvas.paste(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)), (0, y))

    # --- things -----------------------------------------------------------------------------------------------

    def px(self, x: float) -> int:
        return round(x * self.w)

    def py(self, y: float) -> int:
        return round(y * self.h)

    def sprite(
        self, thing: Thing | str, size: float, *, flip: bool = False, angle: float = 0, depth: float = 0.0
    ) -> Image.Image:
        """A thing as RGBA, lit from the stage's side; its longer side is `size` card widths.

        Args:
            flip: mirrored (things look left as they come).
            angle: turned by so many degrees, against the clock.
            depth: 0 near … 1 at the horizon; far things take the colour of the haze.
        """
        key = thing if isinstance(thing, str) else thing.key
        icon = self.sources.icon(key, max(6, round(size * self.w)))
        if flip:
            icon = icon.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        if angle:
            icon = icon.rotate(angle, Image.Resampling.BICUBIC, expand=True)
            box = icon.getchannel("A").getbbox()
            icon = icon.crop(box)
        return self.shade(icon, depth)

    def shade(self, icon: Image.Image, depth: float = 0.0) -> Image.Image:
        """Gives a flat picture (RGBA) a matte, rounded form in the card's light, and the edge that a brush leaves.

        Args:
            icon: what is to be lit.
            depth: 0 near … 1 at the horizon; far things lose contrast and take the colour of the air.
        """
        sky = mix(self.mood.sky[0], self.mood.sky[1], 0.6)
        shaded = lit(
            icon,
            Light(self.light, mix(self.mood.sunlight, (255, 255, 255), 0.35), sky, self.bounce, self.mood.exposure),
        )
        if depth:
            shaded = Image.blend(shaded, Image.new("RGBA", shaded.size, (*self.haze, 255)), 0.66 * depth)
        shaded.putalpha(ragged(icon.getchannel("A"), self.rng))
        return shaded

    def put(
        self,
        sprite: Image.Image,
        x: float,
        y: float,
        *,
        anchor: Literal["foot", "centre", "top"] = "foot",
        shadow: float = 0.0,
        sink: float = 0.0,
    ) -> tuple[int, int, int, int]:
        """Pastes a sprite by its foot, centre or top, centred on x. Returns its box in pixels.

        Args:
            shadow: strength of the shadow that it casts on the ground (0 none … 1).
            sink: part of its height that fades into the ground.
        """
        width, height = sprite.size
        offset = {"foot": height, "centre": height // 2, "top": 0}[anchor]
        left, top = self.px(x) - width // 2, self.py(y) - offset + round(sink * height * 0.5)
        if shadow:
            self.cast(sprite, left, top + height - round(sink * height * 0.5), shadow)
        if sink:
            sprite = sprite.copy()
            bottom = max(1, round(sink * height))
            mask = sprite.getchannel("A")
            strip = mask.crop((0, height - bottom, width, height))
            mask.paste(ImageChops.multiply(strip, fade(strip.size, 1, 0)), (0, height - bottom))
            sprite.putalpha(mask)
        sprite = self.apart(sprite, left, top)
        self.canvas.paste(sprite, (left, top), sprite)
        return left, top, left + width, top + height

    def apart(self, sprite: Image.Image, left: int, top: int) -> Image.Image:
        """Sees to it that a sprite can be told from what it will be before.

        Where both are about as bright, the brighter is made lighter and the darker darker, as painters do
        ("counterchange"); what is around a small sprite stays. Returns the sprite.
        """
        width, height = sprite.size
        large = width * height > LARGE * self.w * self.h
        pad = max(2, round((0.09 if large else 0.03) * self.w))
        box = (max(0, left - pad), max(0, top - pad), min(self.w, left + width + pad), min(self.h, top + height + pad))
        if box[0] >= box[2] or box[1] >= box[3]:
            return sprite
        full = Image.new("L", (box[2] - box[0], box[3] - box[1]))
        full.paste(sprite.getchannel("A"), (left - box[0], top - box[1]))
        shape = np.asarray(full, dtype=np.float32) / 255
        around = np.clip(cv2.GaussianBlur(shape, (0, 0), pad * 0.45) * 2, 0, 1)
        outside = around * (1 - shape)
        behind = np.asarray(self.canvas.crop(box).convert("L"), dtype=np.float32)
        pixels = np.asarray(sprite, dtype=np.float32).copy()
        alpha = pixels[..., 3]
        tone = float((pixels[..., :3] @ LUMA * alpha).sum() / max(1.0, float(alpha.sum())))
        ground = float((behind * outside).sum() / max(1.0, float(outside.sum())))
        lacking = CONTRAST - abs(tone - ground)
        if lacking <= 0:
            return sprite
        lighter = ground < 128 if abs(tone - ground) < 12 else tone > ground
        step = lacking if lighter else -lacking
        pixels[..., :3] = shifted(pixels[..., :3], tone, (0.45 if large else 0.5) * step)
        if large:
            patch = np.asarray(self.canvas.crop(box), dtype=np.float32)
            moved = shifted(patch, ground, -0.55 * step)
            patch = patch + (moved - patch) * around[..., None]
            self.canvas.paste(Image.fromarray(patch.clip(0, 255).astype(np.uint8)), box[:2])
        return Image.fromarray(pixels.clip(0, 255).astype(np.uint8), "RGBA")

    def cast(self, sprite: Image.Image, left: int, foot: int, strength: float, length: float = 0.42) -> None:
        """The shadow of an upright thing on the ground before it, away from the light, and a dark contact."""
        width, height = sprite.size
        reach = max(2, round(height * length))
        alpha = sprite.getchannel("A").transpose(Image.Transpose.FLIP_TOP_BOTTOM).resize((width, reach))
        lean = round(reach * 0.9)
        size = (width + 2 * lean, reach)
        slant = -self.light * lean / reach
        sheared = alpha.transform(size, Image.Transform.AFFINE, (1, -slant, -lean, 0, 1, 0))
        mask = ImageChops.multiply(sheared, fade(size, 1, 0.15))
        pad = max(2, round(height * 0.06))
        layer = Image.new("L", (size[0] + 2 * pad, size[1] + 2 * pad))
        layer.paste(mask, (pad, pad))
        draw = ImageDraw.Draw(layer)
        contact = self._footprint(sprite)
        for start, end in contact:
            thick = max(2, round(height * 0.025))
            draw.ellipse((pad + lean + start, pad - thick, pad + lean + end, pad + thick), fill=255)
        layer = layer.filter(ImageFilter.GaussianBlur(max(0.6, height * 0.018)))
        layer = layer.point(lambda value: int(value * 0.62 * strength))
        corner = (left - lean - pad, foot - pad - round(height * 0.015))
        under = self.canvas.crop((*corner, corner[0] + layer.width, corner[1] + layer.height))
        dark = ImageChops.multiply(under, Image.new("RGB", under.size, mix(darker(self.mood.dark), (96, 96, 112), 0.3)))
        self.canvas.paste(dark, corner, layer)

    @staticmethod
    def _footprint(sprite: Image.Image) -> list[tuple[int, int]]:
        """Where the lowest tenth of a sprite touches the ground: runs of columns."""
        alpha = np.asarray(sprite.getchannel("A"))
        rows = alpha[-max(1, alpha.shape[0] // 10) :]
        touching = np.flatnonzero((rows > 128).any(axis=0))
        if not len(touching):
            return []
        breaks = np.flatnonzero(np.diff(touching) > 2)
        starts = touching[np.r_[0, breaks + 1]]
        ends = touching[np.r_[breaks, len(touching) - 1]]
        return [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]

    def line(self, points: list[tuple[float, float]], width: float, colour: RGB, alpha: int = 255) -> None:
        """A line through points, `width` in card widths."""
        draw = ImageDraw.Draw(self.canvas, "RGBA")
        path = [(x * self.w, y * self.h) for x, y in points]
        draw.line(path, fill=(*colour, alpha), width=max(1, round(width * self.w)), joint="curve")

    def polygon(self, points: list[tuple[float, float]], colour: RGB, alpha: int = 255) -> None:
        draw = ImageDraw.Draw(self.canvas, "RGBA")
        draw.polygon([(x * self.w, y * self.h) for x, y in points], fill=(*colour, alpha))

    # --- finish -----------------------------------------------------------------------------------------------

    def foreground(self) -> None:
        """Darkens the corners; where something grows, tufts stand before the scene, for depth."""
        dark = mix(darker(self.mood.dark), self.mood.ground[0], 0.5)
        rows, columns = np.mgrid[-1 : 1 : self.h * 1j, -1 : 1 : self.w * 1j]
        corners = np.clip((np.hypot(columns * 0.85, rows * 0.9) - 0.72) * 0.7, 0, 0.4)
        self.canvas.paste(dark, (0, 0, self.w, self.h), Image.fromarray((corners * 255).astype(np.uint8)))
        if self.outdoors and self.scene.landscape.kind in GROWING:
            draw = ImageDraw.Draw(self.canvas)
            for side in (-1, 1):
                for _ in range(int(self.rng.integers(14, 30))):
                    x = 0.5 + side * (0.5 - abs(float(self.rng.normal(0, 0.1))))
                    tall, bend = float(self.rng.uniform(0.03, 0.1)), float(self.rng.normal(0, 0.025))
                    blade = [(x - 0.006, 1.0), (x + 0.006, 1.0), (x + bend, 1 - tall)]
                    colour = mix(dark, self.mood.ground[1], float(self.rng.uniform(0, 0.35)))
                    draw.polygon([(px * self.w, py * self.h) for px, py in blade], fill=colour)


def shifted(pixels: np.ndarray, tone: float, step: float) -> np.ndarray:
    """Colours (…, 3) of an average `tone` made lighter or darker by `step`, at most by half; white and black stay."""
    if step > 0:
        return pixels + (255 - pixels) * min(0.5, step / max(1.0, 255 - tone))
    return pixels * (1 - min(0.5, -step / max(1.0, tone)))


def full_range(picture: Image.Image) -> Image.Image:
    """The picture with its darkest and brightest tones taken most of the way to black and white: it reads from afar."""
    pixels = np.asarray(picture, dtype=np.float32)
    low, high = np.percentile(pixels @ LUMA, (1, 99))
    stretched = (pixels - low) * (232 / max(60.0, float(high - low))) + 12
    return Image.fromarray((pixels * 0.35 + stretched * 0.65).clip(0, 255).astype(np.uint8))


def _brighter_side(picture: Image.Image, horizon: float) -> int:
    """Where the sky of a picture is brighter: -1 left, 1 right."""
    sky = np.asarray(picture.convert("L"))[: max(1, round(horizon * picture.height))]
    half = sky.shape[1] // 2
    return 1 if sky[:, half:].mean() > sky[:, :half].mean() else -1


def mix(a: RGB, b: RGB, amount: float) -> RGB:
    """A colour between two, `amount` of the way to the second."""
    red, green, blue = (round(p + (q - p) * amount) for p, q in zip(a, b, strict=True))
    return red, green, blue


def darker(colour: RGB, amount: float = 0.45) -> RGB:
    """A colour nearer to black."""
    return mix(colour, (0, 0, 0), amount)


def arc(x: float, y: float, radius: float, start: float, end: float, steps: int = 24) -> list[tuple[float, float]]:
    """Points of an arc in card fractions of a 2:3 card (angles in degrees, clockwise from the right)."""
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a) * 2 / 3) for a in angles]
