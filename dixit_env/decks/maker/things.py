"""The catalogue: what may appear on a card, and where, with its names and tags in four languages."""

import csv
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from dixit_env.languages import LANGUAGES


@dataclass(frozen=True)
class Thing:
    """One object. `name` has the indefinite article, `the` the definite one; `roles` say where it fits."""

    key: str
    roles: frozenset[str] = field(compare=False)
    name: dict[str, str] = field(compare=False)
    the: dict[str, str] = field(compare=False)
    tags: dict[str, tuple[str, ...]] = field(compare=False)


@dataclass(frozen=True)
class Landscape:
    """A photograph to stand in: `horizon` is where its ground begins, as a fraction of the height."""

    key: str
    kind: str
    horizon: float = field(compare=False)
    name: dict[str, str] = field(compare=False)
    place: dict[str, str] = field(compare=False)


def data_rows(filename: str) -> list[dict[str, str]]:
    """Rows of one of the tab-separated tables beside this module."""
    text = (files(__package__) / filename).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


@cache
def words() -> dict[str, Any]:
    """The phrases of `words.toml`, and under `templates` those of `texts/*.toml`, by template."""
    folder = files(__package__)
    texts = [tomllib.loads(file.read_text(encoding="utf-8")) for file in (folder / "texts").iterdir()]
    return {
        **tomllib.loads((folder / "words.toml").read_text(encoding="utf-8")),
        "templates": {name: text for file in texts for name, text in file.items()},
    }


def definite(language: str, indefinite: str) -> str:
    """The definite form of a name with an indefinite article (not for Danish, which inflects)."""
    articles = {
        "en": {"a": "the", "an": "the"},
        "pt": {"um": "o", "uma": "a"},
        "es": {"un": "el", "una": "la", "unos": "los", "unas": "las"},
    }[language]
    article, noun = indefinite.split(" ", 1)
    return f"{articles[article]} {noun}"


def catalogue(tags: dict[str, dict[str, tuple[str, ...]]]) -> dict[str, Thing]:
    """All things by key. `tags` maps key → language → words that go with the thing."""
    things = {}
    for row in data_rows("things.tsv"):
        name = {language: row[language] for language in LANGUAGES}
        the = {language: definite(language, name[language]) for language in ("en", "pt", "es")}
        the["da"] = row["da_the"]
        things[row["key"]] = Thing(row["key"], frozenset(row["roles"].split()), name, the, tags[row["key"]])
    return things


def landscapes() -> dict[str, Landscape]:
    """All landscapes by key."""
    kinds = words()["kinds"]
    return {
        row["name"]: Landscape(
            row["name"],
            row["kind"],
            float(row["horizon"]),
            kinds[row["kind"]]["name"],
            kinds[row["kind"]]["place"],
        )
        for row in data_rows("landscapes.tsv")
    }
