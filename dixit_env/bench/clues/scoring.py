"""What a clue is worth against listeners whose vote distributions are known: closed forms, no sampling noise.

The table is written in columns, one a card: column 0 is the storyteller's card, the others are decoys, and `owners`
names the seat that gave each. Voters are the seats 1, 2, …; seat 0 tells. Given their distributions the voters are
independent, so the number that finds the card is Poisson-binomial: with one dial P(all) = Π q_j and P(none) =
Π (1 − q_j). A second dial lies on the same card (stacked) or on another one (spread). What makes voters agree beyond
their distributions, a common opinion, is a mean over such tables (`worlds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.stats import Floats
from dixit_env.game.rules import TableRules
from dixit_env.game.scoring import TurnScore, score

CERTAIN = 1e-6
"""The share of every distribution that goes to any legal card: nobody is ever certain."""


@dataclass(frozen=True, eq=False)
class Votes:
    """How each voter votes. Voters use all of their dials.

    Where a second dial isn't stacked, it goes to the other cards in proportion to `first`. So `stacks` = `first` are
    two dials that are set independently, 1 is always stacked, 0 always spread.
    """

    first: Floats  # (…, voters, cards) where the first dial goes; 0 on own cards, rows sum to 1
    stacks: Floats  # (…, voters, cards) chance that the second dial follows a first dial on this card


@dataclass(frozen=True, eq=False)
class Worth:
    """Expectations of one turn, all (…)."""

    everybody: Floats  # chance that all find the card, in the sense of the rules
    some: Floats
    nobody: Floats
    points: Floats  # the storyteller's
    listeners: Floats  # the mean voter's points
    found: Floats  # chance that a voter's first dial shows the card, mean over voters
    together: Floats  # chance that both of two voters' first dials do, mean over pairs
    drawn: Floats  # (…, voters) dials that other voters set on each voter's decoys


def legal(odds: Floats, owners: NDArray[np.intp]) -> Floats:
    """Distributions over the cards, (…, voters, cards), as votes: nothing on own cards, and nobody quite certain."""
    voters = odds.shape[-2]
    allowed = owners != np.arange(1, voters + 1)[:, None]  # (voters, cards)
    kept = odds * allowed
    total = kept.sum(-1, keepdims=True)
    uniform = allowed / allowed.sum(-1, keepdims=True)
    share = np.where(total > 0, kept / np.where(total > 0, total, 1), uniform)
    return (1 - CERTAIN) * share + CERTAIN * uniform


def worth(rules: TableRules, owners: NDArray[np.intp], votes: Votes) -> Worth:
    """Score a clue exactly: `owners` (cards,), `votes` (…, voters, cards)."""
    dials = rules.dials_most
    stacks = _stacking(rules, votes)
    count = rules.players - 1
    by_owner = [_dials_on(votes.first, owners == seat, stacks, dials) for seat in range(rules.players)]
    on_target = by_owner[0]  # (…, voters, dials + 1): chance of 0, 1, … dials
    amount = np.arange(dials + 1)
    full = on_target[..., dials] if rules.all_means == "dials" else on_target[..., 1:].sum(-1)
    full_dials = dials * full if rules.all_means == "dials" else on_target @ amount
    everybody, nobody = full.prod(-1), on_target[..., 0].prod(-1)
    some = 1 - everybody - nobody
    # Dials on the card in turns that all find must not be paid by the dial.
    rest = np.stack([np.delete(full, voter, -1).prod(-1) for voter in range(count)], -1)
    paid = (on_target @ amount).sum(-1) - (full_dials * rest).sum(-1)
    drawn = np.stack([(chance @ amount).sum(-1) for chance in by_owner[1:]], -1)
    decoys = sum(_decoy_points(rules, chance) for chance in by_owner[1:])
    first = votes.first[..., 0]
    pairs = first.sum(-1) ** 2 - (first**2).sum(-1)
    outcome = rules.dial_points * paid + count * (rules.all_points * everybody + rules.none_points * nobody)
    return Worth(
        everybody=everybody,
        some=some,
        nobody=nobody,
        points=rules.storyteller_points * some,
        listeners=(outcome + decoys) / count,
        found=first.mean(-1),
        together=pairs / (count * (count - 1)),
        drawn=drawn,
    )


def worlds(value: Worth) -> Worth:
    """The mean over the last axis before the voters': tables that differ in the common opinion."""
    return Worth(**{name: part.mean(-2 if name == "drawn" else -1) for name, part in vars(value).items()})


