"""Made-up rounds in the layouts of the public play data."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dixit_env.bench.listeners.rounds import SLOTS, Rounds

WORDS = ("sea", "moon", "fire", "clock", "bird", "door", "king", "rain", "stone", "mask", "rose", "ship")


def made_up(count: int, seed: int = 0, deck: int = len(WORDS)) -> Rounds:
    """Rounds whose clue names the storyteller's card; voters find it more often than not."""
    rng = np.random.default_rng(seed)
    clues, cards, votes = [], np.full((count, SLOTS), -1), np.zeros((count, SLOTS), int)
    target = np.zeros(count, int)
    for row in range(count):
        players = int(rng.integers(4, 7))
        cards[row, :players] = rng.permutation(deck)[:players]
        target[row] = rng.integers(players)
        odds = np.ones(players) + 3 * (np.arange(players) == target[row])
        votes[row, :players] = rng.multinomial(players - 1, odds / odds.sum())
        clues.append(f"{WORDS[cards[row, target[row]]]} {rng.integers(40)}")
    return Rounds(tuple(clues), cards, votes, target, deck)


def write(folder: Path, name: str, rounds: Rounds, flags: bool = False) -> None:
    """As `X_NAME.csv` and `y_NAME.csv`, or with flags as `NAME.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = ["PLAYERS", "DESCRIPTION", "EXPLANATION"]
    for i in range(1, SLOTS + 1):
        columns += [f"C{i}_CARD", f"C{i}_SUCCESS", *([f"C{i}_TARGET"] if flags else [])]
    lines: list[dict[str, object]] = []
    for row, clue in enumerate(rounds.clues):
        line: dict[str, object] = {"PLAYERS": rounds.players[row], "DESCRIPTION": f"{clue} ", "EXPLANATION": "no"}
        for i in range(SLOTS):
            if rounds.cards[row, i] >= 0:
                line[f"C{i + 1}_CARD"] = rounds.cards[row, i] + 1 if i < 4 else float(rounds.cards[row, i] + 1)
                line[f"C{i + 1}_SUCCESS"] = rounds.shares[row, i]
                line[f"C{i + 1}_TARGET"] = int(i == rounds.target[row])
        lines.append(line)
    _write(folder / (f"{name}.csv" if flags else f"X_{name}.csv"), columns, lines)
    if not flags:
        answers = rounds.cards[rounds.is_target] + 1
        _write(folder / f"y_{name}.csv", ["TARGET"], [{"TARGET": answer} for answer in answers])


def _write(path: Path, columns: Sequence[str], lines: Sequence[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
