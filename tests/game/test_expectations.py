"""Closed forms of expected scoring against the plain sum over all ways to vote, scored by the rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env.game.expectations import (
    HIT_DIALS,
    Floats,
    Hit,
    ballot_hits,
    decoy_bonus,
    expected_bonus,
    expected_hit_points,
    expected_turn,
    hit_kinds,
    stacking_gain,
    turn_points,
)
from dixit_env.game.moves import legal_votes
from dixit_env.game.rules import EDITIONS, ODYSSEY, ODYSSEY_2011, Rules, TableRules
from dixit_env.game.scoring import Outcome, score

Ballot = tuple[int, ...]

ALWAYS_BONUS = replace(ODYSSEY_2011, single_bonus_when_all=True)
VARIANTS = [*EDITIONS.values(), ALWAYS_BONUS]
# Every edition at its smallest and largest tables and where its rules change, and both readings of "all".
TABLES = [
    replace(rules, all_means=all_means).seated(players)
    for rules in VARIANTS
    for players in (3, 4, 6, 7, 8, 12)
    if rules.min_players <= players <= rules.max_players
    for all_means in ("dials", "voters")
]
TABLES.append(replace(ODYSSEY, three_player_bonus="once").seated(3))


@dataclass(frozen=True)
class Table:
    """A table with independent voters; seat 0 tells, and voter number v sits in seat v + 1."""

    rules: TableRules
    owners: tuple[int, ...]  # (slots,)
    voters: tuple[dict[Ballot, float], ...]  # the chance of each ballot

    def hits(self, seat: int) -> Floats:
        """The voters' hits on the cards of a seat, (voters, 4)."""
        chances = np.zeros((len(self.voters), len(Hit)))
        for voter, ballots in enumerate(self.voters):
            for ballot, chance in ballots.items():
                found = sum(self.owners[slot] == seat for slot in ballot)
                chances[voter, hit_kinds(np.array(found), np.array(len(ballot)))] += chance
        return chances


