"""The command `dixit`: every script under one name."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from dixit_env.scripts.main import COMMANDS, Command, usage

NAMES = [line.split("  ")[1] for line in usage("dixit", COMMANDS).splitlines()[2:]]


def dixit(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dixit_env", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_the_help_lists_every_command_with_a_line(root: Path, words: tuple[str, ...]) -> None:
    done = dixit(root, *words)
    assert (done.returncode, done.stderr) == (0, "")
    names = ("play", "serve", "replay", "tournament", "train", "embed", "make-deck", "train-clip", "benchmark clues")
    for name in names:
        assert f"\n  {name} " in done.stdout


def test_the_help_imports_no_library_that_only_a_command_needs(root: Path) -> None:
    code = "import sys, dixit_env.scripts.main as m; m.call('dixit', m.COMMANDS, []); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert not {"torch", "open_clip", "matplotlib", "tyro", "rich"} & set(loaded.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_every_command_shows_its_options_and_examples_under_its_own_name(root: Path, name: str) -> None:
    done = dixit(root, *name.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert f"usage: dixit {name} " in done.stdout
    assert f"\n  dixit {name} " in done.stdout


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
def test_an_unknown_command_suggests_the_nearest(root: Path, words: list[str], message: str) -> None:
    done = dixit(root, *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_a_command_is_its_script(root: Path, tmp_path: Path) -> None:
    options = ["--seats", "random,random,random", "--seed", "3", "--json"]
    script = [sys.executable, "scripts/play.py", *options]
    expected = subprocess.run(script, cwd=root, capture_output=True, text=True, timeout=120, check=True)
    done = dixit(root, "play", *options)
    assert timeless(done.stdout) == timeless(expected.stdout)
    assert done.stdout.count("\n") > 3


def timeless(record: str) -> str:
    """A record without how long each decision took."""
    return re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', record)


def test_an_error_is_one_line(root: Path) -> None:
    done = dixit(root, "play", "--seats", "random,greddy,random")
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
