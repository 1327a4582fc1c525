"""The folder that a study with viewers lives in.

| what | for whom |
|---|---|
| `pictures/NNN.png` | sheets or tables: all that a viewer sees |
| `prompt.txt` | what the viewer is asked |
| `answers/NAME.tsv` | what the viewer NAME writes |
| `key.json` | which card is which, and who gave a clue: not for viewers |
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from dixit_env.errors import DixitError
from dixit_env.paths import printable, write_atomically
from dixit_env.textfiles import read_text

Key = Mapping[str, Any]  # by the number in a picture's file name


class ViewersError(DixitError):
    """A study with viewers that can't be read."""


def write_folder(out: Path, prompt: str, key: Key, pictures: Mapping[str, Image.Image]) -> None:
    """Write a study. Raises `ViewersError` when the folder holds another one, whose answers would lose their key."""
    _check_free(out, key)
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    (out / "answers").mkdir(exist_ok=True)
    for name, picture in pictures.items():
        picture.save(out / "pictures" / f"{name}.png")
    write_atomically(out / "prompt.txt", prompt)
    write_atomically(out / "key.json", _sealed(key))


def write_answers(out: Path, key: Key, answers: Mapping[str, str]) -> None:
    """Write what viewers answered elsewhere, the lines by viewer, with their study's key: a folder that can be read.

    Raises `ViewersError` when the folder holds another study.
    """
    _check_free(out, key)
    (out / "answers").mkdir(parents=True, exist_ok=True)
    for viewer, told in answers.items():
        write_atomically(out / "answers" / f"{viewer}.tsv", told)
    write_atomically(out / "key.json", _sealed(key))


def _sealed(key: Key) -> str:
    return json.dumps(key, indent=1, ensure_ascii=False) + "\n"


def _check_free(out: Path, key: Key) -> None:
    file = out / "key.json"
    if file.exists() and read_text(file) != _sealed(key):
        raise ViewersError(f"{printable(out)} holds another study: name an empty folder")


def read_key(folder: Path) -> Key:
    """The key of a study; raises `ViewersError` when there is none."""
    try:
        key = json.loads(read_text(folder / "key.json"))
    except ValueError as error:
        raise ViewersError(f"{printable(folder / 'key.json')} is no JSON: {error}") from error
    if not isinstance(key, dict) or not key:
        raise ViewersError(f"{printable(folder / 'key.json')} names no picture")
    return key


def holds_sheets(key: Key) -> bool:
    """Is it a study of sheets to write clues for, and not of tables?"""
    return all(isinstance(told, list) for told in key.values())


def answer_files(folder: Path) -> list[Path]:
    """What viewers of a study wrote; raises `ViewersError` when there is nothing yet."""
    files = sorted(file for file in (folder / "answers").glob("*.tsv") if not file.name.startswith("."))
    if not files:
        raise ViewersError(f"{printable(folder / 'answers')} holds no answers (.tsv) yet")
    return files


def lines(file: Path) -> Iterator[tuple[str, list[str]]]:
    """The cells of each line of a tab-separated file that isn't blank, with where it stands, for messages."""
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            yield f"{printable(file)}, line {number}", [cell.strip() for cell in line.split("\t")]


def check_cells(place: str, row: Sequence[str], wanted: int) -> None:
    """Raises `ViewersError` for a line with another number of cells."""
    if len(row) != wanted:
        raise ViewersError(f"{place}: {len(row)} cells, separated by tabs, instead of {wanted}")
