"""The lesson's script: what it shows is what the rules of Odyssey say."""

from itertools import combinations_with_replacement
from typing import Any

import pytest

from dixit_env.languages import LANGUAGES
from dixit_env.web.lesson import OWNERS, TELLER, YOU, lesson, lesson_pictures

OWN = OWNERS.index(YOU)


def points(owners: list[int], votes: list[list[int]]) -> list[int]:
    """The rulebook's points for a turn in which some votes, but not all, found the storyteller's card."""
    earned = [3 * dials.count(owners.index(TELLER)) for dials in votes]
    for slot in (slot for dials in votes for slot in dials):
        earned[owners[slot]] += owners[slot] != TELLER
    earned[TELLER] += 3
    return earned


def turn(lures: int, ballot: tuple[int, ...]) -> dict[str, Any]:
    return lesson()["turns"][lures][",".join(map(str, ballot))]


@pytest.mark.parametrize("lures", range(3))
def test_every_legal_ballot_has_its_turn_with_the_rulebook_s_points(lures: int) -> None:
    ballots = list(combinations_with_replacement([slot for slot in range(6) if slot != OWN], 2))
    assert len(lesson()["turns"][lures]) == len(ballots)
    for ballot in ballots:
        played = turn(lures, ballot)
        assert played["votes"][YOU] == list(ballot)
        assert played["outcome"] == "some", "the lesson's words say so"
        assert played["points"] == played["scores"] == points(played["owners"], played["votes"])
        assert sum(dials.count(OWN) for dials in played["votes"]) == lures, "as many votes as the card lures"


@pytest.mark.parametrize(("lures", "ballot", "mine"), [(2, (3, 3), 8), (0, (0, 3), 3), (1, (0, 1), 1), (0, (4, 4), 0)])
def test_what_the_learner_gets(lures: int, ballot: tuple[int, int], mine: int) -> None:
    assert turn(lures, ballot)["points"][YOU] == mine


def test_every_card_is_another_is_described_in_each_language_and_has_its_pictures() -> None:
    script = lesson()
    cards = [*script["hand"], script["next"], *filter(None, script["slots"])]
    names = [card["id"] for card in cards]
    assert len(set(names)) == len(names) == 6 + 1 + 5
    assert script["slots"].index(None) == OWN
    assert all(set(LANGUAGES) <= set(card["words"]) for card in cards)
    assert set(lesson_pictures()) == {f"{name}-{size}.webp" for name in names for size in ("small", "full")}
