"""The speed benchmark measures what plays, and nothing that is broken."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from dixit_env import DixitError
from dixit_env.agents.scripted import RandomAgent
from dixit_env.bench.speed import measure, peers
from dixit_env.decks.deck import Deck
from dixit_env.game.view import View
from dixit_env.table.play import Decision


def still(over: int, changing: bool) -> Iterator[Any]:
    number = 0
    while True:
        number += changing
        yield 1, over, number


def test_a_game_that_never_ends_is_refused() -> None:
    with pytest.raises(DixitError, match="no game ended"):
        measure.rate(still(over=0, changing=True), seconds=0.01)


def test_a_game_in_which_nothing_changes_is_refused() -> None:
    with pytest.raises(DixitError, match="no observation ever changed"):
        measure.rate(still(over=1, changing=False), seconds=0.01)


def test_the_median_of_the_runs_is_reported() -> None:
    measured = measure.rate(still(over=1, changing=True), seconds=0.01, runs=3)
    assert sorted(measured["runs"])[1] == measured["median"] > 0


def test_every_environment_is_measured() -> None:
    noted: list[str] = []
    results = measure.measure_environments(4, "dixit", 0, 0.1, noted.append)
    results["batch"] = measure.measure_batches(4, "dixit", 0, 0.1, noted.append, torch.device("cpu"), (1, 64))
    for name, key in (("engine", "decisions"), ("aec", "steps"), ("parallel", "decisions"), ("solo", "steps")):
        assert results[name][f"{key}_per_second"] > 100
    for games in ("1", "64"):
        for kind in ("masks", "observations"):
            assert results["batch"][games][kind]["decisions_per_second"] > 100
    assert 0 < results["batch"]["64"]["memory_mb"] < 500
    assert "| engine, no observations |" in measure.table(results)
    assert len(noted) == 12


@pytest.mark.parametrize("rate", [measure.agent_rate, measure.in_step_rate])
def test_agents_are_measured_by_the_time_that_they_think(rate: Callable[..., float]) -> None:
    thinking = 0.0002

    class Slow(RandomAgent):
        def act(self, view: View) -> Decision:
            time.sleep(thinking)
            return super().act(view)

    found = rate(lambda: [Slow() for _ in range(3)], Deck.blank(84), "odyssey", 0)
    assert 0 < found < 1 / thinking


def test_peers_are_measured_or_skipped_with_a_reason() -> None:
    ours = {"aec": {"steps_per_second": 1.0}, "batch": {"4096": {"observations": {"decisions_per_second": 1.0}}}}
    measured = peers.measure_peers(ours, 0, 0.2, lambda name: None)
    assert set(measured) == set(peers.PEERS)
    for peer in measured.values():
        assert peer.get("ratio", 0) > 0 or "pip install" in peer["skipped"]


@pytest.mark.slow
def test_a_batch_of_16384_games_takes_less_than_500_megabytes() -> None:
    assert measure.batch_memory(16384, 6) < 500
