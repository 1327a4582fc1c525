"""The load test itself, at a small size: the real program, real sockets."""

import sys
from pathlib import Path

import pytest
from PIL import Image

from dixit_env.bench.load import measure
from dixit_env.errors import DixitError

SERVE = [sys.executable, str(Path(__file__).parents[2] / "scripts/serve.py"), "--bots", "random", "--pace", "0"]


def test_a_small_load_is_carried_and_nothing_is_lost(tmp_path: Path) -> None:
    for number in range(40):
        Image.new("RGB", (20, 30), (number * 6, 0, 0)).save(tmp_path / f"{number}.png")
    result = measure([*SERVE, "--deck", str(tmp_path)], tables=2, seconds=3)
    assert result["lost_events"] == 0
    assert result["moves"]["count"] > 5
    assert 0 < result["moves"]["p50_ms"] <= result["moves"]["p95_ms"] < 5000
    assert 20 < result["memory_mb"] < 1000
    assert result["bots"]["count"] > 5
    assert 0 < result["bots"]["p50_ms"] <= result["bots"]["p95_ms"] < 5000
    assert result["bots"]["faults"] == 0
    assert result["events"] >= result["moves"]["count"] + result["bots"]["count"]


def test_a_server_that_does_not_start_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DixitError, match="the server did not start"):
        measure([*SERVE, "--deck", str(tmp_path / "nothing")], tables=1, seconds=1)
