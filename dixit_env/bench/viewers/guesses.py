"""Viewers' guesses: tables of a clue and numbered cards, and how likely a viewer finds each card.

Answers are tab-separated lines without a header: table, a probability (in per cent) for each card, and how well the
clue suits the card that the viewer finds likeliest (0 no relation … 3 lovely). The tables of a study may have different
numbers of cards, and several viewers may answer the same table.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.stats import mean, resample
from dixit_env.bench.viewers.clues import ViewersClue
from dixit_env.bench.viewers.folder import Key, ViewersError, check_cells, lines, write_folder
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.decks.deck import Card
from dixit_env.paths import printable, write_atomically

CONTROL = 1 / 4  # share of the tables that show the clue of another one
SIX = 6  # cards on a table made from a viewer's clue
BEST_SUIT = 3
COLUMNS = ("viewer", "table", "source", "control", "clue", "cards", "target", "belief", "suits")
PROMPT = """\
Each picture shows a table of a party game: a clue above, numbered cards below. One player gave the clue for one of
the cards. For EVERY table say how likely each card is the one, in per cent (all cards of a table sum to 100), and how
well the clue suits the card that you find likeliest: 0 no relation, 1 a little, 2 well, 3 lovely. Write a line for
each table to answers/NAME.tsv, separated by tabs: the table (the number in its file name), a number for each card, the
suit:

