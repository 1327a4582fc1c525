"""Records: written line by line, read back, replayed, exported."""

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env import DIXIT, EDITIONS, ODYSSEY, Decision, Deck, RecordError, Rules, View, play
from dixit_env.table.play import GameEnded
from dixit_env.table.records import export, read, recorded, replay


class Chance:
    name = "chance"

    def begin(self, seat: int, rng: random.Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        return Decision(self.rng.choice(view.moves), {"belief": [0.25, 0.75]})


def record_game(path: Path, rules: Rules = ODYSSEY, players: int = 4, seed: int = 1) -> GameEnded:
    *_, last = recorded(play([Chance() for _ in range(players)], rules, seed=seed), path)
    assert isinstance(last, GameEnded)
    return last


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(list(EDITIONS.values())), st.data())
def test_replay_reproduces_the_game(
    tmp_path_factory: pytest.TempPathFactory, rules: Rules, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("records") / "game.jsonl"
    players = data.draw(st.integers(rules.min_players, rules.max_players))
    end = record_game(path, rules, players, data.draw(st.integers(0, 10**6)))
    state = replay(read(path))
    assert (state.scores, state.winners) == (end.scores, end.winners)


def test_a_record_says_what_is_needed(tmp_path: Path) -> None:
    record_game(tmp_path / "game.jsonl")
    record = read(tmp_path / "game.jsonl")
    assert {"version", "rules", "deck", "agents", "seed"} <= set(record.game)
    assert record.game["deck"]["hash"] == Deck.blank(84).hash
    assert record.decisions[0]["why"] == {"belief": [0.25, 0.75]}
    assert record.result is not None


def tampered(path: Path, kind: str, change: dict[str, object]) -> Path:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    next(line for line in lines if line["type"] == kind).update(change)
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("game", {"seed": 2}, "can't make this move|the record says"),
        ("decision", {"seat": 3}, "can't make this move"),
        ("turn", {"points": [9, 9, 9, 9]}, "turn 1: the record says points"),
        ("turn", {"votes": []}, "turn 1: the record says votes"),
        ("result", {"winners": [0, 1, 2, 3]}, "result: the record says winners"),
        ("game", {"agents": None}, "incomplete"),
    ],
)
def test_a_difference_fails_loudly(tmp_path: Path, kind: str, change: dict[str, object], message: str) -> None:
    record_game(tmp_path / "game.jsonl")
    with pytest.raises(RecordError, match=message):
        replay(read(tampered(tmp_path / "game.jsonl", kind, change)))


def test_a_crash_loses_at_most_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    events = recorded(play([Chance() for _ in range(4)], seed=1), path)
    for _ in range(12):
        next(events)
    assert len(path.read_text().splitlines()) == 12  # written before they are passed on
    path.write_text(path.read_text() + '{"type": "deci')
    record = read(path)
    assert record.result is None
    assert len(record.decisions) + len(record.turns) == 11
    replay(record)


@pytest.mark.parametrize(
    "text", ["", "\n", "no json\n", '{"type": "turn"}\n', "[]\n", '{"type": "game", "format": 99}\n']
)
def test_files_that_are_no_records(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(RecordError):
        read(tmp_path / "x.jsonl")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        read(tmp_path / "gone.jsonl")


def test_export_gives_a_row_for_each_seat_of_each_turn(tmp_path: Path) -> None:
    record_game(tmp_path / "a.jsonl", DIXIT, 5)
    record = read(tmp_path / "a.jsonl")
    export({"a": record}, tmp_path / "rounds.csv")
    with open(tmp_path / "rounds.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * len(record.turns)
    assert record.result is not None
    for seat in range(5):
        assert sum(int(row["points"]) for row in rows if row["seat"] == str(seat)) == record.result["scores"][seat]
    votes = [len(row["dials"].split()) for row in rows]
    assert votes.count(1) == 4 * len(record.turns)
    with pytest.raises(RecordError, match="csv or"):
        export({"a": record}, tmp_path / "rounds.xls")


def test_export_to_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")
    record_game(tmp_path / "a.jsonl")
    export({"a": read(tmp_path / "a.jsonl")}, tmp_path / "rounds.parquet")
    assert parquet.read_table(tmp_path / "rounds.parquet").num_rows > 0


def test_a_record_names_the_salt_and_is_replayed_with_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    list(recorded(play([Chance() for _ in range(4)], seed=1, salt="secret"), path))
    record = read(path)
    assert record.game["salt"] == "secret"
    replay(record)
    with pytest.raises(RecordError):
        replay(read(tampered(path, "game", {"salt": "another"})))
    record_game(path)
    assert "salt" not in read(path).game


def test_a_folder_name_that_is_no_utf8_comes_back_as_it_was(tmp_path: Path) -> None:
    deck = replace(Deck.blank(84), name="odd\udcff")
    path = tmp_path / "game.jsonl"
    list(recorded(play([Chance() for _ in range(3)], deck=deck), path))
    assert read(path).game["deck"]["name"] == deck.name
    replay(read(path))
