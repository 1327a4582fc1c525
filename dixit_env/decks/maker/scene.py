"""What is on a card: a frozen description that says it in four languages and from which the picture follows."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dixit_env.errors import DixitError

from .moods import MOODS
from .sources import Sources
from .things import Landscape, Thing, words

CONTRACTIONS = {
    "pt": [
        (r"\b[Dd]e (o|a|os|as) ", r"d\1 "),
        (r"\b[Ee]m (o|a|os|as) ", r"n\1 "),
        (r"\b[Ee]m (um|uma) ", r"n\1 "),
        (r"\b[Pp]or (o|a|os|as) ", r"pel\1 "),
        (r"\ba (o|os) ", r"a\1 "),
        (r"\ba a ", "à "),
    ],
    "es": [(r"\bde el ", "del "), (r"\ba el ", "al ")],
}
SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "between",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "or",
        "over",
        "that",
        "the",
        "to",
        "under",
        "with",
    ]
)


@dataclass(frozen=True)
class Template:
    """A kind of scene: which things it takes, and how it is composed."""

    name: str
    main: frozenset[str]
    """roles, one of which the main thing has"""
    small: tuple[frozenset[str], ...]
    """the same for each small thing"""
    kinds: frozenset[str]
    """kinds of landscape that suit; empty for any"""
    compose: Callable[..., None]
    """draws it on a `Stage`"""


@dataclass(frozen=True)
class Scene:
    """The ground truth of one card. Equal scenes give equal pictures."""

    seed: int
    template: str
    main: Thing
    small: tuple[Thing, ...]
    landscape: Landscape
    other: Landscape
    """a second landscape, for what is seen through doors, in books, beyond edges"""
    mood: str
    style: str
    """name of the painting in whose manner the card is painted"""
    strength: float

    def description(self, language: str) -> str:
        """One sentence that says what can be seen, where and when: "A fox …, in the mountains at dusk"."""
        text = words()["templates"][self.template]
        where = f"{self.landscape.place[language]} {words()['moods'][self.mood][language]}"
        return capitalised(self._fill(f"{text['description'][language]}, {where}", language))

    def title(self, language: str) -> str:
        """A title, in the same wording in every language."""
        titles = words()["templates"][self.template]["titles"]
        text = self._fill(titles[self.seed % len(titles)][language], language)
        return title_case(text) if language == "en" else capitalised(text)

    def tags(self, language: str) -> tuple[str, ...]:
        """Words that go with the main thing, the small ones and the landscape, each once."""
        tags = [tag for thing in (self.main, *self.small) for tag in thing.tags[language][:6]]
        return tuple(dict.fromkeys([*tags, self.landscape.name[language]]))

    def _fill(self, text: str, language: str) -> str:
        values = {"main": self.main.name[language], "the_main": self.main.the[language]}
        for letter, thing in zip("abcd", self.small, strict=False):
            values |= {letter: thing.name[language], f"the_{letter}": thing.the[language]}
        values["other"] = self.other.name[language]
        filled = text.format(**values)
        for pattern, replacement in CONTRACTIONS.get(language, []):
            filled = re.sub(pattern, replacement, filled)
        return filled


def capitalised(text: str) -> str:
    """The text with a capital at its start."""
    return text[0].upper() + text[1:]


def title_case(text: str) -> str:
    """English headline capitals: "The Cup That Held a Sea"."""
    parts = text.split(" ")
    inner = [part if part in SMALL_WORDS else capitalised(part) for part in parts[1:-1]]
    return " ".join([capitalised(parts[0]), *inner, *map(capitalised, parts[1:][-1:])])


def pick(rng: np.random.Generator, options: list[Any]) -> Any:
    """One of the options, all as likely."""
    return options[int(rng.integers(len(options)))]


def sample_scene(
    sources: Sources, seed: int, exclude: frozenset[str] = frozenset(), template: str | None = None
) -> Scene:
    """A scene drawn from one seed. No thing whose key is in `exclude` appears in it.

    The same arguments give the same scene; scenes of other seeds are independent. Raises `DixitError` for a template
    that isn't known, or that what is left of the catalogue can't fill, and when `exclude` names one of `PROPS`.
    """
    from .templates import PROPS, TEMPLATES  # which import this module

    if props := exclude & PROPS:
        raise DixitError(
            f"templates draw these of their own accord, they can't be excluded: {', '.join(sorted(props))}"
        )

    def fitting(roles: frozenset[str], taken: frozenset[str] | set[str]) -> list[Thing]:
        return [thing for thing in sources.with_roles(roles) if thing.key not in taken]

    def can_be_filled(name: str) -> bool:
        slots = (TEMPLATES[name].main, *TEMPLATES[name].small)
        return all(len(fitting(roles, exclude)) >= len(slots) for roles in slots)

    names = [name for name in sorted(TEMPLATES) if template in (None, name) and can_be_filled(name)]
    if not names:
        raise DixitError(f"no template {template or ''} with things left for it: there are {', '.join(TEMPLATES)}")
    rng = np.random.default_rng((seed, 1))
    chosen = TEMPLATES[pick(rng, names)]
    taken = set(exclude)

    def thing(roles: frozenset[str]) -> Thing:
        drawn: Thing = pick(rng, fitting(roles, taken))
        taken.add(drawn.key)
        return drawn

    main = thing(chosen.main)
    small = tuple(thing(roles) for roles in chosen.small)
    places = [view for view in sources.landscapes.values() if not chosen.kinds or view.kind in chosen.kinds]
    landscape = pick(rng, places)
    other = pick(rng, [view for view in sources.landscapes.values() if view.kind != landscape.kind])
    weights = np.array([mood.weight for mood in MOODS.values()])
    mood = str(rng.choice(list(MOODS), p=weights / weights.sum()))
    style = pick(rng, sorted(STYLES))
    low, high = STYLES[style]
    return Scene(seed, chosen.name, main, small, landscape, other, mood, style, round(float(rng.uniform(low, high)), 3))


STYLES = {
    "auvers": (0.35, 0.6),
    "bridge": (0.4, 0.7),
    "ejiri": (0.35, 0.6),
    "galette": (0.35, 0.55),
    "harvesters": (0.4, 0.7),
    "lion": (0.4, 0.65),
    "pesaro": (0.4, 0.7),
    "piano": (0.35, 0.65),
    "poppies": (0.35, 0.6),
    "ramparts": (0.4, 0.7),
    "searoute": (0.4, 0.7),
    "shrine": (0.35, 0.6),
    "spring": (0.35, 0.55),
    "summertime": (0.35, 0.55),
    "wave": (0.35, 0.6),
    "composition": (0.3, 0.45),
}
"""paintings that serve as styles → lowest and highest strength at which things stay readable"""
