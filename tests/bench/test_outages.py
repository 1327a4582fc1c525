"""Agents that can't be asked: an outage is told apart from a bad answer, is never kept, and is asked again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from chat_endpoint import Endpoint, running_endpoint, status, told_deck
from tournament_players import Insider

from dixit_env.agents.language.agent import language_agent
from dixit_env.bench.clues.asking import Answer, Execution
from dixit_env.bench.clues.benchmark import ClueBench, ClueRun, run_bench
from dixit_env.bench.clues.figures import clue_results
from dixit_env.bench.clues.panels import Eye, Panel
from dixit_env.bench.clues.report import write_page
from dixit_env.bench.clues.turn_log import turn_lines
from dixit_env.bench.tournament.report import write_page as write_tournament
from dixit_env.bench.tournament.schedule import Line, Tournament, is_finished, play_tournament
from dixit_env.bench.tournament.standings import standings
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import DIXIT
from dixit_env.table.play import Agent

DOWN = status(500)
PANEL = Panel("mixed", ("clip@2", "clip@4"))


@dataclass(frozen=True)
class Talkers:
    """A language model behind an endpoint, and an agent that needs none."""

    url: str

    def deck(self) -> Deck:
        return told_deck()

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        return language_agent(f"toy@{self.url},retries=0", self.deck()) if name == "language" else Insider(name)

    def eye(self, name: str) -> Eye:
        return lambda clues: np.stack([np.random.default_rng(crc32(clue.encode())).normal(size=84) for clue in clues])


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    yield from running_endpoint(tmp_path, monkeypatch)


def clues(url: str, out: Path) -> ClueRun:
    bench = ClueBench(givers=("clip", "language"), panels=(PANEL,), deals=4, players=4, rules=DIXIT)

    def valid(answer: Answer) -> bool:
        return isinstance(answer.move, GiveClue)

    return run_bench(bench, Talkers(url), out, valid, settings={}, how=Execution())


def test_a_clue_that_could_not_be_asked_for_is_no_failure_and_is_asked_for_again(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.script = [DOWN, DOWN]
    run = clues(endpoint.url, tmp_path / "run")
    assert [answer.no_answer for answer in run.answers["language"]] == [True, True, False, False]
    found = clue_results(run, "", frozenset())
    account, texts = found.accounts["language"], found.clue_givers["language"].texts
    assert (account.no_answer, account.failed) == (2, 0)
    assert (texts.no_answer, texts.valid, sum(texts.faults.values())) == (2, 1.0, 0)
    assert found.accounts["clip"].no_answer == 0
    lines = list(turn_lines(run, ""))
    assert [line["fault"] for line in lines if line["giver"] == "language"] == ["no_answer", "no_answer", "", ""]
    assert "2 not answered" in write_page(run, found, lines, tmp_path).read_text(encoding="utf-8")

    kept = (tmp_path / "run" / "clues.jsonl").read_text().splitlines()
    assert not any('"no_answer": true' in line for line in kept)
    asked = len(endpoint.requests)
    again = clues(endpoint.url, tmp_path / "run")
    assert len(endpoint.requests) == asked + 2
    assert all(answer.move for answer in again.answers["language"])
    assert again.answers["language"][2:] == run.answers["language"][2:]
    assert (tmp_path / "run" / "clues.jsonl").read_text().splitlines()[: len(kept)] == kept


def test_a_benchmark_of_an_agent_that_was_never_reached_ends_with_an_error(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.script = [DOWN] * 1000
    with pytest.raises(DixitError, match=r"language could not be asked a single question \(the endpoint answered 500"):
        clues(endpoint.url, tmp_path)
    kept = (tmp_path / "clues.jsonl").read_text().splitlines()[1:]
    assert len(kept) == 5  # the four clues of the other agent and its second attempt


def test_a_game_with_an_outage_is_left_out_and_played_again(endpoint: Endpoint, tmp_path: Path) -> None:
    tournament = Tournament(rings=(("language", "insider"),), games=2, players=4, rules=DIXIT)

    def played() -> dict[int, Line]:
        return dict(play_tournament(tournament, Talkers(endpoint.url), tmp_path, source_settings={}))

    endpoint.script = [DOWN]
    lines = played()
    outages = [line["no_answer"] for line in lines.values() if not is_finished(line)]
    assert outages == ["language: NoAnswer: the endpoint answered 500"]
    finished = {number: line for number, line in lines.items() if is_finished(line)}
    outcome = standings(finished, DIXIT)
    assert outcome.games == 1
    page = write_tournament(tournament, finished, outcome, told_deck(), tmp_path).read_text(encoding="utf-8")
    assert "1 game is left out, because an agent could not be asked" in page
    again = played()
    assert all(is_finished(line) for line in again.values())
    assert finished.items() <= again.items()
