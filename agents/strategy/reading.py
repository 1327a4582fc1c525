"""What the reveals tell of each seat: how sharply it votes, whether it stacks, how plainly its clues point."""

from dataclasses import dataclass

import numpy as np

from agents.strategy.sharpness import SHARP_GIVER, SHARPNESS, Floats, choices, learned
from agents.strategy.telling import telling
from agents.strategy.votes import Others
from dixit_env.game import PlayedTurn


@dataclass(frozen=True, slots=True)
class Habits:
    """What is believed of players before they have done anything."""

    voting: Floats  # (K,) over the grid of sharpness
    telling: Floats  # (M,) over the grid of plainness
    stacking: tuple[float, float]  # pseudo-counts of stacked and spread votes


HABITS = Habits(
    voting=np.array([0.28, 0.06, 0.05, 0.05, 0.08, 0.16, 0.32]),
    telling=np.array([0.22, 0.05, 0.08, 0.15, 0.22, 0.10, 0.05, 0.05, 0.08]),
    stacking=(1.5, 0.75),
)


class Reading:
    """The seats of one game, as a player comes to know them."""

    def __init__(self, players: int, habits: Habits = HABITS) -> None:
        self.voting = np.tile(habits.voting, (players, 1))  # (players, K)
        self.telling = np.tile(habits.telling, (players, 1))
        self.stacks = np.tile(habits.stacking, (players, 1))  # (players, 2)

    def observe(self, turn: PlayedTurn, z: Floats) -> None:
        """Take in a finished turn; `z` (cards,) is how each card stands out from the deck for its clue."""
        table = z[list(turn.slots)]
        teller = turn.storyteller
        self.telling[teller] = learned(self.telling[teller], telling(table[turn.target]))
        for seat, dials in enumerate(turn.votes):
            if not dials:
                continue
            open_slots = np.where([owner == seat for owner in turn.owners], -np.inf, table)
            chance = choices(open_slots)[:, list(dials)]  # (K, dials)
            self.voting[seat] = learned(self.voting[seat], np.exp(np.log(chance + 1e-9).mean(1)))
            if len(dials) == 2:
                self.stacks[seat, int(dials[0] != dials[1])] += 1

    def others(self, seats: list[int], rho: float = 0.0) -> Others:
        """These seats as voters."""
        stacks = self.stacks[seats]
        return Others(self.voting[seats], stacks[:, 0] / stacks.sum(1), rho)

    def sharp(self, seats: list[int]) -> float:
        """The share of these seats that choose their best match as decoy."""
        return float(self.voting[seats][:, SHARPNESS >= SHARP_GIVER].sum(1).mean())

    def sharpness(self, seat: int) -> float:
        """The mean sharpness of a seat's votes, for reports."""
        return float(self.voting[seat] @ SHARPNESS)
