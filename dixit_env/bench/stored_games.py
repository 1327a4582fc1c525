"""The games in the files that this project writes: records of single games, and those of tournaments and scenarios.

A tournament keeps a game's turns, not its decisions. They follow from the turns, so its games become records too, and
are played again from their seeds to see the hands.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dixit_env.bench.tournament.schedule import is_finished
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.streams import shuffled
from dixit_env.paths import printable
from dixit_env.table.records import FORMAT, Line, Record, read, record_of
from dixit_env.web.library import StoredGame
from dixit_env.web.replay import replay_frame


def stored_games(path: Path, deck: Deck) -> list[StoredGame]:
    """The games in a file, or in all files `*.jsonl` of a folder and the folders in it; other lines are passed over.

    Raises `DixitError` where there are none, and where they were played with cards that `deck` lacks.
    """
    if not path.exists():
        raise DixitError(f"{printable(path)} does not exist: name a record, or a folder with records")
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    root = path if path.is_dir() else path.parent
    games = [game for file in files for game in _games(file, str(file.relative_to(root)), deck)]
    if not games:
        raise DixitError(f"{printable(path)} holds no games: name what play.py --record or tournament.py --out wrote")
    return games


def counted(games: Sequence[StoredGame]) -> str:
    """How many games, in words."""
    return f"{len(games)} game{'s' * (len(games) != 1)}"


def match_record(line: Line, settings: Mapping[str, Any], deck: Deck) -> Record:
    """The record of a tournament's game: its line (`play_match`), the tournament's settings, and the deck."""
    cards = [card.id for card in deck.cards]
    game = {
        "type": "game",
        "format": FORMAT,
        "version": settings["version"],
        "rules": settings["rules"],
        "deck": {"name": deck.name, "hash": deck.hash, "cards": cards},
        "agents": line["seats"],
        "seed": line["seed"],
        "first": None,
        "salt": line["salt"],
    }
    faults = {(fault["turn"], fault["seat"]): fault["fault"] for fault in line["faults"]}
    decisions = [decision for turn in line["turns"] for decision in _decisions(turn, line, faults)]
    result = {"type": "result", "scores": line["scores"], "winners": line["winners"]}
    return record_of([game, *decisions, *line["turns"], result])


def _games(file: Path, name: str, deck: Deck) -> Iterator[StoredGame]:
    with open(file, "rb") as lines:
        head = _json(lines.readline())
        if head.get("type") == "game":
            yield _recorded(file, name, deck)
        elif isinstance(settings := head.get("settings"), dict) and "rings" in settings:
            if settings["deck"] != deck.hash:
                raise DixitError(f"{printable(file)} was played with another deck: name it with --deck")
            while row := lines.readline():
                start, kept = lines.tell() - len(row), _json(row)
                if kept and is_finished(kept["result"]):
                    yield _match(file, name, start, kept, settings, deck)


def _recorded(file: Path, name: str, deck: Deck) -> StoredGame:
    record = read(file)
    if not set(record.game["deck"]["cards"]) <= {card.id for card in deck.cards}:
        raise DixitError(
            f"{printable(file)} was played with the deck {record.game['deck']['name']}: name it with --deck"
        )
    result = record.result or {"scores": (), "winners": ()}
    seats = tuple(record.game["agents"])
    return StoredGame(
        name, "", seats, tuple(result["scores"]), tuple(result["winners"]), lambda: replay_frame(read(file))
    )


def _match(file: Path, name: str, start: int, kept: Line, settings: Mapping[str, Any], deck: Deck) -> StoredGame:
    line = kept["result"]
    opened = partial(_opened, file, start, settings, deck)
    seats, scores, winners = tuple(line["seats"]), tuple(line["scores"]), tuple(line["winners"])
    return StoredGame(name, str(kept["job"]), seats, scores, winners, opened)


def _opened(file: Path, start: int, settings: Mapping[str, Any], deck: Deck) -> dict[str, Any]:
    """A tournament has too many games to keep them all: a line is read again when its game is looked at."""
    with open(file, "rb") as lines:
        lines.seek(start)
        return replay_frame(match_record(_json(lines.readline())["result"], settings, deck))


def _json(row: bytes) -> Line:
    """The object in a row; {} for anything else, such as a row that a crash cut off."""
    try:
        line = json.loads(row)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}


def _decisions(turn: Line, line: Line, faults: Mapping[tuple[int, int], str]) -> Iterator[Line]:
    """The decisions that a turn was made of."""
    number, teller, players = turn["turn"], turn["storyteller"], len(line["seats"])
    owner = dict(zip(turn["slots"], turn["owners"], strict=True))
    places = shuffled(line["seed"], "table", number, range(len(owner)), line["salt"])
    laid = [card for _, card in sorted(zip(places, turn["slots"], strict=True))]  # as they were given, seat by seat
    given = [[card for card in laid if owner[card] == seat] for seat in range(players)]
    others = [seat for seat in range(players) if seat != teller]
    moves: Sequence[tuple[str, int, Line]] = [
        ("clue", teller, {"card": given[teller][0], "clue": turn["clue"]}),
        *[("cards", seat, {"cards": given[seat]}) for seat in others],
        *[("votes", seat, {"slots": turn["votes"][seat]}) for seat in others],
    ]
    for phase, seat, move in moves:
        decision = {"type": "decision", "turn": number, "phase": phase, "seat": seat, "move": move, "why": {}}
        fault = faults.get((number, seat))
        yield {**decision, "fault": fault} if fault else decision
