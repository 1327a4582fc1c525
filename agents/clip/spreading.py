"""When should you spread? The value of stacking both dials against spreading them, over the situations that matter.

A voter has a first and a second choice, p₁ ≥ p₂; the others find the storyteller's card with a given chance each. In
points the answer is a closed form; in chances to win it depends on the race, which is played out.
"""

from dataclasses import dataclass

import numpy as np

from dixit_env.agents.clip.race import futures, turn_points, turns_left, win_share
from dixit_env.agents.clip.sharpness import Floats
from dixit_env.agents.clip.votes import ballot_points
from dixit_env.game.rules import TableRules

FIRST, SECOND = 1, 2  # slots of the two best choices; slot 0 is the own card
RATIOS: Floats = np.array([1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0])  # p₁ / p₂
HITS: Floats = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0])  # how often another voter finds the card


@dataclass(frozen=True, slots=True)
class Standing:
    """A moment of the race, as points by seat; the voter is seat 1, the storyteller seat 0."""

    name: str
    scores: tuple[int, ...]


def standings(players: int, target: int) -> tuple[Standing, ...]:
    """Typical moments: the start, a close end, the voter ahead, behind, and the storyteller about to win."""
    rest = players - 2

    def at(name: str, teller: int, me: int, others: int) -> Standing:
        return Standing(name, (teller, me, *(others,) * rest))

    return (
        at("start", 0, 0, 0),
        at("all close to the end", target - 4, target - 4, target - 4),
        at("ahead", target - 12, target - 3, target - 10),
        at("behind", target - 12, target - 10, target - 3),
        at("the storyteller needs 3", target - 3, target - 4, target - 8),
    )


def belief(rules: TableRules, ratio: float, both: float = 0.7) -> Floats:
    """A belief over the slots with p₁ + p₂ = `both` and p₁ / p₂ = `ratio`; the rest is even."""
    chance = np.full(rules.slots, (1 - both) / max(1, rules.slots - 3))
    chance[0] = 0.0
    chance[FIRST], chance[SECOND] = both * ratio / (1 + ratio), both / (1 + ratio)
    return chance / chance.sum()


def points_gained(rules: TableRules, hit: float, ratio: float) -> float:
    """Expected points of stacking less those of spreading, when each other voter finds the card with chance `hit`."""
    others = rules.players - 2
    everybody, nobody = np.full(rules.slots, hit**others), np.full(rules.slots, (1 - hit) ** others)
    stack, spread = ballot_points(rules, [(FIRST, FIRST), (FIRST, SECOND)], belief(rules, ratio), everybody, nobody)
    return float(stack - spread)


def win_gained(
    rng: np.random.Generator, rules: TableRules, standing: Standing, hit: float, ratio: float, worlds: int
) -> float:
    """The chance to win after stacking less that after spreading, by simulation."""
    players = rules.players
    seats = np.arange(players)
    target = rng.choice(rules.slots, worlds, p=belief(rules, ratio))
    voters = (seats > 1)[None, :]
    found = (rng.random((worlds, players)) < hit) & voters
    # Owners: slot 0 is mine, the target the storyteller's, the rest the others' in slot order.
    slots = np.arange(rules.slots)
    order = np.cumsum((slots != 0) & (slots != target[:, None]), axis=1)
    owners = np.where(slots == 0, 1, np.where(slots == target[:, None], 0, 1 + order))
    # Whoever misses takes another foreign card at random, mine included.
    missed = voters & ~found
    victim = 1 + rng.integers(0, players - 1, (worlds, players))
    victim = np.where(victim == seats, 1, victim)
    drawn = np.stack([(missed & (victim == seat)).sum(1) for seat in seats], 1) * 2
    gains = []
    for ballot in ((FIRST, FIRST), (FIRST, SECOND)):
        dials = voters * 2 + (seats == 1) * 2
        mine_found, mine_drawn = found * 2, drawn.copy()
        for slot in ballot:
            mine_found[:, 1] += target == slot
            mine_drawn[np.arange(worlds), owners[:, slot]] += 1
        gains.append(
            turn_points(rules, np.zeros(worlds, int), mine_found, np.broadcast_to(dials, found.shape), mine_drawn)
        )
    coming = futures(rng, rules, 1, np.full(players, 0.4), worlds, turns_left(rules, standing.scores))
    stack, spread = win_share(rules, np.array(standing.scores) + np.stack(gains), coming, 1)
    return float(stack - spread)
