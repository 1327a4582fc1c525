"""Make agents/clues/clue_bank.tsv: clue texts in four languages.

`clue_sources/picked_LANG.txt` holds what a reader picked, under a heading `[source kind]`: words and phrases of open
lists, and phrases written for this project (source `own`). Names of emoji, which say the same things in every language,
and associations with what cards may show (`models/clip_training/associations`, source `own`) are added by rule. A text
that its source doesn't hold is an error, so the bank's last column can be relied on.
"""

import csv
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from dixit_env.agents.clues.bank import BANK, KINDS, Clue
from dixit_env.errors import DixitError
from dixit_env.game.moves import clue_fault
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.corpus import COLOURS, EMOJIBASE, FORTUNES, IDIOMS, WORDNET
from dixit_env.models.clip_training.meanings import Key, associations
from dixit_env.packages import Npm, fetch, read_npm, source_folder, unpack_debian
from dixit_env.scripts.common import run

CHOICES = Path(__file__).parent / "clue_sources"
# Emojibase's subgroups of things at home on a card: animals, plants, food, buildings, vehicles, sky, toys, tools, …
THINGS = {*range(34, 45), *range(46, 52), 53, *range(54, 58), 59, 60, 63, 64, 65, 68, 71, 73, 75, 77, 78, 79, 81, 82}
FACE = re.compile(r"^(rosto|cara)\b|face$|hoved$")  # "dog face", beside "dog"
OF_A_KEY = {"thing": 8, "template": 12, "mood": 12, "place": 12}  # associations of each thing, scene idea, …
SHARED_BY = 2  # keys; a clue that more of them share tells little
UNFIT = re.compile(
    r"\b(arse|ass|butt|crap|damn|fuck|piss|sex|sexy|shit|tits|whore|slave|suicide|caca|culo|mierda|bunda|lort|røv)\b"
)
ARTICLES = {
    "en": ("the ", "a ", "an ", "be "),
    "pt": ("o ", "a ", "os ", "as ", "um ", "uma "),
    "es": ("el ", "la ", "los ", "las ", "un ", "una "),
    "da": ("en ", "et ", "den ", "det ", "at "),
}


@dataclass
class Args:
    """Make the clue bank (agents/clues/clue_bank.tsv) from its sources."""

    out: Path = BANK
    """The file to write."""


def main(args: Args) -> None:
    """Write the bank, each clue once, sorted by language, kind and text."""
    fetch((COLOURS, EMOJIBASE, IDIOMS, FORTUNES, WORDNET), source_folder())
    rows: dict[tuple[str, str], tuple[Clue, str]] = {}
    for clue, source in (*picked(), *emoji_names(), *telling_associations()):
        if fault := clue_fault(clue.text):
            raise DixitError(f"{source}, {clue.text!r}: {fault}")
        written = replace(clue, text=clue.text[0].upper() + clue.text[1:])
        rows.setdefault((clue.lang, bare(clue.text, clue.lang)), (written, source))
    with args.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
        writer.writerow(("text", "lang", "kind", "source", "of"))
        for clue, source in sorted(rows.values(), key=lambda row: (rank(row[0]), row[0].text.casefold(), row[0].text)):
            writer.writerow((clue.text, clue.lang, clue.kind, source, " ".join(clue.of)))
    print(f"{args.out}: {len(rows)} clues")


def rank(clue: Clue) -> tuple[int, int]:
    """Where a clue's language and kind stand."""
    return LANGUAGES.index(clue.lang), KINDS.index(clue.kind)


def picked() -> Iterator[tuple[Clue, str]]:
    """The texts picked by hand and their sources; raises `DixitError` for one that its source doesn't hold."""
    strange = []
    for lang in LANGUAGES:
        source, kind = "", ""
        for line in (CHOICES / f"picked_{lang}.txt").read_text(encoding="utf-8").splitlines():
            if heading := re.fullmatch(r"\[(\S+) (\w+)\]", line):
                source, kind = heading.groups()
                continue
            for text in filter(None, map(str.strip, line.split("|"))):
                if source != "own" and bare(text, lang) not in held(source, lang):
                    strange.append(f"{text} ({source})")
                yield Clue(text, lang, kind), source
    if strange:
        raise DixitError(f"not in the source named, so strike them out or call them own: {', '.join(strange)}")


