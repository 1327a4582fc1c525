"""The texts that teach the text tower what words mean, beyond the captions of cards.

Sources (all installed by package tools, none shipped): WordNet 3.0 (Debian `wordnet-base`), Spanish proverbs and
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

from dixit_env.decks.deck import LANGUAGES
from dixit_env.errors import DixitError

WORDNET = Path("/usr/share/wordnet")
FORTUNES = Path("/usr/share/games/fortunes/es")
NPM_PACKAGES = ("emojibase-data", "idioms", "color-name-list")

_WORDS_PER_LANGUAGE = 5_000
_LONGEST = 70  # characters: a clue is short, and so is the time to learn what long sentences mean
_MIN_ZIPF = 1.8  # rarer English words (Latin species, chemistry) would crowd out the ones people say


@dataclass(frozen=True)
class Text:
    """A text, its language, and its English meaning where a source gives it (`""` where none does)."""

    text: str
    language: str
    english: str = ""


def load_corpus(npm: Path) -> list[Text]:
    """Every text once, in a fixed order.

    `npm`: the `node_modules` folder that holds `NPM_PACKAGES`.
    Raises `DixitError` naming the command that installs a missing source.
    """
    _require(npm)
    texts = [*_wordnet(), *_emoji(npm), *_idioms(npm), *_colour_names(npm), *_proverbs(), *_common_words()]
    return list(dict.fromkeys(texts))


def _require(npm: Path) -> None:
    missing = [name for name in NPM_PACKAGES if not (npm / name).is_dir()]
    if missing:
        raise DixitError(f"no {missing[0]} in {npm}: run `npm install --prefix {npm.parent} {' '.join(NPM_PACKAGES)}`")
    for folder, package in ((WORDNET, "wordnet-base"), (FORTUNES, "fortunes-es")):
        if not folder.is_dir():
            raise DixitError(f"no {folder}: run `apt-get install {package}`")


def _wordnet() -> Iterator[Text]:
    """Lemmas that people use, the glosses and the example sentences of their synsets."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (WORDNET / f"data.{part}").read_text(encoding="utf-8").splitlines():
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


def _emoji(npm: Path) -> Iterator[Text]:
    """Names and tags of emoji: names are parallel, tags are shared meanings of one picture."""
    by_language = {
        language: {entry["hexcode"]: entry for entry in _json(npm / "emojibase-data" / language / "data.json")}
        for language in LANGUAGES
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


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _idioms(npm: Path) -> Iterator[Text]:
    for line in (npm / "idioms" / "idioms.txt").read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield Text(line.strip(), "en")


def _colour_names(npm: Path) -> Iterator[Text]:
    with (npm / "color-name-list" / "dist" / "colornames.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield Text(row["name"], "en")


def _proverbs() -> Iterator[Text]:
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
        for saying in (FORTUNES / f"{name}.fortunes").read_text(encoding="utf-8").split("\n%\n"):
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
