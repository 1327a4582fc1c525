"""Rounds that people played, read from the public play data of boiteajeux.net.

Two layouts are read. Both have the columns `PLAYERS, DESCRIPTION, C1_CARD, C1_SUCCESS, … C6_CARD, C6_SUCCESS`, where
DESCRIPTION is the clue, cards count from 1, unused columns are empty, and success is the share of the other players'
votes that a card drew. The storyteller's card is named either by `y_NAME.csv` (column TARGET) beside `X_NAME.csv`, or
by flags `C1_TARGET … C6_TARGET` in the file itself. The data doesn't say who owned the other cards or who voted for
what. EXPLANATION is never read: there the storyteller gives the answer away.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dixit_env.errors import DixitError

SLOTS = 6  # columns of the data: the largest table
_COLUMNS = {"PLAYERS", "DESCRIPTION", *(f"C{i}_{what}" for i in range(1, SLOTS + 1) for what in ("CARD", "SUCCESS"))}
_FLAGS = [f"C{i}_TARGET" for i in range(1, SLOTS + 1)]


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

    Raises `RoundsError` when there is none, or for the first row that makes no sense.
    """
    folder = Path(folder)
    parts = {
        file.stem.removeprefix("X_"): file for file in sorted(folder.glob("*.csv")) if not file.stem.startswith("y_")
    }
    if not parts:
        raise RoundsError(f"{folder} holds no X_NAME.csv: name the folder of the public play data")
    rounds = {name: _read_part(file, folder / f"y_{name}.csv") for name, file in parts.items()}
    deck = max(part.deck for part in rounds.values())
    return {name: replace(part, deck=deck) for name, part in rounds.items()}


def _read_part(file: Path, answers: Path) -> Rounds:
    with file.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        columns = set(reader.fieldnames or ())
        if missing := sorted(_COLUMNS - columns):
            raise RoundsError(f"{file} lacks the columns {', '.join(missing)}")
        rows = list(reader)
    if columns.issuperset(_FLAGS):
        targets = [_flagged(row) for row in rows]
    elif answers.exists():
        with answers.open(encoding="utf-8", newline="") as lines:
            targets = [row.get("TARGET", "") for row in csv.DictReader(lines)]
    else:
        raise RoundsError(f"{file} has no C1_TARGET … columns and no {answers.name} beside it: the answers are missing")
    if len(targets) != len(rows):
        raise RoundsError(f"{answers} has {len(targets)} rows, {file.name} {len(rows)}: they must be the same rounds")
    parsed = [
        _parse(row, target, f"{file}, round {i}") for i, (row, target) in enumerate(zip(rows, targets, strict=True), 1)
    ]
    if not parsed:
        raise RoundsError(f"{file} holds no rounds")
    cards, votes, target = (np.array(column, np.int64) for column in zip(*parsed, strict=True))
    return Rounds(tuple(row["DESCRIPTION"].strip() for row in rows), cards, votes, target, int(cards.max()) + 1)


def _flagged(row: dict[str, str]) -> str:
    flagged = [row[f"C{i}_CARD"] for i, flag in enumerate(_FLAGS, 1) if row[flag] and float(row[flag])]
    return flagged[0] if len(flagged) == 1 else ""


def _parse(row: dict[str, str], target: str, where: str) -> tuple[list[int], list[int], int]:
    """Cards, votes and the target's slot of one round."""
    try:
        players = int(row["PLAYERS"])
        cards = [int(float(row[f"C{i}_CARD"] or 0)) - 1 for i in range(1, SLOTS + 1)]
        drawn = [float(row[f"C{i}_SUCCESS"] or 0) * (players - 1) for i in range(1, SLOTS + 1)]
        slot = cards.index(int(float(target)) - 1)
    except ValueError as error:
        raise RoundsError(f"{where} can't be read ({error})") from error
    votes = [round(vote) for vote in drawn]
    if sum(votes) != players - 1 or max(abs(vote - whole) for vote, whole in zip(drawn, votes, strict=True)) > 0.01:
        raise RoundsError(f"{where}: its success columns are no shares of {players - 1} votes")
    if sum(card >= 0 for card in cards) != players or cards[slot] < 0:
        raise RoundsError(f"{where}: {players} players need {players} cards, one of them the storyteller's")
    return cards, votes, slot


def folds(count: int, parts: int, seed: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Cross-validation: `parts` pairs of (the other rows, the rows of this fold), drawn from `seed`."""
    pieces = np.array_split(np.random.default_rng(seed).permutation(count), parts)
    for fold, piece in enumerate(pieces):
        yield np.sort(np.concatenate([other for i, other in enumerate(pieces) if i != fold])), np.sort(piece)
