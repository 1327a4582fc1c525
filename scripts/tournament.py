"""Compare agents in a tournament with paired deals, and write a report."""

import secrets
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from dixit_env import edition
from dixit_env.agents.registry import split_specs
from dixit_env.bench.tournament.schedule import Tournament, is_finished, kept_salt, play_tournament, ring
from dixit_env.errors import DixitError
from dixit_env.scripts.common import EyesArgs, TableArgs, run, write_results

EXAMPLES = """
python scripts/tournament.py --agents clip,greedy,random --games 200 --players 6 --workers 2 --out runs/t1
python scripts/tournament.py --agents clip,greedy*5 --games 400 --out runs/one_against_five
python scripts/tournament.py --agents clip,greedy --agents clip:memory=off,greedy --games 400 --out runs/memory
python scripts/tournament.py --agents clip,greedy --rules dixit --players 4 --ray auto --workers 32 --out runs/dixit
"""


@dataclass(frozen=True, kw_only=True)
class Args(EyesArgs, TableArgs):
    """Play a tournament: seats mixed and moved round on every deal, ratings, 95 % intervals, a page to read."""

    agents: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Who fills the seats, with commas, in these proportions: clip,greedy or clip,greedy*5. Repeat to play several
    line-ups on the same deals (default: clip,greedy,random)."""
    games: int = 200
    """How many games, rounded up to whole deals; more can be added later."""
    players: int = 6
    """Seats at the table."""
    out: Path = Path("runs/tournament")
    """Folder for report.html, results.json, games.csv, plots and games.jsonl; an interrupted one goes on there."""
    workers: int = 1
    """Games at once: processes here, or tasks on the cluster."""
    ray: str | None = None
    """Address of a Ray cluster, or auto."""
    seed: int = 0
    """Of the deals, the seats, the agents and their eyes."""
    salt: str = ""
    """A secret text that they depend on too; drawn by default and written to results.json: give it to repeat a
    tournament."""


def main(args: Args) -> None:
    """Play and write."""
    try:  # here and not above: workers import this file too, and need none of these
        from dixit_env.agents.clip.stack_or_spread_report import spread_section
        from dixit_env.bench.tournament.report import write_csv, write_page
        from dixit_env.bench.tournament.standings import standings
    except ImportError as error:
        raise DixitError(f'a tournament needs {error.name}: pip install "dixit-env[arena]"') from error

    rings = tuple(ring(split_specs(text)) for text in args.agents or ("clip,greedy,random",))
    rules = edition(args.rules)
    args = replace(args, salt=args.salt or kept_salt(args.out) or secrets.token_hex(16))
    tournament = Tournament(
        rings=rings, games=args.games, players=args.players, rules=rules, seed=args.seed, salt=args.salt
    )
    source = args.source()
    deck = source.deck()
    rules.check_deck(args.players, len(deck))
    names = list(dict.fromkeys(name for names in rings for name in names))
    if "human" in names:
        raise DixitError("people can't sit in a tournament: take human out, or use scripts/play.py")
    source.check(names)  # an unknown name is an error before any worker starts

    described = {"deck": deck.hash, "clip": args.clip, "eyes": args.eyes}
    played = play_tournament(
        tournament, source, args.out, source_settings=described, workers=args.workers, ray=args.ray
    )
    every = dict(tqdm(played, total=len(tournament.matches()), unit="game", disable=None))
    lines = {number: line for number, line in every.items() if is_finished(line)}
    outages = [line["no_answer"] for line in every.values() if not is_finished(line)]
    if not lines:
        raise DixitError(f"no game could be finished ({outages[0]}): run again when all agents can be asked")

    outcome = standings(lines, rules)
    results = {**asdict(outcome), "no_answer": len(outages)}
    results["agents"] = {
        name: {figure: None if isnan(value) else value for figure, value in figures.items()}
        for name, figures in outcome.agents.items()
    }
    write_csv(lines, rules, args.out / "games.csv")
    table = rules.seated(args.players)
    more = [spread_section(table, args.out)] if table.dials_least == 2 and table.may_stack else []
    page = write_page(tournament, lines, outcome, deck, args.out, more)
    path = write_results(args.out, results, args)

    console = Console(highlight=False)
    shown = Table("agent", "win share (95 %)", "points/turn", "rating", "ms/decision")
    shown.columns[0].overflow = "fold"
    for name, figures in outcome.agents.items():
        shown.add_row(
            name,
            f"{figures['win_share']:.1%} ({figures['win_share_low']:.1%} to {figures['win_share_high']:.1%})",
            f"{figures['points_per_turn']:.2f}",
            f"{figures['rating']:.1f} ± {figures['rating_sigma']:.1f}",
            f"{1000 * figures['seconds_per_decision']:.2g}",
        )
    console.print(shown)
    for verdict in outcome.verdicts:
        console.print(verdict, markup=False)
    if outages:
        console.print(
            f"{len(outages)} games left out for want of an answer ({outages[0]}): run again to play them", markup=False
        )
    console.print(f"{outcome.games} games on {outcome.deals} deals\nreport: {page}\nresults: {path}", markup=False)


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
