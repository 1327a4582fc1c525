"""Write `games.json`: one game of every edition and size, with everything that another engine needs to play it again.

    python tests/conformance/make.py

The moves are drawn, so that turns with all, some and none found all occur. `scoring.json` is written by hand: its
points come from the rulebooks, not from this engine.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from dixit_env import EDITIONS, CastVotes, GameState, Phase, Rules, apply, legal_moves, new_game, waiting_for

HERE = Path(__file__).parent
SEED = 2023

# Which ballots a turn draws from, by their dials that hit the storyteller's card: scores differ where all or none do.
WISHES: dict[str, Callable[[list[bool]], bool]] = {
    "all": all,
    "none": lambda hits: not any(hits),
    "any": lambda hits: True,
}

Given = tuple[tuple[int, ...], ...]


def game(rules: Rules, players: int) -> dict[str, Any]:
    """A whole game of drawn moves."""
    state = new_game(rules, players, 84, SEED + players)
    start = {
        "rules": rules.name,
        "players": players,
        "seed": state.seed,
        "first": state.storyteller,
        "hands": state.hands,
        "pile": state.pile,
    }
    rng = Random(f"{rules.name}/{players}")
    turns = []
    while state.phase is not Phase.OVER:
        before = state
        given, state = turn_played(state, rng)
        turns.append(turn_line(before, given, state))
    return {**start, "turns": turns, "winners": state.winners}


def turn_played(state: GameState, rng: Random) -> tuple[Given, GameState]:
    """One more turn: the cards that each seat gave, and the state after it."""
    wish = rng.choice(("all", "none", "any", "any"))
    turn, given = state.turn, state.given
    while state.turn == turn and state.phase is not Phase.OVER:
        for seat in waiting_for(state):
            moves = legal_moves(state, seat, clue=f"clue {turn}")
            if state.phase is Phase.VOTES:
                given = state.given
                target = state.slots.index(state.given[state.storyteller][0])
                fitting = WISHES[wish]
                ballots = [move for move in moves if isinstance(move, CastVotes)]
                moves = tuple(b for b in ballots if fitting([slot == target for slot in b.slots])) or moves
            state = apply(state, seat, rng.choice(moves))
    return given, state


def turn_line(before: GameState, given: Given, after: GameState) -> dict[str, Any]:
    """What happened in a turn, and what its end left behind."""
    turn = after.history[-1]
    line = {
        "turn": turn.number,
        "storyteller": turn.storyteller,
        "given": given,
        "slots": turn.slots,
        "votes": turn.votes,
        "outcome": turn.score.outcome,
        "points": turn.score.points,
        "scores": after.scores,
        "hands": after.hands,
    }
    if after.reshuffles > before.reshuffles:
        line["reshuffled"] = [*_drawn(before.hands, after.hands, set(turn.slots)), *after.pile]
    return line


def _drawn(before: tuple[tuple[int, ...], ...], after: tuple[tuple[int, ...], ...], played: set[int]) -> list[int]:
    """The cards drawn at the end of a turn, in the order of seats and of places in the hand."""
    hands = zip(before, after, strict=True)
    return [new for hand, full in hands for old, new in zip(hand, full, strict=True) if old in played]


def text() -> str:
    """The file's text: a line for each turn."""
    games = [
        game(rules, players)
        for rules in EDITIONS.values()
        for players in range(rules.min_players, rules.max_players + 1)
    ]
    blocks = []
    for one in games:
        turns = ",\n".join(f"   {json.dumps(turn)}" for turn in one.pop("turns"))
        head = ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in one.items())
        blocks.append(f'  {{{head}, "turns": [\n{turns}\n  ]}}')
    return '{\n "format": 1,\n "games": [\n' + ",\n".join(blocks) + "\n ]\n}\n"


if __name__ == "__main__":
    (HERE / "games.json").write_text(text(), encoding="utf-8", newline="\n")
