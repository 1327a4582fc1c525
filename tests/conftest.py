"""Shared by all tests: one thread for torch, a cache of its own, the embedded deck through the embedded CLIP."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small models on few cores: threads only wait for one another

from commands import Dixit, Done
from databases import postgresql

from dixit_env.models.sight import Sight
from dixit_env.scripts.main import COMMANDS, call


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing that a test embeds reaches the user's cache, and nothing in there can make a test pass."""
    os.environ["DIXIT_ENV_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def sight(_own_cache: None) -> Sight:
    """The embedded deck through the embedded CLIP."""
    return Sight.load()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return Path(__file__).parent.parent


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'games.sqlite'}"
        return
    with postgresql() as url:
        yield url


@pytest.fixture
def dixit(capsys: pytest.CaptureFixture[str]) -> Dixit:
    """Runs `dixit WORD …` in the test's process."""

    def run(*words: str) -> Done:
        capsys.readouterr()
        code = 0
        try:
            call("dixit", COMMANDS, words)
        except SystemExit as end:
            code = int(end.code or 0)
        written = capsys.readouterr()
        return Done(code, written.out, written.err)

    return run
