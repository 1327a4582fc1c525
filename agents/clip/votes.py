"""What every ballot is worth in points, exactly, given a belief and a model of the other voters.

The closed forms (stack: p₁(6 − 2A) + Σ p_s·2Z_s; spread: 3(p₁ + p₂) + Σ p_s·2Z_s) are special cases: for each slot that
may be the storyteller's, A is the probability that all other dials are on it, Z that none is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dixit_env.agents.clip.sharpness import KINDS, Floats
from dixit_env.game.rules import TableRules


@dataclass(frozen=True, slots=True)
class Others:
    """The other voters as one of them sees them."""

    weights: Floats  # (voters, K) over the kinds of voters
    stacks: Floats  # (voters,) how likely each puts all dials on one slot
    gives_best: Floats  # (voters,) how likely each gives the best match of the hand as decoy
    rho: float = 0.0  # correlation of finding: with this probability they all think alike


def finding(logits: Floats, own: Sequence[int], others: Others, gives: int) -> Floats:
    """How likely each other voter finds slot t first, were t the storyteller's: `appeal` (slots, K) → (voters, slots).

    A voter never chooses the own card(s), which lie anywhere but on the own slots here and on t.
    """
    slots = len(logits)
    odds = np.exp(logits - logits.max(0))  # (slots, K)
    chance = np.zeros((slots, KINDS))
    for target in range(slots):
        if target in own:
            continue
        rest = [slot for slot in range(slots) if slot != target and slot not in own]
        hidden = combinations(rest, min(gives, len(rest)))
        seen = [[slot for slot in range(slots) if slot not in theirs] for theirs in hidden]
        chance[target] = np.mean([odds[target] / odds[kept].sum(0) for kept in seen], axis=0)
    return others.weights @ chance.T


def all_and_none(found: Floats, others: Others, rules: TableRules) -> tuple[Floats, Floats]:
    """From `finding` (voters, slots): the chance that the others all find it, and that no dial of theirs is there.

    Both (slots,). With probability `rho` the others act as one, else independently, which gives each pair of them the
    correlation `rho`.
    """
    stacks = others.stacks[:, None] if rules.dials_most > 1 and rules.may_stack else np.ones((len(found), 1))
    either = 1 - (1 - found) ** 2  # a spread vote touches the slot
    full = stacks * found + (1 - stacks) * (either if rules.all_means == "voters" else 0.0)
    empty = stacks * (1 - found) + (1 - stacks) * (1 - either)
    together, apart = others.rho, 1 - others.rho
    return (
        together * full.mean(0) + apart * full.prod(0),
        together * empty.mean(0) + apart * empty.prod(0),
    )


def ballot_points(
    rules: TableRules, ballots: Sequence[tuple[int, ...]], belief: Floats, everybody: Floats, nobody: Floats
) -> Floats:
    """Expected points of each ballot, (ballots,), without the decoy bonus, which no vote of one's own can change.

    `belief` (slots,) is the chance that a slot is the storyteller's; `everybody` and `nobody` (slots,) are its A and Z.
    """
    dials = np.array([[ballot.count(slot) for slot in range(len(belief))] for ballot in ballots])  # (ballots, slots)
    used = dials.sum(1, keepdims=True)
    some = rules.dial_points * dials + np.where((used == 1) & (dials == 1), rules.single_dial_bonus, 0)
    found_it = dials == used if rules.all_means == "dials" else dials > 0
    points = np.where(
        dials == 0,
        nobody * rules.none_points,
        np.where(found_it, everybody * rules.all_points + (1 - everybody) * some, some),
    )
    return points @ belief
