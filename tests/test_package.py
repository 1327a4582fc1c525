"""The wheel and the sdist: one import package, whatever else is installed or lies in the working directory."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

STRANGERS = ("agents", "models", "scripts")
"""Top-level names that other projects use too; `openai-agents`, for one, is imported as `agents`."""


def build(kind: str, project: Path, out: Path) -> Path:
    """Build a `wheel` or an `sdist` of a project with its own backend; returns the file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", root, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with folders called like ours, and the wheel unpacked in its `site`."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    for name in STRANGERS:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("MINE = True\n")
    return folder


def run(folder: Path, *command: str) -> str:
    """What a command prints in that folder, with the unpacked wheel on the path."""
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'site'}"}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_installs_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"dixit_env"}
    assert {"dixit_env/agents/registry.py", "dixit_env/models/sight.py", "dixit_env/scripts/play.py"} <= set(names)
    assert "dixit_env/py.typed" in names
    assert "dixit_env/agents/clip/personas/ida.toml" in names
    assert not [name for name in names if name.endswith(".png")], "plots belong to the repository alone"


def test_a_wheel_made_from_the_sdist_is_the_same(wheel: Path, root: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", root, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = build("wheel", source, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())


def test_packages_of_the_same_names_stay_what_they_are(elsewhere: Path) -> None:
    code = "import agents, models, scripts, dixit_env.agents.registry, dixit_env.models.sight as sight; print({})"
    out = run(elsewhere, "-c", code.format("agents.MINE, models.MINE, scripts.MINE, sight.__file__"))
    assert out.startswith("True True True")
    assert str(elsewhere / "site") in out


def test_a_game_is_played_from_the_wheel_in_any_folder(elsewhere: Path) -> None:
    out = run(elsewhere, "-m", "dixit_env.scripts.play", "--seats", "clip,greedy,random", "--seed", "1")
    assert " won with " in out


def test_importing_the_package_loads_no_heavy_library(elsewhere: Path) -> None:
    code = "import sys, dixit_env; print(sorted({'torch', 'open_clip'} & set(sys.modules)))"
    assert run(elsewhere, "-c", code) == "[]\n"
