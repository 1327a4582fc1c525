"""The state of a training run as a file, `state.pt`: written all or nothing, read back only when all of it fits.

The file is read as data (`weights_only`) and compared with the state of a fresh learner before anything is taken over.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dixit_env.agents.training.opponents import LEAGUE_SIZE
from dixit_env.agents.training.ppo import Learner
from dixit_env.errors import DixitError

Clock = dict[str, float]


class StateError(DixitError):
    """A `state.pt` that is damaged, another program's, or of a run with other settings."""


class _OtherSettings(Exception):
    """The structure is right, the sizes are not."""


class _Damaged(Exception):
    """The structure or a value is wrong."""


def write_state(path: Path, clock: Clock, learner: Learner) -> None:
    """Write all that is needed to go on; a kill leaves the old file or the new one."""
    partly = path.with_suffix(".part")
    torch.save({"clock": clock, "learner": learner.state()}, partly)
    partly.replace(path)


def read_state(path: Path, clock: Clock, learner: Learner, games: bool = True) -> Clock:
    """Take over the state at `path` into the learner, and return its clock, which has the entries of `clock`.

    Without `games` only what was learned is taken over, see `Learner.restore`.

    Raises `StateError` when the file can't be read or doesn't fit. The learner is not to be used then.
    """
    try:
        state = torch.load(path, map_location=learner.device, weights_only=True)
    except Exception as error:  # foreign bytes make an unpickler raise anything
        raise _damaged(path, error) from error
    try:
        _compare({"clock": clock, "learner": _expected(learner, state)}, state, "state")
        learner.restore(state["learner"], games)
    except _OtherSettings as error:
        raise StateError(f"the run in {path.parent} had other settings ({error}): resume it with the same") from error
    except (_Damaged, DixitError, RuntimeError) as error:
        raise _damaged(path, error) from error
    return state["clock"]


def _damaged(path: Path, error: Exception) -> StateError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0].split(". ")[0][:200]
    return StateError(
        f"{path} is damaged or no state of a training run ({reason}): put back a copy, or train anew in another --out"
    )


def _expected(learner: Learner, found: object) -> dict[str, Any]:
    """The state of a fresh learner, with as many past policies and moments of Adam as a running one has."""
    expected = learner.state()
    inner = found.get("learner") if isinstance(found, Mapping) else None
    league = inner.get("league") if isinstance(inner, Mapping) else None
    if isinstance(league, list) and 1 <= len(league) <= LEAGUE_SIZE:
        expected["league"] = [expected["policy"]] * len(league)
    optimizer = inner.get("optimizer") if isinstance(inner, Mapping) else None
    if isinstance(optimizer, Mapping) and optimizer.get("state") != {}:
        expected["optimizer"]["state"] = {
            number: {"step": torch.zeros(()), "exp_avg": value, "exp_avg_sq": value}
            for number, value in enumerate(learner.policy.parameters())
        }
    return expected


def _compare(expected: object, found: object, where: str) -> None:
    """Raises `_Damaged` or `_OtherSettings` at the first place where `found` is not of the form of `expected`."""
    if isinstance(expected, Tensor):
        if not isinstance(found, Tensor) or found.dtype != expected.dtype:
            raise _Damaged(f"{where} is no tensor of {expected.dtype}")
        if found.shape != expected.shape:
            raise _OtherSettings(f"{where} has shape {tuple(found.shape)}, not {tuple(expected.shape)}")
        if found.is_floating_point() and not found.isfinite().all():
            raise _Damaged(f"{where} holds values that are no finite numbers")
    elif isinstance(expected, Mapping):
        if not isinstance(found, Mapping) or not expected.keys() <= found.keys():
            missing = [str(key) for key in expected if not isinstance(found, Mapping) or key not in found]
            raise _Damaged(f"{where} has no {missing[0]}" if missing else f"{where} is no mapping")
        for key, value in expected.items():
            _compare(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        if not isinstance(found, list):
            raise _Damaged(f"{where} is no list")
        if len(found) != len(expected):
            raise _OtherSettings(f"{where} has {len(found)} entries, not {len(expected)}")
        for number, pair in enumerate(zip(expected, found, strict=True)):
            _compare(*pair, f"{where}.{number}")
    elif isinstance(expected, int | float) and (
        isinstance(found, bool) or not isinstance(found, type(expected)) or not math.isfinite(found)
    ):
        raise _Damaged(f"{where} is no number")
