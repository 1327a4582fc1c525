"""What may be said of a card: captions for training, each with what it is about.

`about` is a set of facts such as `thing:owl`, `place:forest` or `tag:en:wisdom`. A caption is true of every card whose
facts include it, so cards of one batch that share an object are not pushed apart by its name.
"""

from dataclasses import dataclass

import numpy as np

from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.cards import Truth

_LANGUAGE_SHARES = (0.4, 0.2, 0.2, 0.2)
_ARTICLES = frozenset(["a", "an", "um", "uma", "uns", "umas", "un", "una", "unos", "unas", "en", "et"])
# Ways to speak of a thing {x}, of a thing somewhere {place} and of two things {x}, {y}.
_THING = {
    "en": ("{x}", "{x}", "a dream about {x}", "once there was {x}", "it was {x}", "just {x}", "the story of {x}"),
    "pt": ("{x}", "{x}", "um sonho com {x}", "era uma vez {x}", "era {x}", "apenas {x}", "uma história sobre {x}"),
    "es": ("{x}", "{x}", "un sueño con {x}", "érase una vez {x}", "era {x}", "solo {x}", "una historia sobre {x}"),
    "da": ("{x}", "{x}", "en drøm om {x}", "der var engang {x}", "det var {x}", "bare {x}", "historien om {x}"),
}
_PLACE = ("{x} {place}", "{x}, {place}", "{place}: {x}")
_AND = {"en": "and", "pt": "e", "es": "y", "da": "og"}
_WITH = {"en": "with", "pt": "com", "es": "con", "da": "med"}


@dataclass(frozen=True)
class Caption:
    """A text and the facts it states."""

    text: str
    about: frozenset[str]


def facts(truth: Truth) -> frozenset[str]:
    """Everything a caption may state that holds of the card."""
    things = {f"thing:{key}" for key in truth.things}
    tags = {
        f"tag:{language}:{tag}" for words in truth.tags for language in LANGUAGES for tag in words.get(language, ())
    }
    titles = {f"title:{title}" for title in truth.title.values()}  # some belong to a template, not to a card
    return frozenset({*things, *tags, *titles, f"place:{truth.place}", f"card:{truth.seed}"})


def draw_captions(truth: Truth, rng: np.random.Generator, places: bool = False) -> list[Caption]:
    """Captions of the whole card, of its main thing, of something small on it, and of the place or the main thing.

    With `places` two of the place instead of the last.
    """
    most = [_whole(truth, rng), _main(truth, rng), _small(truth, rng)]
    if places:
        return [*most, _place(truth, rng), _place(truth, rng)]
    return [*most, _place(truth, rng) if rng.random() < 0.6 else _main(truth, rng)]


def _whole(truth: Truth, rng: np.random.Generator) -> Caption:
    """A sentence that fits this card, hardly another."""
    language = _language(rng)
    kind = rng.random()
    if kind < 0.55:
        return Caption(truth.description[language], frozenset({f"card:{truth.seed}"}))
    if kind < 0.75:
        return Caption(truth.title[language], frozenset({f"title:{truth.title[language]}"}))
    main = truth.names[0][language]
    if kind < 0.9 or len(truth.things) == 1:
        text = _pick(_PLACE, rng).format(x=main, place=truth.place_phrase[language])
        return Caption(text, frozenset({f"thing:{truth.things[0]}", f"place:{truth.place}"}))
    other = int(rng.integers(1, len(truth.things)))
    joint = _AND if rng.random() < 0.5 else _WITH
    text = f"{main} {joint[language]} {truth.names[other][language]}"
    return Caption(text, frozenset({f"thing:{truth.things[0]}", f"thing:{truth.things[other]}"}))


def _main(truth: Truth, rng: np.random.Generator) -> Caption:
    """The main thing's name or words that go with it."""
    return _tags(truth, 0, rng) if rng.random() < 0.35 else _name(truth, 0, rng)


def _small(truth: Truth, rng: np.random.Generator) -> Caption:
    """A small thing's name, or words that go with any thing."""
    if len(truth.things) > 1 and rng.random() < 0.75:
        return _name(truth, int(rng.integers(1, len(truth.things))), rng)
    return _tags(truth, int(rng.integers(len(truth.things))), rng)


def _place(truth: Truth, rng: np.random.Generator) -> Caption:
    """Where the scene lies."""
    place = truth.place_name if rng.random() < 0.7 else truth.place_phrase
    return Caption(place[_language(rng)], frozenset({f"place:{truth.place}"}))


def _name(truth: Truth, thing: int, rng: np.random.Generator) -> Caption:
    language = _language(rng)
    name = truth.names[thing][language]
    text = without_article(name) if rng.random() < 0.5 else _pick(_THING[language], rng).format(x=name)
    return Caption(text, frozenset({f"thing:{truth.things[thing]}"}))


def _tags(truth: Truth, thing: int, rng: np.random.Generator) -> Caption:
    language = _language(rng)
    tags = truth.tags[thing].get(language, [])
    if not tags:
        return _name(truth, thing, rng)
    count = min(len(tags), int(rng.integers(1, 4)))
    drawn = [str(tag) for tag in rng.choice(tags, count, replace=False)]
    return Caption(", ".join(drawn), frozenset(f"tag:{language}:{tag}" for tag in drawn))


def without_article(name: str) -> str:
    """`an owl` → `owl`, `uma coruja` → `coruja`."""
    first, _, rest = name.partition(" ")
    return rest if rest and first in _ARTICLES else name


def _language(rng: np.random.Generator) -> str:
    return str(rng.choice(LANGUAGES, p=_LANGUAGE_SHARES))


def _pick(options: tuple[str, ...], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]
