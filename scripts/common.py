"""What every script does the same way: parse arguments, say errors in one line, write results."""

import io
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
from dixit_env.agents.source import SightAgents
from dixit_env.models.eyes import Eyes
from dixit_env.models.sight import Sight
from dixit_env.paths import cache_dir, home_expanded, printable, write_atomically

Args = TypeVar("Args")


@dataclass(frozen=True, kw_only=True)
class DeckArgs:
    """Arguments of every script in which agents see cards."""

    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures; repeat to combine packs (default: dreams)."""
    clip: str = "embedded"
    """CLIP that agents see through: embedded, lite1, lite2, ARCH:TAG, ARCH:FILE, hf-hub:NAME or a folder."""

    @property
    def decks(self) -> tuple[str, ...]:
        """The decks that `--deck` names, or the default one."""
        return self.deck or ("dreams",)

    def deck_options(self) -> list[str]:
        """The same decks as words of another command line."""
        return [word for deck in self.deck for word in ("--deck", deck)]

    def sight(self) -> Sight:
        """The decks through the CLIP; raises `DeckError`."""
        return Sight.load(self.decks, self.clip)


@dataclass(frozen=True, kw_only=True)
class EyesArgs(DeckArgs):
    """Arguments of every script in which each seat may have eyes of its own."""

    eyes: str = "shared"
    """What the seats see through. shared: all through --clip. noise:R: each has noise of its own on the cards, so that
    the z-scores of two seats correlate by R (noise:0.67). NAME,NAME: these CLIPs, dealt to the seats in turn
    (embedded,lite1,lite2)."""

    def source(self) -> SightAgents:
        """Agents by spec, over the decks through the eyes; raises `SpecError`."""
        return SightAgents(self.decks, Eyes.parse(self.eyes, self.clip))


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

    A leading `~` in paths is the home folder. An error that the user can correct ends with one line and exit code 2,
    Ctrl-C with exit code 130. A terminal that lacks a character shows "?" in its place.

    Args:
        main: the script.
        args: a dataclass; its docstring is the description in --help.
        examples: command lines, one a line, that --help shows below the description.
        words: the command line without the program's name; None for that of this process.
        program: what the script is called in --help; examples are written for the command `dixit` if it begins so.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if program and program.startswith("dixit"):
        examples = re.sub(r"python scripts/(\w+)\.py", lambda found: f"dixit {found[1].replace('_', '-')}", examples)
    lines = "".join(f"\n  {line.strip()}" for line in examples.strip().splitlines())
    description = f"{(args.__doc__ or '').strip()}\n\nExamples:{lines}"
    parsed = tyro.cli(args, prog=program, description=description, args=words)
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


def write_results(out: Path, results: Mapping[str, Any], settings: Any) -> Path:
    """Write `results.json` into `out`: the results beside version, machine and `settings` (a dataclass)."""
    path = out / "results.json"
    head = {"version": __version__, "machine": machine(), "settings": asdict(settings)}
    write_atomically(path, json.dumps({**head, **results}, indent=2, default=str) + "\n")
    return path


def machine() -> dict[str, str]:
    """What a measurement depends on: system, processor, versions."""
    packages = {name: version(name) for name in ("numpy", "torch", "gymnasium", "pettingzoo")}
    cores = str(os.cpu_count())
    return {"system": platform.platform(), "cores": cores, "python": platform.python_version(), **packages}
