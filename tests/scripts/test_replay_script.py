"""scripts/replay.py and serve.py --records as a user runs them."""

import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from dixit_env import ODYSSEY, Decision, Deck, DixitError, View, play
from dixit_env.scripts import replay
from dixit_env.table.records import recorded


class First:
    """The first legal move."""

    name = "first"

    def begin(self, seat: int, rng: object) -> None:
        pass

    def act(self, view: View) -> Decision:
        return Decision(view.moves[0])


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    for _ in recorded(play([First()] * 4, ODYSSEY, Deck.load("dreams"), 1), path):
        pass
    return path


def test_a_record_becomes_one_page_with_its_pictures(record: Path) -> None:
    page = record.with_suffix(".html")
    replay.main(replay.Args(record=record, out=page))
    html = page.read_text(encoding="utf-8")
    assert html.count("data:image/webp;base64,") >= 24
    assert 'src="' not in html, "nothing is loaded from anywhere"
    with pytest.raises(DixitError, match="holds 1 game: --game is 1 to 1, not 2"):
        replay.main(replay.Args(record=record, out=page, game=2))


def test_records_are_served_without_a_database(root: Path, record: Path) -> None:
    command = [
        sys.executable,
        "scripts/serve.py",
        "--records",
        str(record.parent),
        "--port",
        "0",
        "--db",
        "none.sqlite",
    ]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "1 game\n"
            address = process.stdout.readline().split()[1]
            with urllib.request.urlopen(f"{address}api/games/1", timeout=60) as answer:
                assert answer.status == 200
        finally:
            process.kill()
    assert not (root / "none.sqlite").exists()
