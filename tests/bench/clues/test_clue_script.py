"""`benchmark.py clues` from the command line: files, reproducible figures, the leaderboard, errors in one line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROWS = ("nonsense", "title", "tags")  # of a deck for which nobody wrote clues
GIVERS = ("literal", "random-clue", "shuffled", "clip", *ROWS)
KEYS = ("points", "points_low", "points_high", "some", "all", "none", "guess_rate", "lift", "shuffled_points", "valid")


def clues(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/benchmark.py", "clues", *map(str, arguments)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600)


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


@pytest.mark.slow
class TestClues:
    def test_a_run_can_be_read_repeated_and_merged(self, root: Path, tmp_path: Path) -> None:
        first, second, board = tmp_path / "first", tmp_path / "second", tmp_path / "board"
        said = clues(root, "--deals", 8, "--out", first, "--experiment", "clones")
        assert said.returncode == 0, said.stderr
        found = results(first)
        assert set(found["clue_givers"]) == set(GIVERS)
        for figures in found["clue_givers"].values():
            assert all(isinstance(figures[key], float) for key in KEYS)
        assert isinstance(found["clue_givers"]["clip"]["brier"], float)
        assert all("rho" in panel for panel in found["panels"].values())
        assert found["clones"]
        assert found["main_panel"] == "viewers"
        assert "The row viewers is left out: nobody who saw only the pictures wrote clues" in said.stdout
        for file in ("report.html", "turns.csv", "log.jsonl", "plots/found.svg", "plots/clones.svg"):
            assert (first / file).stat().st_size > 1000

        said = clues(root, "--deals", 8, "--givers", "clip,clip:clue=points", "--workers", 2, "--out", second)
        assert said.returncode == 0, said.stderr
        once, again = (results(folder)["clue_givers"]["clip"] for folder in (first, second))
        assert {key: again[key] for key in KEYS} == pytest.approx({key: once[key] for key in KEYS}, abs=1e-4)

        said = clues(root, "--merge", first, second, "--out", board)
        assert said.returncode == 0, said.stderr
        assert set(results(board)["clue_givers"]) == {*GIVERS, "clip:clue=points"}
        assert (board / "leaderboard.html").exists()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--givers", "clop"], "no agent is called 'clop'"),
            (["--players", 2], "3 to 12 players"),
            (["--language", "nowhere"], "named by model and endpoint"),
            (["--merge", "."], "no results of a clue benchmark"),
            (["--panel-clip", "embedded"], "clip=embedded is the CLIP that the givers see through"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(
        self, root: Path, tmp_path: Path, arguments: list[object], message: str
    ) -> None:
        said = clues(root, *arguments, "--out", tmp_path / "out")
        assert said.returncode == 2
        line = said.stderr.strip().splitlines()
        assert message in line[-1]
        assert line[-1].startswith("error: ")
        assert "Traceback" not in said.stderr
