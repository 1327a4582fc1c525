"""Commands that run inside the test's process, which has imported already what each would take seconds to import."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


Dixit = Callable[..., Done]
