"""Editions: what they say, and that contradictions are refused."""

import dataclasses

import pytest

from dixit_env import DIXIT, DIXIT_2008, EDITIONS, ODYSSEY, ODYSSEY_2011, Rules, RulesError, edition
from dixit_env.game.rules import rules_from_dict


def test_players_hands_and_cards_given() -> None:
    assert [(rules.min_players, rules.max_players) for rules in EDITIONS.values()] == [(3, 12), (3, 8), (3, 12), (3, 6)]
    for rules in EDITIONS.values():
        three, four = rules.seated(3), rules.seated(4)
        assert (three.hand, three.gives, three.slots) == (7, 2, 5)
        assert (four.hand, four.gives, four.slots) == (6, 1, 4)


@pytest.mark.parametrize(
    ("rules", "players", "least", "most", "stack"),
    [
        (ODYSSEY, 3, 2, 2, True),
        (ODYSSEY, 12, 2, 2, True),
        (DIXIT, 8, 1, 1, True),
        (ODYSSEY_2011, 6, 1, 1, False),
        (ODYSSEY_2011, 7, 1, 2, False),
        (DIXIT_2008, 6, 1, 1, True),
    ],
)
def test_dials(rules: Rules, players: int, least: int, most: int, stack: bool) -> None:
    table = rules.seated(players)
    assert (table.dials_least, table.dials_most, table.may_stack) == (least, most, stack)


@pytest.mark.parametrize("players", [2, 9])
def test_players_outside_the_edition_are_refused(players: int) -> None:
    with pytest.raises(RulesError, match="3 to 8 players"):
        DIXIT.seated(players)


def test_a_deck_too_small_is_refused() -> None:
    ODYSSEY.check_deck(12, 72)
    with pytest.raises(RulesError, match="need 72 cards, the deck has 71"):
        ODYSSEY.check_deck(12, 71)


@pytest.mark.parametrize(
    "change",
    [
        {"min_players": 2},
        {"max_players": 13},
        {"gives": 6},
        {"dials": 3},
        {"dials": 1, "dials_optional": True},
        {"target": 0},
        {"rounds": -1},
        {"all_points": -1},
        {"decoy_cap": -1},
        {"reshuffle": "sometimes"},
        {"all_means": "most"},
        {"three_player_bonus": "twice"},
        {"may_stack": "no"},
        {"may_change": 1},
        {"hand": 6.0},
        {"target": True},
        {"name": 7},
        {"decoy_cap": "3"},
        dict.fromkeys(("all_points", "none_points", "storyteller_points", "dial_points", "decoy_points"), 0),
        {"dials": 1, "may_stack": False},
        {"single_dial_below": 13},
        {"single_dial_below": 3},
        {"single_dial_bonus": 1},
        {"dials_optional": True, "single_bonus_when_all": True},
        {"decoy_points": 0, "decoy_cap": 3},
        {"decoy_cap": 0},
        {"min_players": 4, "three_player_hand": 8},
        {"max_players": 3, "hand": 8},
    ],
)
def test_contradictions_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(RulesError):
        dataclasses.replace(ODYSSEY, **change)  # type: ignore[arg-type]


def test_an_unknown_edition_names_the_known_ones() -> None:
    with pytest.raises(RulesError, match=r"did you mean odyssey\?.*odyssey-2011"):
        edition("odysey")


@pytest.mark.parametrize("rules", EDITIONS.values(), ids=EDITIONS.keys())
def test_rules_survive_a_record(rules: Rules) -> None:
    assert rules_from_dict(dataclasses.asdict(rules)) == rules
    with pytest.raises(RulesError, match="unknown rules: rabbits"):
        rules_from_dict({"rabbits": 12})
