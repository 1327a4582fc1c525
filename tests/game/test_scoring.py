"""The points of a turn: worked examples of the rulebooks, and an oracle written apart from the engine."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dixit_env import DIXIT, DIXIT_2008, EDITIONS, ODYSSEY, ODYSSEY_2011, Outcome, Rules, RulesError, score
from dixit_env.game.moves import legal_votes


def points(rules: Rules, votes: str, players: int | None = None) -> tuple[int, ...]:
    """Score votes like "A1 B2,3": the storyteller is seat 0 in slot 1, A, B, … are the seats after."""
    ballots = {word[0]: word[1:] for word in votes.split()}
    players = players or len(ballots) + 1
    table = rules.seated(players)
    owners = [0] + [seat for seat in range(1, players) for _ in range(table.gives)]
    cast = [()] + [tuple(int(slot) - 1 for slot in ballots["ABCDEFGHIJK"[i]].split(",")) for i in range(players - 1)]
    return score(table, 0, owners, cast).points


def test_odyssey_printed_example() -> None:
    # Pink 0 tells; Purple 1, Green 2, Blue 3, Orange 4, Red 5; slots in seat order.
    owners = [0, 1, 2, 3, 4, 5]
    votes = [(), (0, 3), (0, 1), (0, 0), (3, 5), (1, 1)]
    assert score(ODYSSEY.seated(6), 0, owners, votes).points == (3, 6, 3, 8, 0, 1)


def test_dixit_printed_example() -> None:
    # Pink 0 tells; Blue 1 and Green 2 found it; Red 3 voted Violet's (4); Violet 4 and Yellow 5 voted Blue's.
    votes = [(), (0,), (0,), (4,), (1,), (1,)]
    assert score(DIXIT.seated(6), 0, [0, 1, 2, 3, 4, 5], votes).points == (3, 5, 3, 0, 1, 0)


@pytest.mark.parametrize("rules", [DIXIT, DIXIT_2008], ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("A1 B2 C2 D2 E2", (3, 7, 0, 0, 0, 0)),
        ("A1 B1 C1 D1 E1", (0, 2, 2, 2, 2, 2)),
        ("A3 B2 C2 D2 E2", (0, 6, 3, 2, 2, 2)),
        ("A1 B2", (3, 4, 0)),
        ("A4 B3", (0, 3, 3)),
    ],
)
def test_classic_vectors(rules: Rules, votes: str, expected: tuple[int, ...]) -> None:
    assert points(rules, votes) == expected


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("A1 B2 C2 D2 E2", (3, 6, 0, 0, 0, 0)),  # the cap
        ("A1 B1 C1 D1 E1", (0, 2, 2, 2, 2, 2)),
        ("A3 B2 C2 D2 E2", (0, 5, 3, 2, 2, 2)),
        ("A1 B2", (3, 4, 0)),
        ("A4 B3", (0, 3, 3)),
        ("A1 B1,2 C2,3 D2 E2,4 F2,3", (3, 7, 5, 1, 0, 0, 0)),
    ],
)
def test_odyssey_2011_vectors(votes: str, expected: tuple[int, ...]) -> None:
    assert points(ODYSSEY_2011, votes) == expected


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("A1,3 B1,4 C1,2", (3, 4, 4, 4)),  # a dial each is still "some"
        ("A1,1 B1,1 C1,1 D1,1", (0, 4, 4, 4, 4)),
        ("A3,3 B2,2 C2,2", (0, 6, 4, 2)),
        ("A1,1 B1,2 C2,3", (3, 8, 4, 0)),
    ],
)
def test_odyssey_vectors(votes: str, expected: tuple[int, ...]) -> None:
    assert points(ODYSSEY, votes) == expected


def test_all_found_by_voters_is_the_spanish_reading() -> None:
    assert points(Rules(all_means="voters"), "A1,3 B1,4 C1,2") == (0, 5, 5, 5)


def test_three_player_bonus_is_per_dial_or_once() -> None:
    assert points(ODYSSEY, "A4,5 B2,3") == (0, 4, 4)
    assert points(Rules(three_player_bonus="once"), "A4,5 B2,3") == (0, 3, 3)
    # "once" speaks of three players only
    assert points(Rules(three_player_bonus="once"), "A3,3 B2,2 C2,2") == (0, 6, 4, 2)


def test_the_single_dial_bonus_may_be_paid_when_all_found() -> None:
    always = replace(ODYSSEY_2011, single_bonus_when_all=True)
    for votes, usual, option in [
        ("A1 B1 C1 D1 E1 F1,2", (0, 3, 2, 2, 2, 2, 2), (0, 4, 3, 3, 3, 3, 2)),  # everybody has a dial on it
        ("A1 B2 C2 D2 E2 F1,2", (3, 7, 0, 0, 0, 0, 3), (3, 7, 0, 0, 0, 0, 3)),
        ("A3 B2 C2 D2 E2 F2", (0, 5, 3, 2, 2, 2, 2), (0, 5, 3, 2, 2, 2, 2)),
    ]:
        assert (points(ODYSSEY_2011, votes), points(always, votes)) == (usual, option)


@pytest.mark.parametrize(
    ("storyteller", "owners", "votes"),
    [
        (4, [0, 1, 2, 3], [(), (0, 0), (0, 0), (0, 0)]),
        (True, [0, 1, 2, 3], [(0, 0), (), (0, 0), (0, 0)]),
        (0, [0, 1, 2], [(), (0, 0), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 2], [(), (0, 0), (0, 0), (0, 0)]),
        (0, None, [(), (0, 0), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], None),
        (0, [0, 1, 2, 3], [(1, 1), (0, 0), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), (1, 0), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), (0,), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), (0, 4), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), (-1, 0), (0, 0), (0, 0)]),
        (0, [0, 1, 2, 3], [(), ("0", "0"), (0, 0), (0, 0)]),
    ],
)
def test_a_turn_that_can_not_be_is_not_scored(storyteller: Any, owners: Any, votes: Any) -> None:
    with pytest.raises(RulesError):
        score(ODYSSEY.seated(4), storyteller, owners, votes)


def test_stacking_is_not_scored_where_it_is_forbidden() -> None:
    with pytest.raises(RulesError, match="one slot"):
        points(ODYSSEY_2011, "A1,1 B2 C2 D2 E2 F2")


def oracle(rules: Rules, players: int, teller: int, owners: list[int], votes: list[tuple[int, ...]]) -> list[int]:
    """The rule text, sentence by sentence, for one seat at a time."""
    table = [[owners[slot] for slot in ballot] for ballot in votes]  # whose cards each seat's dials are on
    voters = [seat for seat in range(players) if seat != teller]
    on_it = [owner for seat in voters for owner in table[seat] if owner == teller]
    dials = [owner for seat in voters for owner in table[seat]]
    if rules.all_means == "dials":
        everybody = len(on_it) == len(dials)
    else:
        everybody = all(teller in table[seat] for seat in voters)
    result = []
    for seat in range(players):
        mine = 0
        if not on_it or everybody:
            mine += 0 if seat == teller else (rules.all_points if everybody else rules.none_points)
            alone = seat != teller and everybody and len(table[seat]) == 1
            if alone and rules.single_bonus_when_all and players >= rules.single_dial_below:
                mine += rules.single_dial_bonus
        elif seat == teller:
            mine += rules.storyteller_points
        else:
            hits = table[seat].count(teller)
            mine += hits * rules.dial_points
            two_allowed = rules.dials == 2 and players >= rules.single_dial_below
            if hits and len(table[seat]) == 1 and two_allowed:
                mine += rules.single_dial_bonus
        if seat != teller:
            bonus = dials.count(seat) * rules.decoy_points
            if players == 3 and rules.three_player_bonus == "once":
                bonus = min(bonus, rules.decoy_points)
            if rules.decoy_cap is not None:
                bonus = min(bonus, rules.decoy_cap)
            mine += bonus
        result.append(mine)
    return result


READINGS = (
    Rules(all_means="voters"),
    Rules(three_player_bonus="once"),
    replace(ODYSSEY_2011, single_bonus_when_all=True),
)


@st.composite
def turns(draw: st.DrawFn) -> tuple[Rules, int, int, list[int], list[tuple[int, ...]]]:
    rules = draw(st.sampled_from([*EDITIONS.values(), *READINGS]))
    players = draw(st.integers(rules.min_players, rules.max_players))
    table = rules.seated(players)
    teller = draw(st.integers(0, players - 1))
    cards = [teller] + [seat for seat in range(players) if seat != teller for _ in range(table.gives)]
    owners = draw(st.permutations(cards))
    votes: list[tuple[int, ...]] = []
    for seat in range(players):
        own = tuple(slot for slot, owner in enumerate(owners) if owner == seat)
        ballots = legal_votes(len(owners), own, table.dials_least, table.dials_most, table.may_stack)
        votes.append(() if seat == teller else draw(st.sampled_from(ballots)).slots)
    if draw(st.booleans()):  # a unanimous table is rare by chance
        target = owners.index(teller)
        same = (target,) * (table.dials_most if table.may_stack else table.dials_least)
        votes = [() if seat == teller else same for seat in range(players)]
    return rules, players, teller, owners, votes


@given(turns())
def test_points_equal_the_oracle(turn: tuple[Rules, int, int, list[int], list[tuple[int, ...]]]) -> None:
    rules, players, teller, owners, votes = turn
    result = score(rules.seated(players), teller, owners, votes)
    assert list(result.points) == oracle(rules, players, teller, owners, votes)
    assert (result.outcome is Outcome.SOME) == (result.points[teller] > 0)
