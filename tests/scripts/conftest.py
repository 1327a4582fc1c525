"""The command line as a function."""

import pytest
from commands import Dixit, Done

from dixit_env.scripts.main import COMMANDS, call


@pytest.fixture
def dixit(capsys: pytest.CaptureFixture[str]) -> Dixit:
    """Runs `dixit WORD …`."""

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
