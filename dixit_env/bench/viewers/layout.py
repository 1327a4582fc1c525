"""Numbered pictures in one image: all that a viewer is shown."""

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

CARD = (256, 384)  # width, height
_GAP, _LABEL = 12, 40
_GROUND, _INK = (40, 38, 46), (235, 228, 212)


def lay_out(pictures: Sequence[Image.Image], columns: int, heading: str = "") -> Image.Image:
    """The pictures in rows, numbered from 1, each `CARD` in size, under a heading: RGB."""
    width = columns * (CARD[0] + _GAP) + _GAP
    top = _GAP + (_LABEL + _GAP if heading else 0)
    row = CARD[1] + _LABEL + _GAP
    sheet = Image.new("RGB", (width, top + math.ceil(len(pictures) / columns) * row), _GROUND)
    draw = ImageDraw.Draw(sheet)
    if heading:
        size = _LABEL
        while draw.textlength(heading, _font(size)) > width - 2 * _GAP and size > 10:
            size -= 2
        draw.text((width / 2, _GAP + _LABEL / 2), heading, _INK, _font(size), anchor="mm")
    for number, picture in enumerate(pictures):
        x = _GAP + number % columns * (CARD[0] + _GAP)
        y = top + number // columns * row
        sheet.paste(picture.convert("RGB").resize(CARD, Image.Resampling.LANCZOS), (x, y))
        draw.text((x + CARD[0] / 2, y + CARD[1] + _LABEL / 2), str(number + 1), _INK, _font(30), anchor="mm")
    return sheet


def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf", size)
