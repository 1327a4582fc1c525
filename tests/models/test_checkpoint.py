"""Checkpoints: they come back, nothing in them is run unasked, and what is damaged is told in one line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from dixit_env import DixitError, edition, play
from dixit_env.agents.learned.agent import learned_agent
from dixit_env.agents.registry import make_agents, split_specs
from dixit_env.models.checkpoint import CheckpointError, load_policy, save_policy
from dixit_env.models.policy import Inputs, Policy
from dixit_env.models.sight import Sight
from dixit_env.version import VERSION

Weights = dict[str, Tensor]
Head = dict[str, str]


def write(path: Path, change: Callable[[Weights, Head], Any] = lambda weights, head: None) -> Path:
    """A checkpoint, changed before it is written."""
    torch.manual_seed(0)
    weights = {name: value.clone() for name, value in Policy(16).state_dict().items()}
    head = {"version": VERSION, "width": "16", "config": json.dumps({"players": 6, "observe": None})}
    change(weights, head)
    save_file(weights, path, head)
    return path


def test_a_checkpoint_comes_back_with_its_settings(tmp_path: Path) -> None:
    policy = Policy(24)
    save_policy(policy, tmp_path / "some.safetensors", {"players": 6, "out": Path("runs")})
    loaded, config = load_policy(tmp_path / "some.safetensors")
    assert config == {"players": 6, "out": "runs"}
    for name, value in policy.state_dict().items():
        assert torch.equal(value, loaded.state_dict()[name])


def test_an_older_version_is_read(tmp_path: Path) -> None:
    _, config = load_policy(write(tmp_path / "old.safetensors", lambda _, head: head.update(version="0.0.9")))
    assert config["players"] == 6


DAMAGED: dict[str, tuple[Callable[[Weights, Head], Any], str]] = {
    "no head": (lambda _, head: head.clear(), "its head has no version"),
    "no settings": (lambda _, head: head.pop("config"), "its head has no config"),
    "cut settings": (lambda _, head: head.update(config='{"players": 6, "obs'), "its settings are no JSON"),
    "deep settings": (lambda _, head: head.update(config="[" * 100_000), "its settings are no JSON"),
    "settings of another kind": (lambda _, head: head.update(config="[6]"), "its settings are no JSON object"),
    "an observe that is no name": (lambda _, head: head.update(config='{"observe": [1]}'), "its setting observe is"),
    "a flag that is none": (lambda _, head: head.update(config='{"no_clip": "no"}'), "its setting no_clip is"),
    "a newer version": (lambda _, head: head.update(version="99.1"), "dixit-env 99.1 wrote it"),
    "no version": (lambda _, head: head.update(version="latest"), "'latest' is no version"),
    "a width that is no number": (lambda _, head: head.update(width="wide"), "its width 'wide'"),
    "a width of nothing": (lambda _, head: head.update(width="0"), "its width '0'"),
    "a width beyond memory": (lambda _, head: head.update(width="9" * 12), "its width '999999999999'"),
    "another width": (lambda _, head: head.update(width="48"), "has shape .* where a policy of width 48 has"),
    "a weight too many": (lambda weights, _: weights.update(more=torch.ones(2)), "the weight more has shape"),
    "a weight too few": (lambda weights, _: weights.pop("values.0.bias"), "values.0.bias has shape none"),
    "not a number": (lambda weights, _: weights["values.0.bias"].fill_(torch.nan), "values.0.bias holds values"),
    "infinite": (lambda weights, _: weights["item.0.weight"][3].fill_(-torch.inf), "item.0.weight holds values"),
    "whole numbers": (
        lambda weights, _: weights.update({"values.0.bias": torch.zeros(1, dtype=torch.int64)}),
        "values.0.bias holds values",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_checkpoint_is_told_in_one_line(name: str, tmp_path: Path, sight: Sight) -> None:
    change, reason = DAMAGED[name]
    path = write(tmp_path / "bad.safetensors", change)
    with pytest.raises(CheckpointError, match=reason) as error:
        learned_agent(str(path), sight)
    assert str(error.value).startswith(f"{path} is no checkpoint of a policy (")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400 + len(str(path))


@pytest.mark.parametrize("content", [None, b"", b"nonsense", b"\xff" * 4096, "cut", "folder"])
def test_what_is_no_checkpoint_is_told_in_one_line(tmp_path: Path, content: bytes | str | None, sight: Sight) -> None:
    path = tmp_path / "bad.safetensors"
    if content == "cut":
        path.write_bytes(write(tmp_path / "whole.safetensors").read_bytes()[:-100])
    elif content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(CheckpointError, match="no checkpoint of a policy") as error:
        learned_agent(str(path), sight)
    assert "\n" not in str(error.value)


# Functions that a file names


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that must not be imported unasked; its function is the identity."""
    (tmp_path / "spy_module.py").write_text(
        "def look(inputs):\n    look.calls += 1\n    return inputs\nlook.calls = 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "spy_module", raising=False)
    return "spy_module:look"


def naming(path: Path, function: str) -> Path:
    return write(path, lambda _, head: head.update(config=json.dumps({"observe": function})))


def test_nothing_that_a_file_names_is_imported_unasked(tmp_path: Path, sight: Sight, spy: str) -> None:
    path = naming(tmp_path / "spy.safetensors", spy)
    for spec in (str(path), f"{path},trust=off"):
        with pytest.raises(DixitError, match=rf"names a function of its own, '{spy}'.*learned:{path},trust=on"):
            learned_agent(spec, sight)
    load_policy(path)
    assert "spy_module" not in sys.modules


def test_a_file_that_is_trusted_brings_its_function(tmp_path: Path, sight: Sight, spy: str) -> None:
    path = naming(tmp_path / "spy.safetensors", spy)
    agents = make_agents(split_specs(f"learned:{path},trust=on,random,random"), sight)
    list(play(agents, edition("dixit"), sight.deck, seed=1, strict=True))
    assert sys.modules["spy_module"].look.calls > 0


def test_a_trusted_file_that_names_nothing_there_is_told(tmp_path: Path, sight: Sight) -> None:
    path = naming(tmp_path / "gone.safetensors", "no_such_module:look")
    with pytest.raises(DixitError, match=r"'no_such_module:look' names no function"):
        learned_agent(f"{path},trust=on", sight)


def test_trust_is_on_or_off(sight: Sight) -> None:
    with pytest.raises(DixitError, match="trust is on or off"):
        learned_agent("default,trust=yes", sight)
    with pytest.raises(DixitError, match="options and their defaults are trust=off"):
        learned_agent("default,speed=9", sight)


def test_the_function_of_a_training_is_known_in_play(tmp_path: Path, sight: Sight) -> None:
    """What `--observe` did in training, `trust=on` does in play: here the policy sees nothing."""
    path = naming(tmp_path / "blind.safetensors", f"{__name__}:blindfold")
    agent = learned_agent(f"{path},trust=on", sight)
    assert agent.observe is sys.modules[__name__].blindfold


def blindfold(inputs: Inputs) -> Inputs:
    return inputs._replace(items=torch.zeros_like(inputs.items))
