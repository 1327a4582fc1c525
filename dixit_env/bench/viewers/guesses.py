"""Viewers' guesses: tables of a clue and numbered cards, and how likely a viewer finds each card.

Answers are tab-separated lines without a header: table, a probability (in per cent) for each card, and how well the
clue suits the card that the viewer finds likeliest (0 no relation … 3 lovely). The tables of a study may have different
numbers of cards, and several viewers may answer the same table.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, permutations, zip_longest
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dixit_env.bench.stats import Estimate, Floats, interval, mean, resample
from dixit_env.bench.viewers.clues import ViewersClue
from dixit_env.bench.viewers.folder import (
    Key,
    ViewersError,
    check_cells,
    holds_sheets,
    lines,
    read_key,
    write_folder,
)
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.decks.deck import Card
from dixit_env.paths import printable, write_atomically

Item = TypeVar("Item")

CONTROL = 1 / 4  # share of the tables that show the clue of another one
SIX = 6  # cards on a table made from a viewer's clue
SUITS = ("no relation", "a little", "well", "lovely")
"""How well a clue suits a card, from 0."""
BEST_SUIT = len(SUITS) - 1
GRADES = ", ".join(f"{value} {text}" for value, text in enumerate(SUITS))
READ = ("found", "belief")  # what any reader of a table can be measured by
MEASURED = (*READ, "suits")
COLUMNS = ("viewer", "table", "source", "control", "clue", "cards", "target", "belief", "suits")
PROMPT = f"""\
Each picture shows a table of a party game: a clue above, numbered cards below. One player gave the clue for one of
the cards. For EVERY table say how likely each card is the one, in per cent (all cards of a table sum to 100), and how
well the clue suits the card that you find likeliest: {GRADES}. Write a line for
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
    def likeliest(self) -> Floats:
        """(cards,) 1 for the likeliest card; those of a tie share it."""
        best = np.array(self.belief) == max(self.belief)
        return best / best.sum()

    @property
    def found(self) -> float:
        """1 where the right card is the likeliest; a tie counts as its share."""
        return float(self.likeliest[self.table.target])


def among_six(clue: ViewersClue, names: Sequence[str], rng: np.random.Generator) -> Table:
    """A viewer's clue over its card and five others, drawn at random from `names`.

    Raises `ViewersError` when there are too few.
    """
    if len(others := [name for name in names if name != clue.card]) < SIX - 1:
        raise ViewersError(f"a deck of {len(names)} cards makes no table of {SIX}")
    shown = rng.choice(others, SIX - 1, replace=False).tolist()
    place = int(rng.integers(SIX))
    return Table(clue.clue, "viewers", (*shown[:place], clue.card, *shown[place:]), place)


def evenly(tables: Sequence[Table], count: int, rng: np.random.Generator) -> list[Table]:
    """At most `count` of the tables, drawn at random, as many of each source as there can be."""
    groups: dict[str, list[Table]] = {}
    for row in rng.permutation(len(tables)):
        groups.setdefault(tables[row].source, []).append(tables[row])
    return list(islice(in_turn(groups.values()), count))


