"""`benchmark.py speed`."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal

import torch
from tqdm import tqdm

from dixit_env.agents.registry import make_agents
from dixit_env.agents.training.eyes import ReadDeck
from dixit_env.agents.training.run import Training, make_learner
from dixit_env.bench.speed import measure, peers
from dixit_env.envs.clip_table import ClipTable
from dixit_env.models.devices import device_for
from dixit_env.scripts.common import DeckArgs, TableArgs, write_results

AGENTS = ("random", "greedy", "clip")
PPO_GAMES = {"cpu": 1024, "cuda": 16384}
PPO_UPDATES = 3  # after one for warming up
EXAMPLES = """
python scripts/benchmark.py speed --out runs/speed
python scripts/benchmark.py speed --players 12 --seconds 0.5 --threads 1 --out runs/speed12
python scripts/benchmark.py speed --device cuda --out runs/speed_gpu
"""


@dataclass(frozen=True, kw_only=True)
class Args(TableArgs):
    """Decisions a second of the engine, the environments, the bots, and of other projects' environments."""

    out: Path
    """Folder for results.json and speed.md."""
    players: int = 6
    """Seats at the table."""
    seconds: float = 1.0
    """Length of one run; every figure is the median of five."""
    threads: int = os.cpu_count() or 1
    """Of torch."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where batched games are played and PPO learns. With cuda only these are measured, in larger batches: all else
    runs on the CPU."""
    seed: int = 0
    """Of the games."""


def main(args: Args) -> None:
    """Measure, print a table, and write it beside results.json."""
    torch.set_num_threads(args.threads)
    device = device_for(args.device)
    on_cpu = device.type == "cpu"
    with tqdm(total=25 + len(AGENTS) if on_cpu else 11, unit="", desc="speed", disable=None) as bar:

        def note(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        table = (args.players, args.rules, args.seed, args.seconds, note)
        results: dict[str, Any] = {"seed": args.seed, "device": device_name(device)}
        if on_cpu:
            note("import")
            results["import_seconds"] = measure.import_seconds()
            results |= measure.measure_environments(*table)
        batches = measure.BATCHES if on_cpu else measure.GPU_BATCHES
        results["batch"] = measure.measure_batches(*table, device, batches)
        note("PPO")
        results["ppo"] = ppo(args, device)
        if on_cpu:
            results |= agents(args, note)
            results["peers"] = peers.measure_peers(results, args.seed, args.seconds, note)
    text = measure.table(results)
    print(text)
    path = write_results(args.out, results, args)
    (args.out / "speed.md").write_text(text, encoding="utf-8")
    print(f"written: {path}")


def device_name(device: torch.device) -> str:
    """`cpu`, or the model of the GPU."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def ppo(args: Args, device: torch.device) -> dict[str, Any]:
    """The learner's decisions a second, the median over a few updates of PPO on a made-up deck."""
    games = PPO_GAMES[device.type]
    settings = Training(players=args.players, rules=args.rules, envs=games, seed=args.seed)
    learner = make_learner(settings, ReadDeck.of(ClipTable.random(seed=args.seed)), device)
    learner.update()
    updates = [learner.update() for _ in range(PPO_UPDATES)]
    runs = [figures["decisions"] / figures["seconds"] for figures in updates]
    return {"games": games, "decisions_per_second": median(runs), "runs": runs}


def agents(args: Args, note: Callable[[str], None]) -> dict[str, Any]:
    """Embedding the decks, and the agents' decisions a second."""
    note("embedding")
    embed, sight = embedding(args), args.sight()
    rates = {}
    for name in AGENTS:
        note(f"agent {name}")
        table = partial(make_agents, [name] * args.players, sight)
        where = sight.deck, args.rules, args.seed
        rates[name] = {
            "decisions_per_second": measure.agent_rate(table, *where),
            "in_step_decisions_per_second": measure.in_step_rate(table, *where),
        }
    return {"embed": embed, "agents": rates}


def embedding(args: DeckArgs) -> dict[str, float]:
    """Seconds to embed the decks into an empty cache, and to read them from it, with the model loaded before."""
    measured: dict[str, float] = {}
    before = os.environ.get("DIXIT_ENV_CACHE")
    with TemporaryDirectory() as cache:
        os.environ["DIXIT_ENV_CACHE"] = cache
        try:
            for name in ("cold_seconds", "cached_seconds"):
                sight = args.sight()
                sight.texts(["a warm-up"])
                start = time.perf_counter()
                measured["cards"] = len(sight.cards)
                measured[name] = time.perf_counter() - start
        finally:
            os.environ.pop("DIXIT_ENV_CACHE")
            if before is not None:
                os.environ["DIXIT_ENV_CACHE"] = before
    return measured
