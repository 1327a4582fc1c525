"""Picture files opened in one way: upright, 8-bit sRGB, on white, or a `DeckError` of one line.

Everything that looks at a card (agents, the page, prompts, reports) sees the same pixels. Files come from cameras,
scanners and painting programs, so the pixels are read even where what lies around them (EXIF, profiles, comments) is
broken; only pixels that are missing are an error.
"""

import contextlib
import io
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms, UnidentifiedImageError
from PIL.Image import Transpose
from PIL.PngImagePlugin import PngImageFile

from dixit_env.decks.containers import pixels_only
from dixit_env.errors import DeckError
from dixit_env.paths import printable

READING = 2  # raised whenever the same file gives other pixels than before: names what is derived from them
LARGEST = 100_000_000  # pixels; a larger picture is taken for a decompression bomb
GROUND = "white"  # behind transparent pixels

Image.init()  # loads Pillow's formats; not every build has all of them
# What Pillow decodes by itself; its other formats include some that start other programs (EPS).
_FORMATS: list[str] = [
    name
    for name in ("PNG", "JPEG", "MPO", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM")
    if name in Image.OPEN
]
_ORIENTATION = 0x0112  # EXIF tag
_TURNS = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}
_FULL_SCALES = (1, 255, 65_535, 2**32 - 1)  # what white may be in pixels of more than 8 bits; 1 only in floats
_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
_warnings_lock = threading.Lock()  # Python's warning filters belong to the whole process

Result = TypeVar("Result")


class PictureError(DeckError):
    """A file that gives no picture; `reason` says why, without the file's name."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(file, reason)  # both, so that it can be sent between processes
        self.file, self.reason = file, reason

    def __str__(self) -> str:
        return f"can't use the picture {printable(self.file)}: {self.reason}"


def open_picture(file: Path, least: int = 0) -> Image.Image:
    """The picture in a file as it is meant to be seen: mode RGB, upright, sRGB.

    Orientation and colour profile are applied, 16- and 32-bit pixels scaled to 8 bits, transparency laid on white. Of
    an animation this is the first frame.

    Args:
        file: a picture of any size up to `LARGEST` pixels.
        least: pixels that each side must keep; a JPEG is decoded at a fraction of its size where that suffices, which
            is several times faster. 0: all of them.

    Raises:
        PictureError: for a file that can't be read, is no picture, is cut off or too large.
    """
    return picture_of(_bytes(file), file, least)


def picture_of(data: bytes, file: Path, least: int = 0) -> Image.Image:
    """As `open_picture`, of a file's bytes; `file` only names it in errors."""
    return _read(data, file, lambda picture: _seen(picture, least))


def picture_size(file: Path) -> tuple[int, int]:
    """Width and height of a picture when upright, in pixels, read without decoding it; raises `PictureError`."""

    def upright(picture: Image.Image) -> tuple[int, int]:
        width, height = picture.size
        return (height, width) if _orientation(picture) >= 5 else (width, height)  # 5 to 8 lie on their side

    return _read(_bytes(file), file, upright)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise PictureError(file, error.strerror or "can't be read") from error


