"""scripts/play.py as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import Dixit
from PIL import Image

from dixit_env.table.records import read, replay


def script(root: Path, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/play.py", *args]
    return subprocess.run(command, cwd=root, input=stdin, capture_output=True, text=True, timeout=120, check=False)


def test_a_game_is_told_recorded_and_drawn(root: Path, tmp_path: Path) -> None:
    done = script(root, "--seats", "random,random,random,random", "--seed", "3", "--games", "2", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "Turn 1 · " in done.stdout
    assert "won with" in done.stdout
    results = json.loads((tmp_path / "results.json").read_text())
    assert [replay(read(tmp_path / f"game-{n}.jsonl")).scores for n in (1, 2)] == [
        tuple(game["scores"]) for game in results["games"]
    ]
    with Image.open(tmp_path / "table.png") as picture:
        assert picture.size == (1200, 760)


def test_json_is_the_record(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = script(root, "--seats", "random,random,random", "--json", "--record", str(path))
    assert done.stdout == path.read_text()


def test_a_person_plays_and_leaves(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = script(root, "--seats", "human,random,random", "--record", str(path), stdin="1 2\n")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert read(path).result is None
    replay(read(path))


def test_ctrl_c_leaves_a_valid_record(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    command = [sys.executable, "scripts/play.py", "--seats", "random,human,random", "--record", str(path)]
    child = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.kill(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in errors
    replay(read(path))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--seats", "random,random"], "3 to 12 players"),
        (["--seats", "random,rabbit,random"], "no agent is called 'rabbit'"),
        (["--rules", "chess"], "no rules are called 'chess'"),
        (["--deck", "nowhere"], "no deck 'nowhere'"),
        (["--games", "0"], "--games is at least 1"),
        (["--games", "2", "--record", "x.jsonl"], "--record is for one game"),
        (["--seats", "clip,clip,clip", "--clip", "ViT-Q"], "unknown CLIP"),
        (["--seats", "random,random,greedy", "--eyes", "embedded,embedded,ViT-Q"], "unknown CLIP 'ViT-Q'"),
        (["--eyes", "noise:0"], "above 0 and at most 1"),
    ],
)
def test_bad_input_is_one_line(dixit: Dixit, args: list[str], message: str) -> None:
    done = dixit("play", *args)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_help_has_examples(root: Path) -> None:
    done = script(root, "--help")
    assert done.returncode == 0
    assert "python scripts/play.py --seats clip,clip,random,human --seed 7 --record game.jsonl" in done.stdout
