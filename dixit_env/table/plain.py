"""What agents say, as plain JSON values and texts that every reader of a record can take.

An agent's reasons may be anything: arrays, sets, NaN, its own objects, structures that contain themselves. `plain_why`
copies what JSON can say and names what it left out, so writing a record never fails and shares nothing with the agent.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

from dixit_env.game.moves import whole_number

MOST_VALUES = 20_000
"""Values in one decision's reasons. Chosen: beliefs, utilities and prompts take hundreds."""
MOST_DEPTH = 50
"""Levels of nesting; far below where JSON readers give up."""
MOST_BITS = 1024
"""Of a whole number. Python reads no longer numbers than 4,300 digits, and other readers of JSON fewer."""
MOST_FAULT = 500
"""Characters of the text that says what an agent did wrong."""

Place = tuple[str | int, ...]
"""The names and numbers that lead from an agent's reasons to a value."""


def plain_text(text: str) -> str:
    """The text with lone surrogates, which no encoding can write, replaced by U+FFFD."""
    text = str.__str__(text)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fault_text(text: str) -> str:
    """What went wrong, on one line of at most `MOST_FAULT` characters."""
    line = " ".join(plain_text(text).split())
    return line if len(line) <= MOST_FAULT else f"{line[: MOST_FAULT - 1]}…"


def plain_why(why: object) -> dict[str, Any]:
    """An agent's reasons as JSON values of their own.

    Numbers of any type become `int` or `float`, and NaN and infinities None; arrays, tuples and sets become lists;
    dataclasses become objects, enumeration members their values and paths texts. What is left out stands in the list
    `"dropped"`, with its place and type.
    """
    copy = _Copy()
    value = copy.of(why, (), ())
    if not isinstance(value, dict):
        value = {}
        copy.dropped = copy.dropped or [f"why: {_type(why)}"]
    if copy.dropped:
        value["dropped"] = copy.dropped[:100]
    return value


class _Dropped(Exception):
    """A value that JSON can't say."""


class _Copy:
    """One copy in the making: what it has dropped, and how many values it may still take."""

    def __init__(self) -> None:
        self.dropped: list[str] = []
        self.left = MOST_VALUES

    def of(self, value: object, place: Place, above: tuple[int, ...]) -> Any:
        """The value as JSON, or None where it is dropped; `above` are the ids of what it lies in."""
        self.left -= 1
        if type(value) is float and self.left >= 0:  # most reasons are numbers, and this spares them the rest
            return value if math.isfinite(value) else None
        try:
            if self.left < 0 or len(above) > MOST_DEPTH or id(value) in above:
                raise _Dropped
            return self._of(value, place, (*above, id(value)))
        except Exception:  # whatever the agent's own objects raise when they are read
            self.dropped.append(f"{plain_text(_said(place))[:100]}: {_type(value)}")
            return None

    def _of(self, value: object, place: Place, above: tuple[int, ...]) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return plain_text(value)
        if isinstance(value, Enum):
            return self.of(value.value, place, above)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if isinstance(value, Mapping):
            return {name: self.of(one, (*place, name), above) for key, one in value.items() if (name := _name(key))}
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
            return self._list(value, place, above)
        if (number := whole_number(value)) is not None:
            if number.bit_length() > MOST_BITS:
                raise _Dropped
            return number
        if isinstance(value, PurePath):
            return plain_text(str(value))
        if is_dataclass(value) and not isinstance(value, type):
            return self._of({field.name: getattr(value, field.name) for field in fields(value)}, place, above)
        if isinstance(value, Set):
            return self._list(sorted(value, key=repr), place, above)
        if hasattr(value, "tolist"):  # an array or a tensor, or a number of such a library
            if math.prod(getattr(value, "shape", ())) > self.left:
                raise _Dropped
            return self.of(value.tolist(), place, above)
        raise _Dropped

    def _list(self, values: Sequence[Any], place: Place, above: tuple[int, ...]) -> list[Any]:
        if len(values) > self.left:
            raise _Dropped
        return [self.of(value, (*place, index), above) for index, value in enumerate(values)]


def _said(place: Place) -> str:
    """A place as people write it, such as `why.belief[0]`."""
    return "why" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)


def _name(key: object) -> str:
    """A key as JSON has them: a text."""
    if isinstance(key, Enum):
        key = key.value
    return plain_text(key if isinstance(key, str) else repr(key))


def _type(value: object) -> str:
    return type(value).__name__
