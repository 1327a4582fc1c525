"""The PettingZoo environments, by PettingZoo's own tests and by ours."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)

from dixit_env import EDITIONS, DixitError, Phase, RulesError
from dixit_env.envs import aec
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward
from dixit_env.envs.ids import EDITION_OF
from dixit_env.envs.spaces import WAIT
from dixit_env.game.engine import waiting_for

CLIP = ClipTable.random(clues=120, width=6, rungs=3)
TABLES = [(name, players) for name in EDITIONS for players in (3, 4, 6, 7, 12) if players <= EDITIONS[name].max_players]

pytestmark = [  # said of every environment with a mask that is not on the test's own list
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]


def legal_choice(mask: np.ndarray, rng: random.Random) -> int:
    return rng.choice(np.flatnonzero(mask).tolist())


def aec_game(env: pettingzoo.AECEnv, seed: int) -> Iterator[Any]:
    """Everything that a whole game shows, with the same legal actions for the same observations."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen = env.last()
        yield agent, seen, dict(env.rewards)
        env.step(None if seen[2] else legal_choice(seen[0]["action_mask"], rng))


def parallel_game(env: pettingzoo.ParallelEnv, seed: int) -> Iterator[Any]:
    rng = random.Random(seed)
    observations, infos = env.reset(seed=seed)
    yield observations, infos
    while env.agents:
        step = env.step({agent: legal_choice(observations[agent]["action_mask"], rng) for agent in env.agents})
        observations = step[0]
        yield step


def same_game(play: Callable[[Any, int], Iterator[Any]], make: Callable[[], Any], seeds: tuple[int, int]) -> bool:
    """Do two environments, made alike, show the same from the first step to the last?"""
    games = [list(play(make(), seed)) for seed in seeds]
    return len(games[0]) == len(games[1]) and all(data_equivalence(one, two) for one, two in zip(*games, strict=True))


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_pettingzoo_accepts_the_turn_based_environment(name: str, players: int) -> None:
    api_test(aec.env(players, name, clip=CLIP), num_cycles=300)
    api_test(aec.raw_env(players, name), num_cycles=100)
    seed_test(lambda: aec.env(players, name, clip=CLIP), num_cycles=100)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_pettingzoo_accepts_the_parallel_environment(name: str, players: int) -> None:
    parallel_api_test(aec.parallel_env(players, name, clip=CLIP), num_cycles=300)
    parallel_seed_test(lambda: aec.parallel_env(players, name, clip=CLIP), num_cycles=20)


@pytest.mark.parametrize(("name", "players"), [("odyssey", 3), ("odyssey", 12), ("dixit", 6)])
def test_pettingzoo_accepts_the_rendering(name: str, players: int) -> None:
    render_test(lambda **kwargs: aec.env(players, name, **kwargs))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_pettingzoos_benchmark_runs(name: str, players: int) -> None:
    performance_benchmark(aec.env(players, name, clip=CLIP))


@pytest.mark.parametrize("play_and_make", [(aec_game, aec.env), (parallel_game, aec.parallel_env)])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_seed_names_a_game(play_and_make: Any, name: str, players: int) -> None:
    play, constructor = play_and_make

    def make() -> Any:
        return constructor(players, name, clip=CLIP)

    assert same_game(play, make, (4, 4))
    assert not same_game(play, make, (4, 5))


@pytest.mark.parametrize("play_and_make", [(aec_game, aec.raw_env), (parallel_game, aec.parallel_env)])
def test_the_determinism_test_finds_a_broken_environment(play_and_make: Any) -> None:
    """One whose tables come from the global generator from the fourth turn on."""
    play, constructor = play_and_make

    def make() -> Any:
        env = constructor()
        plain = env.episode.apply

        def broken(seat: int, move: Any) -> bool:
            ended = plain(seat, move)
            if ended and env.episode.state.turn == 4:
                env.episode.state = env.episode.state._replace(seed=random.getrandbits(32))
            return ended

        env.episode.apply = broken
        return env

    assert not same_game(play, make, (4, 4))


def test_games_after_the_first_differ_and_repeat_with_the_seed() -> None:
    env = aec.raw_env()

    def hands(seed: int | None) -> Any:
        env.reset(seed=seed)
        return env.episode.state.hands

    first, second = hands(1), hands(None)
    assert first != second
    assert (hands(1), hands(None)) == (first, second)


