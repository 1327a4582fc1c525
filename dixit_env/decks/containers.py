"""Picture files cut down to the parts that hold pixels, for files whose other parts are broken.

A PNG, JPEG or WebP is a list of parts; comments, EXIF, profiles and the like say nothing about the pixels. Specified in
https://www.w3.org/TR/png-3/, ITU-T T.81 and https://developers.google.com/speed/webp/docs/riff_container.
"""

import zlib
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_PARTS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_PNG_KEY_LENGTHS = {b"\0": 2, b"\2": 6}  # bytes of a transparent colour by colour type: grey, RGB
_WEBP_PARTS = (b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF")
_JPEG_APPLICATION = range(0xE0, 0xF0)
_JPEG_COMMENT, _JPEG_ADOBE, _JPEG_SCAN = 0xFE, 0xEE, 0xDA


def pixels_only(data: bytes) -> bytes:
    """The file without the parts that hold no pixels; other kinds of files, and what can't be parted, as they are."""
    if data.startswith(_PNG):
        return _PNG + b"".join(_png_parts(data))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        body = b"WEBP" + b"".join(_webp_parts(data))
        return b"RIFF" + len(body).to_bytes(4, "little") + body
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd8" + b"".join(_jpeg_parts(data))
    return data


def _png_parts(data: bytes) -> Iterator[bytes]:
    """Chunks: length (4 bytes), name (4), content, checksum (4). A damaged transparent colour counts for none."""
    start, colour_type = len(_PNG), data[25:26]
    while start + 12 <= len(data):
        end = start + 12 + int.from_bytes(data[start : start + 4], "big")
        name = data[start + 4 : start + 8]
        sound = zlib.crc32(data[start + 4 : end - 4]).to_bytes(4, "big") == data[end - 4 : end]
        whole = end - start - 12 >= _PNG_KEY_LENGTHS.get(colour_type, 1)
        if name in _PNG_PARTS and (name != b"tRNS" or (sound and whole)):
            yield data[start:end]
        start = end


def _webp_parts(data: bytes) -> Iterator[bytes]:
    """Chunks: name (4 bytes), length (4), content, a byte of padding where the length is odd."""
    start = 12
    while start + 8 <= len(data):
        length = int.from_bytes(data[start + 4 : start + 8], "little")
        end = start + 8 + length + length % 2
        if data[start : start + 4] in _WEBP_PARTS:
            yield data[start:end]
        start = end


def _jpeg_parts(data: bytes) -> Iterator[bytes]:
    """Segments: 0xFF, marker, length (2 bytes, itself included), content; from the first scan on all of it."""
    start = 2
    while start + 4 <= len(data) and data[start] == 0xFF and data[start + 1] != _JPEG_SCAN:
        end = start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")
        marker = data[start + 1]
        if marker == _JPEG_ADOBE or (marker not in _JPEG_APPLICATION and marker != _JPEG_COMMENT):
            yield data[start:end]
        start = end
    yield data[start:]
