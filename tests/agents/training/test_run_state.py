"""The files of a run: a state goes on only when all of it fits, and one line says what is wrong with which file."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from dixit_env import DixitError
from dixit_env.agents.training.eyes import ReadDeck
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.run import Run, Training, make_learner
from dixit_env.envs.clip_table import ClipTable

SETTINGS = Training(
    players=4, envs=16, turns=3, minibatches=2, evaluation_deals=4, device="cpu", width=8, updates=1, eyes="noise:0.67"
)
TABLE = ClipTable.random(cards=60, clues=300)


def fresh(settings: Training = SETTINGS) -> Learner:
    return make_learner(settings, ReadDeck.of(TABLE), torch.device("cpu"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one update."""
    out = tmp_path_factory.mktemp("finished")
    Run(SETTINGS, fresh(), out).go()
    return out


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    for name in ("state.pt", "best.safetensors", "log.jsonl", "evaluations.jsonl"):
        (tmp_path / name).write_bytes((finished / name).read_bytes())
    return tmp_path


def state(out: Path) -> Any:
    return torch.load(out / "state.pt", weights_only=True)


def told(out: Path, settings: Training = SETTINGS) -> str:
    """What resuming says."""
    with pytest.raises(DixitError) as error:
        Run(settings, fresh(settings), out).load()
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500 + len(str(out))
    return str(error.value)


def test_a_state_is_taken_over(out: Path) -> None:
    run = Run(SETTINGS, fresh(), out)
    run.load()
    assert run.learner.updates == 1
    assert run.seconds > 0


def test_a_state_that_holds_more_is_taken_over(out: Path) -> None:
    """Older versions also kept tensors that every turn fills anew, and the optimiser's settings."""
    more = state(out)
    more["learner"]["games"][0]["tensors"]["clue"] = torch.zeros(16, dtype=torch.int64)
    more["learner"]["optimizer"]["param_groups"] = [{"lr": 1.0}]
    torch.save(more, out / "state.pt")
    Run(SETTINGS, fresh(), out).load()


class Foreign:
    """What only a pickle can hold, and nobody may run."""

    def __reduce__(self) -> Any:
        return print, ("this was run",)


@pytest.mark.parametrize("content", ["empty", "cut", "text", "pickle", "tensor", "list", "folder"])
def test_a_file_that_is_no_state_is_told(content: str, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = out / "state.pt"
    whole = path.read_bytes()
    path.unlink()
    match content:
        case "empty":
            path.touch()
        case "cut":
            path.write_bytes(whole[: len(whole) // 2])
        case "text":
            path.write_text("update 1\n")
        case "pickle":
            path.write_bytes(pickle.dumps({"clock": Foreign()}))
        case "tensor":
            torch.save(torch.ones(3), path)
        case "list":
            torch.save([{"clock": 1.0}], path)
        case "folder":
            path.mkdir()
    assert told(out).startswith(f"{path} is damaged or no state of a training run (")
    assert capsys.readouterr().out == ""


def put(*keys: Any, value: Any) -> Callable[[Any], None]:
    """Replace what lies at the keys."""

    def change(state: Any) -> None:
        for key in keys[:-1]:
            state = state[key]
        state[keys[-1]] = value

    return change


GAME = ("learner", "games", 0)
DAMAGED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no learner": (lambda state: state.pop("learner"), "state has no learner"),
    "no clock": (lambda state: state.pop("clock"), "state has no clock"),
    "a clock that stands nowhere": (put("clock", "seconds", value=float("nan")), "state.clock.seconds is no number"),
    "a clock in words": (put("clock", "best", value="best"), "state.clock.best is no number"),
    "no optimiser": (put("learner", "optimizer", value=None), "state.learner.optimizer has no state"),
    "a moment that is missing": (
        lambda state: state["learner"]["optimizer"]["state"][0].pop("exp_avg"),
        "state.learner.optimizer.state.0 has no exp_avg",
    ),
    "a weight that is no number": (
        lambda state: state["learner"]["policy"]["item.0.weight"].fill_(torch.nan),
        "state.learner.policy.item.0.weight holds values",
    ),
    "a weight of another kind": (
        put("learner", "policy", "item.0.bias", value=torch.zeros(8, dtype=torch.int64)),
        "state.learner.policy.item.0.bias is no tensor of torch.float32",
    ),
    "a past policy of nothing": (put("learner", "league", value=[{}]), "state.learner.league.0 has no"),
    "counts in words": (put("learner", "counts", value=["one", 2]), "state.learner.counts.0 is no number"),
    "no generator": (
        lambda state: state["learner"]["generator"].fill_(7),
        "",  # torch says it in its own words
    ),
    "a card twice": (
        lambda state: state["learner"]["games"][0]["tensors"]["hands"].fill_(3),
        "hands and piles of a game are not the cards of its deck",
    ),
    "a pile beyond the deck": (
        lambda state: state["learner"]["games"][0]["tensors"]["pile"].fill_(999),
        "a pile or a score of a game is out of range",
    ),
    "a storyteller without a seat": (put(*GAME, "storyteller", value=4), "seat 4 can't be the storyteller"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_state_is_told(name: str, out: Path) -> None:
    change, reason = DAMAGED[name]
    damaged = state(out)
    change(damaged)
    torch.save(damaged, out / "state.pt")
    said = told(out)
    assert said.startswith(f"{out / 'state.pt'} is damaged or no state of a training run ({reason}")
    assert said.endswith("put back a copy, or train anew in another --out")


@pytest.mark.parametrize("changes", [{"width": 16}, {"players": 3}, {"envs": 32}], ids=str)
def test_another_setting_is_told(changes: dict[str, Any], out: Path) -> None:
    said = told(out, replace(SETTINGS, **changes))
    assert said.startswith(f"the run in {out} had other settings (state.learner.")
    assert said.endswith("resume it with the same")


def test_a_run_without_its_best_policy_is_told_at_once(out: Path) -> None:
    (out / "best.safetensors").write_bytes(b"")
    assert told(out).startswith(f"{out / 'best.safetensors'} is no checkpoint of a policy")


def test_logs_end_where_the_state_does(out: Path) -> None:
    with (out / "log.jsonl").open("a") as file:
        file.write('{"update": 2, "minutes": 0.1}\n{"update": 3, "min')
    Run(SETTINGS, fresh(), out).load()
    assert {json.loads(line)["update"] for line in (out / "log.jsonl").read_text().splitlines()} == {1}


def test_a_damaged_log_is_told(out: Path) -> None:
    log = out / "evaluations.jsonl"
    log.write_bytes(b"\xff\xfe nonsense\n" + log.read_bytes())
    assert told(out) == f"{log} is damaged in line 1: delete that line, then resume"
