"""What is on a card: a frozen description that says it in four languages and from which the picture follows."""

import re
from dataclasses import dataclass

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
        *("a", "an", "and", "as", "at", "between", "by", "for", "from", "in", "into", "of", "on", "or", "over"),
        *("that", "the", "to", "under", "with"),
    ]
)


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
