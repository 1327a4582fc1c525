"""The folder that a study with viewers lives in.

| what | for whom |
|---|---|
| `pictures/NNN.png` | sheets or tables: all that a viewer sees |
| `prompt.txt` | what the viewer is asked |
| `answers/*.tsv` | what viewers write |
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
    told = json.dumps(key, indent=1, ensure_ascii=False) + "\n"
    file = out / "key.json"
    if file.exists() and read_text(file) != told:
        raise ViewersError(f"{printable(out)} holds another study: name an empty folder")
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    (out / "answers").mkdir(exist_ok=True)
    for name, picture in pictures.items():
        picture.save(out / "pictures" / f"{name}.png")
    write_atomically(out / "prompt.txt", prompt)
    write_atomically(file, told)


def read_key(folder: Path) -> tuple[Key, list[Path]]:
    """The key of a study and its answer files; raises `ViewersError` when there are none."""
    try:
        key = json.loads(read_text(folder / "key.json"))
    except ValueError as error:
        raise ViewersError(f"{printable(folder / 'key.json')} is no JSON: {error}") from error
    if not isinstance(key, dict) or not key:
        raise ViewersError(f"{printable(folder / 'key.json')} names no picture")
    files = sorted((folder / "answers").glob("*.tsv"))
    if not files:
        raise ViewersError(f"{printable(folder / 'answers')} holds no answers (.tsv) yet")
    return key, files


def lines(files: Sequence[Path], cells: int) -> Iterator[tuple[str, list[str]]]:
    """The lines of tab-separated files, each with where it stands; raises `ViewersError` for other numbers of cells."""
    for file in files:
        for number, line in enumerate(read_text(file).split("\n"), 1):
            if not line.strip():
                continue
            row = [cell.strip() for cell in line.split("\t")]
            if len(row) != cells:
                raise ViewersError(f"{printable(file)}, line {number}: {len(row)} cells instead of {cells}")
            yield f"{printable(file)}, line {number}", row
