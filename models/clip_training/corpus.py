"""Common words and phrases, which keep their meaning in the text tower though no association holds them.

Sources (all fetched from packages, none shipped): WordNet 3.0 (Debian `wordnet-base`), Spanish proverbs and
sayings (Debian `fortunes-es`), idioms (npm `idioms`), evocative names (npm `color-name-list`), emoji names and tags
in four languages (npm `emojibase-data`), word frequencies (PyPI `wordfreq`).
"""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dixit_env.languages import LANGUAGES
from dixit_env.packages import Debian, Npm, fetch, read_npm, unpack_debian

EMOJIBASE = Npm("emojibase-data", "17.0.0")
IDIOMS = Npm("idioms", "0.0.2")
COLOURS = Npm("color-name-list", "14.29.0")
WORDNET = Debian("wordnet-base")
FORTUNES = Debian("fortunes-es")

ENGLISH = 15_000  # English phrases
_WORDS_PER_LANGUAGE = 14_000
_LONGEST = 70  # characters: a clue is short, and so is the time to learn what long sentences mean
_MIN_ZIPF = 1.8  # rarer English words (Latin species, chemistry) would crowd out the ones people say


def common_texts(folder: Path) -> list[str]:
    """Words and phrases of the four languages, each once, in a fixed order; of the many English phrases a sample.

    `folder`: where the packages lie; those missing are fetched. Raises `MissingSource` that says what to do when that
    can't be done.
    """
    fetch((EMOJIBASE, IDIOMS, COLOURS, WORDNET, FORTUNES), folder)
    english = list(
        dict.fromkeys(
            [
                *_wordnet(unpack_debian(WORDNET, "wordnet", folder)),
                *_idioms(folder),
                *_colour_names(folder),
            ]
        )
    )
    drawn = np.random.default_rng(0).choice(len(english), min(ENGLISH, len(english)), replace=False)
    proverbs = _proverbs(unpack_debian(FORTUNES, "fortunes/es", folder))
    return list(dict.fromkeys([*_common_words(), *_emoji(folder), *proverbs, *(english[row] for row in sorted(drawn))]))


def _wordnet(folder: Path) -> Iterator[str]:
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
            yield from common
            if common:
                pieces = [piece.strip(' ;"') for piece in gloss.split('; "')]  # a definition, then examples
                yield from (piece for piece in pieces[:2] if len(piece) < _LONGEST)


def _is_common(lemma: str) -> bool:
    from wordfreq import zipf_frequency

    return lemma == lemma.lower() and len(lemma) > 2 and zipf_frequency(lemma, "en") >= _MIN_ZIPF


def _emoji(folder: Path) -> Iterator[str]:
    """Names and tags of emoji."""
    for data in read_npm(EMOJIBASE, [f"{language}/data.json" for language in LANGUAGES], folder):
        for entry in json.loads(data):
            yield entry["label"]
            yield from entry.get("tags", [])


def _idioms(folder: Path) -> Iterator[str]:
    for line in read_npm(IDIOMS, ["idioms.txt"], folder)[0].decode().splitlines():
        if line.strip():
            yield line.strip()


def _colour_names(folder: Path) -> Iterator[str]:
    for row in csv.DictReader(read_npm(COLOURS, ["dist/colornames.csv"], folder)[0].decode().splitlines()):
        yield row["name"]


def _proverbs(folder: Path) -> Iterator[str]:
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
                yield saying


def _common_words() -> Iterator[str]:
    from wordfreq import top_n_list

    for language in LANGUAGES:
        yield from (word for word in top_n_list(language, _WORDS_PER_LANGUAGE) if len(word) > 1 and word.isalpha())
