"""What votes are worth: exact scores against enumeration, and how alike listeners think."""

from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dixit_env.bench.clues.panels import ballot_votes
from dixit_env.bench.clues.scoring import CERTAIN, Votes, correlation, legal, sample, worth
from dixit_env.game.rules import DIXIT, DIXIT_2008, ODYSSEY, ODYSSEY_2011, Rules, TableRules
from dixit_env.game.scoring import score

TWO_OF_2011 = replace(ODYSSEY_2011, single_dial_below=0)
"""The two dials of 2011's large tables at a small one, where all ways to vote can be counted."""


def table(rules: Rules, players: int, seed: int = 0) -> tuple[TableRules, NDArray[np.intp], Votes]:
    """Random vote distributions at a table."""
    seated, rng = rules.seated(players), np.random.default_rng(seed)
    owners = np.array([0, *(seat for seat in range(1, players) for _ in range(seated.gives))])
    first = legal(rng.dirichlet(np.ones(len(owners)), players - 1), owners)
    return seated, owners, Votes(first, rng.random(first.shape), rng.random(first.shape))


def ballots(rules: TableRules, votes: Votes, voter: int) -> dict[tuple[int, ...], float]:
    """The chance of every ballot of a voter."""
    ways: dict[tuple[int, ...], float] = {}
    first, single = votes.first[voter], np.broadcast_to(votes.single, votes.first.shape)[voter]
    for card, chance in enumerate(first):
        if not chance:
            continue
        alone = 1.0 if rules.dials_most == 1 else single[card] if rules.dials_least == 1 else 0.0
        stack = votes.stacks[voter, card] if rules.may_stack else 0.0
        shares: dict[tuple[int, ...], float] = {(card,): alone}
        for other, more in enumerate(first):
            share = stack if other == card else (1 - stack) * more / (1 - chance)
            shares[tuple(sorted((card, other)))] = (1 - alone) * share
        for ballot, share in shares.items():
            ways[ballot] = ways.get(ballot, 0.0) + chance * share
    return {ballot: chance for ballot, chance in ways.items() if chance}


class TestExactScores:
    @pytest.mark.parametrize(
        ("rules", "players"),
        [(ODYSSEY, 3), (ODYSSEY, 4), (DIXIT, 3), (DIXIT, 5), (DIXIT_2008, 3), (ODYSSEY_2011, 4), (TWO_OF_2011, 3)],
    )
    @pytest.mark.parametrize("all_means", ["dials", "voters"])
    def test_they_are_the_mean_over_all_ways_to_vote(self, rules: Rules, players: int, all_means: Any) -> None:
        """Every ballot of every voter, scored by the rules and weighed by its chance."""
        seated, owners, votes = table(replace(rules, all_means=all_means), players)
        ways = [ballots(seated, votes, voter) for voter in range(players - 1)]
        sums = dict.fromkeys(("everybody", "some", "nobody", "points", "listeners"), 0.0)
        for combination in product(*(way.items() for way in ways)):
            chance = prod(weight for _, weight in combination)
            result = score(seated, 0, owners.tolist(), [(), *(ballot for ballot, _ in combination)])
            name = {"all": "everybody", "some": "some", "none": "nobody"}[result.outcome]
            sums[name] += chance
            sums["points"] += chance * result.points[0]
            sums["listeners"] += chance * sum(result.points[1:]) / (players - 1)
        exact = worth(seated, owners, votes)
        assert {name: float(getattr(exact, name)) for name in sums} == pytest.approx(sums, abs=1e-9)

    def test_success_with_one_dial_is_poisson_binomial(self) -> None:
        seated, owners, votes = table(DIXIT, 6)
        q = votes.first[:, 0]
        assert worth(seated, owners, votes).some == pytest.approx(1 - np.prod(q) - np.prod(1 - q))

    def test_dials_that_are_set_independently_find_a_card_like_twice_as_many_voters(self) -> None:
        seated, owners, votes = table(ODYSSEY, 6)
        q = votes.first[:, 0]
        exact = worth(seated, owners, Votes(votes.first, votes.first))
        assert exact.everybody == pytest.approx(np.prod(q**2))
        assert exact.nobody == pytest.approx(np.prod((1 - q) ** 2))

    @pytest.mark.parametrize("players", range(3, 13))
    def test_spread_dials_never_all_lie_on_the_card(self, players: int) -> None:
        seated, owners, votes = table(ODYSSEY, players)
        assert worth(seated, owners, Votes(votes.first, np.zeros_like(votes.stacks))).everybody == pytest.approx(0)

    @pytest.mark.parametrize("rules", [ODYSSEY, TWO_OF_2011])
    def test_turns_voted_by_chance_agree(self, rules: Rules) -> None:
        seated, owners, votes = table(rules, 5, seed=3)
        exact = worth(seated, owners, votes)
        turns = sample(np.random.default_rng(0), seated, owners, votes, 4000)
        points = np.array([turn.points for turn in turns])
        error = points[:, 0].std() / np.sqrt(len(turns))
        assert points[:, 0].mean() == pytest.approx(float(exact.points), abs=4 * error + 1e-3)
        assert points[:, 1:].mean() == pytest.approx(float(exact.listeners), abs=0.1)

    @pytest.mark.parametrize(
        "cast",
        [
            [(0,)] * 6,
            [(2,), (0,), (0,), (0,), (0,), (0,)],
            [(0, 2), (0,), (0, 1), (1, 2), (2, 3), (3,)],
            [(0, 2), (0, 1), (0, 1), (0, 2), (0, 3), (0, 4)],
        ],
        ids=["six single dials on the card", "all but one", "one and two dials", "two dials each, one on the card"],
    )
    def test_ballots_of_2011_are_scored_as_they_were_cast(self, cast: list[tuple[int, ...]]) -> None:
        seated, owners = ODYSSEY_2011.seated(7), np.arange(7)
        result = score(seated, 0, owners.tolist(), [(), *cast])
        exact = worth(seated, owners, ballot_votes([cast], 7))
        assert (exact.everybody, exact.some, exact.nobody) == pytest.approx(
            tuple(float(result.outcome == outcome) for outcome in ("all", "some", "none"))
        )
        assert exact.points == pytest.approx(result.points[0])
        assert exact.listeners == pytest.approx(sum(result.points[1:]) / 6)

    def test_nobody_votes_for_an_own_card_or_is_quite_certain(self) -> None:
        owners = np.array([0, 1, 2])
        votes = legal(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), owners)
        assert votes[0].tolist() == [0.5, 0.0, 0.5]
        assert votes[1].tolist() == pytest.approx([1 - CERTAIN / 2, CERTAIN / 2, 0.0])


class TestCorrelation:
    @pytest.mark.parametrize("rho", [0.0, 0.236, 0.6])
    def test_it_is_found_in_correlated_votes(self, rho: float) -> None:
        rng, p = np.random.default_rng(1), 0.4
        q = rng.beta(p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho, 200_000) if rho else np.full(1000, p)
        assert correlation(q, q**2) == pytest.approx(rho, abs=0.01)

    def test_success_of_three_listeners_follows_from_it(self) -> None:
        """P(some) = 3 p (1 − p) (1 − ρ), whoever the listeners are."""
        rng = np.random.default_rng(2)
        seated, owners = DIXIT.seated(4), np.arange(4)
        first = legal(rng.dirichlet(np.full(4, 0.5), (50, 3)), owners)
        exact = worth(seated, owners, Votes(first, first))
        p, rho = exact.found.mean(), correlation(exact.found, exact.together)
        assert exact.some.mean() == pytest.approx(3 * p * (1 - p) * (1 - rho))
