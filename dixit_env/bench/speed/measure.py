"""How fast is every way to play? Random legal play, one process, the median of several runs.

A workload is an endless iterator that plays. After each step it yields the number of decisions made, the number of
games that ended, and an observation. `rate` runs it against the clock. It refuses to report a speed when no game ended
or when the observation never changed, for an environment that does nothing is the fastest.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dixit_env.decks.deck import Deck
from dixit_env.envs.aec import env as aec_env
from dixit_env.envs.aec import parallel_env, raw_env
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.solo import DixitSolo
from dixit_env.envs.spaces import WAIT
from dixit_env.errors import DixitError
from dixit_env.game.engine import OVER, Phase, apply, legal_moves, new_game, waiting_for
from dixit_env.game.rules import edition
from dixit_env.table.play import Agent, Decided, Table, play
from dixit_env.table.play_many import play_many

Workload = Iterator[tuple[int, Any, Any]]
"""Yields decisions, games that ended (an int or a tensor), and an observation (an array, a tensor or a state)."""

RUNS = 5  # after one for warming up
GAMES_IN_STEP = 64
BATCHES = (1, 64, 1024, 4096, 16384)  # games
GPU_BATCHES = (1024, 4096, 16384, 65536, 262144)


def rate(workload: Workload, seconds: float, runs: int = RUNS) -> dict[str, Any]:
    """The median of the decisions a second over `runs` runs of `seconds`, after a warm-up, and the runs themselves.

    Raises `DixitError` when nothing happens: no game ended, or the first and the last observation of every run are the
    same.
    """
    rates, ended, changed = [], 0, False
    for run in range(runs + 1):
        decisions, first = 0, None
        start = now = time.perf_counter()
        limit = start + seconds * (1 if run else 0.2)
        while now < limit:
            made, over, seen = next(workload)
            decisions += made
            ended = ended + over
            first = seen if first is None else first
            now = time.perf_counter()
        changed = changed or _differs(first, seen)
        rates.append(decisions / (now - start))
    if not int(ended):
        raise DixitError(
            f"no game ended within {runs} runs of {seconds:g} s: measure for longer, or correct the environment"
        )
    if not changed:
        raise DixitError("no observation ever changed: the environment is broken")
    return {"median": median(rates[1:]), "runs": rates[1:]}


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, (np.ndarray, torch.Tensor)):
        return bool((one != other).any())
    return bool(one != other)


def _pick(mask: NDArray[np.int8], rng: Random) -> int:
    """A random legal action, with little work: choosing is not what is measured."""
    legal = _legal(mask.tobytes())
    return legal[int(rng.random() * len(legal))]


@lru_cache(maxsize=4096)
def _legal(mask: bytes) -> list[int]:
    return [action for action, allowed in enumerate(mask) if allowed]


def engine(players: int, rules: str, seed: int) -> Workload:
    """The turn engine alone, without views."""
    rng, number = Random(seed), seed
    while True:
        state = new_game(edition(rules), players, 84, number)
        number += 1
        while state.phase is not OVER:
            for seat in waiting_for(state):
                state = apply(state, seat, rng.choice(legal_moves(state, seat)))
                yield 1, state.phase is OVER, state


def turn_based(env: Any, seed: int) -> Workload:
    """A PettingZoo AEC environment with masks in its observations; agents that are done are not counted."""
    rng = Random(seed)
    env.reset(seed=seed)
    while True:
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(_pick(seen["action_mask"], rng))
            yield 1, 0, seen["observation"]
        yield 0, 1, seen["observation"]
        env.reset()


def parallel(env: Any, seed: int) -> Workload:
    """A parallel environment; only real decisions are counted, not waiting."""
    rng = Random(seed)
    observations, _ = env.reset(seed=seed)
    while True:
        actions, decisions = {}, 0
        for agent, seen in observations.items():
            actions[agent] = action = _pick(seen["action_mask"], rng)
            decisions += action != WAIT
        observations, *_ = env.step(actions)
        over = not env.agents
        yield decisions, over, observations["player_0"]["observation"]
        if over:
            observations, _ = env.reset()


def solo(env: DixitSolo, seed: int) -> Workload:
    """The environment for one seat; the other seats' decisions are not counted."""
    rng = Random(seed)
    seen, _ = env.reset(seed=seed)
    while True:
        seen, _, over, _, _ = env.step(_pick(seen["action_mask"], rng))
        yield 1, over, seen["observation"]
        if over:
            seen, _ = env.reset()


