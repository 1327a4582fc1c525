"""Numbered pictures in one image: all that a viewer is shown."""

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont, ImageOps

CARD = (256, 384)  # width, height
_GAP, _LABEL, _LINE = 12, 40, 36
_SIZE = 30  # of letters
_GROUND, _INK = (40, 38, 46), (235, 228, 212)


def lay_out(pictures: Sequence[Image.Image], columns: int, heading: str = "") -> Image.Image:
    """The pictures in rows, numbered from 1, each fitted into `CARD`, under a heading: RGB."""
    width = columns * (CARD[0] + _GAP) + _GAP
    font = _font()
    told = _wrapped(heading, font, width - 2 * _GAP)
    top = _GAP + len(told) * _LINE + (_GAP if told else 0)
    row = CARD[1] + _LABEL + _GAP
    sheet = Image.new("RGB", (width, top + math.ceil(len(pictures) / columns) * row), _GROUND)
    draw = ImageDraw.Draw(sheet)
    for number, line in enumerate(told):
        draw.text((width / 2, _GAP + (number + 0.5) * _LINE), line, _INK, font, anchor="mm")
    for number, picture in enumerate(pictures):
        x = _GAP + number % columns * (CARD[0] + _GAP)
        y = top + number // columns * row
        sheet.paste(ImageOps.pad(picture.convert("RGB"), CARD, Image.Resampling.LANCZOS, _GROUND), (x, y))
        draw.text((x + CARD[0] / 2, y + CARD[1] + _LABEL / 2), str(number + 1), _INK, font, anchor="mm")
    return sheet


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    """The text in lines no longer than `width` pixels, as far as its words allow."""
    told: list[str] = []
    for word in text.split():
        if told and font.getlength(f"{told[-1]} {word}") <= width:
            told[-1] += f" {word}"
        else:
            told.append(word)
    return told


def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf", _SIZE)