def _read(data: bytes, file: Path, use: Callable[[Image.Image], Result]) -> Result:
    """What `use` makes of the picture; once more from the pixels alone where what lies around them is broken."""

    def attempt(content: bytes) -> Result:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > LARGEST:
                raise PictureError(file, f"{width}×{height} pixels, too large: at most {LARGEST:,}")
            return use(picture)

    if not data:
        raise PictureError(file, "empty file")
    try:
        with _without_warnings():
            try:
                return attempt(data)
            except (PictureError, Image.DecompressionBombError):
                raise
            except Exception:  # Pillow's readers raise almost anything on broken files
                return attempt(pixels_only(data))
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(file, f"too large: at most {LARGEST:,} pixels") from error
    except MemoryError as error:
        raise PictureError(file, "too large for this machine's memory") from error
    except UnidentifiedImageError as error:
        raise PictureError(file, "no picture, or of a kind that can't be read") from error
    except Exception as error:  # as above
        raise PictureError(file, "cut off" if "truncated" in str(error) else "damaged") from error


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _seen(picture: Image.Image, least: int) -> Image.Image:
    _scale_colour_key(picture)
    if least:
        picture.draft("RGB", (least, least))
    turn = _TURNS.get(_orientation(picture))
    picture.load()
    profile = picture.info.get("icc_profile")
    if picture.mode == "CMYK" and picture.format == "JPEG" and "adobe" not in picture.info:
        picture = ImageChops.invert(picture)  # Pillow takes every JPEG's inks for inverted, as Adobe's are
    if picture.mode == "F" or picture.mode.startswith("I"):
        picture = _eight_bits(picture)
    colours, alpha = _parted(picture)
    colours = _in_srgb(colours, profile)
    if alpha is not None:
        ground = Image.new("RGB", colours.size, GROUND)
        ground.paste(colours, mask=alpha)
        colours = ground
    return colours.transpose(turn) if turn is not None else colours


def _orientation(picture: Image.Image) -> int:
    """1 (upright) to 8, as EXIF says; 1 where EXIF can't be read or says something else."""
    try:
        value = picture.getexif().get(_ORIENTATION)
    except Exception:  # as in `_read`
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _scale_colour_key(picture: Image.Image) -> None:
    """A PNG's transparent colour as 8-bit values, before it is loaded; the file gives it in the bits of its pixels."""
    key, layout = picture.info.get("transparency"), None
    if isinstance(picture, PngImageFile):
        layout = picture.tile[0].args
    if isinstance(key, int) and layout in ("L;2", "L;4"):
        picture.info["transparency"] = key * (85 if layout == "L;2" else 17)
    elif isinstance(key, tuple) and layout == "RGB;16B":
        picture.info["transparency"] = tuple(value >> 8 for value in key)


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Grey pixels of 16 or 32 bits as mode L, or LA where one grey is transparent.

    White is 65,535 at 16 bits. Integers and floats of 32 bits don't say what theirs is: the least full scale that holds
    all values, or the highest value.
    """
    values = np.asarray(picture)
    if picture.mode.startswith("I;16"):
        white = 65_535.0
    else:
        values = np.nan_to_num(values.astype(np.float64), nan=0, posinf=0, neginf=0)
        top = float(values.max())
        white = next((scale for scale in _FULL_SCALES[picture.mode == "I" :] if top <= scale), top)
    grey = Image.fromarray(_byte(values / white))
    key = picture.info.get("transparency")
    if isinstance(key, int):
        grey.putalpha(Image.fromarray(_byte(values != key)))
    return grey


def _byte(shares: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.uint8]:
    """0 … 1 as 0 … 255; what lies outside is clipped."""
    return np.rint(np.clip(shares.astype(np.float64), 0, 1) * 255).astype(np.uint8)


def _parted(picture: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The colours (mode L, RGB, CMYK or another without transparency) and the alpha channel, if there is one."""
    if not picture.has_transparency_data:
        return (picture.convert("RGB") if picture.mode in ("P", "RGBX") else picture), None
    grey = picture.mode in ("1", "L", "LA", "La")
    if picture.mode == "La":
        picture = picture.convert("LA")  # Pillow has no way from La to RGBA
    whole = picture.convert("RGBA")
    return (whole.getchannel("R") if grey else whole.convert("RGB")), whole.getchannel("A")


def _in_srgb(colours: Image.Image, profile: bytes | None) -> Image.Image:
    """Colours as mode RGB, by their ICC profile where it can be read and fits them."""
    if profile:
        with contextlib.suppress(ImageCms.PyCMSError, OSError, ValueError, TypeError):
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            mode = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK"}.get(source.profile.xcolor_space.strip())
            if mode == colours.mode or (mode == "RGB" and colours.mode == "L"):
                seen = ImageCms.profileToProfile(colours.convert(mode), source, _SRGB, outputMode="RGB")
                assert seen is not None  # it is only None for work in place
                return seen
    return colours.convert("RGB")
