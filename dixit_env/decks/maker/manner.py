"""The manner of a painter: how long, broad and thick the strokes are, and the colours of one painting."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from .extras import cv2


@dataclass(frozen=True)
class Manner:
    """How strokes are laid. Sizes and lengths are relative to the ones in `brush.LAYERS`."""

    size: float = 1.0
    length: float = 1.0
    swirl: float = 0.5
    """how far strokes on an even surface turn from level, in radians"""
    relief: float = 1.0
    """how thick the paint lies"""


MANNERS = {
    "auvers": Manner(1.15, 1.25, 1.1, 1.7),
    "bridge": Manner(1.1, 1.2, 0.2, 0.5),
    "ejiri": Manner(1.0, 1.2, 0.25, 0.5),
    "galette": Manner(1.1, 0.75, 0.8, 1.2),
    "harvesters": Manner(0.85, 0.9, 0.5, 0.8),
    "lion": Manner(0.85, 1.3, 0.7, 0.7),
    "pesaro": Manner(0.85, 1.0, 0.35, 0.7),
    "piano": Manner(1.1, 1.0, 0.8, 1.0),
    "poppies": Manner(1.0, 1.1, 0.3, 0.5),
    "ramparts": Manner(1.05, 1.0, 0.4, 1.1),
    "searoute": Manner(1.05, 1.2, 0.2, 0.5),
    "shrine": Manner(1.0, 1.0, 0.2, 0.6),
    "spring": Manner(0.85, 0.85, 0.8, 0.9),
    "summertime": Manner(1.2, 1.1, 0.6, 1.4),
    "wave": Manner(1.0, 1.2, 0.5, 0.6),
    "composition": Manner(1.15, 1.0, 1.2, 0.8),
}
"""by the painting, of `paintings.tsv`, that it is taken from"""


def chroma(picture: Image.Image) -> np.ndarray:
    """Mean and spread of a picture's colours, whatever their brightness: (2, 2) float32, Lab's a and b."""
    pixels = np.asarray(picture.convert("RGB").resize((96, 96)), dtype=np.float32) / 255
    colours = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)[..., 1:].reshape(-1, 2)
    return np.stack([colours.mean(0), colours.std(0)])


def borrow_colours(picture: Image.Image, painting: Image.Image, amount: float) -> Image.Image:
    """Takes the picture's colours (RGB) so far towards the painting's mean and spread, brightness untouched.

    (Reinhard et al. 2001, "Color transfer between images".)
    """
    (mean, spread), (goal, width) = chroma(picture), chroma(painting)
    lab = cv2.cvtColor(np.asarray(picture, dtype=np.float32) / 255, cv2.COLOR_RGB2LAB)
    scale = np.clip(width / np.maximum(spread, 1.0), 0.8, 1.7)
    lab[..., 1:] += ((lab[..., 1:] - mean) * scale + goal - lab[..., 1:]) * amount
    return Image.fromarray((cv2.cvtColor(lab, cv2.COLOR_LAB2RGB) * 255).clip(0, 255).astype(np.uint8))
