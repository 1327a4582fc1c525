"""Own functions of users, named by a dotted path.

Only a path that the user gives is looked up: importing a module runs it. A path that stands in a file, such as the
`observe` of a checkpoint, counts as given once the user says that the file is trusted.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dixit_env.errors import SpecError


def hook(path: str) -> Callable[..., Any]:
    """The function at `package.module:name`; imports the module. Raises `SpecError` when there is none."""
    module, _, name = path.partition(":")
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SpecError(f"{path!r} names no function ({error}): write package.module:name") from error
    if not callable(found):
        raise SpecError(f"{path!r} is no function: write package.module:name")
    return found