007	5	60	10	5	10	10	2
"""


@dataclass(frozen=True)
class Table:
    """A clue and the cards it may be about. `source` gave the clue: an agent, or "viewers"."""

    clue: str
    source: str
    cards: tuple[str, ...]  # names, as `Card.name`
    target: int  # place of the right card
    control: bool = False
    """the clue is another table's, and the card that it is about isn't here"""


@dataclass(frozen=True)
class Guess:
    """What a viewer thinks of a table."""

    viewer: str  # the name of the answer file
    number: str  # of the table
    table: Table
    belief: tuple[float, ...]  # sums to one
    suits: float  # 0 … 3

    @property
    def found(self) -> float:
        """1 where the right card is the likeliest; a tie counts as its share."""
        best = max(self.belief)
        return float(self.belief[self.table.target] == best) / sum(value == best for value in self.belief)


def among_six(clue: ViewersClue, names: Sequence[str], rng: np.random.Generator) -> Table:
    """A viewer's clue over its card and five others, drawn at random from `names`.

    Raises `ViewersError` when there are too few.
    """
    if len(others := [name for name in names if name != clue.card]) < SIX - 1:
        raise ViewersError(f"a deck of {len(names)} cards makes no table of {SIX}")
    shown = rng.choice(others, SIX - 1, replace=False).tolist()
    place = int(rng.integers(SIX))
    return Table(clue.clue, "viewers", (*shown[:place], clue.card, *shown[place:]), place)


def with_controls(tables: Sequence[Table], rng: np.random.Generator) -> list[Table]:
    """The tables, shuffled; a quarter of them with the clue of another one of the same source.

    The other clue is about a card that doesn't lie on the table; a table for which there is none stays as it is.
    """
    order = [tables[row] for row in rng.permutation(len(tables))]
    count = round(CONTROL * len(order))
    real = order[count:]
    mixed = list(real)
    for table in order[:count]:
        clues = [
            other.clue
            for other in real
            if other.source == table.source
            and other.clue != table.clue
            and other.cards[other.target] not in table.cards
        ]
        mixed.append(replace(table, clue=clues[int(rng.integers(len(clues)))], control=True) if clues else table)
    return [mixed[row] for row in rng.permutation(len(mixed))]


def write_tables(tables: Sequence[Table], cards: Sequence[Card], out: Path) -> int:
    """Draw the tables into `out`; see `folder` for what is written.

    Raises `ViewersError` for a card that isn't there.
    """
    by_name = {card.name: card for card in cards}
    pictures = {}
    for number, table in enumerate(tables, 1):
        if missing := [name for name in table.cards if name not in by_name]:
            raise ViewersError(f"no card {missing[0]}: give the decks that the game was played with (--deck)")
        columns = max(3, -(-len(table.cards) // 2))
        pictures[f"{number:03}"] = lay_out([by_name[name].picture() for name in table.cards], columns, table.clue)
    key = {f"{number:03}": asdict(table) for number, table in enumerate(tables, 1)}
    write_folder(out, PROMPT, key, pictures)
    return len(tables)


def answered(key: Key, files: Sequence[Path]) -> list[Guess]:
    """The guesses in answer files; raises `ViewersError` that names the line that makes no sense."""
    tables = {name: Table(**(told | {"cards": tuple(told["cards"])})) for name, told in key.items()}
    guesses: dict[tuple[str, str], Guess] = {}
    for file in files:
        for place, (number, *cells) in lines(file):
            name = number.zfill(3)
            if name not in tables:
                raise ViewersError(f"{place}: there is no table {number}")
            if (file.stem, name) in guesses:
                raise ViewersError(f"{place}: {file.stem} has answered table {number} before")
            guesses[file.stem, name] = _guess(place, file.stem, name, tables[name], cells)
    return list(guesses.values())


def _guess(place: str, viewer: str, number: str, table: Table, cells: Sequence[str]) -> Guess:
    check_cells(place, (number, *cells), len(table.cards) + 2)
    try:
        *shares, suits = map(float, cells)
    except ValueError as error:
        raise ViewersError(f"{place}: a number was wanted") from error
    total = sum(shares)
    if min(shares) < 0 or not 0 < total < float("inf"):
        raise ViewersError(f"{place}: probabilities are 0 or more, and not all of them 0")
    if not 0 <= suits <= BEST_SUIT:
        raise ViewersError(f"{place}: how well the clue suits is a number from 0 to {BEST_SUIT}, not {cells[-1]}")
    return Guess(viewer, number, table, tuple(share / total for share in shares), suits)


def write_guesses(guesses: Sequence[Guess], path: Path) -> None:
    """A table, separated by tabs: viewer, table, source, control (0 or 1), clue, cards, target, belief, suits."""
    rows = ["\t".join(COLUMNS)]
    for guess in guesses:
        table = guess.table
        belief = " ".join(f"{share:.3f}" for share in guess.belief)
        told = (guess.viewer, guess.number, table.source, int(table.control), table.clue, json.dumps(table.cards))
        rows.append("\t".join(map(str, (*told, table.target, belief, f"{guess.suits:g}"))))
    write_atomically(path, "\n".join(rows) + "\n")


def read_guesses(path: Path) -> list[Guess]:
    """A table as `write_guesses` makes it; raises `ViewersError`."""
    (_, header), *rows = lines(path)
    if header != list(COLUMNS):
        raise ViewersError(f"{printable(path)} isn't what viewers.py read writes: it begins with {', '.join(header)}")
    guesses = []
    for place, row in rows:
        check_cells(place, row, len(COLUMNS))
        viewer, number, source, control, clue, cards, target, belief, suits = row
        table = Table(clue, source, tuple(json.loads(cards)), int(target), control == "1")
        guesses.append(Guess(viewer, number, table, tuple(map(float, belief.split())), float(suits)))
    return guesses


def figures(guesses: Sequence[Guess], seed: int = 0) -> dict[str, Any]:
    """By source: tables, answers, how often the card is found, belief in it, and suits, with 95 % intervals.

    A table that several viewers answered counts once, with the mean of their answers; intervals resample tables.
    Figures are None without tables. Under `control` stand the same figures for clues of other tables.
    """
    found: dict[str, Any] = {}
    for source in dict.fromkeys(guess.table.source for guess in guesses):
        mine = [guess for guess in guesses if guess.table.source == source]
        found[source] = _figures([guess for guess in mine if not guess.table.control], seed)
        found[source]["control"] = _figures([guess for guess in mine if guess.table.control], seed)
    return found


def _figures(guesses: Sequence[Guess], seed: int) -> dict[str, float | None]:
    by_table: dict[str, list[tuple[float, float, float]]] = {}
    for guess in guesses:
        row = guess.found, guess.belief[guess.table.target], guess.suits
        by_table.setdefault(guess.number, []).append(row)
    result: dict[str, float | None] = {"tables": len(by_table), "answers": len(guesses)}
    values = np.array([np.mean(rows, axis=0) for rows in by_table.values()])  # (tables, 3)
    for column, name in enumerate(("found", "belief", "suits")):
        told = mean(values[:, column], resample(len(values), seed=seed)) if len(values) else None
        value, low, high = (told.value, told.low, told.high) if told else (None, None, None)
        result |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return result
