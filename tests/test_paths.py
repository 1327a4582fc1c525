"""Where files lie, and how they are written whole or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dixit_env.errors import DixitError
from dixit_env.paths import cache_dir, home_expanded, printable, write_atomically


def test_the_cache_is_where_the_setting_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for setting, folder in (("/somewhere", Path("/somewhere")), ("~/kept", tmp_path / "kept"), ("~", tmp_path)):
        monkeypatch.setenv("DIXIT_ENV_CACHE", setting)
        assert cache_dir() == folder
    monkeypatch.delenv("DIXIT_ENV_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert tmp_path in cache_dir().parents


def test_without_a_home_the_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "~nobody-of-this-name/cache"
    monkeypatch.setenv("DIXIT_ENV_CACHE", nowhere)
    assert home_expanded(Path(nowhere)) == Path(nowhere)
    with pytest.raises(DixitError, match="set DIXIT_ENV_CACHE"):
        cache_dir()


def test_names_that_are_no_utf8_can_be_printed() -> None:
    name = printable(Path(os.fsdecode(b"caf\xe9/\xc3\xa9.png")))
    assert name == "caf\ufffd/é.png"
    assert name.encode()


def test_files_are_written_whole_with_their_folder(tmp_path: Path) -> None:
    file = tmp_path / "new" / "deep" / "a.txt"
    write_atomically(file, "é")
    write_atomically(file, b"other")
    assert file.read_bytes() == b"other"
    assert list(file.parent.iterdir()) == [file]
    write_atomically(file, "\udce9")
    assert file.read_text() == "\\udce9"


def test_a_name_as_long_as_there_can_be_is_written(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 255)
    write_atomically(file, b"a")
    assert file.read_bytes() == b"a"


def test_where_nothing_can_be_written_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for file in (tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(OSError, match=r"below|xxx") as error:
            write_atomically(file, b"a")
        assert error.value.filename == str(file)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


FULL = """
import resource, signal, sys
from pathlib import Path
from dixit_env.paths import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 100_000)
except OSError as error:
    sys.exit(3 if error.filename == sys.argv[1] else 4)
"""

KILLED = """
import os, signal, sys
from pathlib import Path
from dixit_env.paths import write_atomically
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), b"new")
"""


@pytest.mark.parametrize(("writer", "code"), [(FULL, 3), (KILLED, -signal.SIGKILL)], ids=["full disk", "killed"])
def test_a_write_that_stops_half_way_leaves_the_old_file(tmp_path: Path, writer: str, code: int) -> None:
    file = tmp_path / "a.bin"
    write_atomically(file, b"old")
    done = subprocess.run([sys.executable, "-c", writer, str(file)], check=False)
    assert done.returncode == code
    assert file.read_bytes() == b"old"
    assert [each for each in tmp_path.iterdir() if not each.name.startswith(".")] == [file]
