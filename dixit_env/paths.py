"""Where files lie, how they are written and how they are named to people."""

import contextlib
import os
import uuid
from pathlib import Path

from platformdirs import user_cache_path

from dixit_env.errors import DixitError


def cache_dir() -> Path:
    """The folder for files that can be recomputed (embeddings, picture sources): `DIXIT_ENV_CACHE` or the user's cache.

    Raises `DixitError` when neither is known.
    """
    folder = home_expanded(Path(os.environ.get("DIXIT_ENV_CACHE") or user_cache_path("dixit-env")))
    if str(folder).startswith("~"):
        raise DixitError("there is no home folder to keep a cache in: set DIXIT_ENV_CACHE to a folder")
    return folder


def home_expanded(path: Path) -> Path:
    """The path with a leading `~` replaced by the home folder, or unchanged when there is none."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises RuntimeError without a home


def printable(path: Path) -> str:
    """The path as text that any file can hold: bytes that are no UTF-8 are replaced by "�"."""
    return os.fsencode(path).decode("utf-8", "replace")


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write a file whole or not at all, making its folder; text becomes UTF-8.

    Half a surrogate pair, which UTF-8 can't hold, becomes an escape like `\\udce9`, as JSON writes it. A killed process
    leaves the old file, or none, beside a hidden file `.….part`. Raises `OSError` that names `path`.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    part = path.parent / f".{uuid.uuid4().hex}.part"  # no two writers share it, and no name becomes too long
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(data)
            part.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
