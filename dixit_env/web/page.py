"""The page's files as browsers get them: few, and named by what is in them, so that a browser asks for each only once.

The sources are ES modules and style sheets, one for each part of the page. Here they become one script and one style
sheet, so that a class of thirty behind one address loads the page with a few requests each. The modules are put one
after another, without imports and exports: names at their top level are unique.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dixit_env.web.lesson import lesson, lesson_pictures

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
SHEET = re.compile(r'^ *<link rel="stylesheet" href="/static/(.*)" />\n', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent."""

    body: bytes
    kind: str  # media type
    tag: str  # entity tag: changes with the body


@dataclass(frozen=True, slots=True)
class Page:
    """The page.

    Its files are asked for as `/static/VERSION/NAME`.
    """

    index: File
    files: dict[str, File]  # by name
    version: str  # of all the files together


def load_page(static: Path = HERE / "static", locales: Path = HERE / "locales") -> Page:
    """Read and bundle the page's files."""
    html = (static / "index.html").read_text(encoding="utf-8")
    sheets = [(static / name).read_text(encoding="utf-8") for name in SHEET.findall(html)]
    files = {
        "page.js": _file("page.js", "\n".join(_modules(static / "main.js", set()))),
        "page.css": _file("page.css", "\n".join(sheets)),
        "icon.svg": _file("icon.svg", (static / "icon.svg").read_text(encoding="utf-8")),
        **{path.name: _file(path.name, path.read_text(encoding="utf-8")) for path in sorted(locales.glob("*.json"))},
        "lesson.json": _file("lesson.json", msgspec.json.encode(lesson()).decode()),
        **{name: _sent(body, "image/webp") for name, body in lesson_pictures().items()},
    }
    version = hashlib.sha256("".join(file.tag for file in files.values()).encode()).hexdigest()[:16]
    html = SHEET.sub("", html, count=len(sheets) - 1)
    html = SHEET.sub('    <link rel="stylesheet" href="/static/page.css" />\n', html)
    html = html.replace("/static/main.js", "/static/page.js").replace('"/static/', f'"/static/{version}/')
    return Page(_file("index.html", html), files, version)


def _modules(path: Path, done: set[Path]) -> Iterator[str]:
    """A module after those that it imports, each once."""
    done.add(path)
    source = path.read_text(encoding="utf-8")
    for name in IMPORT.findall(source):
        other = (path.parent / name).resolve()
        if other not in done:
            yield from _modules(other, done)
    yield EXPORT.sub("", IMPORT.sub("", source))


def _file(name: str, text: str) -> File:
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0] or "application/octet-stream"
    return _sent(text.encode(), kind)


def _sent(body: bytes, kind: str) -> File:
    return File(body, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
