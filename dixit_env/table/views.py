"""Views as JSON values, in the form of records: cards by their ids, moves and turns as records have them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dixit_env.game.moves import move_to_json
from dixit_env.game.view import View
from dixit_env.table.records import turn_to_json


def view_to_json(seen: View, cards: Sequence[str]) -> dict[str, Any]:
    """A view as a JSON value; `cards` are the ids by card number.

    It has the fields of `View`, and `moves`, all legal moves of the seat; a clue stands as "…" for any text.
    """
    named = {name: [cards[card] for card in getattr(seen, name)] for name in ("hand", "given", "slots", "discard")}
    return {
        **seen._asdict(),
        **named,
        "rules": asdict(seen.rules),
        "phase": str(seen.phase),
        "history": [turn_to_json(turn, cards) for turn in seen.history],
        "moves": [move_to_json(move, cards) for move in seen.moves],
    }
