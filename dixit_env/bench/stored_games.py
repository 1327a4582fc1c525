"""The games in the files that this project writes: records, tournaments, and the turns of the clue benchmark.

A tournament keeps a game's turns, not its decisions. They follow from the turns, so its games become records too, and
are played again from their seeds to see the hands. The clue benchmark scores clues without playing: its turns have no
votes, but how likely each listener of a panel was to vote for each card.
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
from dixit_env.web.replay import replay_frame, seats_entry


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
        elif "giver" in head:
            lines.seek(0)
            yield from _clue_games(list(map(_json, lines)), name, deck)
        elif isinstance(settings := head.get("settings"), dict) and "rings" in settings:
            if settings.get("deck") != deck.hash:
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


def _clue_games(lines: Sequence[Line], name: str, deck: Deck) -> Iterator[StoredGame]:
    """A game for each giver and panel, with a turn for each deal that they share."""
    lines = [line for line in lines if line]
    if not {card for line in lines for card in line["hand"]} <= {card.id for card in deck.cards}:
        raise DixitError(f"{name} was played with another deck: name it with --deck")
    for giver in dict.fromkeys(line["giver"] for line in lines):
        told = [line for line in lines if line["giver"] == giver and line["panels"]]
        for panel in dict.fromkeys(panel for line in told for panel in line["panels"]):
            frame = _clue_frame(giver, panel, [line for line in told if panel in line["panels"]], deck)
            yield StoredGame(name, f"{giver} · {panel}", (), (), (), partial(dict, frame))


def _clue_frame(giver: str, panel: str, lines: Sequence[Line], deck: Deck) -> dict[str, Any]:
    """The replay frame of a giver's clues; the storyteller has seat 0."""
    players = 1 + max(lines[0]["owners"])
    names = [giver, *[f"{panel} {seat}" for seat in range(1, players)]]
    rules = {"name": "", "players": players, "target": 0, "rounds": 0, "all_means": "dials"}
    turns = [
        {
            **dict.fromkeys(("points", "clue_points", "decoy_points", "scores", "stand_ins"), ()),
            "turn": number,
            "storyteller": 0,
            "clue": line["clue"],
            "slots": [{"id": card} for card in line["table"]],
            "target": line["owners"].index(0),
            "owners": line["owners"],
            "votes": [()] * players,
            "outcome": "",
            "hands": [[{"id": card} for card in line["hand"]], *[()] * (players - 1)],
            "given": [[line["card"]], *[()] * (players - 1)],
            "why": {str(seat): {"belief": shares} for seat, shares in enumerate(line["panels"][panel]["votes"], 1)},
            "faults": {},
        }
        for number, line in enumerate(lines, 1)
    ]
    return {"rules": rules, "deck": deck.name, "seats": seats_entry(names), "winners": [], "turns": turns}


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
