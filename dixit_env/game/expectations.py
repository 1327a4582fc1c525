"""Exact expectations of a turn: closed forms instead of a sum over all ways to vote.

What a ballot means for one seat is how it lies on that seat's cards, a `Hit`. A voter that is known by a probability
for each kind of hit on the storyteller's card is enough for the outcome, and on a player's own cards for the decoy
bonus; given these, voters are independent, so the number of finders is Poisson-binomial. In every array here the last
axis of `hits` is the kind of hit, the axis before it the voter, and all axes before that are a batch.

Voters who think alike are modelled by `rho`: with that probability all cast the ballot of one of them, drawn at random,
and otherwise they are independent. Any two of equal voters then have the correlation `rho`.

`turn_points` scores many turns that have been voted. It agrees with `dixit_env.game.scoring.score`, as the expectations
do (tests/game/test_expectations.py enumerates them).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dixit_env.game.rules import TableRules

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


class Hit(IntEnum):
    """How a ballot lies on the card(s) of one seat."""

    MISS = 0  # no dial there
    SINGLE = 1  # the only dial of the ballot
    HALF = 2  # one of two dials
    FULL = 3  # both dials


HIT_DIALS: Ints = np.array([0, 1, 1, 2])
"""Dials on the card(s), by kind of hit, (4,)."""
_IS_SINGLE: Ints = np.array([0, 1, 0, 0])


@dataclass(frozen=True, slots=True, eq=False)
class TurnExpectation:
    """What a turn brings by its outcome, without the decoy bonus."""

    everybody: Floats  # (…) the chance that all find the card, in the sense of the rules
    some: Floats  # (…)
    nobody: Floats  # (…)
    storyteller: Floats  # (…) points
    voters: Floats  # (…, voters) points


def expected_turn(rules: TableRules, hits: Floats, rho: float = 0.0) -> TurnExpectation:
    """Chances of the outcomes and expected points, from the voters' hits on the storyteller's card, (…, voters, 4)."""
    pay, all_pay, finds = _dial_pay(rules), _all_pay(rules), _finds(rules)
    hits = np.moveaxis(hits, (-1, -2), (0, 1))  # (4, voters, …): sums over the first axes add whole arrays

    def weighed(weights: Ints | Bools) -> Floats:
        """Sum over the kinds of hit, (voters, …)."""
        return np.asarray(np.einsum("k,k...->...", weights.astype(hits.dtype), hits))

    all_found, missed = weighed(finds), hits[Hit.MISS]
    everybody = rho * all_found.mean(0) + (1 - rho) * all_found.prod(0)
    nobody = rho * missed.mean(0) + (1 - rho) * missed.prod(0)
    some = np.maximum(1 - everybody - nobody, 0)  # rounding can take it below 0
    # Count dials on the card as if some had found it, then correct that for the turns in which everybody has.
    change = weighed(finds * (all_pay - pay))
    change = rho * change.mean(0) + (1 - rho) * change * of_others(np.multiply, all_found)
    voters = weighed(pay) + change + rules.none_points * nobody
    return TurnExpectation(everybody, some, nobody, rules.storyteller_points * some, np.moveaxis(voters, 0, -1))


def of_others(combine: np.ufunc, values: Floats) -> Floats:
    """For each voter the sum (`np.add`) or product (`np.multiply`) of the others' values: (voters, …) → (voters, …).

    From the voters before and those after: taking one out of the whole again would lose digits where it is most of it.
    """
    others = np.empty_like(values)
    others[0] = combine.identity
    for voter in range(1, len(values)):
        combine(others[voter - 1], values[voter - 1], out=others[voter, ...])
    after = np.full_like(values[0], combine.identity)
    for voter in reversed(range(len(values))):
        combine(others[voter], after, out=others[voter, ...])
        combine(after, values[voter], out=after)
    return others


def expected_bonus(rules: TableRules, hits: Floats, rho: float = 0.0) -> Floats:
    """A player's expected decoy bonus, (…), from the voters' hits on the player's own cards, (…, voters, 4)."""
    if rules.decoy_cap is None and not rules.decoy_once:  # in proportion to the dials
        return np.asarray(rules.decoy_points * expected_dials(hits))
    voters = hits.shape[-2]
    dials = np.stack([hits[..., Hit.MISS], hits[..., Hit.SINGLE] + hits[..., Hit.HALF], hits[..., Hit.FULL]], -1)
    total = dials[..., 0, :]  # the distribution of the sum over voters, by convolution
    for voter in range(1, voters):
        wider = np.zeros((*total.shape[:-1], total.shape[-1] + 2))
        for count in range(3):
            wider[..., count : count + total.shape[-1]] += total * dials[..., voter, count, None]
        total = wider
    apart = total @ decoy_bonus(rules, np.arange(total.shape[-1]))
    together = dials.mean(-2) @ decoy_bonus(rules, voters * np.arange(3))
    return np.asarray(rho * together + (1 - rho) * apart)


def expected_dials(hits: Floats) -> Floats:
    """Expected dials of all voters together on the cards that they hit so: (…, voters, 4) → (…)."""
    return np.asarray((hits[..., Hit.SINGLE] + hits[..., Hit.HALF] + 2 * hits[..., Hit.FULL]).sum(-1))


def expected_hit_points(rules: TableRules, everybody: Floats, nobody: Floats) -> Floats:
    """A voter's expected points for each kind of hit on the storyteller's card, (…) and (…) → (…, 4).

    `everybody` and `nobody` are the chances that all, and none, of the *other* voters find the card. The decoy bonus,
    which no vote of one's own can change, is left out.
    """
    pay, a, z = _dial_pay(rules), np.asarray(everybody)[..., None], np.asarray(nobody)[..., None]
    points = np.where(_finds(rules), a * _all_pay(rules) + (1 - a) * pay, pay)
    return np.where(np.arange(len(Hit)) == Hit.MISS, z * rules.none_points, points)


