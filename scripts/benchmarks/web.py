"""`benchmark.py web`."""

import sys
from dataclasses import dataclass
from pathlib import Path

from dixit_env.bench.load import measure
from dixit_env.scripts.common import write_results

EXAMPLES = """
python scripts/benchmark.py web --out runs/web
python scripts/benchmark.py web --tables 10 --seconds 20 --bots clip --out runs/web10
"""
PACE = "0.25"  # of the bots: about a second each, a few times faster than people, to load the server


@dataclass
class Args:
    """The browser table under load: many tables in one process, real sockets, on this machine only."""

    out: Path
    """Folder for results.json."""
    tables: int = 100
    """Tables at once."""
    people: int = 2
    """Socket clients at each table."""
    seats: int = 6
    """Seats at each table; bots fill the rest."""
    bots: str = "random"
    """The bots' agent."""
    seconds: float = 60.0
    """How long people play."""
    seed: int = 0
    """Of the clients."""


def main(args: Args) -> None:
    """Measure, print, and write results.json."""
    serve = [sys.executable, "-m", "dixit_env", "serve", "--bots", args.bots, "--pace", PACE]
    results = measure(
        serve, tables=args.tables, people=args.people, seats=args.seats, seconds=args.seconds, seed=args.seed
    )
    path = write_results(args.out, results, args)
    moves = results["moves"]
    print(
        f"{args.tables} tables of {args.seats} seats, {args.people} people each: a move reaches everybody within"
        f" {moves['p50_ms']:.1f} ms (median), {moves['p95_ms']:.1f} ms (95 %); {results['lost_events']} events lost,"
        f" {results['memory_mb']:.0f} MB"
    )
    if bots := results["bots"]:
        print(f"{bots['count']} moves of bots took {bots['p50_ms']:.0f} ms (median), {bots['p95_ms']:.0f} ms (95 %)")
    print(f"results: {path}")