def batch(game: BatchedGame, observations: bool) -> Workload:
    """Many games as tensors, with masks, and with observations (and similarities) if wanted, in reused memory."""
    shapes = [(game.games, seats, game.spaces.size) for seats in (1, game.players - 1)]
    storage = {shape[1]: torch.empty(shape, device=game.device) for shape in shapes}
    while True:
        seen = game.masks()
        if observations:
            seen = game.observe(out=storage[len(game.seats)])
        first = seen[0, 0].clone()
        step = game.step(game.random_actions())
        if game.device.type == "cuda":
            torch.cuda.synchronize()  # a step that is only queued is no step
        yield step.illegal.numel(), step.over.sum() if game.phase is Phase.CLUE else 0, first


def batch_memory(games: int, players: int) -> float:
    """Megabytes that a batch of games adds to a process while it is played with masks and observations (Linux)."""
    code = f"""
from pathlib import Path
from resource import getpagesize
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
clip = ClipTable.random()
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize() / 1e6
def play(games):
    most = 0
    game = BatchedGame(games, {players}, clip=clip)
    for _ in range(40):
        seen = game.masks(), game.observe(), game.step(game.random_actions())
        most = max(most, resident())
    return most
print(-play(1) + play({games}))
"""
    return float(_python(code))


def import_seconds() -> float:
    """The median of five fresh interpreters that import `dixit_env`."""
    code = "import time; start = time.perf_counter(); import dixit_env; print(time.perf_counter() - start)"
    return median(float(_python(code)) for _ in range(RUNS))


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def agent_rate(make: Callable[[], Sequence[Agent]], deck: Deck, rules: str, seed: int, games: int = 2) -> float:
    """Decisions a second of agents at a table of their own kind, thinking time alone."""
    thought = [
        event.seconds
        for game in range(games)
        for event in play(make(), edition(rules), deck, seed + game, strict=True)
        if isinstance(event, Decided)
    ]
    return len(thought) / sum(thought)


def in_step_rate(make: Callable[[], Sequence[Agent]], deck: Deck, rules: str, seed: int) -> float:
    """Decisions a second of agents at tables of their own kind that are played in step, thinking time alone."""
    tables = [Table(make(), edition(rules), deck, seed + game) for game in range(GAMES_IN_STEP)]
    thought = [event.seconds for _, event in play_many(tables) if isinstance(event, Decided)]
    return len(thought) / sum(thought)


def measure_environments(
    players: int,
    rules: str,
    seed: int,
    seconds: float,
    note: Callable[[str], None],
) -> dict[str, Any]:
    """The rates of one game, by the keys of `results.json`; `note` is called with the name of each workload."""
    clip = ClipTable.random(seed=seed)

    def per_second(key: str, name: str, workload: Workload) -> dict[str, Any]:
        note(name)
        return _per_second(key, workload, seconds)

    return {
        "engine": per_second("decisions", "engine", engine(players, rules, seed)),
        "aec": per_second("steps", "aec", turn_based(aec_env(players, rules), seed)),
        "aec_raw": per_second("steps", "aec, raw", turn_based(raw_env(players, rules), seed)),
        "aec_clip": per_second("steps", "aec, similarities", turn_based(aec_env(players, rules, clip=clip), seed)),
        "parallel": per_second("decisions", "parallel", parallel(parallel_env(players, rules), seed)),
        "parallel_clip": per_second(
            "decisions", "parallel, similarities", parallel(parallel_env(players, rules, clip=clip), seed)
        ),
        "solo": per_second("steps", "solo", solo(DixitSolo(players, rules), seed)),
    }