def test_turn_based_and_parallel_show_the_same() -> None:
    """The same seed and actions give every seat the same observations when it decides, and the same rewards."""
    one, all_at_once = aec.raw_env(clip=CLIP), aec.parallel_env(clip=CLIP)
    one.reset(seed=9)
    observations, _ = all_at_once.reset(seed=9)
    rng = random.Random(0)
    while all_at_once.agents:
        actions = {agent: legal_choice(observations[agent]["action_mask"], rng) for agent in all_at_once.agents}
        for seat in waiting_for(all_at_once.episode.state):
            agent = f"player_{seat}"
            assert one.agent_selection == agent
            assert data_equivalence(one.observe(agent), observations[agent])
            one.step(actions[agent])
        observations, rewards, terminations, _, _ = all_at_once.step(actions)
        assert one.rewards == rewards
        assert one.terminations == terminations
    assert {agent: one.observe(agent)["observation"].tolist() for agent in one.agents} == {
        agent: seen["observation"].tolist() for agent, seen in observations.items()
    }


def test_rewards_are_the_points_of_the_turn() -> None:
    env = aec.raw_env(4)
    total = dict.fromkeys(env.possible_agents, 0.0)
    received = dict.fromkeys(env.possible_agents, 0.0)
    for agent, (_, reward, _, _, _), rewards in aec_game(env, seed=3):
        received[agent] += reward
        if env.episode.state.phase is Phase.CLUE:
            for other, points in rewards.items():
                total[other] += points
    assert tuple(received.values()) == env.episode.state.scores


@pytest.mark.parametrize("seed", range(4))
def test_win_pays_the_winners_and_difference_sums_to_nothing(seed: int) -> None:
    def received(reward: Reward) -> tuple[dict[str, float], Any]:
        env = aec.parallel_env(4, reward=reward)
        sums = dict.fromkeys(env.possible_agents, 0.0)
        for step in list(parallel_game(env, seed))[1:]:
            for agent, earned in step[1].items():
                sums[agent] += earned
        return sums, env.episode.state

    sums, state = received("win")
    for seat, earned in enumerate(sums.values()):
        assert earned == (1 / len(state.winners) if seat in state.winners else 0)
    sums, state = received("difference")
    assert sum(sums.values()) == pytest.approx(0)
    own = state.scores[0]
    assert sums["player_0"] == pytest.approx(own - (sum(state.scores) - own) / 3)


def test_an_illegal_action_is_replaced_and_flagged() -> None:
    env = aec.raw_env()
    env.reset(seed=1)
    teller = env.agent_selection
    env.step(env.spaces.actions - 1)  # a vote, when a clue is wanted
    assert env.infos[teller]["illegal"]
    assert env.episode.state.phase is Phase.CARDS
    assert (
        env.episode.state.given[env.possible_agents.index(teller)]
        == env.episode.state.hands[env.possible_agents.index(teller)][:1]
    )
    next_agent = env.agent_selection
    env.step(legal_choice(env.observe(next_agent)["action_mask"], random.Random(0)))
    assert not env.infos[next_agent]["illegal"]


def test_only_waiting_is_legal_for_who_has_nothing_to_do() -> None:
    env = aec.parallel_env()
    observations, _ = env.reset(seed=1)
    teller = env.possible_agents[env.episode.state.storyteller]
    idle = [agent for agent in env.agents if agent != teller]
    assert all(np.flatnonzero(observations[agent]["action_mask"]).tolist() == [WAIT] for agent in idle)
    infos = env.step(dict.fromkeys(env.agents, 1))[4]
    assert not infos[teller]["illegal"]
    assert all(infos[agent]["illegal"] for agent in idle)


def test_infos_tell_the_scores() -> None:
    env = aec.raw_env(4)
    for _ in aec_game(env, seed=3):
        assert all(info["scores"] == env.episode.state.scores for info in env.infos.values())


def test_what_is_rendered_is_what_a_spectator_sees() -> None:
    env = aec.raw_env(render_mode="ansi")
    list(aec_game(env, seed=2))
    assert "The game is over, won by player" in str(env.render())
    env.reset(seed=2)
    assert "thinks of a clue" in str(env.render())
    env.step(1)
    assert "chooses cards" in str(env.render())


@pytest.mark.parametrize("name", EDITION_OF)
def test_pettingzoo_knows_the_environments_by_name(name: str) -> None:
    assert pettingzoo.make("aec", name).unwrapped.episode.rules.name == EDITION_OF[name]
    assert pettingzoo.make("parallel", name, players=4).episode.rules.name == EDITION_OF[name]


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(RulesError, match="3 to 6 players"):
        aec.env(7, "dixit-2008")
    with pytest.raises(DixitError, match="no reward is called"):
        aec.env(reward="fame")
    with pytest.raises(DixitError, match="no render mode is called"):
        aec.env(render_mode="hologram")
