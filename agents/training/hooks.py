"""Own functions in training, named by a dotted path."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dixit_env.errors import SpecError


def hook(path: str) -> Callable[..., Any]:
    """The function at `package.module:name`; raises `SpecError` when there is none."""
    module, _, name = path.partition(":")
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SpecError(f"{path!r} names no function ({error}): write package.module:name") from error
    return found
