"""What every ballot is worth in points, given a belief and a model of the other voters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dixit_env.agents.clip.voter_kinds import KINDS, Floats
from dixit_env.game.expectations import expected_hit_points, expected_turn, hit_kinds
from dixit_env.game.rules import TableRules


@dataclass(frozen=True, slots=True, eq=False)
class Voters:
    """Voters as another player sees them."""

    kinds: Floats  # (voters, K) probabilities of the kinds of voters
    stacks: Floats  # (voters,) how likely each puts both dials on one slot, where the rules allow it
    gives_best: Floats  # (voters,) how likely each gives the best match of the hand as decoy
    rho: float = 0.0  # correlation of finding the card: with this probability they all vote alike


@dataclass(frozen=True, slots=True, eq=False)
class VotingTable:
    """What a voter knows of the table when it votes."""

    rules: TableRules
    seat: int  # the voter's
    storyteller: int
    own_slots: tuple[int, ...]
    logits: Floats  # (slots, K) how the cards draw each kind of voter
    belief: Floats  # (slots,) probability that a slot holds the storyteller's card
    others: Voters  # the other voters, seats ascending


def card_hits(rules: TableRules, found: Floats, stacks: Floats) -> Floats:
    """Hits on one card (`expectations.Hit`) from the chance that a voter's first choice is that card.

    `found` (…, voters), `stacks` (voters,) → (…, voters, 4). Voters use all of their dials. The second dial of a spread
    ballot is taken for an independent choice that can't add a second dial to the card, so that the card gets a dial
    with probability 1 − (1 − found)².
    """
    nothing = np.zeros_like(found)
    if rules.dials_most == 1:
        return np.stack([1 - found, found, nothing, nothing], -1)
    share = stacks if rules.may_stack else np.zeros_like(stacks)
    touched = 1 - (1 - found) ** 2
    half, full = (1 - share) * touched, share * found
    return np.stack([share * (1 - found) + (1 - share) * (1 - touched), nothing, half, full], -1)


def find_chances(table: VotingTable) -> Floats:
    """The chance that each other voter's first choice is the storyteller's card, if it lies in slot t: (slots, voters).

    No voter can choose its own card(s). Where those lie is not known, so the chance is the mean over all slots that
    are neither t nor held by the voter of `table`.
    """
    slots, own = len(table.logits), table.own_slots
    odds = np.exp(table.logits - table.logits.max(0))  # (slots, K)
    chance = np.zeros((slots, KINDS))
    for target in range(slots):
        if target in own:
            continue
        rest = [slot for slot in range(slots) if slot != target and slot not in own]
        hidden = combinations(rest, min(table.rules.gives, len(rest)))
        open_slots = [[slot for slot in range(slots) if slot not in theirs] for theirs in hidden]
        chance[target] = np.mean([odds[target] / odds[kept].sum(0) for kept in open_slots], axis=0)
    return chance @ table.others.kinds.T


def ballot_points(table: VotingTable, ballots: Sequence[tuple[int, ...]], found: Floats) -> Floats:
    """Expected points of each ballot, (ballots,), without the decoy bonus, which no vote of one's own can change.

    `found` (slots, voters) as from `find_chances`.
    """
    others = expected_turn(table.rules, card_hits(table.rules, found, table.others.stacks), table.others.rho)
    points = expected_hit_points(table.rules, others.everybody, others.nobody)  # (slots, 4)
    slots = np.arange(len(points))
    dials = np.array([[ballot.count(slot) for slot in slots] for ballot in ballots])  # (ballots, slots)
    return points[slots, hit_kinds(dials, dials.sum(1, keepdims=True))] @ table.belief
