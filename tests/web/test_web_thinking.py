"""Bots in a process of their own: they play as they would here, and whatever happens to them is said in words."""

import gc
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from weakref import WeakSet

import pytest

from dixit_env import DixitError
from dixit_env.errors import SpecError
from dixit_env.game.engine import new_game
from dixit_env.game.rules import ODYSSEY
from dixit_env.game.view import View, view
from dixit_env.table.play import Agent, Decided, Decision, play
from dixit_env.web.thinking import BotFault, Thinker

GAME = new_game(ODYSSEY, 4, 84, 1)
VIEW = view(GAME, GAME.storyteller)
everybody: "WeakSet[Bot]" = WeakSet()  # in the process, the bots that it holds


class Bot:
    """Does what its spec says, and tells where, with whom and beside how many others."""

    def __init__(self, name: str) -> None:
        self.name = name
        everybody.add(self)

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        word, _, rest = self.name.partition(" ")
        if word == "raise":
            raise ValueError("no idea")
        if word == "die":
            os._exit(1)
        if word == "chance":
            return Decision(self.rng.choice(view.moves))
        while word == "wait" and not Path(rest).exists():
            time.sleep(0.01)
        return Decision(view.moves[0], {"process": os.getpid(), "bots": len(everybody)})


class Company(Bot):
    """Decides in company."""

    @classmethod
    def act_many(cls, agents: Sequence["Company"], views: Sequence[View]) -> list[Decision]:
        return [Decision(view.moves[0], {"together": len(agents)}) for view in views]


@dataclass(frozen=True)
class Source:
    def agent(self, name: str, seat: int, seed: int) -> Agent:
        if name == "nobody":
            raise SpecError("no agent is called 'nobody'")
        return Company(name) if name == "company" else Bot(name)

    def check(self, names: Sequence[str]) -> None:
        for name in names:
            self.agent(name, 0, 0)


@pytest.fixture(scope="module")
def thinker() -> Iterator[Thinker]:
    with Thinker(Source()) as up:
        yield up


def why(thinker: Thinker, spec: str) -> dict[str, Any]:
    return dict(thinker.bot(spec, 0, 1).act(VIEW).why)


def test_bots_think_in_one_process_that_is_not_the_servers(thinker: Thinker) -> None:
    processes = {why(thinker, "think")["process"] for _ in range(3)}
    assert len(processes) == 1
    assert os.getpid() not in processes


def test_a_fault_comes_back_in_words_and_harms_nobody_else(thinker: Thinker) -> None:
    with pytest.raises(BotFault, match=r"^ValueError: no idea$"):
        thinker.bot("raise", 0, 1).act(VIEW)
    with pytest.raises(BotFault, match=r"^SpecError: no agent is called 'nobody'$"):
        thinker.bot("nobody", 0, 1).act(VIEW)
    assert why(thinker, "think")


def test_what_waits_while_a_bot_thinks_is_decided_together(thinker: Thinker, tmp_path: Path) -> None:
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(why, thinker, f"wait {tmp_path / 'go'}")
        time.sleep(0.3)
        others = [pool.submit(why, thinker, "company") for _ in range(8)]
        time.sleep(0.3)
        (tmp_path / "go").touch()
        assert first.result()
        assert max(other.result()["together"] for other in others) > 1


def test_a_bot_that_nobody_holds_any_more_is_forgotten(thinker: Thinker) -> None:
    bots = [thinker.bot("think", 0, 1) for _ in range(20)]
    before = [bot.act(VIEW).why["bots"] for bot in bots][-1]
    bots.clear()
    gc.collect()
    kept = thinker.bot("think", 0, 1)
    kept.act(VIEW)  # takes the news along
    assert kept.act(VIEW).why["bots"] <= before - 19


def test_after_the_process_died_the_next_question_starts_another(thinker: Thinker) -> None:
    known = thinker.bot("think", 0, 1)
    before = known.act(VIEW).why["process"]
    with pytest.raises(BotFault, match="died"):
        thinker.bot("die", 0, 1).act(VIEW)
    assert known.act(VIEW).why["process"] != before


def test_games_go_as_they_would_with_the_bots_here(thinker: Thinker) -> None:
    def moves(bots: Sequence[Agent]) -> list[Decision]:
        return [event.decision for event in play(bots, seed=5, strict=True) if isinstance(event, Decided)]

    there = moves([thinker.bot("chance", seat, 5) for seat in range(4)])
    assert there == moves([Source().agent("chance", seat, 5) for seat in range(4)])
    assert len(there) > 20


def test_what_cannot_be_made_is_said_at_the_start() -> None:
    with Thinker(Source(), ["think", "nobody"]) as thinker, pytest.raises(SpecError, match="nobody"):
        thinker.start()


def test_whoever_waits_when_the_server_ends_is_let_go(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        with Thinker(Source()) as thinker:
            thinker.start()
            asked = pool.submit(why, thinker, f"wait {tmp_path / 'go'}")
            time.sleep(0.2)
            (tmp_path / "go").touch()
        assert asked.exception(timeout=10) is None or isinstance(asked.exception(), BotFault)
        with pytest.raises(DixitError, match="ends"):
            thinker.bot("think", 0, 1).act(VIEW)
