"""The page's files as browsers get them: few, and named by what is in them, so that a browser asks for each only once.

The sources are ES modules and style sheets, one for each part of the page. Here they become one script and one style
sheet, so that a class of thirty behind one address loads the page with a few requests each. The modules are put one
after another, without imports and exports: names at their top level are unique. The page that steps through past games
is made of some of the same modules; it can also be one file with everything in it.
"""

import base64
import hashlib
import json
import mimetypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dixit_env.web.lesson import lesson, lesson_pictures

HERE = Path(__file__).parent
PAGES = {"page": "index.html", "replay": "replay.html"}  # by the name that their script and style sheet have
STYLE, SCRIPT, ICON = "<!-- style -->", "<!-- script -->", "/static/icon.svg"
STATIC, LOCALES = HERE / "static", HERE / "locales"
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
ENTRY = re.compile(r'<script type="module" src="/static/(.*)"></script>')
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
    replay: File  # the page of past games
    files: dict[str, File]  # by name
    version: str  # of all the files together


def load_page(static: Path = STATIC, locales: Path = LOCALES) -> Page:
    """Read and bundle the page's files."""
    bundles = {name: _bundled(static / html) for name, html in PAGES.items()}
    texts = {f"{name}.js": bundle.script for name, bundle in bundles.items()}
    texts |= {f"{name}.css": bundle.style for name, bundle in bundles.items()}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in (static / "icon.svg", *_locales(locales))}
    texts["lesson.json"] = msgspec.json.encode(lesson()).decode()
    files = {name: _file(name, text) for name, text in texts.items()}
    files |= {name: _sent(body, "image/webp") for name, body in lesson_pictures().items()}
    version = hashlib.sha256("".join(file.tag for file in files.values()).encode()).hexdigest()[:16]

    def html(name: str) -> File:
        here = f"/static/{version}"
        style = f'<link rel="stylesheet" href="{here}/{name}.css" />'
        script = f'<script type="module" src="{here}/{name}.js"></script>'
        return _file(PAGES[name], bundles[name].page(style, script, f"{here}/icon.svg"))

    return Page(html("page"), html("replay"), files, version)


def one_file(data: Mapping[str, Any]) -> str:
    """The page of past games as one HTML file that needs no server.

    `data` goes into it as JSON: `game` (a replay frame) and `pictures` (their addresses, by card id).
    """
    bundle = _bundled(STATIC / PAGES["replay"])
    words = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in _locales(LOCALES)}
    inside = json.dumps({**data, "words": words}).replace("<", "\\u003c")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    style = f'<meta http-equiv="Content-Security-Policy" content="{policy}" />\n<style>\n{bundle.style}\n</style>'
    script = f'<script type="application/json" id="inside">{inside}</script>\n'
    script += f'<script type="module">\n{bundle.script}\n</script>'
    icon = base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()
    return bundle.page(style, script, f"data:image/svg+xml;base64,{icon}")


@dataclass(frozen=True, slots=True)
class _Bundle:
    """A page whose modules are one script, and whose sheets are one."""

    html: str  # with the marks STYLE, SCRIPT and ICON
    script: str
    style: str

    def page(self, style: str, script: str, icon: str) -> str:
        """The page with these elements, and its icon at that address."""
        marks = {STYLE: style, SCRIPT: script, ICON: icon}
        return re.sub("|".join(map(re.escape, marks)), lambda mark: marks[mark[0]], self.html)


def _bundled(path: Path) -> _Bundle:
    static, html = path.parent, path.read_text(encoding="utf-8")
    sheets = [(static / sheet).read_text(encoding="utf-8") for sheet in SHEET.findall(html)]
    html = SHEET.sub("", html, count=len(sheets) - 1)
    html = SHEET.sub(f"    {STYLE}\n", html)
    entry = ENTRY.search(html)
    assert entry is not None, f"{path} names its script"
    script = "\n".join(_modules(static / entry[1], set()))
    return _Bundle(ENTRY.sub(SCRIPT, html), script, "\n".join(sheets))


def _locales(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


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
