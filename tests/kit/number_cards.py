"""A deck whose cards are known by their numbers, and clue givers and eyes that read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from dixit_env.bench.clues.panels import Eye
from dixit_env.bench.stats import Floats
from dixit_env.decks.deck import Deck
from dixit_env.game.moves import GiveClue, PlayCards
from dixit_env.game.view import View
from dixit_env.table.play import Agent, Decision

CARDS = 84


class NumberGiver:
    """Its clue is the number of its card, rounded for `vague`; `broken` fails now and then, `mute` always."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            if self.name == "mute" or (self.name == "broken" and self.rng.random() < 0.5):
                raise RuntimeError("no clue")
            number = move.card if self.name != "vague" else move.card // 6 * 6
            return Decision(GiveClue(move.card, f"about {number}"), {"expected": {"finders": 2.0}, "cost": 0.25})
        if isinstance(move, PlayCards):
            meant = float(view.clue.split()[1])
            return Decision(min(view.moves, key=lambda m: sum(abs(c - meant) for c in getattr(m, "cards", ()))))
        return Decision(move)


def near(clues: Sequence[str], tilt: int) -> Floats:
    """The z-score of a card falls with the distance of its number from the clue's."""
    numbers = np.array([float(clue.split()[1]) for clue in clues])[:, None]
    return 2.0 - np.abs(np.arange(CARDS) - numbers - tilt) / 6


@dataclass(frozen=True)
class Numbers:
    """A deck without pictures, whose cards are known by their numbers."""

    def deck(self) -> Deck:
        return Deck.blank(CARDS)

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        return NumberGiver(name)

    def eye(self, name: str) -> Eye:
        return lambda clues: near(clues, 3 if name == "tilted" else 0)
