"""The register of scene templates and what several of them draw."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from ..paint import Stage, darker, mix
from ..scene import Scene
from ..things import Thing

Compose = Callable[[Stage, Scene], None]


@dataclass(frozen=True)
class Template:
    """A kind of scene: which things it takes, and how it is composed."""

    name: str
    main: frozenset[str]
    """roles, one of which the main thing has"""
    small: tuple[frozenset[str], ...]
    """the same for each small thing"""
    kinds: frozenset[str]
    """kinds of landscape that suit; empty for any"""
    moods: frozenset[str]
    """the same for moods"""
    compose: Compose
    """draws it on a `Stage`"""


TEMPLATES: dict[str, Template] = {}

PROPS = frozenset(
    [
        *("evergreen-tree", "deciduous-tree", "palm-tree", "leafless-tree", "coral", "cloud", "water-wave", "droplet"),
        *("sun", "crescent-moon", "glowing-star", "balloon", "umbrella", "coat", "kimono", "dress"),
        *("open-book", "jar", "door", "key"),
    ]
)
"""things that templates draw of their own accord: no scene can be promised to be without them"""

OPEN = "badlands beach canyon desert dunes fields hills snow valley mountains"
WATERSIDE = "lake sea beach"


def template(main: str, *small: str, kinds: str = "", moods: str = "") -> Callable[[Compose], Compose]:
    """Registers the function below under its name. Roles, kinds and moods are words parted by spaces."""

    def register(compose: Compose) -> Compose:
        TEMPLATES[compose.__name__] = Template(
            compose.__name__,
            frozenset(main.split()),
            tuple(frozenset(roles.split()) for roles in small),
            frozenset(kinds.split()),
            frozenset(moods.split()),
            compose,
        )
        return compose

    return register


def masked(sprite: Image.Image, keep: Image.Image) -> Image.Image:
    """The sprite where an L mask of its size keeps it."""
    out = sprite.copy()
    out.putalpha(ImageChops.multiply(sprite.getchannel("A"), keep))
    return out


def filled(stage: Stage, thing: Thing | str, size: float, texture: Image.Image, *, flip: bool = False) -> Image.Image:
    """A thing's outline filled with a picture instead of its own colours; some of its shading stays."""
    icon = stage.sources.icon(thing if isinstance(thing, str) else thing.key, round(size * stage.w))
    if flip:
        icon = icon.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    inner = np.asarray(icon.convert("L"), dtype=np.float32)
    inner = inner - inner[np.asarray(icon.getchannel("A")) > 128].mean()
    pixels = np.asarray(texture.convert("RGB").resize(icon.size), dtype=np.float32) + inner[..., None] * 0.35
    out = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    out.putalpha(icon.getchannel("A"))
    return out


def silhouette(sprite: Image.Image, colour: tuple[int, int, int], alpha: float = 1.0) -> Image.Image:
    """A sprite's outline in one colour."""
    out = Image.new("RGBA", sprite.size, (*colour, 255))
    out.putalpha(sprite.getchannel("A").point(lambda value: int(value * alpha)))
    return out


def ellipse_mask(size: tuple[int, int], soft: float = 0.0) -> Image.Image:
    """An L mask: the ellipse that fills a box."""
    mask = Image.new("L", size)
    ImageDraw.Draw(mask).ellipse((0, 0, size[0] - 1, size[1] - 1), fill=255)
    return mask.filter(ImageFilter.GaussianBlur(soft)) if soft else mask


def onlooker(stage: Stage, thing: Thing, x: float, y: float, size: float = 0.17, *, flip: bool = False) -> None:
    """A small thing that stands on the ground, with its shadow."""
    stage.put(stage.sprite(thing, size, flip=flip), x, y, shadow=1, sink=0.05)


def strings(stage: Stage, x: float, top: float, y: float, width: float = 0.004) -> None:
    """A thread from above."""
    stage.line([(x, top), (x, y)], width, mix(stage.mood.dark, (20, 16, 14), 0.5), 230)


def islet(stage: Stage, x: float, y: float, radius: float) -> None:
    """A flat bank of earth in the water, seen from the side."""
    size = (stage.px(radius * 2), max(4, stage.py(radius * 0.13)))
    bank = Image.new("RGBA", size, (*darker(mix(stage.mood.dark, stage.mood.middle, 0.5), 0.15), 255))
    bank.putalpha(ellipse_mask(size, stage.w / 250))
    stage.put(bank, x, y, anchor="centre")
