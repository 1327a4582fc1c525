"""The faces that people show at their seats: seen by all for some seconds, and kept nowhere."""

import asyncio
from collections.abc import Callable, Mapping

from dixit_env.web.protocol import Face, Refused
from dixit_env.web.security import Bucket

SHOWN = 5.0  # seconds that a face is to be seen
FACES = (3, 1 / 4)  # that a person may show: at once, and each second


class Reactions:
    """The faces that are shown at one table just now.

    Args:
        changed: called when a face is no longer shown.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._shown: dict[str, Face] = {}
        self._ends: dict[str, asyncio.TimerHandle] = {}
        self._rates: dict[str, Bucket] = {}

    @property
    def shown(self) -> Mapping[str, Face]:
        """The faces, by person."""
        return dict(self._shown)

    def show(self, person: str, face: Face) -> None:
        """Show a person's face in place of an earlier one; raises `Refused` when it is one too many."""
        if not self._rates.setdefault(person, Bucket(*FACES)).take():
            raise Refused("faces", "too many faces at once; wait a few seconds")
        self._stop(person)
        self._shown[person] = face
        self._ends[person] = asyncio.get_running_loop().call_later(SHOWN, self._end, person)

    def close(self) -> None:
        """Stop all timers."""
        for person in list(self._ends):
            self._stop(person)

    def _stop(self, person: str) -> None:
        if timer := self._ends.pop(person, None):
            timer.cancel()

    def _end(self, person: str) -> None:
        self._stop(person)
        del self._shown[person]
        self._changed()
