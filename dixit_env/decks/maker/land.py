"""Landscapes in the colours of a mood: a painted sky over a painted ground, from a photograph's light and dark."""

import numpy as np
from PIL import Image

from .extras import cv2
from .moods import RGB, Mood, Tones

Pixels = np.ndarray
"""(height, width, 3) float32, 0 … 255"""


def colour_land(photo: Pixels, horizon: float, mood: Mood) -> Pixels:
    """A photograph, its ground beginning at `horizon` (a fraction of the height), in the mood's colours."""
    height = photo.shape[0]
    rows = (np.arange(height, dtype=np.float32) + 0.5) / height
    brightness = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)
    sky = _sky(brightness, rows, horizon, mood.sky)
    ground = _ground(photo, brightness, rows, horizon, mood.ground)
    below = np.clip((rows - horizon + 0.05) / 0.08, 0, 1)[
        :, None, None
    ]  # what rises above the horizon is seen through air
    return sky + (ground - sky) * below


def _sky(brightness: Pixels, rows: Pixels, horizon: float, tones: Tones) -> Pixels:
    """Runs from the zenith's colour to the horizon's; light and dark of the photograph become clouds."""
    zenith, low, cloud = (np.array(tone, dtype=np.float32) for tone in tones)
    fall = np.clip(rows / max(horizon, 0.05), 0, 1)[:, None, None] ** 1.1
    clear = zenith + (low - zenith) * fall
    end = max(4, round(horizon * len(rows)))
    middle = np.median(brightness, axis=1)
    middle = cv2.GaussianBlur(middle[:, None], (1, 0), 0, sigmaY=len(rows) / 40) if len(middle) > 8 else middle[:, None]
    spread = float((brightness[:end] - middle[:end]).std()) + 6
    shape = np.clip((brightness - middle) / (2.2 * spread), -1, 1)[..., None]
    lit = np.clip(shape, 0, 1) * 0.75
    shadow = np.clip(-shape, 0, 1)
    return clear + (cloud - clear) * lit + (clear * 0.45 + zenith * 0.1 - clear) * shadow * 0.75


def _ground(photo: Pixels, brightness: Pixels, rows: Pixels, horizon: float, tones: Tones) -> Pixels:
    """Three tones by the photograph's light and dark, with some of its own colours, darker towards the viewer."""
    start = min(len(rows) - 2, round(horizon * len(rows)))
    low, high = np.percentile(brightness[start:], (3, 97))
    level = np.clip((brightness - low) / max(24.0, float(high - low)), 0, 1) ** 1.1
    level *= 1 - 0.28 * np.clip((rows - horizon) / (1 - horizon), 0, 1)[:, None]
    points = np.array([0, 0.5, 1], dtype=np.float32)
    mapped = np.stack([np.interp(level, points, [tone[c] for tone in tones]) for c in range(3)], axis=-1)
    own = photo - brightness[..., None]
    return (mapped + own * 0.55).astype(np.float32)


def mean_colour(picture: Image.Image) -> RGB:
    """The average colour of an RGB picture."""
    red, green, blue = np.asarray(picture, dtype=np.float32).reshape(-1, 3).mean(0)
    return round(float(red)), round(float(green)), round(float(blue))