def measure_batches(
    players: int,
    rules: str,
    seed: int,
    seconds: float,
    note: Callable[[str], None],
    device: torch.device,
    batches: Sequence[int] = BATCHES,
) -> dict[str, Any]:
    """The rates of many games at once on a device, by their number; `note` is called with the name of each workload.

    On a CPU the largest batch also tells its memory.
    """
    clip = ClipTable.random(seed=seed)
    results: dict[str, Any] = {}
    for games in batches:
        results[str(games)] = {}
        for kind in ("masks", "observations"):
            note(f"batch of {games}, {kind}")
            game = BatchedGame(games, players, rules, clip=clip, device=device, seed=seed)
            results[str(games)][kind] = _per_second("decisions", batch(game, kind == "observations"), seconds)
    if device.type == "cpu":
        note("memory")
        results[str(batches[-1])]["memory_mb"] = batch_memory(batches[-1], players)
    return results


def _per_second(key: str, workload: Workload, seconds: float) -> dict[str, Any]:
    measured = rate(workload, seconds)
    return {f"{key}_per_second": measured["median"], "runs": measured["runs"]}


def table(results: Mapping[str, Any]) -> str:
    """The results as a Markdown table."""
    rows = [("`import dixit_env`", f"{results['import_seconds']:.2f} s")] if "import_seconds" in results else []
    names = {
        "engine": "engine, no observations",
        "aec": "PettingZoo AEC, with masks and observations",
        "aec_raw": "… without wrapper",
        "aec_clip": "… with similarities",
        "parallel": "PettingZoo parallel, with masks and observations",
        "parallel_clip": "… with similarities",
        "solo": "Gymnasium solo against random opponents",
    }
    for name, title in names.items():
        if name not in results:  # on a GPU
            continue
        key = next(key for key in results[name] if key.endswith("_per_second"))
        rows.append((title, f"{results[name][key]:,.0f} {key.removesuffix('_per_second')}/s"))
    for games, kinds in results["batch"].items():
        for kind in ("masks", "observations"):
            rows.append(
                (
                    f"batch of {games}, masks{' and observations' * (kind == 'observations')}",
                    f"{kinds[kind]['decisions_per_second']:,.0f} decisions/s",
                )
            )
        if "memory_mb" in kinds:
            rows.append((f"batch of {games}, memory", f"{kinds['memory_mb']:,.0f} MB"))
    if ppo := results.get("ppo"):
        rows.append((f"PPO in {ppo['games']} games", f"{ppo['decisions_per_second']:,.0f} decisions/s"))
    for name, agent in results.get("agents", {}).items():
        rows.append((f"agent {name}", f"{agent['decisions_per_second']:,.0f} decisions/s"))
        in_step = agent["in_step_decisions_per_second"]
        rows.append((f"… {GAMES_IN_STEP} games in step", f"{in_step:,.0f} decisions/s"))
    if embed := results.get("embed"):
        rows.append(("embed 84 cards, cold", f"{embed['cold_seconds']:.2f} s"))
        rows.append(("embed 84 cards, cached", f"{embed['cached_seconds']:.3f} s"))
    for name, peer in results.get("peers", {}).items():
        if "skipped" in peer:
            rows.append((f"peer {name}", f"skipped: {peer['skipped']}"))
        else:
            text = (
                f"{peer['steps_per_second']:,.0f} steps/s; {peer['compared_with']} is {peer['ratio']:.1f} times as fast"
            )
            rows.append((f"peer {name}", text))
    return "\n".join(["| what | speed |", "|---|---|", *[f"| {name} | {value} |" for name, value in rows]]) + "\n"