def ballots_of(rules: TableRules, owners: Sequence[int], seat: int) -> list[Ballot]:
    own = tuple(slot for slot, owner in enumerate(owners) if owner == seat)
    return [move.slots for move in legal_votes(rules.slots, own, rules.dials_least, rules.dials_most, rules.may_stack)]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table of any edition; at large ones each voter considers few ballots, so that they can be enumerated."""
    rules = draw(st.sampled_from(TABLES))
    owners = tuple(draw(st.permutations([0, *(seat for seat in range(1, rules.players) for _ in range(rules.gives))])))
    support = {3: 6, 4: 5, 6: 3, 7: 3}.get(rules.players, 2)
    target = owners.index(0)
    voters = []
    for seat in range(1, rules.players):
        open_ballots = ballots_of(rules, owners, seat)
        # Half of the ballots show the storyteller's card, so that all three outcomes occur.
        likely = st.sampled_from([ballot for ballot in open_ballots if target in ballot])
        some = draw(st.lists(likely | st.sampled_from(open_ballots), min_size=1, max_size=support, unique=True))
        weights = np.array(draw(st.lists(st.floats(0.05, 1), min_size=len(some), max_size=len(some))))
        voters.append(dict(zip(some, (weights / weights.sum()).tolist(), strict=True)))
    return Table(rules, owners, tuple(voters))


@given(tables())
@settings(max_examples=150, deadline=None)
def test_expectations_are_the_sum_over_all_ways_to_vote(table: Table) -> None:
    rules, players = table.rules, table.rules.players
    outcomes = dict.fromkeys(Outcome, 0.0)
    clue, decoy = np.zeros(players), np.zeros(players)
    for ballots in product(*(voter.items() for voter in table.voters)):
        chance = prod(weight for _, weight in ballots)
        scored = score(rules, 0, table.owners, [(), *(ballot for ballot, _ in ballots)])
        outcomes[scored.outcome] += chance
        clue += chance * np.array(scored.clue)
        decoy += chance * np.array(scored.decoy)
    turn = expected_turn(rules, table.hits(0))
    assert turn.everybody == pytest.approx(outcomes[Outcome.ALL])
    assert turn.some == pytest.approx(outcomes[Outcome.SOME])
    assert turn.nobody == pytest.approx(outcomes[Outcome.NONE])
    assert turn.storyteller == pytest.approx(clue[0])
    assert turn.voters == pytest.approx(clue[1:])
    bonuses = [float(expected_bonus(rules, table.hits(seat))) for seat in range(1, players)]
    assert bonuses == pytest.approx(decoy[1:].tolist())


@given(tables())
@settings(deadline=None)
def test_a_batch_of_tables_is_each_of_them(table: Table) -> None:
    hits = np.stack([table.hits(seat) for seat in range(table.rules.players)])  # (batch, voters, 4)
    batch, bonus = expected_turn(table.rules, hits, rho=0.3), expected_bonus(table.rules, hits, rho=0.3)
    for row, single in enumerate(hits):
        alone = expected_turn(table.rules, single, rho=0.3)
        assert batch.everybody[row] == pytest.approx(alone.everybody)
        assert batch.voters[row] == pytest.approx(alone.voters)
        assert bonus[row] == pytest.approx(expected_bonus(table.rules, single, rho=0.3))


@given(tables(), st.data())
@settings(deadline=None)
def test_points_for_a_hit_given_the_others_are_those_of_a_voter_who_surely_hits_so(
    table: Table, data: st.DataObject
) -> None:
    rules, hits = table.rules, table.hits(0)
    voter = data.draw(st.integers(0, len(hits) - 1))
    possible = [Hit.MISS, Hit.SINGLE] if rules.dials_most == 1 else [Hit.MISS, Hit.HALF]
    possible += [Hit.SINGLE] * (rules.dials_least < rules.dials_most) + [Hit.FULL] * rules.may_stack
    kind = data.draw(st.sampled_from([kind for kind in possible if kind != Hit.FULL or rules.dials_most == 2]))
    hits[voter] = np.eye(len(Hit))[kind]
    others = expected_turn(rules, np.delete(hits, voter, 0))
    expected = expected_hit_points(rules, others.everybody, others.nobody)[kind]
    assert expected_turn(rules, hits).voters[voter] == pytest.approx(float(expected))


@given(tables(), st.floats(0, 1))
@settings(deadline=None)
def test_with_probability_rho_all_cast_the_ballot_of_one(table: Table, rho: float) -> None:
    rules, hits = table.rules, table.hits(0)
    voters = len(hits)
    apart, mixed = expected_turn(rules, hits), expected_turn(rules, hits, rho)
    alike = [expected_turn(rules, np.tile(np.eye(len(Hit))[kind], (voters, 1))) for kind in Hit]
    weights = hits.mean(0)  # whose ballot is copied is drawn at random
    for name in ("everybody", "some", "nobody", "storyteller"):
        together = sum(weight * float(getattr(turn, name)) for weight, turn in zip(weights, alike, strict=True))
        assert getattr(mixed, name) == pytest.approx(rho * together + (1 - rho) * getattr(apart, name))
    together = sum(weight * float(turn.voters.sum()) for weight, turn in zip(weights, alike, strict=True))
    assert mixed.voters.sum() == pytest.approx(rho * together + (1 - rho) * apart.voters.sum())
    bonus = weights @ decoy_bonus(rules, voters * HIT_DIALS)
    assert expected_bonus(rules, hits, rho) == pytest.approx(rho * bonus + (1 - rho) * expected_bonus(rules, hits))


@given(st.sampled_from(TABLES), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_hits_follow_from_where_the_dials_go(rules: TableRules, seed: int) -> None:
    """First dial by a distribution; then none, the same card again, or another one in proportion to the first."""
    rng = np.random.default_rng(seed)
    first, stacks = rng.dirichlet(np.ones(rules.slots)), rng.random(rules.slots)
    single = rng.random(rules.slots)
    ballots: dict[Ballot, float] = {}
    for card, chance in enumerate(first):
        alone = single[card] if rules.dials_least == 1 else 0.0
        if rules.dials_most == 1:
            alone = 1.0
        again = stacks[card] if rules.may_stack else 0.0
        ways = {(card,): alone, (card, card): (1 - alone) * again}
        for other in range(rules.slots):
            if other != card:
                ways[(card, other)] = (1 - alone) * (1 - again) * first[other] / (1 - chance)
        for ballot, way in ways.items():
            ballots[ballot] = ballots.get(ballot, 0.0) + chance * way
    cards = rng.random((3, rules.slots)) < 0.4  # one card, two own cards, or any others
    expected = np.zeros((len(cards), len(Hit)))
    for ballot, chance in ballots.items():
        expected[range(len(cards)), hit_kinds(cards[:, ballot].sum(1), np.array(len(ballot)))] += chance
    assert ballot_hits(rules, first, cards, stacks, single) == pytest.approx(expected)


@given(st.sampled_from(VARIANTS), st.data())
def test_points_of_many_turns_equal_the_scoring(rules: Rules, data: st.DataObject) -> None:
    players = data.draw(st.integers(rules.min_players, rules.max_players))
    table = rules.seated(players)
    teller = data.draw(st.integers(0, players - 1))
    owners = data.draw(
        st.permutations([teller, *(s for s in range(players) if s != teller for _ in range(table.gives))])
    )
    votes = [
        () if seat == teller else data.draw(st.sampled_from(ballots_of(table, owners, seat))) for seat in range(players)
    ]
    found = np.array([sum(owners[slot] == teller for slot in ballot) for ballot in votes])
    drawn = np.array([sum(owners[slot] == seat for b in votes for slot in b) for seat in range(players)])
    used = np.array([len(ballot) for ballot in votes])
    points = turn_points(table, np.array([teller]), found[:, None], used[:, None], drawn[:, None])
    assert tuple(points[:, 0]) == score(table, teller, owners, votes).points


def test_two_dials_of_2011_lie_on_different_cards() -> None:
    """Seven voters who find the card with chance q by either dial: all do so with chance q⁷."""
    rules = ODYSSEY_2011.seated(8)
    first = np.full((7, 8), 1 / 8)
    hits = ballot_hits(rules, first, np.arange(8)[None] == 0, stacks=np.ones((7, 8)))[
        0
    ]  # as if they stacked: they can't
    assert hits == pytest.approx(np.tile([0.75, 0, 0.25, 0], (7, 1)))
    assert expected_turn(rules, hits).everybody == pytest.approx(0.25**7)


def test_the_bonus_for_a_single_dial_is_paid_when_some_find_the_card() -> None:
    rules = ODYSSEY_2011.seated(7)
    points = expected_hit_points(rules, np.array(0.25), np.array(0.5))
    assert points == pytest.approx([0.5 * 2, 0.25 * 2 + 0.75 * 4, 0.25 * 2 + 0.75 * 3, 0.25 * 2 + 0.75 * 6])


def test_a_table_may_pay_the_bonus_for_a_single_dial_when_all_find_the_card_too() -> None:
    rules = ALWAYS_BONUS.seated(7)
    points = expected_hit_points(rules, np.array(0.25), np.array(0.5))
    assert points[Hit.SINGLE] == pytest.approx(0.25 * 3 + 0.75 * 4)
    surely = np.tile(np.eye(len(Hit))[Hit.HALF], (6, 1))  # all find the card, the first of them with one dial
    surely[0] = np.eye(len(Hit))[Hit.SINGLE]
    assert expected_turn(rules, surely).voters == pytest.approx([3, 2, 2, 2, 2, 2])


chance = st.floats(0, 1)


@given(chance, chance, chance, chance, chance)
def test_stacking_gains_what_the_closed_form_says(p_1: float, p_2: float, a: float, z_1: float, z_2: float) -> None:
    """Stack: p₁ (6 − 2A) + p₂ 2Z₂. Spread: 3 (p₁ + p₂)."""
    gain = stacking_gain(ODYSSEY.seated(6), np.array([p_1, p_2]), np.array([a, 1.0]), np.array([z_1, z_2]))
    assert gain == pytest.approx(p_1 * (6 - 2 * a) + p_2 * 2 * z_2 - 3 * (p_1 + p_2))
    assert gain == pytest.approx(p_1 * (3 - 2 * a) - p_2 * (3 - 2 * z_2))


@given(st.floats(0.05, 0.95), chance, chance, chance)
def test_the_single_dial_of_2011_gives_up_the_second_choice_for_a_point(
    p_1: float, a_1: float, a_2: float, z_2: float
) -> None:
    first = expected_hit_points(ODYSSEY_2011.seated(7), np.array(a_1), np.array(0.0))
    second = expected_hit_points(ODYSSEY_2011.seated(7), np.array(a_2), np.array(z_2))
    single = p_1 * first[Hit.SINGLE] + (1 - p_1) * second[Hit.MISS]
    both = p_1 * first[Hit.HALF] + (1 - p_1) * second[Hit.HALF]
    assert single - both == pytest.approx(p_1 * (1 - a_1) - (1 - p_1) * (3 - a_2 - 2 * z_2))


@given(st.data())
def test_for_the_lead_over_the_others_spreading_never_pays(data: st.DataObject) -> None:
    """The second dial on a card is worth 3 + 1 / V or more if it is the storyteller's; on the next card no more."""
    players = data.draw(st.integers(4, 8))
    rules, others = ODYSSEY.seated(players), players - 1
    owners = data.draw(st.permutations(range(players)))
    me, target = 0, owners.index(1)
    mine = owners.index(me)
    votes: list[tuple[int, ...]] = [()] * players
    for seat in range(2, players):
        open_slots = [slot for slot in range(players) if owners[slot] != seat]
        votes[seat] = tuple(data.draw(st.lists(st.sampled_from(open_slots), min_size=2, max_size=2)))

    def lead(*dials: int) -> float:
        votes[me] = dials
        points = score(rules, 1, owners, votes).points
        return points[me] - (sum(points) - points[me]) / others

    decoy, another = [slot for slot in range(players) if slot not in (mine, target)][:2]
    assert lead(target, target) - lead(target, decoy) >= 3 + 1 / others - 1e-9
    assert lead(target, decoy) - lead(decoy, decoy) <= 3 + 1 / others + 1e-9
    assert lead(decoy, decoy) == pytest.approx(lead(decoy, another))
