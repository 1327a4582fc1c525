"""Viewers' clues: sheets of numbered cards to write clues for, and what was written.

A viewer sees only pictures. Answers are tab-separated lines without a header: sheet, number, kind, clue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from dixit_env.bench.viewers.folder import Key, ViewersError, check_cells, lines, write_folder
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.decks.deck import Card
from dixit_env.game.moves import clue_fault
from dixit_env.paths import printable, write_atomically

PER_SHEET = 8
COLUMNS = 4
# Kind of clue → what it measures. `idea`, `saying` and `moment` are evocative ones of different sorts.
KINDS = {
    "idea": "evocative_en",
    "saying": "evocative_en",
    "moment": "evocative_en",
    "hint": "hint",
    "plain": "plain",
    "pt": "evocative_pt",
    "es": "evocative_es",
    "da": "evocative_da",
}
HEADER = ["card", "kind", "clue"]
PROMPT = """\
You look at sheets of numbered pictures of a party game. A player describes one picture by a short clue; the others must
be able to find it among six, but it should not be a mere description. For EVERY picture write 8 clues, each thought
from what you SEE (its subject, what happens, its mood, what it could mean):

- idea: evocative English, a feeling or an idea
- saying: evocative English, a saying, an idiom, a title, a phrase from life
- moment: evocative English, a moment of a story
- hint: English, an indirect hint to a thing in the picture, without naming it
- plain: English, a plain description in 3 to 9 words
- pt, es, da: an evocative clue in Portuguese, in Spanish, in Danish, each thought in that language

1 to 8 words each. Evocative clues don't name the main thing. Write a line for each clue to answers/NAME.tsv, its four
parts separated by tabs: the sheet (the number in its file name), the picture's number, the kind, the clue:

007	3	da	Hjem igen
"""


@dataclass(frozen=True)
class ViewersClue:
    """A clue that a viewer wrote for a card."""

    card: str  # its name, as `Card.name`
    kind: str  # one of `KINDS`
    clue: str

    @property
    def measures(self) -> str:
        """`evocative_LANGUAGE`, `hint` or `plain`."""
        return KINDS[self.kind]

    @property
    def evocative(self) -> bool:
        """Neither a hint nor a description."""
        return self.measures.startswith("evocative")


def write_sheets(cards: Sequence[Card], out: Path, seed: int) -> int:
    """Lay all cards out on sheets in `out`, shuffled by `seed`; returns how many. See `folder` for what is written."""
    order = np.random.default_rng(seed).permutation(len(cards))
    key: dict[str, list[str]] = {}
    pictures = {}
    for start in range(0, len(cards), PER_SHEET):
        part = [cards[row] for row in order[start : start + PER_SHEET]]
        name = f"{start // PER_SHEET + 1:03}"
        key[name] = [card.name for card in part]
        pictures[name] = lay_out([card.picture() for card in part], COLUMNS)
    write_folder(out, PROMPT, key, pictures)
    return len(key)


def answered(key: Key, files: Sequence[Path]) -> list[ViewersClue]:
    """The clues in answer files, once each; raises `ViewersError` that names the line that makes no sense."""
    clues = []
    for place, row in chain.from_iterable(map(lines, files)):
        check_cells(place, row, 4)
        sheet, number, kind, clue = row
        cards = key.get(sheet.zfill(3))
        if not isinstance(cards, list) or not number.isdecimal() or not 1 <= int(number) <= len(cards):
            raise ViewersError(f"{place}: there is no picture {number} on a sheet {sheet}")
        clues.append(_clue(place, cards[int(number) - 1], kind, clue))
    return list(dict.fromkeys(clues))


def write_clues(clues: Sequence[ViewersClue], path: Path) -> None:
    """A table with the columns card, kind, clue, separated by tabs."""
    rows = [HEADER, *([row.card, row.kind, row.clue] for row in clues)]
    write_atomically(path, "".join("\t".join(row) + "\n" for row in rows))


def read_clues(path: Path) -> list[ViewersClue]:
    """A table as `write_clues` makes it; raises `ViewersError`."""
    clues = []
    for number, (place, row) in enumerate(lines(path)):
        if number == 0 and row != HEADER:
            raise ViewersError(f"{place}: the columns {', '.join(HEADER)} were wanted, separated by tabs")
        if number:
            check_cells(place, row, len(HEADER))
            clues.append(_clue(place, *row))
    if not clues:
        raise ViewersError(f"{printable(path)} holds no clue")
    return clues


def _clue(place: str, card: str, kind: str, clue: str) -> ViewersClue:
    if kind not in KINDS:
        raise ViewersError(f"{place}: {kind!r} is no kind of clue; there are {', '.join(KINDS)}")
    if fault := clue_fault(clue):
        raise ViewersError(f"{place}: {fault}")
    return ViewersClue(card, kind, clue)


def by_card(clues: Sequence[ViewersClue]) -> Mapping[str, Sequence[ViewersClue]]:
    """The clues of each card, in order."""
    found: dict[str, list[ViewersClue]] = {}
    for clue in clues:
        found.setdefault(clue.card, []).append(clue)
    return found
