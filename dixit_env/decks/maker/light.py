"""Light on things: a flat picture becomes a matte, rounded form that the card's one light falls on.

The form is a relief: high in the middle of the outline, falling off at its edges, so that a surface normal follows at
every pixel (Johnston 2002, "Lumo: illumination for cel animation").
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from .extras import cv2
from .moods import RGB

SHINE = 0.65
"""share of small highlights that is taken away: paint is matte"""
ROUND = 0.2
"""how far in from the outline a form is round, of its shorter side"""


@dataclass(frozen=True)
class Light:
    """What falls on a thing: sun from one side, the sky from above, the ground's reflection from below."""

    side: int
    """-1 left, 1 right"""
    sun: RGB
    sky: RGB
    ground: RGB
    exposure: float = 1.0


def matte(pixels: np.ndarray, size: int) -> np.ndarray:
    """Colours (h, w, 3) without glints, not too bright and not too gaudy; `size` is the thing's, in pixels."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    reach = max(1, round(size * 0.022))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    dull = cv2.morphologyEx(gray, cv2.MORPH_OPEN, kernel)
    dull = cv2.GaussianBlur(dull, (0, 0), max(0.6, reach * 0.4))
    lower = np.clip(gray - dull - 14, 0, None) * SHINE * np.clip((dull - 40) / 50, 0, 1)  # in dark eyes they stay
    pixels = pixels - lower[..., None]
    gray = gray - lower
    pixels = gray[..., None] + (pixels - gray[..., None]) * 0.86
    return 14 + pixels * (0.9 - 0.0004 * gray[..., None])


def normals(alpha: np.ndarray) -> np.ndarray:
    """Unit vectors (h, w, 3: right, down, towards the viewer) of a rounded form with this outline (uint8)."""
    padded = np.pad(alpha, 1)
    inside = cv2.distanceTransform((padded > 127).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
    radius = max(2.0, ROUND * min(alpha.shape))
    depth = np.clip(inside / radius, 0, 1)
    form = np.sqrt(1 - (1 - depth) ** 2) * radius
    form = cv2.GaussianBlur(form, (0, 0), max(0.7, radius * 0.2))
    dx, dy = (cv2.Sobel(form, cv2.CV_32F, *order, ksize=3, scale=0.125) for order in ((1, 0), (0, 1)))
    length = np.sqrt(dx * dx + dy * dy + 1)
    return np.dstack([-dx / length, -dy / length, 1 / length])


def lit(icon: Image.Image, light: Light) -> Image.Image:
    """A flat picture (RGBA) as a form that the light falls on."""
    source = np.asarray(icon)
    alpha = source[..., 3]
    pixels = matte(source[..., :3].astype(np.float32), max(alpha.shape))
    across, down, near = cv2.split(normals(alpha).astype(np.float32))
    direct = np.clip(0.6 * light.side * across - 0.62 * down + 0.5 * near, 0, 1)[..., None]
    above, below = ((0.5 - 0.5 * down)[..., None], (0.5 + 0.5 * down)[..., None])
    sun, sky, ground = (np.array(colour, dtype=np.float32) / 255 for colour in (light.sun, light.sky, light.ground))
    falling = sun * (0.2 + 1.0 * direct) + sky * 0.36 * above + ground * 0.34 * below
    rows = np.linspace(0, 1, alpha.shape[0], dtype=np.float32)[:, None, None]
    falling = falling * (1.06 - 0.16 * rows**2) * light.exposure
    pixels = pixels * falling
    rim = (np.clip(direct[..., 0] - 0.72, 0, 1) / 0.28 * np.clip(1 - near, 0, 1))[..., None]
    pixels += (sun * 255 - pixels) * np.clip(rim * 1.1, 0, 0.55)
    out = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    out.putalpha(icon.getchannel("A"))
    return out


def ragged(alpha: Image.Image, rng: np.random.Generator) -> Image.Image:
    """An outline (L) as a loaded brush leaves it: uneven, here and there lost."""
    width, height = alpha.size
    cell = max(2, round(max(width, height) * 0.03))
    noise = rng.uniform(-1, 1, (height // cell + 2, width // cell + 2)).astype(np.float32)
    noise = cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
    solid = cv2.GaussianBlur(np.asarray(alpha, dtype=np.float32) / 255, (0, 0), max(0.5, max(width, height) * 0.005))
    edge = np.clip((solid + 0.16 * noise * (solid < 0.98) - 0.5) * 2.6 + 0.5, 0, 1)
    return Image.fromarray((edge * 255).astype(np.uint8))