def sample(
    rng: np.random.Generator, rules: TableRules, owners: NDArray[np.intp], votes: Votes, turns: int
) -> list[TurnScore]:
    """The same by chance: turns that are voted, `votes` (voters, cards), and scored by the rules."""
    stacks = _stacking(rules, votes)
    # A softmax is an argmax with Gumbel noise, and the runner-up is the second choice.
    with np.errstate(divide="ignore"):
        noisy = np.log(votes.first) + rng.gumbel(size=(turns, *votes.first.shape))
    order = np.argsort(-noisy, -1)
    follows = np.take_along_axis(np.broadcast_to(stacks, noisy.shape), order[..., :1], -1)[..., 0]
    stacked = rng.random(follows.shape) < follows
    second = np.where(stacked, order[..., 0], order[..., 1])
    chosen = np.stack([order[..., 0], second], -1)[..., : rules.dials_most]  # (turns, voters, dials)
    seats = [int(seat) for seat in owners]
    return [score(rules, 0, seats, _ballots(turn)) for turn in chosen.tolist()]


def correlation(found: Floats, together: Floats) -> float:
    """ρ of two listeners' votes over clues: the rise of the chance that both find a card over p², by p(1 − p).

    With three listeners and one vote each, P(some) = 3 p (1 − p) (1 − ρ), exactly, whoever they are.
    """
    p = float(np.mean(found))
    return float((np.mean(together) - p * p) / (p * (1 - p))) if 0 < p < 1 else float("nan")


def _ballots(turn: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    return [(), *(tuple(sorted(dials)) for dials in turn)]


def _stacking(rules: TableRules, votes: Votes) -> Floats:
    if rules.dials_most == 1:
        return np.ones_like(votes.stacks)
    return votes.stacks if rules.may_stack else np.zeros_like(votes.stacks)


def _dials_on(first: Floats, mine: NDArray[np.bool_], stacks: Floats, dials: int) -> Floats:
    """How many dials of each voter show one of the marked cards: (…, voters, dials + 1)."""
    there = np.where(mine, first, 0)
    once = there.sum(-1)
    if dials == 1:
        return np.stack([1 - once, once], -1)
    leaves = first * (1 - stacks) / np.maximum(1 - first, 1e-12)  # times another card's `first`: this one, then that
    two = (there * stacks).sum(-1) + (np.where(mine, leaves, 0) * (once[..., None] - there)).sum(-1)
    one = np.where(mine, leaves, 0).sum(-1) * (1 - once) + np.where(mine, 0, leaves).sum(-1) * once
    return np.stack([1 - one - two, one, two], -1)


def _decoy_points(rules: TableRules, chance: Floats) -> Floats:
    """Expected bonus of an owner from the dials on the own cards, chance (…, voters, dials + 1) → (…)."""
    total = chance[..., 0, :]  # distribution of the sum over voters, by convolution
    for voter in range(1, chance.shape[-2]):
        wide = np.zeros((*total.shape[:-1], total.shape[-1] + chance.shape[-1] - 1))
        for dials in range(chance.shape[-1]):
            wide[..., dials : dials + total.shape[-1]] += total * chance[..., voter, dials, None]
        total = wide
    bonus = np.arange(total.shape[-1])
    if rules.decoy_once:
        bonus = np.minimum(bonus, 1)
    bonus = bonus * rules.decoy_points
    return np.asarray(total @ (bonus if rules.decoy_cap is None else np.minimum(bonus, rules.decoy_cap)))
