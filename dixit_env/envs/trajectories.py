"""Game records as a data set for offline reinforcement learning and imitation: a row for each decision, as Parquet.

Observations, masks, actions and rewards are those of the turn-based environment (`dixit_env.envs.aec`): its `last()`
before the decision, and the reward that it shows when the same seat is asked again. So the rows of one seat in one
game, in their order, are an episode of that seat.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward, check_choice, turn_rewards
from dixit_env.envs.spaces import Spaces
from dixit_env.errors import RecordError
from dixit_env.game.engine import Phase
from dixit_env.game.moves import move_from_json
from dixit_env.game.rules import rules_from_dict
from dixit_env.game.view import view
from dixit_env.table.records import Record, steps
from dixit_env.version import VERSION

Row = dict[str, Any]
"""A decision, by the columns of `export_trajectories`."""


def trajectories(record: Record, spaces: Spaces, reward: Reward = "points") -> list[Row]:
    """The decisions of a game in their order, without the column `game`.

    `spaces` is the layout of the record's table (`table_spaces`). Raises `RecordError` where the replay fails.
    """
    numbers = {card: number for number, card in enumerate(record.game["deck"]["cards"])}
    rows: list[Row] = []
    latest: dict[int, Row] = {}  # seat → its last decision, which earns until its next one
    over = False
    for before, line, after in steps(record):
        if line is None:
            continue
        seat = line["seat"]
        seen = view(before, seat)
        latest[seat] = {
            "seat": seat,
            "agent": record.game["agents"][seat],
            "turn": seen.turn,
            "phase": str(seen.phase),
            **spaces.observe(seen),
            "action": spaces.action(seen, move_from_json(line["move"], numbers)),
            "move": json.dumps(line["move"], ensure_ascii=False),
            "fault": line.get("fault", ""),
            "reward": 0.0,
            "terminated": False,
            "truncated": False,
        }
        rows.append(latest[seat])
        if len(after.history) > len(before.history):
            for paid, value in enumerate(turn_rewards(after, reward)):
                latest[paid]["reward"] += value
        over = after.phase is Phase.OVER
    for row in latest.values():
        row["terminated"], row["truncated"] = over, not over
    return rows


def table_spaces(record: Record, clip: ClipTable | None = None, embeddings: bool = False) -> Spaces:
    """The layout of actions and observations at the record's table; the arguments are those of the environments."""
    rules = rules_from_dict(record.game["rules"]).seated(len(record.game["agents"]))
    return Spaces(rules, len(record.game["deck"]["cards"]), clip, embeddings)


def export_trajectories(
    records: Mapping[str, Record],
    path: str | Path,
    *,
    clip: ClipTable | None = None,
    embeddings: bool = False,
    reward: Reward = "points",
) -> None:
    """Write several games (by name) as a Parquet file, one row for each decision; needs pyarrow.

    Columns: `game`, `seat`, `agent` (its name), `turn` (from 1), `phase`, `observation` (float32 list), `action_mask`
    (int8 list), `action` (null for a clue on no rung of its card's ladder), `move` (JSON, as in the record), `fault`
    (why the move isn't the agent's own, or ""), `reward` (from this decision to the seat's next one), `terminated`,
    `truncated` (last decision of a seat in a game that was broken off). The file's metadata hold, as JSON under the key
    `dixit_env`, all that the lists depend on: see docs/formats.md.

    Args:
        records: games of one table: the same rules, deck and number of players.
        path: file to write.
        clip: clue ladders; without it there is one silent clue for each card.
        embeddings: put the embeddings into the observation.
        reward: as in the environments.

    Raises `RecordError` when pyarrow is missing, there is no game, or the games are of different tables.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise RecordError('a data set is written with pyarrow: pip install "dixit-env[parquet]"') from error
    check_choice("reward", reward, get_args(Reward))
    if not records:
        raise RecordError("there is no game to export")
    first = next(iter(records.values()))
    for name, record in records.items():
        if _table(record) != _table(first):
            raise RecordError(f"{name} was played at another table: export games with the same rules, deck and seats")
    spaces = table_spaces(first, clip, embeddings)
    about = {
        "version": VERSION,
        "rules": asdict(rules_from_dict(first.game["rules"])),
        "players": spaces.rules.players,
        "deck": first.game["deck"],
        "reward": reward,
        "actions": {str(phase): start for phase, start in spaces.first.items()},
        "observation": {
            piece.name: {"start": piece.start, "shape": piece.shape, "meaning": piece.meaning}
            for piece in spaces.pieces.values()
        },
    }
    schema = pa.schema(
        {
            "game": pa.string(),
            "seat": pa.int8(),
            "agent": pa.string(),
            "turn": pa.int16(),
            "phase": pa.string(),
            "observation": pa.list_(pa.float32(), spaces.size),
            "action_mask": pa.list_(pa.int8(), spaces.actions),
            "action": pa.int32(),
            "move": pa.string(),
            "fault": pa.string(),
            "reward": pa.float64(),
            "terminated": pa.bool_(),
            "truncated": pa.bool_(),
        },
        metadata={"dixit_env": json.dumps(about)},
    )
    with parquet.ParquetWriter(path, schema) as file:
        for name, record in records.items():
            rows = [{"game": name, **row} for row in trajectories(record, spaces, reward)]
            file.write_table(pa.Table.from_pylist(rows, schema=schema))


def _table(record: Record) -> tuple[Any, ...]:
    """What the layout of observations and actions depends on, and the meaning of card numbers."""
    game = record.game
    return game["rules"], len(game["agents"]), game["deck"]["cards"]