def in_turn(groups: Iterable[Sequence[Item]]) -> Iterator[Item]:
    """The first item of each group, then the second of each that has one, and so on."""
    return (item for row in zip_longest(*groups) for item in row if item is not None)


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
    for number, table in numbered(tables).items():
        if missing := [name for name in table.cards if name not in by_name]:
            raise ViewersError(f"no card {missing[0]}: give the decks that the game was played with (--deck)")
        columns = max(3, -(-len(table.cards) // 2))
        pictures[number] = lay_out([by_name[name].picture() for name in table.cards], columns, table.clue)
    write_folder(out, PROMPT, {number: asdict(table) for number, table in numbered(tables).items()}, pictures)
    return len(tables)


def numbered(tables: Sequence[Table]) -> dict[str, Table]:
    """Tables by the number that viewers and files know them by."""
    return {f"{number:03}": table for number, table in enumerate(tables, 1)}


def tables_in(key: Key) -> dict[str, Table]:
    """The tables of a study, by number."""
    return {name: Table(**(told | {"cards": tuple(told["cards"])})) for name, told in key.items()}


def read_tables(folder: Path) -> dict[str, Table]:
    """The tables in a study's folder, by number; raises `ViewersError` when it holds none."""
    key = read_key(folder)
    if holds_sheets(key):
        raise ViewersError(f"{printable(folder)} holds sheets to write clues for: name a folder of viewers.py tables")
    return tables_in(key)


def answered(key: Key, files: Sequence[Path]) -> list[Guess]:
    """The guesses in answer files; raises `ViewersError` that names the line that makes no sense."""
    tables = tables_in(key)
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
    Figures are None without tables. Under `control` stand the same figures for clues of other tables, under `lift` how
    much more often the card is found than there, under `agreement` how alike two viewers of a table answer.
    """
    found: dict[str, Any] = {}
    for source, mine in by_source(guesses).items():
        controls = [guess for guess in guesses if guess.table.source == source and guess.table.control]
        found[source] = _figures(mine, seed) | _lift(mine, controls, seed)
        found[source] |= {"agreement": agreement(mine), "control": _figures(controls, seed)}
    return found


def by_source(guesses: Iterable[Guess]) -> dict[str, list[Guess]]:
    """The guesses of tables that are no controls, by who gave the clue; a source of controls alone has none."""
    found: dict[str, list[Guess]] = {}
    for guess in guesses:
        mine = found.setdefault(guess.table.source, [])
        if not guess.table.control:
            mine.append(guess)
    return found


def agreement(guesses: Sequence[Guess]) -> dict[str, float | None]:
    """How alike viewers answer (`alike`), over all pairs of those who answered the same table."""
    by_table: dict[str, list[Guess]] = {}
    for guess in guesses:
        by_table.setdefault(guess.number, []).append(guess)
    pairs = [pair for answers in by_table.values() for pair in permutations(answers, 2)]
    return {"tables": len({one.number for one, _ in pairs}), **alike(pairs)}


def alike(pairs: Sequence[tuple[Guess, Guess]]) -> dict[str, float | None]:
    """How alike the two guesses of a pair are, over all pairs.

    `same_card`: how often their likeliest card is the same one. `correlation`: of their beliefs above chance in all
    cards; None where one believes nothing.
    """
    if not pairs:
        return {"same_card": None, "correlation": None}
    same = np.mean([one.likeliest @ other.likeliest for one, other in pairs])
    # (2, cards of all pairs); tables may have different numbers of cards
    beliefs = np.hstack([np.array([one.belief, other.belief]) - 1 / len(one.belief) for one, other in pairs])
    flat = np.isclose(beliefs, 0).all(1).any()
    return {"same_card": float(same), "correlation": None if flat else float(np.corrcoef(*beliefs)[0, 1])}


def reader_figures(guesses: Sequence[Guess], readings: Mapping[str, Guess], seed: int = 0) -> dict[str, Any]:
    """By source: how another reader reads the tables that viewers guessed, and how alike (`alike`) both answer.

    `readings` are its guesses, by the table's number; it need not say how well clues suit. Controls are left out.
    """
    return {
        source: _figures([readings[number] for number in dict.fromkeys(guess.number for guess in mine)], seed, READ)
        | alike([(guess, readings[guess.number]) for guess in mine])
        for source, mine in by_source(guesses).items()
    }


def _figures(guesses: Sequence[Guess], seed: int, names: Sequence[str] = MEASURED) -> dict[str, float | None]:
    values = _by_table(guesses)
    result: dict[str, float | None] = {"tables": len(values), "answers": len(guesses)}
    for column, name in enumerate(names):
        told = mean(values[:, column], resample(len(values), seed=seed)) if len(values) else None
        result |= _interval(name, told)
    return result


def _lift(own: Sequence[Guess], controls: Sequence[Guess], seed: int) -> dict[str, float | None]:
    """How much more often the card is found than at controls; both kinds of tables are resampled."""
    here, there = _by_table(own)[:, 0], _by_table(controls)[:, 0]
    if not len(here) or not len(there):
        return _interval("lift", None)
    gaps = resample(len(here), seed=seed) @ here / len(here) - resample(len(there), seed=seed + 1) @ there / len(there)
    return _interval("lift", Estimate(float(here.mean() - there.mean()), *interval(gaps)))


def _by_table(guesses: Sequence[Guess]) -> Floats:
    """Found, belief in the right card and suits, the mean of a table's viewers: (tables, 3)."""
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for guess in guesses:
        rows.setdefault(guess.number, []).append((guess.found, guess.belief[guess.table.target], guess.suits))
    return np.array([np.mean(answers, axis=0) for answers in rows.values()]).reshape(-1, 3)


def _interval(name: str, told: Estimate | None) -> dict[str, float | None]:
    value, low, high = (told.value, told.low, told.high) if told else (None, None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}
