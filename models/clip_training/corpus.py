"""The texts that teach the text tower what words mean, beyond the captions of cards.

Sources (all fetched from packages, none shipped): WordNet 3.0 (Debian `wordnet-base`), Spanish proverbs and
sayings (Debian `fortunes-es`), idioms (npm `idioms`), evocative names (npm `color-name-list`), emoji names and tags
in four languages (npm `emojibase-data`), word frequencies (PyPI `wordfreq`).
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dixit_env.languages import LANGUAGES
from dixit_env.packages import Debian, Npm, fetch, read_npm, unpack_debian

EMOJIBASE = Npm("emojibase-data", "17.0.0")
IDIOMS = Npm("idioms", "0.0.2")
COLOURS = Npm("color-name-list", "14.29.0")
WORDNET = Debian("wordnet-base")
FORTUNES = Debian("fortunes-es")

_WORDS_PER_LANGUAGE = 5_000
_LONGEST = 70  # characters: a clue is short, and so is the time to learn what long sentences mean
_MIN_ZIPF = 1.8  # rarer English words (Latin species, chemistry) would crowd out the ones people say


@dataclass(frozen=True)
class Text:
    """A text, its language, and its English meaning where a source gives it (`""` where none does)."""

    text: str
    language: str
    english: str = ""


def load_corpus(folder: Path) -> list[Text]:
    """Every text once, in a fixed order.

    `folder`: where the packages lie; those missing are fetched. Raises `MissingSource` that says what to do when that
    can't be done.
    """
    fetch((EMOJIBASE, IDIOMS, COLOURS, WORDNET, FORTUNES), folder)
    texts = [
        *_wordnet(unpack_debian(WORDNET, "wordnet", folder)),
        *_emoji(folder),
        *_idioms(folder),
        *_colour_names(folder),
        *_proverbs(unpack_debian(FORTUNES, "fortunes/es", folder)),
        *_common_words(),
    ]
    return list(dict.fromkeys(texts))


def _wordnet(folder: Path) -> Iterator[Text]:
    """Lemmas that people use, the glosses and the example sentences of their synsets."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):  # the licence
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            lemmas = [
                re.sub(r"\(.*\)", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            ]
            common = [lemma for lemma in lemmas if _is_common(lemma)]
            yield from (Text(lemma, "en") for lemma in common)
            if common:
                pieces = [piece.strip(' ;"') for piece in gloss.split('; "')]  # a definition, then examples
                yield from (Text(piece, "en") for piece in pieces[:2] if len(piece) < _LONGEST)


def _is_common(lemma: str) -> bool:
    from wordfreq import zipf_frequency

    return lemma == lemma.lower() and len(lemma) > 2 and zipf_frequency(lemma, "en") >= _MIN_ZIPF


def _emoji(folder: Path) -> Iterator[Text]:
    """Names and tags of emoji: names are parallel, tags are shared meanings of one picture."""
    data = read_npm(EMOJIBASE, [f"{language}/data.json" for language in LANGUAGES], folder)
    by_language: dict[str, dict[str, Any]] = {
        language: {entry["hexcode"]: entry for entry in json.loads(entries)}
        for language, entries in zip(LANGUAGES, data, strict=True)
    }
    for hexcode, english in by_language["en"].items():
        for language in LANGUAGES:
            entry = by_language[language].get(hexcode)
            if entry is None:
                continue
            yield Text(entry["label"], language, english["label"])
            tags = entry.get("tags", [])
            if language == "en":
                yield from (Text(tag, "en") for tag in tags)
            if tags and english.get("tags"):
                yield Text(", ".join(tags[:4]), language, ", ".join(english["tags"][:4]))


def _idioms(folder: Path) -> Iterator[Text]:
    for line in read_npm(IDIOMS, ["idioms.txt"], folder)[0].decode().splitlines():
        if line.strip():
            yield Text(line.strip(), "en")


def _colour_names(folder: Path) -> Iterator[Text]:
    for row in csv.DictReader(read_npm(COLOURS, ["dist/colornames.csv"], folder)[0].decode().splitlines()):
        yield Text(row["name"], "en")


def _proverbs(folder: Path) -> Iterator[Text]:
    for name in (
        "refranes",
        "proverbios",
        "sabiduria",
        "vida",
        "sentimientos",
        "amistad",
        "verdad",
        "libertad",
    ):
        for saying in (folder / f"{name}.fortunes").read_text(encoding="utf-8").split("\n%\n"):
            saying = re.split(r"\n?\s*--", re.sub(r"\x1b\[[\d;]*m", "", saying))[0]
            saying = " ".join(saying.split())
            if 3 < len(saying) < _LONGEST:
                yield Text(saying, "es")


def _common_words() -> Iterator[Text]:
    from wordfreq import top_n_list

    for language in LANGUAGES:
        for word in top_n_list(language, _WORDS_PER_LANGUAGE):
            if len(word) > 2 and word.isalpha():
                yield Text(word, language)
