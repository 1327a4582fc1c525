"""When should you spread? The value of stacking both dials against spreading them, over the situations that matter.

A voter has a first and a second choice, p₁ ≥ p₂; the others find the storyteller's card with a given chance each. In
points the answer is a closed form; in chances to win it depends on the race, which is simulated.
"""

from dataclasses import dataclass

import numpy as np

from dixit_env.agents.clip.race import decoy_votes, futures, turns_left, win_shares
from dixit_env.agents.clip.voter_kinds import Floats
from dixit_env.game.expectations import Ints, stacking_gain, turn_points
from dixit_env.game.rules import TableRules

FIRST, SECOND = 0, 1  # slots of the two best choices; the voter's own cards lie on the last slots
STORYTELLER, VOTER = 0, 1  # seats
RATIOS: Floats = np.array([1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0])  # p₁ / p₂
HITS: Floats = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0])  # how often another voter finds the card
BOTH = 0.7  # chosen: p₁ + p₂ in every situation; the rest of the belief is spread evenly
LATER_HITS = 0.4  # chosen: how often every seat finds the card in the turns after this one


@dataclass(frozen=True, slots=True)
class RaceMoment:
    """A moment of the race, as points by seat."""

    name: str
    scores: tuple[int, ...]


def race_moments(players: int, target: int) -> tuple[RaceMoment, ...]:
    """Typical moments: the start, a close end, the voter ahead, behind, and the storyteller about to win."""
    rest = players - 2

    def at(name: str, storyteller: int, voter: int, others: int) -> RaceMoment:
        return RaceMoment(name, (storyteller, voter, *(others,) * rest))

    return (
        at("start", 0, 0, 0),
        at("all close to the end", target - 4, target - 4, target - 4),
        at("ahead", target - 12, target - 3, target - 10),
        at("behind", target - 12, target - 10, target - 3),
        at("the storyteller needs 3", target - 3, target - 4, target - 8),
    )


def two_choice_belief(rules: TableRules, ratio: float) -> Floats:
    """A belief over the slots with p₁ + p₂ = `BOTH` and p₁ / p₂ = `ratio`; the rest is even."""
    others = rules.slots - rules.gives - 2
    best = BOTH * ratio / (1 + ratio), BOTH / (1 + ratio)
    return np.array([*best, *[(1 - BOTH) / others] * others, *[0.0] * rules.gives])


def points_gained(rules: TableRules, hit: float, ratio: float) -> float:
    """Expected points of stacking less those of spreading, when each other voter finds the card with chance `hit`."""
    others = rules.players - 2
    everybody, nobody = np.full(2, hit**others), np.full(2, (1 - hit) ** others)
    return float(stacking_gain(rules, two_choice_belief(rules, ratio)[[FIRST, SECOND]], everybody, nobody))


def win_gained(
    rng: np.random.Generator, rules: TableRules, moment: RaceMoment, hit: float, ratio: float, worlds: int
) -> float:
    """The chance to win after stacking less that after spreading, by simulation."""
    gains = turn_gains(rng, rules, hit, ratio, worlds)
    luck = rng.random((rules.players, turns_left(rules, moment.scores, 1), worlds), np.float32)
    coming = futures(rules, np.array(VOTER), np.full(rules.players, LATER_HITS), luck)
    stack, spread = win_shares(rules, np.array(moment.scores)[:, None] + gains, coming)[:, VOTER]
    return float(stack - spread)


def turn_gains(rng: np.random.Generator, rules: TableRules, hit: float, ratio: float, worlds: int) -> Ints:
    """Points of the open turn after stacking and after spreading, (2, players, worlds); the others stack."""
    players = rules.players
    seats, world = np.arange(players), np.arange(worlds)
    target = rng.choice(rules.slots, worlds, p=two_choice_belief(rules, ratio))
    owners = _owners(rules, target)
    voters = (seats > VOTER)[:, None]
    found = (rng.random((players, worlds)) < hit) & voters
    missed = voters & ~found
    storyteller = np.full(worlds, STORYTELLER)
    victims = decoy_votes(players, storyteller, rng.random((players, worlds), np.float32))
    drawn = np.stack([(missed & (victims == seat)).sum(0) for seat in seats]) * 2
    used = np.where(seats == STORYTELLER, 0, 2)[:, None]
    gains = []
    for ballot in ((FIRST, FIRST), (FIRST, SECOND)):
        all_found, all_drawn = found * 2, drawn.copy()
        for slot in ballot:
            all_found[VOTER] += target == slot
            all_drawn[owners[:, slot], world] += 1
        gains.append(turn_points(rules, storyteller, all_found, used, all_drawn))
    return np.stack(gains)


def _owners(rules: TableRules, target: Ints) -> Ints:
    """The seat that owns each slot, (worlds, slots): the cards of the others lie in the order of their seats."""
    slots = np.arange(rules.slots)
    before = slots - (slots > target[:, None])  # how many cards of voters lie on lower slots
    owners = np.where(slots == target[:, None], STORYTELLER, VOTER + 1 + before // rules.gives)
    owners[:, -rules.gives :] = VOTER
    return owners
