"""Viewers' guesses: tables of a clue and numbered cards, and how likely a viewer finds each card.

Answers are tab-separated lines without a header: table, a probability (in per cent) for each card, and how well the
clue suits the card that the viewer finds likeliest (0 no relation … 3 lovely).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.stats import Estimate, mean, resample
from dixit_env.bench.viewers.folder import Key, ViewersError, lines, write_folder
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.decks.deck import Card

CONTROL = 1 / 4  # share of the tables that show the clue of another one
BEST_SUIT = 3
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
    """the clue is another table's, so no card is right but by chance"""


@dataclass(frozen=True)
class Guess:
    """What a viewer thinks of a table."""

    table: Table
    belief: tuple[float, ...]  # sums to one
    suits: float  # 0 … 3

    @property
    def found(self) -> float:
        """1 where the right card is the likeliest; a tie counts as its share."""
        best = max(self.belief)
        return float(self.belief[self.table.target] == best) / sum(value == best for value in self.belief)


def with_controls(tables: Sequence[Table], rng: np.random.Generator) -> list[Table]:
    """The tables, shuffled; a quarter of them with the clue of another one of the same source and size."""
    order = [tables[row] for row in rng.permutation(len(tables))]
    count = round(CONTROL * len(order))
    mixed = order[count:]
    for number, table in enumerate(order[:count]):
        others = [other for other in mixed if other.source == table.source] or mixed
        donor = others[int(rng.integers(len(others)))] if others else order[(number + 1) % len(order)]
        mixed.append(Table(donor.clue, table.source, table.cards, table.target, control=True))
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
    key = {f"{number:03}": asdict(table) | {"cards": list(table.cards)} for number, table in enumerate(tables, 1)}
    write_folder(out, PROMPT, key, pictures)
    return len(tables)


def answered(key: Key, files: Sequence[Path]) -> list[Guess]:
    """The guesses in answer files; raises `ViewersError` that names the line that makes no sense."""
    tables = {name: Table(**(told | {"cards": tuple(told["cards"])})) for name, told in key.items()}
    if len(sizes := {len(table.cards) for table in tables.values()}) > 1:
        raise ViewersError(f"tables of {' and '.join(map(str, sorted(sizes)))} cards in one study")
    guesses = []
    for place, (name, *cells) in lines(files, sizes.pop() + 2):
        table = tables.get(name.zfill(3))
        try:
            *shares, suits = map(float, cells)
        except ValueError as error:
            raise ViewersError(f"{place}: a number was wanted") from error
        total = sum(shares)
        if table is None or min(shares) < 0 or not 0 < total < float("inf") or not 0 <= suits <= BEST_SUIT:
            raise ViewersError(f"{place}: no such table, or numbers out of range")
        guesses.append(Guess(table, tuple(share / total for share in shares), suits))
    return guesses


def figures(guesses: Sequence[Guess], seed: int = 0) -> dict[str, Any]:
    """By source: how many tables, how often the card is found, belief in it, and suits, with 95 % intervals over
    tables; under `control` the same for clues of other tables."""
    found: dict[str, Any] = {}
    for source in dict.fromkeys(guess.table.source for guess in guesses):
        mine = [guess for guess in guesses if guess.table.source == source]
        found[source] = _figures([guess for guess in mine if not guess.table.control], seed)
        found[source]["control"] = _figures([guess for guess in mine if guess.table.control], seed)
    return found


def _figures(guesses: Sequence[Guess], seed: int) -> dict[str, Any]:
    if not guesses:
        return {"tables": 0}
    draws = resample(len(guesses), seed=seed)
    measured: Mapping[str, Sequence[float]] = {
        "found": [guess.found for guess in guesses],
        "belief": [guess.belief[guess.table.target] for guess in guesses],
        "suits": [guess.suits for guess in guesses],
    }
    result: dict[str, Any] = {"tables": len(guesses)}
    for name, values in measured.items():
        estimate: Estimate = mean(np.array(values), draws)
        result |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return result
