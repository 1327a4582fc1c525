"""What every script does the same way: parse arguments, say errors in one line, write results."""

import json
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import tyro

from dixit_env import DixitError, __version__

Args = TypeVar("Args")


def run(main: Callable[[Args], None], args: type[Args], examples: str) -> None:
    """Parse the command line into `args` and call `main`.

    `examples` are command lines, shown by --help below the description (the docstring of `args`). An error that the
    user can mend ends with one line and exit code 2, Ctrl-C with exit code 130.
    """
    lines = "".join(f"\n  {line.strip()}" for line in examples.strip().splitlines())
    parsed = tyro.cli(args, description=f"{(args.__doc__ or '').strip()}\n\nExamples:{lines}")
    try:
        main(parsed)
    except DixitError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def write_results(out: Path, results: dict[str, Any], settings: object) -> Path:
    """Write `results.json` into `out`: the results beside version, machine and settings. Returns its path."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "results.json"
    head = {
        "version": __version__,
        "machine": machine(),
        "settings": asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else settings,
    }
    path.write_text(json.dumps({**head, **results}, indent=2, default=str) + "\n", encoding="utf-8")
    return path


def machine() -> dict[str, str]:
    """What a measurement depends on: system, processor, versions."""
    import os

    packages = {name: version(name) for name in ("numpy", "torch", "gymnasium", "pettingzoo")}
    cores = str(os.cpu_count())
    return {"system": platform.platform(), "cores": cores, "python": platform.python_version(), **packages}
