"""Studies: what a study file says, checked before the first participant comes."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from dixit_env.errors import DixitError
from dixit_env.game.rules import edition
from dixit_env.languages import LANGUAGES
from dixit_env.textfiles import TextError, read_text

Texts = dict[str, str]
"""A text by language."""

LONGEST_ANSWER = 2000  # characters of a text
PARTICIPANT = re.compile(r"[\w.~@:+-]{1,100}")
Key = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,31}$")]


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question on a page of the study."""

    key: Key  # what it is called in the export
    ask: Texts
    kind: Literal["scale", "choice", "text"] = "scale"
    most: Annotated[int, Meta(ge=1, le=10)] = 3  # of a scale, from 0
    low: Texts = {}  # what 0 means; msgspec copies it
    high: Texts = {}  # what `most` means
    options: tuple[Texts, ...] = ()  # of a choice
    of: Literal["everybody", "voters", "storyteller"] = "everybody"  # who is asked after a turn
    optional: bool = False

    def fault(self, value: object) -> str:
        """What is wrong with an answer, or ""."""
        if self.kind == "text":
            fits = isinstance(value, str) and len(value) <= LONGEST_ANSWER
            return "" if fits else f"{self.key} is a text of at most {LONGEST_ANSWER} characters"
        most = self.most if self.kind == "scale" else len(self.options) - 1
        return "" if type(value) is int and 0 <= value <= most else f"{self.key} is a whole number from 0 to {most}"


class Study(Struct, frozen=True, forbid_unknown_fields=True):
    """A study."""

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9-]{1,40}$")]
    languages: tuple[str, ...]  # every text is there in each of them
    title: Texts
    consent: Texts  # paragraphs, separated by empty lines
    code: Annotated[str, Meta(min_length=1, max_length=100)]  # shown at the end
    people: Annotated[int, Meta(ge=1, le=12)] = 1  # participants at a table
    wait: Annotated[int, Meta(ge=1, le=120)] = 10  # minutes for the others; then the code is shown without a game
    bots: tuple[str, ...] = ()  # their specs, by seat; the participants sit before them
    games: Annotated[int, Meta(ge=1, le=20)] = 1
    rules: str = "odyssey"
    tables: Annotated[str, Meta(min_length=1)] = ""
    """In place of games, the folder of a blind test (`viewers.py tables`); in the file as seen from its folder."""
    parameter: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,40}$")] = "participant"  # of the link, with the id
    turn: tuple[Question, ...] = ()  # asked after each turn
    end: tuple[Question, ...] = ()  # asked after the last game
    digest: str = ""  # 12 hex digits of the file's SHA-256

    @property
    def seats(self) -> int:
        """Of a table."""
        return self.people + len(self.bots)

    def questions(self, turn: int, tells: bool = False) -> tuple[Question, ...]:
        """The questions after a turn for a participant who told (or voted) in it; for turn 0 those at the end."""
        if turn == 0:
            return self.end
        return tuple(question for question in self.turn if question.of in ("everybody", _role(tells)))


def _role(tells: bool) -> str:
    return "storyteller" if tells else "voters"


def answers_fault(questions: tuple[Question, ...], answers: Mapping[str, object]) -> str:
    """What is wrong with the answers to these questions, or ""."""
    known = {question.key: question for question in questions}
    if unknown := sorted(set(answers) - set(known)):
        return f"nobody asked for {unknown[0]}"
    if missing := [question.key for question in questions if not question.optional and question.key not in answers]:
        return f"{missing[0]} is not answered"
    return next(filter(None, (known[key].fault(value) for key, value in answers.items())), "")


def read_study(path: Path) -> Study:
    """Read a study file; raises `DixitError` that says in one line what is wrong and where."""
    try:
        text = read_text(path)
        values = tomllib.loads(text)
        study = msgspec.convert({**values, "digest": hashlib.sha256(text.encode()).hexdigest()[:12]}, Study)
    except (TextError, OSError) as error:
        raise DixitError(f"the study can't be read: {error}") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DixitError(f"{path}: {error}; docs/hosting.md describes the file") from error
    if fault := next(_faults(study), ""):
        raise DixitError(f"{path}: {fault}")
    if study.tables:
        if of_games := [key for key in ("people", "wait", "bots", "games", "rules", "turn") if key in values]:
            raise DixitError(f"{path}: a study has either games or tables: remove {of_games[0]}, or tables")
        return msgspec.structs.replace(study, tables=str(path.parent / study.tables))
    edition(study.rules).seated(study.seats)  # raises RulesError
    return study


def public(study: Study) -> dict[str, Any]:
    """What the page is told of a study: neither its bots nor its code."""
    told: dict[str, Any] = msgspec.to_builtins(study)
    keys = ("name", "languages", "title", "consent", "people", "wait", "games", "parameter", "turn", "end")
    return {key: told[key] for key in keys}


def _faults(study: Study) -> Iterator[str]:
    if not study.languages or not set(study.languages) <= set(LANGUAGES):
        yield f"languages are some of {', '.join(LANGUAGES)}"
    for place, texts in _texts(study):
        if lacking := [tag for tag in study.languages if not texts.get(tag, "").strip()]:
            yield f"{place} has no text in {lacking[0]}"
        if foreign := sorted(set(texts) - set(study.languages)):
            yield f"{place} has a text in {foreign[0]}, which is not among the languages"
    if study.people == 1 and not study.bots and not study.tables:
        yield "a study has people or bots to play with, or tables to judge"
    for kind, questions in (("turn", study.turn), ("end", study.end)):
        keys = [question.key for question in questions]
        if twice := [key for key in keys if keys.count(key) > 1]:
            yield f"two questions of [[{kind}]] are called {twice[0]}"
        for question in questions:
            if (question.kind == "choice") != (len(question.options) > 1):
                yield f"question {question.key}: a choice has two options or more, another kind has none"
    if any(question.of != "everybody" for question in study.end):
        yield "questions at the end are for everybody: remove `of`"


def _texts(study: Study) -> Iterator[tuple[str, Texts]]:
    yield "title", study.title
    yield "consent", study.consent
    for question in (*study.turn, *study.end):
        yield f"question {question.key}: ask", question.ask
        for number, option in enumerate(question.options):
            yield f"question {question.key}: option {number}", option
        for name, end in (("low", question.low), ("high", question.high)):
            if end:
                yield f"question {question.key}: {name}", end
