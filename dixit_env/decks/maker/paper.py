"""The paper that a card is painted on."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

PAPER = (240, 233, 218)


def finish(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Grain of paper over the picture, and an uneven frame of paper around it."""
    width, height = picture.size
    grain = rng.normal(0, 1, (height, width)).astype(np.float32)
    coarse = Image.fromarray(rng.normal(128, 40, (height // 6 + 1, width // 6 + 1)).clip(0, 255).astype(np.uint8))
    fibre = (np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float32) - 128) / 40
    pixels = np.asarray(picture, dtype=np.float32) + (grain * 2.2 + fibre * 2.5)[..., None]
    paper = np.array(PAPER, dtype=np.float32) + (grain * 3 + fibre * 2)[..., None]
    margin = 0.028 * width
    mask = Image.new("L", picture.size)
    box = (margin, margin, width - 1 - margin, height - 1 - margin)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius=margin * 1.4, fill=255)
    blurred = np.asarray(mask.filter(ImageFilter.GaussianBlur(margin * 0.3)), dtype=np.float32) / 255
    inside = np.clip((blurred + fibre * 0.05 - 0.5) * max(3.0, margin * 0.5) + 0.5, 0, 1)[..., None]
    out = pixels * inside + paper * (1 - inside)
    return Image.fromarray(out.clip(0, 255).astype(np.uint8))
