"""Options of an agent's spec: `key=value,…` as a dataclass."""

from dataclasses import fields
from typing import Any

from dixit_env.errors import SpecError


def parse_options(rest: str, options: type[Any]) -> Any:
    """`key=value,…` as a dataclass of options; raises `SpecError` that lists the known ones."""
    return options(**option_values(rest, options))


def option_values(rest: str, options: type[Any]) -> dict[str, Any]:
    """The values in `key=value,…` by key, typed as in a dataclass of options; raises `SpecError` that lists these."""
    known = {field.name: field.default for field in fields(options)}
    values: dict[str, Any] = {}
    for piece in filter(None, rest.split(",")):
        key, equals, text = piece.partition("=")
        if key not in known or not equals:
            listed = ", ".join(f"{name}={format_option(default)}" for name, default in known.items())
            raise SpecError(f"{piece!r} is no option here: the options and their defaults are {listed}")
        values[key] = _value(key, text, known[key])
    return values


def format_option(value: Any) -> str:
    """A value as it is written in a spec: `on`, `0.1`, `win`, `idiom+proverb`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "+".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _value(key: str, text: str, default: Any) -> Any:
    """The inverse of `format_option`, of the type of the default; raises `SpecError`."""
    if isinstance(default, bool):
        if text not in ("on", "off"):
            raise SpecError(f"{key} is on or off, not {text!r}")
        return text == "on"
    if isinstance(default, tuple):
        return tuple(text.split("+"))
    try:
        return type(default)(text)
    except ValueError as error:
        raise SpecError(f"{key} is a number, not {text!r}") from error
