"""This engine passes the conformance suite that other implementations can run (docs/conformance.md)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dixit_env import EDITIONS, CastVotes, GiveClue, Outcome, Phase, PlayCards, apply, new_game, score

HERE = Path(__file__).parent
SCORING: list[dict[str, Any]] = json.loads((HERE / "scoring.json").read_text(encoding="utf-8"))["cases"]
GAMES: list[dict[str, Any]] = json.loads((HERE / "games.json").read_text(encoding="utf-8"))["games"]


@pytest.mark.parametrize("case", SCORING, ids=[case["name"] for case in SCORING])
def test_scoring(case: dict[str, Any]) -> None:
    rules = replace(EDITIONS[case["rules"]], **case.get("changes", {})).seated(case["players"])
    result = score(rules, case["storyteller"], case["owners"], case["votes"])
    assert (list(result.points), result.outcome) == (case["points"], case["outcome"])


@pytest.mark.parametrize("game", GAMES, ids=[f"{game['rules']}-{game['players']}" for game in GAMES])
def test_games(game: dict[str, Any]) -> None:
    state = new_game(EDITIONS[game["rules"]], game["players"], 84, game["seed"])
    assert (state.storyteller, plain(state.hands), plain(state.pile)) == (game["first"], game["hands"], game["pile"])
    for turn in game["turns"]:
        teller = turn["storyteller"]
        assert (state.turn, state.storyteller) == (turn["turn"], teller)
        others = [seat for seat in range(state.players) if seat != teller]
        state = apply(state, teller, GiveClue(turn["given"][teller][0], "a clue"))
        for seat in others:
            state = apply(state, seat, PlayCards(turn["given"][seat]))
        assert plain(state.slots) == turn["slots"]
        before = state
        for seat in others:
            state = apply(state, seat, CastVotes(turn["votes"][seat]))
        result = state.history[-1].score
        assert (result.outcome, plain(result.points)) == (turn["outcome"], turn["points"])
        assert (plain(state.scores), plain(state.hands)) == (turn["scores"], turn["hands"])
        assert (state.reshuffles > before.reshuffles) == ("reshuffled" in turn)
    assert state.phase is Phase.OVER
    assert plain(state.winners) == game["winners"]


def test_every_edition_size_and_outcome_is_there() -> None:
    sizes = {(rules.name, n) for rules in EDITIONS.values() for n in range(rules.min_players, rules.max_players + 1)}
    assert {(game["rules"], game["players"]) for game in GAMES} == sizes
    for name in EDITIONS:
        outcomes = {turn["outcome"] for game in GAMES if game["rules"] == name for turn in game["turns"]}
        assert outcomes == set(Outcome)


def test_the_games_are_those_that_the_script_writes() -> None:
    from make import text

    assert (HERE / "games.json").read_text(encoding="utf-8") == text()


def plain(value: Any) -> Any:
    """Tuples as JSON has them."""
    return json.loads(json.dumps(value))
