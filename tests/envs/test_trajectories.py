"""Records as a data set: the same observations, actions and rewards as the environments give."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dixit_env import DIXIT, EDITIONS, ODYSSEY, Decision, Deck, DixitError, GiveClue, RecordError, Rules, View, play
from dixit_env.envs.aec import raw_env
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import Spaces
from dixit_env.envs.trajectories import Row, export_trajectories, table_spaces, trajectories
from dixit_env.game.engine import Phase, new_game
from dixit_env.game.moves import move_to_json
from dixit_env.game.view import view
from dixit_env.table.play import GameStarted
from dixit_env.table.records import Record, read, recorded, to_line

CLIP = ClipTable.random(clues=120, width=6, rungs=3)
IDS = tuple(card.id for card in Deck.blank(84).cards)


class Chance:
    name = "chance"

    def begin(self, seat: int, rng: random.Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        return Decision(self.rng.choice(view.moves))


def random_record(folder: Path, rules: Rules = DIXIT, players: int = 4, seed: int = 1) -> Record:
    path = folder / f"{rules.name}-{players}-{seed}.jsonl"
    for _ in recorded(play([Chance() for _ in range(players)], rules, seed=seed), path):
        pass
    return read(path)


def game_of_the_environment(
    rules: Rules, players: int, clip: ClipTable | None, embeddings: bool, reward: Reward
) -> tuple[Record, list[Row]]:
    """A game at random in the turn-based environment: its record, and what the environment showed."""
    env = raw_env(players, rules, clip=clip, embeddings=embeddings, reward=reward)
    env.reset(seed=3)
    rng, episode = random.Random(3), env.episode
    started = GameStarted(rules, Deck.blank(84), ("chance",) * players, episode.state.seed, None)
    decisions: list[dict[str, Any]] = []
    shown: list[Row] = []
    latest: dict[str, Row] = {}
    for agent in env.agent_iter():
        observation, earned, terminated, _, _ = env.last()
        if agent in latest:
            latest[agent] |= {"reward": earned, "terminated": terminated}
        if terminated:
            env.step(None)
            continue
        action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        seat = int(agent.removeprefix("player_"))
        move, _ = episode.decode(seat, action)
        decisions.append({"type": "decision", "seat": seat, "move": move_to_json(move, IDS)})
        latest[agent] = {"seat": seat, "phase": str(episode.state.phase), "action": action, **observation}
        shown.append(latest[agent])
        env.step(action)
    return Record(to_line(started, IDS), tuple(decisions), (), None), shown


@pytest.mark.parametrize(
    ("name", "players", "clip", "embeddings", "reward"),
    [
        ("odyssey", 3, CLIP, True, "points"),
        ("odyssey", 6, CLIP, False, "difference"),
        ("dixit", 4, None, False, "win"),
        ("odyssey-2011", 7, CLIP, False, "points"),
        ("dixit-2008", 5, None, False, "difference"),
    ],
)
def test_a_replayed_record_gives_what_the_environment_gave(
    tmp_path: Path, name: str, players: int, clip: ClipTable | None, embeddings: bool, reward: Reward
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")
    record, shown = game_of_the_environment(EDITIONS[name], players, clip, embeddings, reward)
    export_trajectories({"a": record}, tmp_path / "a.parquet", clip=clip, embeddings=embeddings, reward=reward)
    rows = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert len(rows) == len(shown)
    for row, told in zip(rows, shown, strict=True):
        for array in ("observation", "action_mask"):
            assert np.array_equal(np.array(row[array], told[array].dtype), told[array])
        assert row["reward"] == pytest.approx(told["reward"])
        same = ("seat", "phase", "action", "terminated")
        assert {key: row[key] for key in same} == {key: told[key] for key in same}
        assert (row["game"], row["agent"], row["truncated"]) == ("a", "chance", False)
    assert sum(row["terminated"] for row in rows) == players


def every_action(spaces: Spaces, rules: Rules, players: int) -> Iterator[tuple[View, int]]:
    """The legal actions of all seats in a turn."""
    env = raw_env(players, rules, clip=spaces.clip)
    env.reset(seed=1)
    while len(env.episode.state.history) == 0:
        seat = int(env.agent_selection.removeprefix("player_"))
        seen = view(env.episode.state, seat)
        legal = np.flatnonzero(spaces.mask(seen)).tolist()
        yield from ((seen, action) for action in legal)
        env.step(legal[-1])


@pytest.mark.parametrize("clip", [CLIP, None], ids=["clip", "silent"])
@pytest.mark.parametrize(("rules", "players"), [(ODYSSEY, 3), (DIXIT, 4), (EDITIONS["odyssey-2011"], 7)])
def test_action_is_the_inverse_of_move(rules: Rules, players: int, clip: ClipTable | None) -> None:
    spaces = Spaces(rules.seated(players), 84, clip)
    phases = set()
    for seen, action in every_action(spaces, rules, players):
        move = spaces.move(seen, action)
        assert move is not None
        assert spaces.action(seen, move) == action
        phases.add(seen.phase)
    assert phases == {Phase.CLUE, Phase.CARDS, Phase.VOTES}


def test_a_clue_on_no_rung_of_its_card_has_no_action() -> None:
    state = new_game(ODYSSEY, 4, 84, seed=1, first=0)
    card = state.hands[0][0]
    elsewhere = next(text for number, text in enumerate(CLIP.texts) if number not in CLIP.ladder[card])
    for clue in ("free words", elsewhere):
        assert Spaces(ODYSSEY.seated(4), 84, CLIP).action(view(state, 0), GiveClue(card, clue)) is None
        assert Spaces(ODYSSEY.seated(4), 84).action(view(state, 0), GiveClue(card, clue)) == 1


def test_rewards_of_a_seat_add_up_to_its_score(tmp_path: Path) -> None:
    record = random_record(tmp_path)
    assert record.result is not None
    rows = trajectories(record, table_spaces(record))
    for seat, score in enumerate(record.result["scores"]):
        assert sum(row["reward"] for row in rows if row["seat"] == seat) == score
    assert [json.loads(row["move"]) for row in rows] == [line["move"] for line in record.decisions]


def test_a_game_that_was_broken_off_is_truncated(tmp_path: Path) -> None:
    record = random_record(tmp_path)
    faulty = {**record.decisions[1], "fault": "too slow"}
    rows = trajectories(replace(record, decisions=(record.decisions[0], faulty), result=None), table_spaces(record))
    assert [(row["reward"], row["terminated"], row["truncated"]) for row in rows] == [(0, False, True)] * 2
    assert [row["fault"] for row in rows] == ["", "too slow"]


def test_the_file_says_what_its_lists_mean(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")
    records = {str(seed): random_record(tmp_path, seed=seed) for seed in (1, 2)}
    export_trajectories(records, tmp_path / "two.parquet", clip=CLIP)
    table = parquet.read_table(tmp_path / "two.parquet")
    about = json.loads(table.schema.metadata[b"dixit_env"])
    spaces = table_spaces(records["1"], CLIP)
    assert list(about["observation"]) == list(spaces.pieces)
    assert about["actions"] == {"clue": 1, "cards": 1 + len(spaces.clues), "votes": spaces.first[Phase.VOTES]}
    assert (about["players"], about["reward"], about["deck"]["cards"]) == (4, "points", list(IDS))
    assert table.num_rows == sum(len(record.decisions) for record in records.values())
    scores = about["observation"]["scores"]["start"]
    assert all(row["observation"][scores] == 0 for row in table.to_pylist() if row["turn"] == 1)


def test_what_makes_no_data_set_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
    two = {"a": random_record(tmp_path), "b": random_record(tmp_path, players=5)}
    with pytest.raises(RecordError, match="b was played at another table"):
        export_trajectories(two, tmp_path / "x.parquet")
    with pytest.raises(RecordError, match="no game"):
        export_trajectories({}, tmp_path / "x.parquet")
    with pytest.raises(DixitError, match="no reward is called"):
        export_trajectories(two, tmp_path / "x.parquet", reward="luck")  # type: ignore[arg-type]
    assert not (tmp_path / "x.parquet").exists()
