"""`benchmark.py speed`."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import torch
import tyro
from tqdm import tqdm

from dixit_env.agents.registry import make_agents
from dixit_env.bench.speed import measure, peers
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import write_results

AGENTS = ("random", "greedy", "clip")
EXAMPLES = """
python scripts/benchmark.py speed --out runs/speed
python scripts/benchmark.py speed --players 12 --seconds 0.5 --threads 1 --out runs/speed12
"""


@dataclass
class Args:
    """Decisions a second of the engine, the environments, the bots, and of other projects' environments."""

    out: Path
    """Folder for results.json and speed.md."""
    players: int = 6
    """Seats at the table."""
    rules: str = "odyssey"
    """Edition: odyssey, dixit, odyssey-2011 or dixit-2008."""
    seconds: float = 1.0
    """Length of one run; every figure is the median of five."""
    threads: int = os.cpu_count() or 1
    """Of torch."""
    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures to embed; repeat to combine packs (default: dreams)."""
    clip: str = "embedded"
    """CLIP that embeds and that the bots see through."""
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
        decks = args.deck or ("dreams",)
        note("embedding")
        results["embed"] = embedding(decks, args.clip)
        sight = Sight.load(decks, args.clip)
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


def embedding(decks: Sequence[str], clip: str) -> dict[str, float]:
    """Seconds to see the decks for the first time and again from the cache, once the model is loaded."""
    measured: dict[str, float] = {}
    before = os.environ.get("DIXIT_ENV_CACHE")
    with TemporaryDirectory() as cache:
        os.environ["DIXIT_ENV_CACHE"] = cache
        try:
            for name in ("cold_seconds", "cached_seconds"):
                sight = Sight.load(decks, clip)
                sight.texts(["a warm-up"])
                start = time.perf_counter()
                measured["cards"] = len(sight.cards)
                measured[name] = time.perf_counter() - start
        finally:
            os.environ.pop("DIXIT_ENV_CACHE")
            if before is not None:
                os.environ["DIXIT_ENV_CACHE"] = before
    return measured
