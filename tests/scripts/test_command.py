"""The command `dixit`: every script under one name."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from commands import Dixit

from dixit_env.scripts.main import COMMANDS, Command, usage

NAMES = [line.split("  ")[1] for line in usage("dixit", COMMANDS).splitlines()[2:]]


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_the_help_lists_every_command_with_a_line(dixit: Dixit, words: tuple[str, ...]) -> None:
    done = dixit(*words)
    assert (done.code, done.err) == (0, "")
    names = ("play", "serve", "replay", "tournament", "train", "embed", "make-deck", "train-clip", "benchmark clues")
    for name in names:
        assert f"\n  {name} " in done.out


def test_the_help_imports_no_library_that_only_a_command_needs(root: Path) -> None:
    code = "import sys, dixit_env.scripts.main as m; m.call('dixit', m.COMMANDS, []); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert not {"torch", "open_clip", "matplotlib", "tyro", "rich"} & set(loaded.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_every_command_shows_its_options_and_examples_under_its_own_name(dixit: Dixit, name: str) -> None:
    done = dixit(*name.split(), "--help")
    assert done.code == 0, done.err
    assert f"usage: dixit {name} " in done.out
    assert f"\n  dixit {name} " in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tournment"], "error: dixit has no command 'tournment': did you mean tournament?\n"),
        (["benchmark", "clue"], "error: dixit benchmark has no command 'clue': did you mean clues?\n"),
        (
            ["benchmark", "xyz"],
            "error: dixit benchmark has no command 'xyz': choose one of clues, scenarios, speed, listeners, web\n",
        ),
    ],
)
def test_an_unknown_command_suggests_the_nearest(dixit: Dixit, words: list[str], message: str) -> None:
    done = dixit(*words)
    assert (done.code, done.out, done.err) == (2, "", message)


def test_a_command_is_its_script(root: Path) -> None:
    options = ["--seats", "random,random,random", "--seed", "3", "--json"]
    as_script, as_command = (
        subprocess.run([sys.executable, *way, *options], cwd=root, capture_output=True, text=True, check=True).stdout
        for way in (["scripts/play.py"], ["-m", "dixit_env", "play"])
    )
    assert timeless(as_command) == timeless(as_script)
    assert as_command.count("\n") > 3


def timeless(record: str) -> str:
    """A record without how long each decision took."""
    return re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', record)


def test_an_error_is_one_line(root: Path) -> None:
    command = [sys.executable, "-m", "dixit_env", "play", "--seats", "random,greddy,random"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no agent is called 'greddy'")
    assert done.stderr.count("\n") == 1


def test_commands_and_scripts_are_the_same() -> None:
    def modules(commands: object) -> set[str]:
        assert isinstance(commands, dict)
        return {
            module
            for command in commands.values()
            for module in ([command.module] if isinstance(command, Command) else modules(command))
        }

    folder = Path(import_module("dixit_env.scripts").__path__[0])
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "main", "common", "benchmark", "viewers"}
    groups = {
        f"{group}.{path.stem}"
        for group in ("benchmarks", "viewing")
        for path in (folder / group).glob("*.py")
        if path.stem != "__init__"
    }
    assert modules(COMMANDS) == (files - {"fit_habits", "fit_panel", "make_clue_bank"}) | groups