def stacking_gain(rules: TableRules, belief: Floats, everybody: Floats, nobody: Floats) -> Floats:
    """A voter's expected points with both dials on a first card, less those with one dial each on it and a second, (…).

    For these two cards, all (…, 2): the probability `belief` that the card is the storyteller's, and the chances that
    all and that none of the other voters find it if it is. In Odyssey, with p, A and Z for these, the gain is
    p₁ (3 − 2 A₁) − p₂ (3 − 2 Z₂).
    """
    points = expected_hit_points(rules, everybody, nobody)  # (…, 2, 4)
    first = points[..., 0, Hit.FULL] - points[..., 0, Hit.HALF]
    second = points[..., 1, Hit.MISS] - points[..., 1, Hit.HALF]
    return np.asarray(belief[..., 0] * first + belief[..., 1] * second)


def ballot_hits(rules: TableRules, first: Floats, cards: Bools, stacks: Floats, single: Floats | float = 0.0) -> Floats:
    """The hits of voters on some sets of cards, (sets, …, voters, 4), from their distributions over the table.

    Args:
        rules: the rules at this table.
        first: (…, voters, slots) where the first dial goes; rows sum to 1.
        cards: (sets, slots) the cards of each set, such as each player's own.
        stacks: (…, voters, slots) the chance that a second dial follows a first one on this card. Otherwise it goes to
            the other cards in proportion to `first`. Where the rules forbid stacking it never follows.
        single: (…, voters, slots) the chance to leave the second dial unused after a first one on this card, where the
            rules allow that.
    """

    def within(values: Floats) -> Floats:
        """The sum over the cards of each set: (…, voters, slots) → (sets, …, voters)."""
        return np.tensordot(cards.astype(first.dtype), values, (1, -1))

    once = within(first)
    if rules.dials_most == 1:
        nothing = np.zeros_like(once)
        return _last([1 - once, once, nothing, nothing])
    two, one = first, np.zeros_like(once)
    if rules.dials_least == 1:
        two, one = first * (1 - single), within(first * single)
    stacked = two * stacks if rules.may_stack else np.zeros_like(two)
    moves_on = (two - stacked) / np.maximum(1 - first, 1e-12)  # times another card's `first`: first here, then there
    from_here = within(moves_on)
    full = from_here * once + within(stacked - moves_on * first)
    half = from_here * (1 - once) + (moves_on.sum(-1) - from_here) * once
    return _last([1 - one - half - full, one, half, full])


def _last(hits: Sequence[Floats]) -> Floats:
    """Arrays (…) of each kind of hit as one, (…, 4), in which each of them lies together."""
    return np.moveaxis(np.stack(hits), 0, -1)


def hit_kinds(found: Ints, used: Ints) -> Ints:
    """The `Hit` of ballots that used `used` dials, `found` of them on the card: (…) and (…) → (…)."""
    return np.where(found == 0, Hit.MISS, np.where(used == 1, Hit.SINGLE, np.where(found == 1, Hit.HALF, Hit.FULL)))


def turn_points(rules: TableRules, storyteller: Ints, found: Ints, used: Ints, drawn: Ints) -> Ints:
    """The points of many turns that have been voted: whole numbers (…, players, turns), `storyteller` (…, turns).

    `found`: each seat's dials on the storyteller's card; `used`: the dials that it used (0 for the storyteller);
    `drawn`: dials on its own cards (not read for the storyteller). They may be of small types: points are int32.
    """
    teller = storyteller[..., None, :] == np.arange(rules.players)[:, None]
    nobody = ~found.any(-2, keepdims=True)
    finds = found > 0 if rules.all_means == "voters" else found == used
    everybody = (finds | teller).all(-2, keepdims=True)
    dials = rules.dial_points * found.astype(np.int32)
    bonus = rules.single_dial_bonus * ((found == 1) & (used == 1)) if rules.single_dial_bonus else 0
    all_bonus = bonus if rules.single_bonus_when_all else 0
    voters = np.where(nobody, rules.none_points, np.where(everybody, rules.all_points + all_bonus, dials + bonus))
    clue = ~(nobody | everybody) * np.int32(rules.storyteller_points)
    return np.where(teller, clue, voters + decoy_bonus(rules, drawn.astype(np.int32)))


def decoy_bonus(rules: TableRules, dials: Ints) -> Ints:
    """The bonus of a player whose own cards drew `dials` in a turn, (…) → (…)."""
    bonus = rules.decoy_points * (np.minimum(dials, 1) if rules.decoy_once else dials)
    return np.asarray(bonus if rules.decoy_cap is None else np.minimum(bonus, rules.decoy_cap))


def _dial_pay(rules: TableRules) -> Ints:
    """A voter's points for each kind of hit when some, not all, find the card, (4,)."""
    return rules.dial_points * HIT_DIALS + rules.single_dial_bonus * _IS_SINGLE


def _all_pay(rules: TableRules) -> Ints:
    """A voter's points for each kind of hit that counts as found (`_finds`) when all find the card, (4,)."""
    bonus = rules.single_dial_bonus if rules.single_bonus_when_all else 0
    return rules.all_points + bonus * _IS_SINGLE


def _finds(rules: TableRules) -> Bools:
    """Which kinds of hit count as found where the rules ask whether all have found the card, (4,)."""
    return np.array([False, True, rules.all_means == "voters", True])
