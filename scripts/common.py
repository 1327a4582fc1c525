"""What every script does the same way: parse arguments, say errors in one line, write results."""

import json
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro

from dixit_env import DixitError, __version__
from dixit_env.models.sight import Sight

Args = TypeVar("Args")


@dataclass(frozen=True, kw_only=True)
class DeckArgs:
    """Arguments of every script in which agents see cards."""

    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures; repeat to combine packs (default: dreams)."""
    clip: str = "embedded"
    """CLIP that agents see through: embedded, ARCH:TAG, ARCH:FILE, hf-hub:NAME or a folder."""

    @property
    def decks(self) -> tuple[str, ...]:
        """The decks that `--deck` names, or the default one."""
        return self.deck or ("dreams",)

    def sight(self) -> Sight:
        """The decks through the CLIP; raises `DeckError`."""
        return Sight.load(self.decks, self.clip)


@dataclass(frozen=True, kw_only=True)
class TableArgs(DeckArgs):
    """Arguments of every script that plays by an edition's rules."""

    rules: str = "odyssey"
    """Edition: odyssey, dixit, odyssey-2011 or dixit-2008."""


def run(
    main: Callable[[Args], None],
    args: type[Args],
    examples: str,
    words: Sequence[str] | None = None,
    program: str | None = None,
) -> None:
    """Parse the command line into `args` and call `main`.

    An error that the user can correct ends with one line and exit code 2, Ctrl-C with exit code 130.

    Args:
        main: the script.
        args: a dataclass; its docstring is the description in --help.
        examples: command lines, one a line, that --help shows below the description.
        words: the command line without the program's name; None for that of this process.
        program: what the script is called in --help; examples are written for the command `dixit` if it begins so.
    """
    if program and program.startswith("dixit"):
        examples = re.sub(r"python scripts/(\w+)\.py", lambda found: f"dixit {found[1].replace('_', '-')}", examples)
    lines = "".join(f"\n  {line.strip()}" for line in examples.strip().splitlines())
    description = f"{(args.__doc__ or '').strip()}\n\nExamples:{lines}"
    parsed = tyro.cli(args, prog=program, description=description, args=words)
    try:
        main(parsed)
    except DixitError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def write_results(out: Path, results: Mapping[str, Any], settings: Any) -> Path:
    """Write `results.json` into `out`: the results beside version, machine and `settings` (a dataclass)."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "results.json"
    head = {"version": __version__, "machine": machine(), "settings": asdict(settings)}
    path.write_text(json.dumps({**head, **results}, indent=2, default=str) + "\n", encoding="utf-8")
    return path


def machine() -> dict[str, str]:
    """What a measurement depends on: system, processor, versions."""
    packages = {name: version(name) for name in ("numpy", "torch", "gymnasium", "pettingzoo")}
    cores = str(os.cpu_count())
    return {"system": platform.platform(), "cores": cores, "python": platform.python_version(), **packages}
