"""What the reveals tell of each seat: how sharply it votes, whether it stacks, how plainly its clues point."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dixit_env.agents.clip.sharpness import Floats, appeal, choices, learned
from dixit_env.agents.clip.telling import Teller, best_of, telling
from dixit_env.agents.clip.votes import Others
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.rules import TableRules

CERTAIN = (0.03, 0.97)  # nobody is known better than this, for people change
FILE = Path(__file__).parent / "habits.json"  # scripts/fit_habits.py writes it


@dataclass(frozen=True, slots=True)
class Habits:
    """What is believed of players before they have done anything."""

    voting: Floats  # (K,) over the kinds of voters
    telling: Floats  # (M,) over the grid of plainness
    stacking: tuple[float, float]  # pseudo-counts of stacked and spread votes
    giving: float  # how likely a player gives the best match of the hand as decoy


def load_habits(path: Path = FILE) -> Habits:
    """Habits as `scripts/fit_habits.py` wrote them."""
    values = json.loads(path.read_text(encoding="utf-8"))
    stacked, spread = values["stacking"]
    return Habits(np.array(values["voting"]), np.array(values["telling"]), (stacked, spread), values["giving"])


HABITS = load_habits()


class Reading:
    """The seats of one game, as a player comes to know them."""

    def __init__(self, players: int, habits: Habits = HABITS) -> None:
        self.habits = habits
        self.voting = np.tile(habits.voting, (players, 1))  # (players, K)
        self.telling = np.tile(habits.telling, (players, 1))
        self.stacks = np.tile(habits.stacking, (players, 1))  # (players, 2)
        self.giving = np.full(players, habits.giving)

    def observe(self, turn: PlayedTurn, z: Floats, rules: TableRules) -> None:
        """Take in a finished turn; `z` (cards,) is how each card stands out from the deck for its clue."""
        table = z[list(turn.slots)]
        logits = appeal(table, self.teller(turn.storyteller, rules).log_odds(table))  # (slots, K)
        teller = turn.storyteller
        self.telling[teller] = learned(self.telling[teller], telling(table[turn.target]))
        choice = rules.hand / rules.gives
        for slot, owner in enumerate(turn.owners):
            if owner != teller:
                best = self.giving[owner] * best_of(table[slot], choice)
                self.giving[owner] = np.clip(best / (best + 1 - self.giving[owner]), *CERTAIN)
        for seat, dials in enumerate(turn.votes):
            if not dials:
                continue
            own = np.array([owner == seat for owner in turn.owners])
            chance = choices(np.where(own[:, None], -np.inf, logits))[list(dials)]  # (dials, K)
            self.voting[seat] = learned(self.voting[seat], np.exp(np.log(chance + 1e-9).mean(0)))
            if len(dials) == 2:
                self.stacks[seat, int(dials[0] != dials[1])] += 1

    def others(self, seats: list[int], rho: float = 0.0) -> Others:
        """These seats as voters."""
        stacks = self.stacks[seats]
        return Others(self.voting[seats], stacks[:, 0] / stacks.sum(1), self.giving[seats], rho)

    def teller(self, seat: int, rules: TableRules) -> Teller:
        """This seat as storyteller, and the others as givers of decoys.

        Who votes blindly tells blindly: the weight of plainness 0 moves with that of blind chance in the votes, for
        a seat votes in nearly every turn and tells in few.
        """
        weights = self.telling[seat].copy()
        weights[0] *= self.voting[seat, 0] / self.habits.voting[0]
        weights /= weights.sum()
        givers = [other for other in range(len(self.voting)) if other != seat]
        return Teller(weights, float(self.giving[givers].mean()), rules.hand / rules.gives)
