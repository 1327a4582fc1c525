"""Rounds that people played, read from the public play data of boiteajeux.net.

Two layouts are read. Both have the columns `PLAYERS, DESCRIPTION, C1_CARD, C1_SUCCESS, … C6_CARD, C6_SUCCESS`, where
DESCRIPTION is the clue, cards count from 1, unused columns are empty, and success is the share of the other players'
votes that a card drew. The storyteller's card is named either by `y_NAME.csv` (column TARGET) beside `X_NAME.csv`, or
by flags `C1_TARGET … C6_TARGET` in the file itself. The data doesn't say who owned the other cards or who voted for
what. EXPLANATION is never read: there the storyteller gives the answer away.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dixit_env.errors import DixitError
from dixit_env.paths import home_expanded, printable
from dixit_env.textfiles import Row, TextError, read_table

SLOTS = 6  # columns of the data: the largest table
LEAST_PLAYERS = 3
LARGEST_DECK = 10_000  # cards; memory grows with their number, and a higher one is a slip
_COLUMNS = {"PLAYERS", "DESCRIPTION", *(f"C{i}_{what}" for i in range(1, SLOTS + 1) for what in ("CARD", "SUCCESS"))}
_FLAGS = [f"C{i}_TARGET" for i in range(1, SLOTS + 1)]
_UNSET = ("", "0", "0.0", "0,0", "False", "false", "FALSE")


class RoundsError(DixitError):
    """Human rounds that can't be read."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """Clues with the cards on the table and the votes that they drew."""

    clues: tuple[str, ...]  # (n,)
    cards: NDArray[np.int64]  # (n, SLOTS) card numbers from 0; −1: no card
    votes: NDArray[np.int64]  # (n, SLOTS) votes drawn; a row sums to players − 1
    target: NDArray[np.int64]  # (n,) slot of the storyteller's card
    deck: int  # number of different cards
    left_out: tuple[str, ...] = ()  # for each row of the file that makes no sense: what

    def __len__(self) -> int:
        return len(self.clues)

    def __getitem__(self, rows: Sequence[int] | NDArray[np.int64]) -> "Rounds":
        """The rounds with these numbers, in this order."""
        rows = np.asarray(rows, np.int64)
        clues = tuple(self.clues[row] for row in rows)
        return Rounds(clues, self.cards[rows], self.votes[rows], self.target[rows], self.deck)

    def __add__(self, other: "Rounds") -> "Rounds":
        return Rounds(
            self.clues + other.clues,
            np.concatenate([self.cards, other.cards]),
            np.concatenate([self.votes, other.votes]),
            np.concatenate([self.target, other.target]),
            max(self.deck, other.deck),
        )

    @property
    def shown(self) -> NDArray[np.bool_]:
        """(n, SLOTS): does a card lie there?"""
        return self.cards >= 0

    @property
    def players(self) -> NDArray[np.int64]:
        """(n,): cards on the table, which is players at the table."""
        return self.shown.sum(1)

    @property
    def shares(self) -> NDArray[np.float64]:
        """(n, SLOTS): votes as shares; a row sums to 1."""
        return self.votes / self.votes.sum(1, keepdims=True)

    @property
    def is_target(self) -> NDArray[np.bool_]:
        """(n, SLOTS): is it the storyteller's card?"""
        return np.arange(SLOTS) == self.target[:, None]

    def by_card(self, weights: NDArray[np.floating] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Weights of slots, (n, SLOTS), as weights of the deck's cards, (n, deck)."""
        table = np.zeros((len(self), self.deck))
        rows, slots = np.nonzero(self.shown)
        np.add.at(table, (rows, self.cards[rows, slots]), weights[rows, slots])
        return table

    def by_slot(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Values of cards, (deck,) or (n, deck), as values of slots, (n, SLOTS); −inf where no card lies."""
        values = np.broadcast_to(values, (len(self), self.deck))
        return np.where(self.shown, np.take_along_axis(values, np.maximum(self.cards, 0), 1), -np.inf)


def read(folder: str | Path) -> dict[str, Rounds]:
    """Every part in the folder by name: `X_val.csv` is the part "val", `rounds.csv` with flags the part "rounds".

    Rows that make no sense (votes that don't add up, cards that are no numbers) are left out, and a part's `left_out`
    says why. Raises `RoundsError` when there is no part, when one has no row that makes sense, and when answers can't
    be matched with rounds.
    """
    folder = home_expanded(Path(folder))
    parts = {
        file.stem.removeprefix("X_"): file for file in sorted(folder.glob("*.csv")) if not file.stem.startswith("y_")
    }
    if not parts:
        raise RoundsError(f"{printable(folder)} holds no X_NAME.csv: name the folder of the public play data")
    rounds = {name: _read_part(file, folder / f"y_{name}.csv") for name, file in parts.items()}
    deck = max(part.deck for part in rounds.values())
    return {name: replace(part, deck=deck) for name, part in rounds.items()}


def _read_part(file: Path, answers: Path) -> Rounds:
    rows = _table(file, _COLUMNS)
    if not rows:
        raise RoundsError(f"{printable(file)} holds no rounds")
    if rows[0].keys() >= set(_FLAGS):
        targets = [_flagged(row) for row in rows]
    elif answers.exists():
        targets = [row["TARGET"] for row in _table(answers, ["TARGET"])]
    else:
        raise RoundsError(
            f"{printable(file)} has no C1_TARGET … columns and no {printable(Path(answers.name))} beside it: "
            "the answers are missing"
        )
    if len(targets) != len(rows):
        raise RoundsError(
            f"{printable(answers)} has {len(targets)} rows, {printable(Path(file.name))} {len(rows)}: "
            "they must be the same rounds"
        )
    parsed, faults = [], []
    for number, (row, target) in enumerate(zip(rows, targets, strict=True), 1):
        try:
            parsed.append(_parse(row, target))
        except ValueError as error:
            faults.append(f"round {number} {error}")
    if not parsed:
        raise RoundsError(f"{printable(file)} holds no round that makes sense: {faults[0]}")
    clues, *columns = zip(*parsed, strict=True)
    cards, votes, told = (np.array(column, np.int64) for column in columns)
    return Rounds(clues, cards, votes, told, int(cards.max()) + 1, tuple(faults))


def _table(file: Path, columns: Collection[str]) -> list[Row]:
    try:
        return read_table(file, columns)
    except TextError as error:
        raise RoundsError(str(error)) from error


def _flagged(row: Row) -> str | None:
    """The card whose flag is set, or None unless it is just one."""
    flagged = [row[f"C{i}_CARD"] for i, flag in enumerate(_FLAGS, 1) if (row[flag] or "0").strip() not in _UNSET]
    return flagged[0] if len(flagged) == 1 else None


def _parse(row: Row, target: str | None) -> tuple[str, list[int], list[int], int]:
    """Clue, cards, votes and the target's slot of one round; raises `ValueError` that says what makes no sense."""
    if any(row[column] is None for column in _COLUMNS):
        raise ValueError("has too few or too many cells")
    players = _whole(row["PLAYERS"])
    cards = [_whole(row[f"C{i}_CARD"]) - 1 for i in range(1, SLOTS + 1)]
    drawn = [_number(row[f"C{i}_SUCCESS"]) * (players - 1) for i in range(1, SLOTS + 1)]
    on_table = [card for card in cards if card >= 0]
    if not LEAST_PLAYERS <= players == len(on_table) == len(set(on_table)):
        raise ValueError(f"has {len(set(on_table))} different cards for {players} players")
    if min(cards) < -1 or max(cards) >= LARGEST_DECK:
        raise ValueError(f"has a card that is no number from 1 to {LARGEST_DECK}")
    told = _whole(target) - 1
    if told not in on_table:
        raise ValueError("doesn't have the storyteller's card on the table")
    votes = [round(vote) for vote in drawn]
    uneven = max(abs(vote - whole) for vote, whole in zip(drawn, votes, strict=True)) > 0.01
    stray = any(vote and card < 0 for vote, card in zip(votes, cards, strict=True))
    if sum(votes) != players - 1 or min(votes) < 0 or uneven or stray:
        raise ValueError(f"has success columns that are no shares of {players - 1} votes")
    return str(row["DESCRIPTION"]).strip(), cards, votes, cards.index(told)


def _number(text: str | None) -> float:
    """A finite number; 0 for an empty cell. A comma may stand for the decimal point."""
    try:
        value = float((text or "").strip().replace(",", ".") or 0)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("has something else where a number belongs")
    return value


def _whole(text: str | None) -> int:
    if not (value := _number(text)).is_integer():
        raise ValueError("has a fraction where a whole number belongs")
    return int(value)


def folds(count: int, parts: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Cross-validation: `parts` pairs of (the other rows, the rows of this fold), drawn from `seed`."""
    pieces = np.array_split(np.random.default_rng(seed).permutation(count), parts)
    for fold, piece in enumerate(pieces):
        yield np.sort(np.concatenate([other for i, other in enumerate(pieces) if i != fold])), np.sort(piece)
