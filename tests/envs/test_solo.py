"""The Gymnasium environment for one seat."""

import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from dixit_env import EDITIONS, Decision, Deck, DixitError, View, play
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.ids import EDITION_OF
from dixit_env.envs.solo import DixitSolo
from dixit_env.game.moves import CastVotes
from dixit_env.table.play import Decided, GameEnded

CLIP = ClipTable.random(clues=120, width=6, rungs=3)
TABLES = [(name, players) for name in EDITIONS for players in (3, 6, 12) if players <= EDITIONS[name].max_players]


def solo_game(env: Any, seed: int, choose: Callable[[np.ndarray], int] | None = None) -> list[Any]:
    """Everything that a whole game shows to the learner."""
    rng = random.Random(seed)
    choose = choose or (lambda mask: rng.choice(np.flatnonzero(mask).tolist()))
    seen = [env.reset(seed=seed)]
    while len(seen) < 2 or not seen[-1][2]:
        seen.append(env.step(choose(env.unwrapped.action_masks())))
    return seen


@pytest.mark.parametrize("clip", [None, CLIP])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_gymnasium_accepts_the_environment(name: str, players: int, clip: ClipTable | None) -> None:
    check_env(DixitSolo(players, name, clip=clip), skip_render_check=True)


def test_gymnasium_accepts_the_environment_by_name_with_every_render_mode() -> None:
    check_env(gymnasium.make("Dixit/Odyssey-v0", clip=CLIP, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", EDITION_OF)
def test_the_environments_have_names(name: str) -> None:
    assert gymnasium.make(name, players=5).get_wrapper_attr("episode").rules.name == EDITION_OF[name]


def test_the_name_works_without_an_import() -> None:
    line = "import gymnasium; print(gymnasium.make('dixit_env:Dixit/Odyssey-v0').unwrapped)"
    made = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert "DixitSolo" in made.stdout


def test_importing_the_package_loads_no_torch_and_no_environment() -> None:
    line = "import sys, dixit_env; print([name for name in sys.modules if name in ('torch', 'dixit_env.envs.solo')])"
    assert subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_seed_names_a_game() -> None:
    first, second = (solo_game(DixitSolo(clip=CLIP), 7) for _ in range(2))
    assert data_equivalence(first, second)
    assert not data_equivalence(first[0], DixitSolo(clip=CLIP).reset(seed=8))


@pytest.mark.parametrize("seat", [0, 3])
def test_the_rewards_are_the_seats_own_points(seat: int) -> None:
    env = DixitSolo(players=4, seat=seat)
    for seed in range(5):
        seen = solo_game(env, seed)
        assert sum(step[1] for step in seen[1:]) == env.episode.state.scores[seat]


def test_a_win_pays_the_winner() -> None:
    """Over many games every way to end comes up: alone, shared, and lost."""
    env = DixitSolo(players=3, reward="win")
    paid = set()
    for seed in range(30):
        seen = solo_game(env, seed)
        winners = env.episode.state.winners
        assert [step[1] for step in seen[1:-1]] == [0] * (len(seen) - 2)
        assert seen[-1][1] == (1 / len(winners) if env.seat in winners else 0)
        paid.add(seen[-1][1])
    assert {0.0, 1.0} <= paid


class Watcher:
    """An opponent that takes its first legal move and notes what it was shown."""

    name = "watcher"

    def __init__(self) -> None:
        self.views: list[View] = []

    def begin(self, seat: int, rng: random.Random) -> None:
        self.seat = seat

    def act(self, view: View) -> Decision:
        self.views.append(view)
        return Decision(view.moves[0])


def test_other_agents_play_the_other_seats() -> None:
    watchers = [Watcher() for _ in range(3)]
    env = DixitSolo(players=4, seat=1, opponents=watchers)
    solo_game(env, 3)
    assert [watcher.seat for watcher in watchers] == [0, 2, 3]
    for watcher in watchers:
        assert {view.seat for view in watcher.views} == {watcher.seat}
    voted = [turn.votes[0] for turn in env.episode.state.history if turn.storyteller != 0]
    seen = [view.moves[0] for view in watchers[0].views if isinstance(view.moves[0], CastVotes)]
    assert voted == [move.slots for move in seen]


class Faulty(Watcher):
    """Goes wrong in every way that an agent can."""

    name = "faulty"
    count = 0

    def act(self, view: View) -> Decision:
        self.count += 1
        wrong: list[Any] = [None, view.moves[0], Decision(None), Decision(CastVotes((99,))), Decision("pass")]  # type: ignore[arg-type]
        if self.count % 6 == 0:
            raise RuntimeError("out of ideas")
        return wrong[self.count % 6 - 1]


def test_an_opponents_fault_is_replaced_as_at_a_table() -> None:
    """The learner's game goes on, with the same moves as at a table of the same seed, and `info` names the faults."""
    env = DixitSolo(players=4, seat=1, opponents=[Watcher(), Faulty(), Watcher()])
    seen = solo_game(env, 3, choose=lambda mask: int(mask.argmax()))
    agents = [Watcher(), Watcher(), Faulty(), Watcher()]
    faults = []
    for event in play(agents, env.episode.rules, seed=env.episode.state.seed):
        if isinstance(event, Decided) and event.fault:
            faults.append(f"seat 2 (faulty), turn {event.turn}, {event.phase}: {event.fault}")
    assert isinstance(event, GameEnded)
    assert event.scores == env.episode.state.scores
    told = [fault for step in seen for fault in step[-1]["faults"]]
    assert sorted(told) == sorted(faults)
    assert any("RuntimeError: out of ideas" in fault for fault in told)


def test_without_faults_info_names_none() -> None:
    assert {step[-1]["faults"] for step in solo_game(DixitSolo(players=4), 5)} == {()}


def test_action_masks_are_those_of_the_observation() -> None:
    env = DixitSolo()
    observation, _ = env.reset(seed=1)
    masks = env.action_masks()
    assert masks.dtype == bool
    assert np.array_equal(masks, observation["action_mask"])


def test_an_illegal_action_is_replaced_and_flagged() -> None:
    env = DixitSolo()
    env.reset(seed=1)
    assert env.step(0)[4]["illegal"]
    assert not env.step(int(env.action_masks().argmax()))[4]["illegal"]


def test_infos_tell_the_clue_in_words_and_the_scores() -> None:
    env = DixitSolo(players=3, clip=CLIP)
    infos = [step[-1] for step in solo_game(env, seed=1)]
    assert {info["clue"] for info in infos} - {""} <= set(CLIP.texts)
    assert infos[-1]["scores"] == env.episode.state.scores


def test_a_finished_game_wants_a_reset() -> None:
    env = DixitSolo()
    solo_game(env, 1)
    with pytest.raises(DixitError, match="call reset"):
        env.step(0)


def test_a_human_watches_every_turn(capsys: pytest.CaptureFixture[str]) -> None:
    env = DixitSolo(render_mode="human", deck=Deck.blank(100))
    solo_game(env, 2)
    assert capsys.readouterr().out.count("thinks of a clue") == len(env.episode.state.history) - 1


def test_seats_and_opponents_must_fit() -> None:
    with pytest.raises(DixitError, match="need 3 opponents, not 1"):
        DixitSolo(players=4, opponents=[Watcher()])
    with pytest.raises(DixitError, match="there is no seat 4"):
        DixitSolo(players=4, seat=4)
