"""What agents say: anything becomes JSON that every record holds and every reader takes."""

import json
import math
import random
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dixit_env import EDITIONS, CastVotes, Decision, GiveClue, PlayCards, Rules, View, play
from dixit_env.table.plain import fault_text, plain_why
from dixit_env.table.play import Decided, GameEnded
from dixit_env.table.records import encoded, read, recorded, replay


class Colour(Enum):
    RED = "red"


@dataclass
class Belief:
    slots: tuple[int, ...]


def itself() -> dict[str, Any]:
    ring: dict[str, Any] = {}
    ring["ring"] = [ring]
    return ring


class Hostile:
    """Raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no name")

    def __len__(self) -> int:
        raise RuntimeError("no length")


@pytest.mark.parametrize(
    ("why", "plain"),
    [
        ({}, {}),
        ({"a": (1, 2.5, None, True, "é")}, {"a": [1, 2.5, None, True, "é"]}),
        ({"a": np.array([[1, 2]]), "b": np.float32(0.5), "c": np.bool_(True)}, {"a": [[1, 2]], "b": 0.5, "c": True}),
        ({"a": {3, 1, 2}}, {"a": [1, 2, 3]}),
        ({"a": math.nan, "b": [math.inf]}, {"a": None, "b": [None]}),
        ({"a": "\ud800x", "b": "\u2028"}, {"a": "\ufffdx", "b": "\u2028"}),
        ({1: "one", Colour.RED: Colour.RED}, {"1": "one", "red": "red"}),
        ({"a": Belief((1, 2)), "b": Path("x")}, {"a": {"slots": [1, 2]}, "b": "x"}),
        ({"a": 10**5000}, {"a": None, "dropped": ["why.a: int"]}),
        ({"a": Hostile(), "b": 1}, {"a": None, "b": 1, "dropped": ["why.a: Hostile"]}),
        ({"a": b"bytes"}, {"a": None, "dropped": ["why.a: bytes"]}),
        (None, {"dropped": ["why: NoneType"]}),
        ("because", {"dropped": ["why: str"]}),
        (itself(), {"ring": [None], "dropped": ["why.ring[0]: dict"]}),
        ({"a": np.zeros((1000, 1000))}, {"a": None, "dropped": ["why.a: ndarray"]}),
    ],
    ids=range(15),
)
def test_reasons_become_json_values(why: Any, plain: dict[str, Any]) -> None:
    assert plain_why(why) == plain
    assert json.loads(encoded(plain_why(why))) == plain


def test_reasons_are_a_copy() -> None:
    belief = [0.5, 0.5]
    why = plain_why({"belief": belief})
    belief[0] = 9
    assert why == {"belief": [0.5, 0.5]}


def test_a_fault_is_one_short_line() -> None:
    assert fault_text("a\nb\u2028c\ud800") == "a b c\ufffd"
    assert len(fault_text("x" * 10_000)) == 500


numbers = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 90), st.floats(), st.text(max_size=2), st.integers(0, 9).map(np.int64)
)
rows = st.one_of(numbers, st.lists(numbers, max_size=3), st.lists(numbers, max_size=3).map(tuple), st.sets(numbers))
texts = st.text(st.characters(), max_size=4)
leaves = st.one_of(numbers, texts, st.just(Colour.RED), st.just(b""), st.builds(Hostile), st.just(np.ones(3)))
keys = st.one_of(texts, st.integers(), st.booleans(), st.just(Colour.RED))
reasons = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner))
answers = st.one_of(
    rows,
    st.builds(
        Decision,
        st.one_of(
            rows,
            st.builds(GiveClue, numbers, st.one_of(texts, numbers)),
            st.builds(PlayCards, rows),
            st.builds(CastVotes, rows),
        ),
        reasons,
    ),
    st.sampled_from([RuntimeError("\ud800"), SystemExit(3), RecursionError(), KeyError(Hostile())]),
)


class Fuzzed:
    """Answers with whatever was drawn, or raises it, and else plays on at random."""

    def __init__(self, name: Any, begin: Any, drawn: list[Any]) -> None:
        self.name, self._begin, self._drawn = name, begin, drawn

    def begin(self, seat: int, rng: random.Random) -> None:
        self._rng = rng
        if self._begin is not None:
            raise self._begin

    def act(self, view: View) -> Decision:
        answer = self._drawn.pop() if self._drawn else Decision(self._rng.choice(view.moves))
        if isinstance(answer, BaseException):
            raise answer
        return answer


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(list(EDITIONS.values())),
    st.lists(st.lists(answers, max_size=12), min_size=3, max_size=5),
    st.sampled_from(["x", "\ud800\u2028", None, 7, ""]),
    st.sampled_from([None, ValueError("not today"), SystemExit(1)]),
    st.sampled_from([None, 5.0]),
)
def test_no_agent_can_stop_a_game_or_spoil_its_record(
    tmp_path_factory: pytest.TempPathFactory,
    rules: Rules,
    drawn: list[list[Any]],
    name: Any,
    begin: Any,
    time_limit: float | None,
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "game.jsonl"
    agents = [Fuzzed(name, begin if seat == 0 else None, list(answers)) for seat, answers in enumerate(drawn)]
    events = list(recorded(play(agents, rules, seed=3, time_limit=time_limit), path))
    assert isinstance(events[-1], GameEnded)
    record = read(path)
    state = replay(record)
    assert state.scores == events[-1].scores
    decided = [event for event in events if isinstance(event, Decided)]
    assert [line["why"] for line in record.decisions] == [event.decision.why for event in decided]
    assert [line.get("fault", "") for line in record.decisions] == [event.fault for event in decided]
