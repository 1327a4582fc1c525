"""Picture files of every kind give the pixels that people see, or one line."""

import io
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps

from dixit_env.decks.pictures import LARGEST, PictureError, open_picture, picture_of, picture_size

WIDTH, HEIGHT = 48, 72
RNG = np.random.default_rng(0)
SMOOTH = Image.fromarray(RNG.integers(0, 256, (4, 3, 3), np.uint8)).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
GREY = SMOOTH.convert("L")


def seen(content: Image.Image | bytes, form: str = "PNG", **options: object) -> np.ndarray:
    """The pixels (height, width, 3) that a file with this picture gives."""
    return np.asarray(picture_of(stored(content, form, **options), Path("a file")), int)


def stored(content: Image.Image | bytes, form: str = "PNG", **options: object) -> bytes:
    if isinstance(content, bytes):
        return content
    buffer = io.BytesIO()
    content.save(buffer, form, **options)
    return buffer.getvalue()


def chunk(name: bytes, data: bytes, checksum: bytes | None = None) -> bytes:
    """A PNG's chunk."""
    whole = name + data
    return struct.pack(">I", len(data)) + whole + (checksum or struct.pack(">I", zlib.crc32(whole)))


def with_chunk(png: bytes, extra: bytes) -> bytes:
    """The PNG with a chunk after its header."""
    return png[:33] + extra + png[33:]


def near(one: np.ndarray, other: Image.Image | np.ndarray, within: float = 2) -> bool:
    return one.shape == np.asarray(other).shape and bool(np.abs(one - np.asarray(other, int)).max() <= within)


