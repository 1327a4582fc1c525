"""Text files that people made, with whatever program: read where their encoding is sure, else refused in one line."""

import codecs
import csv
import io
import re
from collections.abc import Collection
from pathlib import Path

from dixit_env.errors import DixitError
from dixit_env.paths import printable

Row = dict[str, str | None]

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF16_ZEROS = 0.25  # share of zero bytes, all in one half of the pairs, that only UTF-16 without a mark has
# What Western European text has beyond ASCII.
_CAPITALS = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒŠŽ"
_LETTERS = _CAPITALS + _CAPITALS.lower() + "ßÿ"
_SIGNS = "€‚„…‘’“”•–—™¡£§©ª«®°·º»¿\xa0´"
# In other 8-bit encodings the same bytes are other letters. Read as Western ones they give what Western words haven't.
_FOREIGN = re.compile(
    rf"[{_LETTERS}]{{3}}"  # runs of accented letters
    rf"|\b[{_LETTERS}]{{2,}}\b"  # whole words of them
    rf"|[a-z][{_CAPITALS}]"  # capitals after small letters
    r"|\w[‚„¡¿]"  # opening signs after letters
    rf"|\w[^\x00-\x7f{_LETTERS}’´–—·\xa0]\w"  # other signs within words
)
_DELIMITERS = ",;\t"


class TextError(DixitError):
    """A text file that can't be read; the message names the file and never quotes it."""


def read_text(file: Path) -> str:
    """The text of a file, its lines ending in "\\n" whatever they end in there.

    UTF-8 with or without a byte order mark, UTF-16 and UTF-32 with one (UTF-16 without one where its zero bytes tell),
    and Windows-1252 where no other 8-bit encoding would have these bytes in Western text. Raises `TextError`.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise TextError(f"{printable(file)} can't be read: {error.strerror}") from error
    text = _decoded(data)
    if text is None:
        raise TextError(f"{printable(file)} is in an encoding that can't be told: save it as UTF-8")
    if "\0" in text:
        raise TextError(f"{printable(file)} holds zero bytes: it is damaged, or no text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_table(file: Path, columns: Collection[str]) -> list[Row]:
    """The rows of a CSV file by column: separated by commas, semicolons or tabs, whichever gives these `columns`.

    Values that a short row lacks are None; in a row with more cells than the header all are. Decimal commas, which go
    with semicolons, stay as they are. Raises `TextError` that names missing columns.
    """
    text = read_text(file)

    def header(delimiter: str) -> list[str]:
        return [name.strip() for name in next(csv.reader(io.StringIO(text), delimiter=delimiter), [])]

    try:
        best = max(_DELIMITERS, key=lambda delimiter: len(set(columns).intersection(header(delimiter))))
        names = header(best)
        if missing := sorted(set(columns).difference(names)):
            raise TextError(f"{printable(file)} lacks the columns {', '.join(missing)}")
        rows = csv.DictReader(io.StringIO(text), names, delimiter=best)
        next(rows)  # the header itself
        return [dict.fromkeys(names) if any(row.pop(None, ())) else row for row in rows]
    except csv.Error as error:
        raise TextError(f"{printable(file)} is no table: {error}") from error


def _decoded(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding)
    if data and not len(data) % 2 and max(data[0::2].count(0), data[1::2].count(0)) >= _UTF16_ZEROS * len(data):
        if not data[0::2].count(0):
            return _strict(data, "utf-16-le")
        if not data[1::2].count(0):
            return _strict(data, "utf-16-be")
    text = _strict(data, "utf-8")
    return _western(data) if text is None else text


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _western(data: bytes) -> str | None:
    """The text as Windows-1252 if it reads like that, else None."""
    text = _strict(data, "cp1252")
    if text is None or any(ord(character) > 127 and character not in _LETTERS + _SIGNS for character in text):
        return None
    return None if _FOREIGN.search(text) else text
