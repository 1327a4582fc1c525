"""What every ballot is worth in points, given a belief and a model of the other voters."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from dixit_env.agents.clip.storyteller import Bools
from dixit_env.agents.clip.voter_kinds import Floats
from dixit_env.game.expectations import Ints, expected_hit_points, expected_turn, hit_kinds
from dixit_env.game.moves import CastVotes, legal_votes
from dixit_env.game.rules import TableRules


@dataclass(frozen=True, slots=True, eq=False)
class Voters:
    """Voters as another player sees them; with axes in front, those of as many tables."""

    kinds: Floats  # (…, voters, K) probabilities of the kinds of voters
    stacks: Floats  # (…, voters) how likely each puts both dials on one slot, where the rules allow it
    gives_best: Floats  # (…, voters) how likely each gives the best match of the hand as decoy
    rho: float = 0.0  # correlation of finding the card: with this probability they all vote alike


@dataclass(frozen=True, slots=True, eq=False)
class VotingTables:
    """What voters at N tables of the same rules know when they vote."""

    rules: TableRules
    seat: Ints  # (N,) the voter's
    storyteller: Ints  # (N,)
    own: Bools  # (N, slots) where the voter's cards lie
    logits: Floats  # (N, slots, K) how the cards draw each kind of voter
    belief: Floats  # (N, slots) probability that a slot holds the storyteller's card
    others: Voters  # (N, …) the other voters, seats ascending


@cache
def ballots(rules: TableRules) -> tuple[tuple[CastVotes, ...], Ints]:
    """All ballots of these rules, and the dials of each on each slot, (ballots, slots). Nobody may vote for an own
    card."""
    votes = legal_votes(rules.slots, (), rules.dials_least, rules.dials_most, rules.may_stack)
    return votes, np.array([[vote.slots.count(slot) for slot in range(rules.slots)] for vote in votes])


@cache
def _hidden(slots: int, gives: int) -> Bools:
    """Where another voter's cards may lie: each choice of `gives` slots, (choices, slots)."""
    choices = [np.isin(np.arange(slots), choice) for choice in combinations(range(slots), gives)]
    return np.array(choices)


def card_hits(rules: TableRules, found: Floats, stacks: Floats) -> Floats:
    """Hits on one card (`expectations.Hit`) from the chance that a voter's first choice is that card.

    `found` (…, voters), `stacks` (…, voters) → (…, voters, 4). Voters use all of their dials. The second dial of a
    spread ballot is taken for an independent choice that can't add a second dial to the card, so that the card gets a
    dial with probability 1 − (1 − found)².
    """
    missed, nothing = 1 - found, np.zeros_like(found)
    if rules.dials_most == 1:
        hits = [missed, found, nothing, nothing]
    elif rules.may_stack:
        spread = (1 - stacks) * missed * missed
        full = stacks * found
        none = stacks * missed + spread
        hits = [none, nothing, 1 - none - full, full]
    else:
        none = missed * missed
        hits = [none, nothing, 1 - none, nothing]
    return np.moveaxis(np.stack(hits), 0, -1)


def find_chances(tables: VotingTables) -> Floats:
    """The chance that each other voter's first choice is the storyteller's card, if it lies in slot t: (N, slots,
    voters).

    No voter can choose its own card(s). Where those lie is not known, so the chance is the mean over all slots that
    are neither t nor held by the voter of the table.
    """
    rules = tables.rules
    hidden = _hidden(rules.slots, rules.gives)  # (choices, slots)
    odds = np.exp(tables.logits - tables.logits.max(-2, keepdims=True))  # (N, slots, K)
    open_odds = ~hidden @ odds  # (N, choices, K)
    foreign = ~np.asarray((hidden & tables.own[:, None]).any(-1))  # (N, choices)
    possible = foreign[:, None] & ~hidden.T  # (N, slots, choices)
    share = possible / possible.sum(-1, keepdims=True)
    chance = odds * (share @ (1 / open_odds))
    return np.where(tables.own[..., None], 0.0, chance @ np.swapaxes(tables.others.kinds, -1, -2))


def ballot_points(tables: VotingTables, dials: Ints, found: Floats) -> Floats:
    """Expected points of each ballot, (N, ballots), without the decoy bonus, which no vote of one's own can change.

    `dials` (ballots, slots) as from `ballots`; `found` (N, slots, voters) as from `find_chances`.
    """
    rules, voters = tables.rules, tables.others
    others = expected_turn(rules, card_hits(rules, found, voters.stacks[:, None]), voters.rho)
    points = expected_hit_points(rules, others.everybody, others.nobody)  # (N, slots, 4)
    slots = np.arange(rules.slots)
    by_slot = points[:, slots, hit_kinds(dials, dials.sum(1, keepdims=True))]  # (N, ballots, slots)
    return np.asarray((by_slot @ tables.belief[..., None])[..., 0])