# Which pixels


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF", "BMP"])
def test_plain_pictures_are_as_they_are(form: str) -> None:
    options = {"lossless": True} if form == "WEBP" else {}
    assert near(seen(SMOOTH, form, **options), SMOOTH, 0)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_upright(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    lying = Image.open(io.BytesIO(stored(SMOOTH, form, exif=exif, quality=95)))
    expected = ImageOps.exif_transpose(lying).convert("RGB")
    assert near(seen(stored(SMOOTH, form, exif=exif, quality=95)), expected, 0)


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_the_size_is_that_of_the_upright_picture(tmp_path: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    SMOOTH.save(tmp_path / "a.jpg", exif=exif)
    assert picture_size(tmp_path / "a.jpg") == open_picture(tmp_path / "a.jpg").size


def test_grey_of_16_bits_is_scaled_and_not_cut() -> None:
    values = np.linspace(0, 65_535, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).round().astype(np.uint16)
    expected = np.repeat((values / 257).round()[..., None], 3, 2)
    for form in ("PNG", "TIFF"):
        assert near(seen(Image.fromarray(values), form), expected, 1)


@pytest.mark.parametrize(("mode", "white"), [("I", 255), ("I", 65_535), ("I", 2**31 - 1), ("F", 1.0), ("F", 255.0)])
def test_grey_of_32_bits_is_scaled_by_what_its_white_must_be(mode: str, white: float) -> None:
    shares = np.linspace(0, 1, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH)
    kind = np.int32 if mode == "I" else np.float32
    expected = np.repeat((shares * (128 if white == 2**31 - 1 else 255))[..., None], 3, 2)  # of 32 bits this is half
    assert near(seen(Image.fromarray((shares * white).astype(kind)), "TIFF"), expected)


def test_floats_that_are_no_numbers_are_black() -> None:
    values = np.full((HEIGHT, WIDTH), 0.5, np.float32)
    values[0, :3] = np.nan, np.inf, -np.inf
    pixels = seen(Image.fromarray(values), "TIFF")
    assert (pixels[0, :3] == 0).all()
    assert near(pixels[1:], np.full((HEIGHT - 1, WIDTH, 3), 128))


def clear(left: str = "L") -> Image.Image:
    """An alpha channel: the left half transparent."""
    alpha = Image.new(left, (WIDTH, HEIGHT), 255)
    alpha.paste(0, (0, 0, WIDTH // 2, HEIGHT))
    return alpha


def alpha_of(mode: str) -> tuple[str, Image.Image]:
    picture = SMOOTH.convert({"LA": "L", "PA": "RGB"}.get(mode, "RGB"))
    picture.putalpha(clear())
    return ("TIFF" if mode == "PA" else "PNG"), picture


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
def test_what_lies_under_transparent_pixels_is_white(mode: str, form: str) -> None:
    _, picture = alpha_of(mode)
    options = {"lossless": True, "exact": True} if form == "WEBP" else {}
    pixels = seen(picture, form, **options)
    assert (pixels[:, : WIDTH // 2] == 255).all()
    assert near(
        pixels[:, WIDTH // 2 :], np.asarray(GREY.convert("RGB") if mode == "LA" else SMOOTH)[:, WIDTH // 2 :], 1
    )


def test_half_transparent_pixels_are_half_white() -> None:
    picture = Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 128))
    assert near(seen(picture), np.full((HEIGHT, WIDTH, 3), 127), 1)


def test_premultiplied_pixels_are_not_darkened() -> None:
    plain, premultiplied = (stored(Image.new("RGBA", (9, 9), (red, 50, 0, 128)), "TIFF") for red in (200, 100))
    extra_sample = struct.pack("<HHI", 338, 3, 1)  # tag 338: 1 for premultiplied alpha, 2 for plain
    assert premultiplied.count(extra_sample) == 1
    premultiplied = premultiplied.replace(extra_sample + b"\2", extra_sample + b"\1")
    assert near(seen(premultiplied)[..., 0], seen(plain)[..., 0], 3)


@pytest.mark.parametrize("transparency", [3, bytes([255, 0, 128, 255])], ids=["one colour", "alpha for each"])
def test_transparent_colours_of_a_palette(transparency: int | bytes) -> None:
    picture = Image.fromarray((np.arange(WIDTH * HEIGHT).reshape(HEIGHT, WIDTH) % 4).astype(np.uint8), "L")
    picture = Image.frombytes("P", picture.size, picture.tobytes())
    picture.putpalette([10, 20, 30, 200, 0, 0, 0, 200, 0, 0, 0, 200])
    pixels = seen(picture, transparency=transparency)
    expected = (
        [(10, 20, 30), (200, 0, 0), (0, 200, 0), (255, 255, 255)]
        if transparency == 3
        else [(10, 20, 30), (255, 255, 255), (127, 227, 127), (0, 0, 200)]
    )
    assert near(pixels[0, :4], np.array(expected), 1)


def grey_png(bits: int, key: int) -> bytes:
    """A grey PNG of all its values in a row, one of them transparent."""
    count = min(2**bits, 256)
    row = np.arange(count, dtype=np.uint16) * (1 if bits < 16 else 257)
    packed = row.astype(">u2").tobytes() if bits == 16 else bytes(row.astype(np.uint8))
    if bits < 8:
        digits = "".join(f"{value:0{bits}b}" for value in row)
        packed = (
            int(digits, 2).to_bytes(len(digits) // 8 or 1, "big")
            if len(digits) >= 8
            else bytes([int(digits, 2) << 8 - len(digits)])
        )
    head = struct.pack(">IIBBBBB", count, 1, bits, 0, 0, 0, 0)
    body = chunk(b"tRNS", struct.pack(">H", key)) + chunk(b"IDAT", zlib.compress(b"\0" + packed))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
def test_the_transparent_grey_counts_in_the_bits_of_the_file(bits: int) -> None:
    count = min(2**bits, 256)
    pixels = seen(grey_png(bits, key=257 if bits == 16 else 1))[0, :, 0]
    expected = np.round(np.arange(count) * 255 / (count - 1))
    expected[1] = 255
    assert near(pixels, expected, 1)


def test_inks_and_grey_become_colours() -> None:
    assert near(seen(SMOOTH.convert("CMYK"), "TIFF"), SMOOTH, 3)
    assert near(seen(SMOOTH.convert("CMYK"), "JPEG", quality=100), SMOOTH, 12)  # inverted, as Adobe's are
    assert near(seen(GREY, "JPEG", quality=100), GREY.convert("RGB"), 4)


def test_inks_of_a_jpeg_without_adobes_mark_are_not_inverted() -> None:
    data = stored(SMOOTH.convert("CMYK"), "JPEG", quality=100)
    start = data.index(b"\xff\xee")
    plain = data[:start] + data[start + 2 + int.from_bytes(data[start + 2 : start + 4], "big") :]
    assert near(seen(plain), 255 - np.asarray(Image.open(io.BytesIO(data)), int)[..., :3], 255)
    assert np.abs(seen(plain) - np.asarray(SMOOTH, int)).mean() > 20


def swapped_profile() -> bytes:
    """sRGB with red and green exchanged: what a picture with it shows can't be taken for a rounding error."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for name, other in ((b"rXYZ", b"gXYZ"),):
        one, two = data.index(name), data.index(other)
        data[one : one + 4], data[two : two + 4] = other, name
    return bytes(data)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
def test_colour_profiles_are_applied(form: str) -> None:
    options = {"lossless": True} if form == "WEBP" else {}
    red, green, blue = SMOOTH.split()
    expected = Image.merge("RGB", (green, red, blue))
    assert near(seen(SMOOTH, form, icc_profile=swapped_profile(), **options), expected, 3)


@pytest.mark.parametrize("profile", [b"no profile", swapped_profile()[:200], b"\0" * 400], ids=["text", "cut", "zeros"])
def test_broken_profiles_are_passed_over(profile: bytes) -> None:
    assert near(seen(SMOOTH, icc_profile=profile), SMOOTH, 0)


def test_of_an_animation_the_first_frame_is_seen() -> None:
    other = Image.new("RGB", SMOOTH.size, "red")
    for form, options in (("PNG", {}), ("WEBP", {"lossless": True})):
        assert near(seen(SMOOTH, form, save_all=True, append_images=[other], **options), SMOOTH, 0)
    assert near(seen(SMOOTH, "GIF", save_all=True, append_images=[other]), SMOOTH, 60)


@pytest.mark.parametrize("least", [16, 100, 300])
def test_a_jpeg_is_decoded_no_smaller_than_asked_for(tmp_path: Path, least: int) -> None:
    SMOOTH.resize((800, 1200)).save(tmp_path / "a.jpg")
    small = open_picture(tmp_path / "a.jpg", least)
    assert least <= min(small.size) < 800
    assert small.width / small.height == pytest.approx(2 / 3, abs=0.02)


# What lies around the pixels


def exif_block(tag: int, kind: int, count: int, value: bytes) -> bytes:
    """EXIF of one little-endian entry."""
    return b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHI", 1, tag, kind, count) + value + b"\0\0\0\0"


BROKEN_EXIF = {
    "text where a number belongs": exif_block(0x0112, 2, 2, b"6\0\0\0"),
    "an orientation that is none": exif_block(0x0112, 3, 1, b"\x63\0\0\0"),
    "two orientations": exif_block(0x0112, 3, 2, b"\x06\0\x03\0"),
    "a resolution of -1/0": exif_block(0x011A, 10, 1, b"\x1a\0\0\0") + b"\xff\xff\xff\xff\0\0\0\0",
    "a resolution of 0/0": exif_block(0x011A, 5, 1, b"\x1a\0\0\0") + b"\0" * 8,
    "a value beyond the end": exif_block(0x011A, 5, 1, b"\xff\xff\xff\x7f"),
    "an unknown type": exif_block(0x0112, 99, 1, b"\x06\0\0\0"),
    "cut off": exif_block(0x0112, 3, 1, b"\x06\0\0\0")[:15],
    "no TIFF": b"Exif\0\0garbage that is no TIFF",
    "nothing": b"Exif\0\0",
    "an offset beyond the end": b"Exif\0\0II*\0\xff\xff\xff\x7f",
    "zeros": b"Exif\0\0" + b"\0" * 40,
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("exif", BROKEN_EXIF.values(), ids=BROKEN_EXIF)
def test_broken_exif_doesnt_matter(form: str, exif: bytes) -> None:
    options = {"lossless": True} if form == "WEBP" else {"quality": 100}
    plain, marked = seen(SMOOTH, form, **options), seen(SMOOTH, form, exif=exif, **options)
    assert near(marked, plain, 0) or near(marked, np.rot90(plain, -1), 0)  # read, or passed over


GARBAGE_CHUNKS = {
    "a wrong checksum": chunk(b"eXIf", b"II*\0", b"\0\0\0\1"),
    "a text that unpacks to gigabytes": chunk(b"zTXt", b"a\0\0" + zlib.compress(b"\0" * 80_000_000)),
    "a text that doesn't unpack": chunk(b"zTXt", b"a\0\0garbage"),
    "a profile that doesn't unpack": chunk(b"iCCP", b"a\0\0garbage"),
    "a resolution of no bytes": chunk(b"pHYs", b""),
    "a gamma of no bytes": chunk(b"gAMA", b""),
    "a chromaticity of no bytes": chunk(b"cHRM", b""),
    "an international text of no bytes": chunk(b"iTXt", b""),
    "an animation of no frames": chunk(b"acTL", b"\0" * 8),
    "an animation of no bytes": chunk(b"acTL", b""),
    "a frame out of order": chunk(b"fcTL", b"\0" * 26),
    "a chunk that nobody knows": chunk(b"abCd", b"x" * 100),
    "a transparent colour of no bytes": chunk(b"tRNS", b""),
}


@pytest.mark.parametrize("garbage", GARBAGE_CHUNKS.values(), ids=GARBAGE_CHUNKS)
def test_garbage_in_a_png_doesnt_matter(garbage: bytes) -> None:
    assert near(seen(with_chunk(stored(SMOOTH), garbage)), SMOOTH, 0)


@pytest.mark.parametrize("name", [b"EXIF", b"ICCP", b"XMP ", b"JUNK"])
def test_garbage_in_a_webp_doesnt_matter(name: bytes) -> None:
    data = stored(SMOOTH, "WEBP", lossless=True, exif=exif_block(0x0112, 3, 1, b"\x01\0\0\0"))
    body = data[8:] + name + struct.pack("<I", 7) + b"garbage\0"
    assert near(seen(b"RIFF" + struct.pack("<I", len(body)) + body), SMOOTH, 0)


@pytest.mark.parametrize("marker", [0xE1, 0xE2, 0xED, 0xE0, 0xFE])
def test_garbage_in_a_jpeg_doesnt_matter(marker: int) -> None:
    data = stored(SMOOTH, "JPEG", quality=100)
    for content in (b"", b"MPF\0garbage", b"ICC_PROFILE\0\1", b"Photoshop 3.0\x008BIM\4", b"JFIF\0", b"Exif\0\0II*\0"):
        segment = bytes([0xFF, marker]) + struct.pack(">H", 2 + len(content)) + content
        assert near(seen(data[:2] + segment + data[2:]), seen(data), 0)


# What is no picture


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: b"", "empty file"),
        (lambda: b"no picture at all", "no picture"),
        (lambda: stored(SMOOTH)[:60], "cut off|damaged"),
        (lambda: stored(SMOOTH, "JPEG")[:500], "cut off|damaged"),
        (lambda: stored(SMOOTH, "JPEG", quality=100)[:-400], "cut off"),
        (lambda: stored(SMOOTH, "WEBP")[:100], "no picture|cut off|damaged"),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no picture"),
        (lambda: claimed(30_000), "too large: at most 100,000,000 pixels"),
        (lambda: claimed(12_000), "12000×12000 pixels, too large"),
        (lambda: claimed(9_600), "cut off|damaged"),  # not too large, but Pillow would warn
    ],
)
def test_one_line_says_what_is_wrong(tmp_path: Path, make: Callable[[], bytes], reason: str) -> None:
    file = tmp_path / "card.png"
    file.write_bytes(make())
    with pytest.raises(PictureError, match=reason) as error:  # a warning that leaks is another error
        open_picture(file)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def claimed(side: int) -> bytes:
    """A tiny PNG that claims side × side pixels."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_the_limit_is_one_that_photographs_keep() -> None:
    assert LARGEST >= 8000 * 12_000


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    for file in (tmp_path / "gone.png", tmp_path):
        with pytest.raises(PictureError, match=str(file)):
            open_picture(file)


def test_errors_can_be_sent_between_processes() -> None:
    error = PictureError(Path("a.png"), "cut off")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "can't use the picture a.png: cut off"


FILES = [
    stored(SMOOTH),
    stored(SMOOTH, "JPEG"),
    stored(SMOOTH, "WEBP"),
    stored(GREY.convert("P")),
    stored(alpha_of("LA")[1]),
]


@given(st.sampled_from(FILES), st.integers(0, 2000), st.binary(min_size=1, max_size=8))
@example(FILES[0], 0, b"x")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_overwritten_files_give_pixels_or_one_line(data: bytes, place: int, garbage: bytes) -> None:
    place %= len(data)
    broken = data[:place] + garbage + data[place + len(garbage) :]
    try:
        picture = picture_of(broken, Path("a file"))
    except PictureError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert picture.mode == "RGB"
