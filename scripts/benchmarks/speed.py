"""`benchmark.py speed`."""

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from tqdm import tqdm

from dixit_env.agents.registry import make_agents
from dixit_env.bench.speed import measure, peers
from dixit_env.scripts.common import DeckArgs, TableArgs, write_results

AGENTS = ("random", "greedy", "clip")
EXAMPLES = """
python scripts/benchmark.py speed --out runs/speed
python scripts/benchmark.py speed --players 12 --seconds 0.5 --threads 1 --out runs/speed12
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
    seed: int = 0
    """Of the games."""


def main(args: Args) -> None:
    """Measure, print a table, and write it beside results.json."""
    torch.set_num_threads(args.threads)
    with tqdm(total=24 + len(AGENTS), unit="", desc="speed", disable=None) as bar:

        def note(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        note("import")
        results: dict[str, Any] = {"seed": args.seed, "import_seconds": measure.import_seconds()}
        results |= measure.measure_environments(args.players, args.rules, args.seed, args.seconds, note)
        note("embedding")
        results["embed"] = embedding(args)
        sight = args.sight()
        results["agents"] = {}
        for name in AGENTS:
            note(f"agent {name}")
            table = partial(make_agents, [name] * args.players, sight)
            rate = measure.agent_rate(table, sight.deck, args.rules, args.seed)
            results["agents"][name] = {"decisions_per_second": rate}
        results["peers"] = peers.measure_peers(results, args.seed, args.seconds, note)
    text = measure.table(results)
    print(text)
    path = write_results(args.out, results, args)
    (args.out / "speed.md").write_text(text, encoding="utf-8")
    print(f"written: {path}")


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
