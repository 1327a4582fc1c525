"""Personas: manners of playing for the CLIP agent, so that the seats of a table differ as people do.

Each is a file `personas/KEY.toml`: a name, a face, a sentence about the manner in every language, and options of the
agent, written as in a spec.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path

from dixit_env.agents.clip.agent import ClipOptions
from dixit_env.agents.options import format_option, option_values
from dixit_env.errors import SpecError
from dixit_env.languages import LANGUAGES
from dixit_env.paths import printable
from dixit_env.textfiles import read_text

PERSONAS = Path(__file__).parent / "personas"
_SHOWN = ("name", "face", "manner")
_REQUIRED = (*_SHOWN, "kinds", "clue", "votes")


@dataclass(frozen=True, slots=True)
class Persona:
    """A manner of playing."""

    name: str
    """A first name."""
    face: str
    """An emoji."""
    manner: Mapping[str, str]
    """One sentence about it, by language."""
    options: ClipOptions

    @property
    def spec(self) -> str:
        """The agent's spec; more options may follow after a comma."""
        return f"clip:persona={self.options.persona}"


def personas(folder: Path = PERSONAS) -> tuple[Persona, ...]:
    """All personas of a folder, by key; raises `DixitError` like `load_persona`."""
    return tuple(load_persona(key, folder) for key in _keys(folder))


def load_persona(key: str, folder: Path = PERSONAS) -> Persona:
    """The persona of that key; raises `DixitError` that names those there are, or what is wrong with its file."""
    keys = _keys(folder)
    if key not in keys:
        near = get_close_matches(key, keys, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise SpecError(f"no persona is called {key!r}{hint}: choose one of {', '.join(keys)}")
    file = folder / f"{key}.toml"
    try:
        values = tomllib.loads(read_text(file))
        _check(values)
        settings = ",".join(f"{name}={format_option(values[name])}" for name in values if name not in _SHOWN)
        options = ClipOptions(**option_values(settings, ClipOptions), persona=key)
    except (tomllib.TOMLDecodeError, SpecError) as error:
        raise SpecError(f"{printable(file)}: {error}") from error
    return Persona(values["name"], values["face"], values["manner"], options)


def clip_options(rest: str) -> ClipOptions:
    """The options of `clip:REST`: those given, over the persona's where one is named; raises `DixitError`."""
    given = option_values(rest, ClipOptions)
    key = given.get("persona")
    return replace(load_persona(key).options, **given) if key else ClipOptions(**given)


def _keys(folder: Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.toml"))


def _check(values: Mapping[str, object]) -> None:
    """Raise `SpecError` unless these are the fields of a persona; the values of options are checked elsewhere."""
    optional = [field.name for field in fields(ClipOptions) if field.name not in (*_REQUIRED, "persona")]
    if unknown := [name for name in values if name not in (*_REQUIRED, *optional)]:
        raise SpecError(f"no field is called {unknown[0]!r}: choose from {', '.join((*_REQUIRED, *optional))}")
    if missing := [name for name in _REQUIRED if name not in values]:
        raise SpecError(f"it lacks {', '.join(missing)}")
    manner = values["manner"]
    sentences = [manner.get(lang) for lang in LANGUAGES] if isinstance(manner, dict) else []
    if not sentences or not all(isinstance(text, str) for text in (values["name"], values["face"], *sentences)):
        raise SpecError(f"name and face are texts, and manner is a table with a sentence in {', '.join(LANGUAGES)}")