def emoji_names() -> Iterator[tuple[Clue, str]]:
    """Plain names of emoji that show a thing."""
    rejected = {name.strip() for name in (CHOICES / "rejected_emoji.txt").read_text(encoding="utf-8").split("|")}
    unwanted = {emoji["hexcode"] for emoji in emoji_data("en") if emoji["label"] in rejected}
    for lang in LANGUAGES:
        for emoji in emoji_data(lang):
            if emoji.get("subgroup") in THINGS and emoji["hexcode"] not in unwanted and is_plain(emoji["label"]):
                yield Clue(emoji["label"], lang, "concrete"), "emojibase-data"


def telling_associations() -> Iterator[tuple[Clue, str]]:
    """Associations that few keys share, as many of each key and language as `OF_A_KEY` says, drawn at random."""
    said = [one for one in associations() if is_playable(one.clue)]
    keys: dict[tuple[str, str], set[str]] = {}
    for one in said:
        keys.setdefault((one.language, bare(one.clue, one.language)), set()).add(":".join(one.key))
    rng = random.Random(0)
    by_key: dict[tuple[Key, str], list[str]] = {}
    for one in said:
        if len(keys[one.language, bare(one.clue, one.language)]) <= SHARED_BY:
            by_key.setdefault((one.key, one.language), []).append(one.clue)
    for ((kind, _), lang), clues in by_key.items():
        for clue in rng.sample(clues, min(OF_A_KEY[kind], len(clues))):
            of = tuple(sorted(keys[lang, bare(clue, lang)]))
            yield Clue(clue, lang, "mood" if kind == "mood" else "association", of), "own"


def is_playable(clue: str) -> bool:
    """Is it a clue that anybody may give at a table with children?"""
    return not clue_fault(clue) and len(clue) <= 60 and len(clue.split()) <= 8 and not UNFIT.search(clue.casefold())


def is_plain(name: str) -> bool:
    """Has a name one or two words ("flor de cerejeira" too), letters only, and is it no face of an animal?"""
    short = len(name.split()) <= (3 if " de " in name else 2)
    return short and name.replace(" ", "").replace("-", "").isalpha() and not FACE.search(name)


@cache
def held(source: str, lang: str) -> frozenset[str]:
    """All texts of a source, bare."""
    return frozenset(bare(text, lang) for text in texts(source, lang))


def texts(source: str, lang: str) -> Iterator[str]:
    """All texts of a source."""
    if source == "wordnet":
        for line in (unpack_debian(WORDNET, "wordnet", source_folder()) / "index.noun").read_text().splitlines():
            yield line.split(" ")[0].replace("_", " ")
    elif source == "idioms":
        yield from npm_text(IDIOMS, "idioms.txt").splitlines()
    elif source == "color-name-list":
        yield from (colour["name"] for colour in json.loads(npm_text(COLOURS, "dist/colornames.json")))
    elif source == "emojibase-data":
        for emoji in emoji_data(lang):
            yield from (emoji["label"], *emoji.get("tags", ()))
    elif source == "fortunes-es":
        folder = unpack_debian(FORTUNES, "fortunes/es", source_folder())
        for name in ("refranes", "proverbios"):
            fortunes = (folder / f"{name}.fortunes").read_text(encoding="utf-8")
            yield from (" ".join(text.split("--")[0].split()) for text in re.split(r"^%", fortunes, flags=re.MULTILINE))
    else:
        raise DixitError(
            f"no source {source!r}: write own, wordnet, idioms, color-name-list, emojibase-data, fortunes-es"
        )


@cache
def emoji_data(lang: str) -> list[dict[str, Any]]:
    """Emojibase's emoji, with names and tags in one language."""
    emoji: list[dict[str, Any]] = json.loads(npm_text(EMOJIBASE, f"{lang}/data.json"))
    return emoji


def npm_text(package: Npm, member: str) -> str:
    """A file of a package."""
    return read_npm(package, [member], source_folder())[0].decode()


def bare(text: str, lang: str) -> str:
    """The letters that tell one clue from another: no case, punctuation or leading article."""
    text = " ".join(re.sub(r"[^\w\s]", "", text.casefold()).split())
    for article in ARTICLES[lang]:
        text = text.removeprefix(article)
    return text


if __name__ == "__main__":
    run(main, Args, "python scripts/make_clue_bank.py")
