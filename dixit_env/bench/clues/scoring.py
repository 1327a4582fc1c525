"""What a clue is worth against listeners whose vote distributions are known: closed forms, no sampling noise.

The table is written in columns, one a card: column 0 is the storyteller's card, the others are decoys, and `owners`
names the seat that gave each. Voters are the seats 1, 2, …; seat 0 tells. Given their distributions the voters are
independent, and `dixit_env.game.expectations` has the closed forms. What makes voters agree beyond their
distributions, a common opinion, is a mean over such tables (`worlds`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.stats import Floats
from dixit_env.game.expectations import ballot_hits, expected_bonus, expected_dials, expected_turn
from dixit_env.game.rules import TableRules
from dixit_env.game.scoring import TurnScore, score

CERTAIN = 1e-6
"""The share of every distribution that goes to any legal card: nobody is ever certain."""


@dataclass(frozen=True, eq=False)
class Votes:
    """How each voter votes.

    Where a second dial isn't stacked, it goes to the other cards in proportion to `first`. So `stacks` = `first` are
    two dials that are set independently, 1 is always stacked, 0 always spread.
    """

    first: Floats  # (…, voters, cards) where the first dial goes; 0 on own cards, rows sum to 1
    stacks: Floats  # (…, voters, cards) chance that the second dial follows a first dial on this card
    single: Floats | float = 0.0  # (…, voters, cards) chance of no second dial, in editions where it is optional


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
    count = rules.players - 1
    owned = owners == np.arange(rules.players)[:, None]  # (players, cards)
    hits = ballot_hits(rules, votes.first, owned, votes.stacks, votes.single)  # (players, …, voters, 4)
    turn, bonus = expected_turn(rules, hits[0]), expected_bonus(rules, hits[1:]).sum(0)
    first = votes.first[..., 0]
    pairs = first.sum(-1) ** 2 - (first**2).sum(-1)
    return Worth(
        everybody=np.asarray(turn.everybody, np.float64),
        some=np.asarray(turn.some, np.float64),
        nobody=np.asarray(turn.nobody, np.float64),
        points=np.asarray(turn.storyteller, np.float64),
        listeners=(turn.voters.sum(-1) + bonus) / count,
        found=first.mean(-1),
        together=pairs / (count * (count - 1)),
        drawn=np.moveaxis(np.asarray(expected_dials(hits[1:]), np.float64), 0, -1),
    )


def worlds(value: Worth) -> Worth:
    """The mean over the last axis before the voters': tables that differ in the common opinion."""
    return Worth(**{name: part.mean(-2 if name == "drawn" else -1) for name, part in vars(value).items()})


def sample(
    rng: np.random.Generator, rules: TableRules, owners: NDArray[np.intp], votes: Votes, turns: int
) -> list[TurnScore]:
    """The same by chance: turns that are voted, `votes` (voters, cards), and scored by the rules."""
    # A softmax is an argmax with Gumbel noise, and the runner-up is the second choice.
    with np.errstate(divide="ignore"):
        noisy = np.log(votes.first) + rng.gumbel(size=(turns, *votes.first.shape))
    order = np.argsort(-noisy, -1)
    first, second = order[..., 0], order[..., 1]  # (turns, voters)
    voter = np.arange(votes.first.shape[0])
    stacked = (rng.random(first.shape) < votes.stacks[voter, first]) & rules.may_stack
    second = np.where(stacked, first, second)
    alone = np.full(first.shape, rules.dials_most == 1)
    if rules.dials_least < rules.dials_most:
        alone = rng.random(first.shape) < np.broadcast_to(votes.single, votes.first.shape)[voter, first]
    seats = [int(seat) for seat in owners]
    return [
        score(rules, 0, seats, [(), *((a,) if one else (a, b) for a, b, one in zip(*turn, strict=True))])
        for turn in zip(first.tolist(), second.tolist(), alone.tolist(), strict=True)
    ]


def correlation(found: Floats, together: Floats) -> float:
    """ρ of two listeners' votes over clues: the rise of the chance that both find a card over p², by p(1 − p).

    With three listeners and one vote each, P(some) = 3 p (1 − p) (1 − ρ), exactly, whoever they are.
    """
    p = float(np.mean(found))
    return float((np.mean(together) - p * p) / (p * (1 - p))) if 0 < p < 1 else float("nan")
