"""Policies as files: safetensors, with the settings that led to them in the head.

A file is data, wherever it comes from. Reading it runs nothing that it names, and everything is checked before it is
used: the head, the shapes of the weights and their values.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from dixit_env.errors import DixitError
from dixit_env.models.policy import Policy
from dixit_env.version import VERSION

MAX_WIDTH = 4096  # a head that says more is damaged; chosen

# What playing reads of the settings. The rest of them is a note for people.
_SETTINGS = {"observe": (str, type(None)), "no_clip": (bool,)}


class CheckpointError(DixitError):
    """A file that holds no policy, or none that can be played here."""


def save_policy(policy: Policy, path: Path, config: Mapping[str, Any]) -> None:
    """Write weights as safetensors, with the settings that led to them and the version of the code; all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"version": VERSION, "width": str(policy.width), "config": json.dumps(dict(config), default=str)}
    partly = path.with_suffix(".part")
    save_file({name: value.cpu().contiguous() for name, value in policy.state_dict().items()}, partly, head)
    partly.replace(path)


def load_policy(path: Path) -> tuple[Policy, dict[str, Any]]:
    """The network, ready to play, and the settings it was trained with.

    Raises `CheckpointError` when there is no such file, when it is damaged or something else, and when a newer version
    of the code wrote it.
    """
    try:
        with safe_open(path, "pt") as file:
            head = file.metadata() or {}
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
            config = _checked_head(head, shapes)
            weights = {name: file.get_tensor(name) for name in shapes}
        _check_values(weights)
    except (OSError, SafetensorError, CheckpointError) as error:
        reason = str(error).splitlines()[0]
        raise CheckpointError(
            f"{path} is no checkpoint of a policy ({reason}): train one with scripts/train.py, or take learned:default"
        ) from error
    policy = Policy(int(head["width"]))
    policy.load_state_dict(weights)
    return policy.eval(), config


def _checked_head(head: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """The settings; raises `CheckpointError` where head and weights are not of one policy of this version."""
    for name in ("version", "width", "config"):
        if name not in head:
            raise CheckpointError(f"its head has no {name}")
    version, width = head["version"], head["width"]
    if not re.fullmatch(r"\d+(\.\d+)*", version, re.ASCII):
        raise CheckpointError(f"its version {version[:20]!r} is no version")
    if _numbers(version) > _numbers(VERSION):
        raise CheckpointError(f"dixit-env {version} wrote it and this is the older {VERSION}, update dixit-env")
    if not re.fullmatch(r"\d{1,4}", width, re.ASCII) or not 1 <= int(width) <= MAX_WIDTH:
        raise CheckpointError(f"its width {width[:20]!r} is no number from 1 to {MAX_WIDTH}")
    with torch.device("meta"):  # shapes alone
        expected = {name: tuple(value.shape) for name, value in Policy(int(width)).state_dict().items()}
    for name in sorted(expected.keys() | shapes.keys()):
        if shapes.get(name) != expected.get(name):
            raise CheckpointError(
                f"the weight {name[:60]} has shape {shapes.get(name, 'none')}, where a policy of width {width} has "
                f"{expected.get(name, 'none')}"
            )
    return _config(head["config"])


def _config(text: str) -> dict[str, Any]:
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CheckpointError("its settings are no JSON") from error
    if not isinstance(config, dict):
        raise CheckpointError("its settings are no JSON object")
    for name, types in _SETTINGS.items():
        if name in config and not isinstance(config[name], types):
            raise CheckpointError(f"its setting {name} is {str(config[name])[:40]!r}")
    return config


def _check_values(weights: Mapping[str, Tensor]) -> None:
    for name, value in weights.items():
        if not value.is_floating_point() or not value.isfinite().all():
            raise CheckpointError(f"the weight {name} holds values that are no finite numbers")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
