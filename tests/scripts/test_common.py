"""What every script says on disks and terminals that lack something."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

SCRIPT = """
from dataclasses import dataclass
from pathlib import Path
from dixit_env.paths import cache_dir, write_atomically
from dixit_env.scripts.common import run

@dataclass(frozen=True)
class Args:
    out: Path = Path("unset")
    say: str = ""
    cached: bool = False

def main(args):
    print(args.say or args.out)
    if not args.say:
        write_atomically((cache_dir() if args.cached else args.out) / "a" / "b.txt", "written")

run(main, Args, "python try.py")
"""


def script(
    *arguments: str | bytes, home: Path, stdout: int = subprocess.PIPE, environment: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    settings = {**os.environ, "HOME": str(home), **environment}
    return subprocess.run(command, env=settings, stdout=stdout, stderr=subprocess.PIPE, check=False)


def test_a_tilde_in_a_path_is_the_home(tmp_path: Path) -> None:
    assert script("--out=~/here", home=tmp_path).returncode == 0
    assert (tmp_path / "here" / "a" / "b.txt").read_text() == "written"


def test_a_folder_that_cannot_be_written_is_one_line_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for arguments, environment, setting in (
        ([f"--out={tmp_path}/file/x"], {}, "--out"),
        ([f"--out={tmp_path}/file"], {}, "--out"),
        (["--cached"], {"DIXIT_ENV_CACHE": f"{tmp_path}/file/x"}, "DIXIT_ENV_CACHE"),
    ):
        done = script(*arguments, home=tmp_path, environment=environment)
        assert done.returncode == 2
        message = done.stderr.decode()
        assert message.startswith("error: ")
        assert message.count("\n") == 1
        assert setting in message


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_characters_shows_others(tmp_path: Path, encoding: str) -> None:
    done = script("--say=a fox – 狐 ☾", home=tmp_path, environment={"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"a fox ")
    assert b"?" in done.stdout


def test_names_that_are_no_utf8_are_printed(tmp_path: Path) -> None:
    done = script(b"--say=caf\xe9", home=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"caf?\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_the_output_is_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = script("--say=x", home=tmp_path, stdout=full.fileno())
    assert done.returncode == 2
    assert done.stderr == b"error: No space left on device\n"


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = script("--say=x", home=tmp_path, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")
