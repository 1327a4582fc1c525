"""Self-contained HTML pages: text, tables, plots and pictures in one file that opens anywhere, without a network.

The functions return pieces of HTML (`Html`), which `section` and `page` put together. Plain strings are text and are
escaped.
"""

import base64
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import NewType

import matplotlib as mpl
from matplotlib.figure import Figure

from dixit_env.decks.pictures import open_picture

Html = NewType("Html", str)

COLOURS = ("#2f6f8f", "#d1793a", "#7a9a4e", "#8a5a9e", "#c0504d", "#5b6b7b", "#b8962e", "#3f8f86")
"""For agents and other things that are compared, in this order."""

PARTS = ("#46586e", "#c49a3c", "#86ada4")
"""For the parts of a whole."""

GREY = "#8d8a83"

_STYLE = """
:root { color: #2a2723; background: #f6f2ea; font: 17px/1.55 Georgia, 'Times New Roman', serif; }
body { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .6rem; padding-bottom: .3rem; border-bottom: 1px solid #d9d2c3; }
p, ul { max-width: 44rem; }
.lead { font-size: 1.12rem; color: #5c564d; margin-top: 0; }
.verdict { background: #fffdf8; border-left: 4px solid #2f6f8f; border-radius: 4px; padding: .7rem 1.1rem; }
.note, figcaption, .card span { color: #6b655b; font-size: .86rem; line-height: 1.45; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font: .88rem/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
th, td { padding: .42rem .8rem; text-align: right; border-bottom: 1px solid #e4ddcf; white-space: nowrap; }
th { font-weight: 600; color: #5c564d; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
td small { color: #8d8a83; }
figure { margin: 1.4rem 0; }
figure > img { max-width: 100%; height: auto; display: block; }
figcaption { max-width: 44rem; margin-top: .4rem; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: .8rem 0 2rem; }
.card { width: 8.2rem; margin: 0; }
.card img { width: 100%; border-radius: 8px; display: block; box-shadow: 0 1px 5px #0003; }
.card.marked img { outline: 4px solid #d1793a; outline-offset: 2px; }
.card span { display: block; margin-top: .45rem; overflow-wrap: anywhere; }
blockquote { margin: 1.2rem 0 .2rem; font-size: 1.25rem; font-style: italic; }
"""


def page(title: str, lead: str, *parts: Html) -> Html:
    """A whole page."""
    return Html(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>\n{"".join(parts)}</body>\n</html>\n'
    )


def section(heading: str, *parts: Html) -> Html:
    """A heading and what belongs to it."""
    return Html(f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(parts)}</section>\n")


def text(words: str, kind: str = "") -> Html:
    """A paragraph; `kind` is "", "note" or "verdict"."""
    return Html(f'<p class="{kind}">{escape(words)}</p>\n' if kind else f"<p>{escape(words)}</p>\n")


def quote(words: str) -> Html:
    """A clue, set off."""
    return Html(f"<blockquote>{escape(words)}</blockquote>\n")


def listing(items: Sequence[str]) -> Html:
    """A list of sentences."""
    return Html(f"<ul>\n{''.join(f'<li>{escape(item)}</li>' for item in items)}\n</ul>\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str | Html]]) -> Html:
    """A table whose first column names the rows. A cell "a [b]" shows the bracket smaller."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return Html(f'<div class="scroll"><table>\n<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody>\n</table></div>\n')


def _cell(words: str) -> str:
    value, bracket, rest = words.partition(" [")
    return f"{escape(value)} <small>[{escape(rest)}</small>" if bracket else escape(words)


def plot(figure: Figure, caption: str, file: Path) -> Html:
    """A plot as a vector image inside the page; it is written to `file` (.svg) too."""
    with _svg():
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(buffer.getvalue())
    image = _image(buffer.getvalue(), "image/svg+xml", caption)
    return Html(f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>\n")


@contextmanager
def _svg() -> Iterator[None]:
    with mpl.rc_context({"svg.hashsalt": "dixit", "svg.fonttype": "path"}):  # the same bytes for the same plot
        yield


@contextmanager
def plot_style() -> Iterator[None]:
    """Figures made in here look like the page."""
    with mpl.rc_context(
        {
            "font.family": "DejaVu Sans",
            "font.size": 10,
            "text.color": "#2a2723",
            "axes.edgecolor": "#b9b2a3",
            "axes.labelcolor": "#5c564d",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "xtick.color": "#5c564d",
            "ytick.color": "#2a2723",
            "legend.frameon": False,
        }
    ):
        yield


def cards(pictures: Sequence[tuple[Path, str, bool]]) -> Html:
    """Pictures in a row: file, words below it, and whether it is marked."""
    pieces = [
        f'<div class="card{" marked" * marked}">{_image(_thumbnail(path), "image/jpeg", words)}'
        f"<span>{escape(words)}</span></div>"
        for path, words, marked in pictures
    ]
    return Html(f'<div class="cards">{"".join(pieces)}</div>\n')


def _thumbnail(path: Path, width: int = 264) -> bytes:
    small = open_picture(path, 2 * width)
    small.thumbnail((width, 2 * width))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()


def _image(data: bytes, kind: str, alt: str) -> str:
    return f'<img alt="{escape(alt)}" src="data:{kind};base64,{base64.b64encode(data).decode()}">'
