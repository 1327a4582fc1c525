"""Games of the past for the page that steps through them: hands, clues, votes, points and beliefs, turn by turn.

Everything in such a game is open to whoever may see it, so a table hands out only games that are over.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dixit_env.game.engine import GameState, Phase
from dixit_env.game.rules import TableRules
from dixit_env.table.records import Line, Record, record_of, steps
from dixit_env.web.events import AnyEvent, FinishedGame, belief_in
from dixit_env.web.export import games, lines_of
from dixit_env.web.projection import LONGEST_REASON, Frame, turn_entry


def replay_frame(record: Record, names: Sequence[str] = ()) -> Frame:
    """A recorded game: `rules`, `deck`, `seats`, `winners` (of a game that ended), and its finished `turns`.

    A turn has what a table shows of it, with cards by their ids in the deck, and `hands` (by seat, as their owners saw
    them), `given` (by seat), `why` (by seat, what a voter believed) and `faults` (by seat, why a move was replaced).

    Args:
        names: by seat, in place of the agents'; "" leaves the name to the page.

    Raises `RecordError` where the record can't be played again.
    """
    cards = record.game["deck"]["cards"]
    turns: list[Frame] = []
    why: Frame = {}
    faults: Frame = {}
    for before, line, after in steps(record):
        state = after
        if line is None:
            continue
        seat = str(line["seat"])
        if before.phase is Phase.VOTES and (told := belief(line.get("why"), len(before.slots))):
            why[seat] = told
        if fault := line.get("fault"):
            faults[seat] = fault
        if len(after.history) > len(before.history):
            turns.append({**_turn(before, after, cards), "why": why, "faults": faults})
            why, faults = {}, {}
    return {
        "rules": rules_entry(state.rules, record.game["rules"]["name"]),
        "deck": record.game["deck"]["name"],
        "seats": seats_entry(names or record.game["agents"]),
        "winners": list(state.winners),
        "turns": turns,
    }


def table_replay(events: Sequence[AnyEvent], done: FinishedGame, personas: Mapping[str, str]) -> Frame:
    """A finished game of a table, from the table's events, under the names that its people had; `personas` by key."""
    played = next(game for game in games(events) if game.number == done.number)
    names = [name or personas.get(bot, "") for name, bot in zip(done.names, done.bots, strict=True)]
    frame = replay_frame(record_of(lines_of(played)), names)
    for turn in frame["turns"]:  # a bot's fault is the server's affair; that a bot stood in for a person is everybody's
        turn["stand_ins"] = [int(seat) for seat in turn["faults"] if done.names[int(seat)]]
        turn["faults"] = {}
    return frame


def rules_entry(rules: TableRules, name: str) -> Frame:
    """What the page must know of the rules."""
    return {
        "name": name,
        "players": rules.players,
        "target": rules.target,
        "rounds": rules.rounds,
        "all_means": rules.all_means,
    }


def seats_entry(names: Sequence[str]) -> list[Frame]:
    """The seats, as in a table's frames."""
    return [{"seat": seat, "name": name} for seat, name in enumerate(names)]


def belief(why: object, slots: int) -> Frame:
    """What a voter said it believed: a share for each slot, and words; {} where it said nothing of that kind."""
    if not isinstance(why, Mapping):
        return {}
    told: Frame = {}
    if shares := belief_in(why, slots):
        told["belief"] = shares
    text = why.get("text")
    if isinstance(text, str) and text:
        told["text"] = text[:LONGEST_REASON]
    return told


def _turn(before: GameState, after: GameState, cards: Sequence[str]) -> Line:
    """The turn that the last vote ended; before it, the cards that were given still lay in the hands."""
    turn = after.history[-1]

    def entries(numbers: Sequence[int]) -> list[dict[str, Any]]:
        return [{"id": cards[number]} for number in numbers]

    return {
        **turn_entry(turn, entries(turn.slots), after.scores),
        "stand_ins": [],
        "hands": [entries(hand) for hand in before.hands],
        "given": [[cards[number] for number in given] for given in before.given],
    }
