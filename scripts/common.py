"""What every script does the same way: parse arguments, say errors in one line, write results."""

import io
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import tyro

from dixit_env import DixitError, __version__
from dixit_env.paths import cache_dir, home_expanded, printable, write_atomically

Args = TypeVar("Args")


def run(main: Callable[[Args], None], args: type[Args], examples: str) -> None:
    """Parse the command line into `args` and call `main`.

    `examples` are command lines, shown by --help below the description (the docstring of `args`). A leading `~` in
    paths is the home folder. An error that the user can mend ends with one line and exit code 2, Ctrl-C with exit code
    130. A terminal that lacks a character shows "?" in its place.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    lines = "".join(f"\n  {line.strip()}" for line in examples.strip().splitlines())
    parsed = tyro.cli(args, description=f"{(args.__doc__ or '').strip()}\n\nExamples:{lines}")
    paths = {name: value for name, value in vars(parsed).items() if isinstance(value, Path)}
    for name, path in paths.items():
        object.__setattr__(parsed, name, home_expanded(path))  # the arguments may be frozen
    try:
        main(parsed)
        sys.stdout.flush()
    except DixitError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever read the output has gone, as `head` does
        _flush_or_drop_output()
        sys.exit(1)
    except OSError as error:
        _flush_or_drop_output()
        print(f"error: {_disk_fault(error, paths)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def _flush_or_drop_output() -> None:
    """Write what is buffered, or drop it where that fails; else Python fails again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _disk_fault(error: OSError, paths: Mapping[str, Path]) -> str:
    """One line: what failed, where, and the setting that leads there."""
    reason = error.strerror or " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error.filename, str | bytes):
        return reason
    file = Path(os.fsdecode(error.filename)).absolute()
    said = f"{printable(file)}: {reason}"
    for name, path in paths.items():
        if path.absolute() in (file, *file.parents) or file in path.absolute().parents:
            return f"{said}; give another --{name.replace('_', '-')}"
    return f"{said}; set DIXIT_ENV_CACHE to another folder" if cache_dir().absolute() in (file, *file.parents) else said


def write_results(out: Path, results: dict[str, Any], settings: object) -> Path:
    """Write `results.json` into `out`: the results beside version, machine and settings. Returns its path."""
    path = out / "results.json"
    head = {
        "version": __version__,
        "machine": machine(),
        "settings": asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else settings,
    }
    write_atomically(path, json.dumps({**head, **results}, indent=2, default=str) + "\n")
    return path


def machine() -> dict[str, str]:
    """What a measurement depends on: system, processor, versions."""
    packages = {name: version(name) for name in ("numpy", "torch", "gymnasium", "pettingzoo")}
    cores = str(os.cpu_count())
    return {"system": platform.platform(), "cores": cores, "python": platform.python_version(), **packages}
