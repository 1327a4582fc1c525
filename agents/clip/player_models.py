"""What the reveals tell of each seat: how sharply it votes, whether it stacks, how plainly its clues point."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dixit_env.agents.clip.storyteller import Storyteller, best_match_ratio, target_density
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits, posterior, softmax
from dixit_env.agents.clip.votes import Voters
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.rules import TableRules

CERTAIN = (0.03, 0.97)  # chosen: how a player gives decoys is never known better than this, for people change
FILE = Path(__file__).parent / "habits.json"  # scripts/fit_habits.py writes it


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """The prior: what is believed of players before they have done anything. Fitted by `scripts/fit_habits.py`."""

    voting: Floats  # (K,) probabilities of the kinds of voters
    plainness: Floats  # (M,) probabilities over the grid of plainness
    stacking: tuple[float, float]  # pseudo-counts of stacked and spread votes
    giving: float  # how likely a player gives the best match of the hand as decoy


def load_habits(path: Path = FILE) -> Habits:
    """Habits as `habits_json` writes them."""
    values = json.loads(path.read_text(encoding="utf-8"))
    stacked, spread = values["stacking"]
    voting, telling = (np.array(values[name]) / sum(values[name]) for name in ("voting", "telling"))  # they are rounded
    return Habits(voting, telling, (stacked, spread), values["giving"])


def habits_json(habits: Habits) -> str:
    """Habits as one line of JSON, to four digits."""
    values = {
        "voting": _rounded(habits.voting),
        "telling": _rounded(habits.plainness),
        "stacking": _rounded(habits.stacking),
        "giving": round(habits.giving, 4),
    }
    return json.dumps(values)


def _rounded(values: Sequence[float] | Floats) -> list[float]:
    return [round(float(value), 4) for value in values]


HABITS = load_habits()


class PlayerModels:
    """The posterior of each seat's habits in one game, as a player comes to know them."""

    def __init__(self, players: int, habits: Habits = HABITS) -> None:
        self.habits = habits
        self.voting = np.tile(habits.voting, (players, 1))  # (players, K)
        self.plainness = np.tile(habits.plainness, (players, 1))  # (players, M)
        self.stacking = np.tile(habits.stacking, (players, 1))  # (players, 2)
        self.giving = np.full(players, habits.giving)  # (players,)

    def observe(self, turn: PlayedTurn, z: Floats, rules: TableRules) -> None:
        """Take in a finished turn; `z` (cards,) are the cards' z-scores for its clue."""
        table, teller = z[list(turn.slots)], turn.storyteller
        logits = choice_logits(table, self.storyteller(teller, rules).log_odds(table))  # (slots, K)
        self.plainness[teller] = posterior(self.plainness[teller], target_density(table[turn.target]))
        choice = rules.hand / rules.gives
        for slot, owner in enumerate(turn.owners):
            if owner != teller:
                best = self.giving[owner] * best_match_ratio(table[slot], choice)
                self.giving[owner] = np.clip(best / (best + 1 - self.giving[owner]), *CERTAIN)
        for seat, dials in enumerate(turn.votes):
            if not dials:
                continue
            own = np.array([owner == seat for owner in turn.owners])
            chance = softmax(np.where(own[:, None], -np.inf, logits))[list(dials)]  # (dials, K)
            # Two dials of one ballot are one observation: the geometric mean of their likelihoods.
            self.voting[seat] = posterior(self.voting[seat], np.exp(np.log(chance + 1e-9).mean(0)))
            if len(dials) == 2:
                self.stacking[seat, int(dials[0] != dials[1])] += 1

    def voters(self, seats: list[int], rho: float = 0.0) -> Voters:
        """These seats as voters."""
        stacking = self.stacking[seats]
        return Voters(self.voting[seats], stacking[:, 0] / stacking.sum(1), self.giving[seats], rho)

    def listeners(self, seats: list[int], rho: float = 0.0) -> Voters:
        """These seats as those who will hear a clue: givers of decoys and stackers as known, readers like anybody.

        Votes tell how sharply a seat read the clues of others. A clue that is vague enough for the sharpest of bots
        means nothing to people.
        """
        return replace(self.voters(seats, rho), kinds=np.tile(self.habits.voting, (len(seats), 1)))

    def storyteller(self, seat: int, rules: TableRules) -> Storyteller:
        """This seat as storyteller, and the others as givers of decoys.

        A seat that votes at random is assumed to give meaningless clues too: the weight of plainness 0 is scaled by how
        much the weight of random votes has changed. Votes are the better evidence, because a seat votes in nearly every
        turn and is the storyteller in few.
        """
        plainness = self.plainness[seat].copy()
        plainness[0] *= self.voting[seat, 0] / self.habits.voting[0]
        plainness /= plainness.sum()
        givers = [other for other in range(len(self.voting)) if other != seat]
        return Storyteller(plainness, float(self.giving[givers].mean()), rules.hand / rules.gives)
