"""Compare agents in a tournament with paired deals, and write a report."""

import secrets
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from dixit_env import edition
from dixit_env.agents.registry import split_specs
from dixit_env.bench.tournament.focal import FocalPlan, Shares
from dixit_env.bench.tournament.schedule import Tournament, is_finished, kept_salt, play_tournament, ring
from dixit_env.errors import DixitError
from dixit_env.scripts.common import EyesArgs, TableArgs, run, write_results

EXAMPLES = """
python scripts/tournament.py --agents clip,greedy,random --games 200 --players 6 --workers 2 --out runs/t1
python scripts/tournament.py --agents clip,greedy*5 --games 400 --out runs/one_against_five
python scripts/tournament.py --agents clip,greedy --agents clip:memory=off,greedy --games 400 --out runs/memory
python scripts/tournament.py --agents clip,greedy --rules dixit --players 4 --ray auto --workers 32 --out runs/dixit
python scripts/tournament.py --focal clip --residents greedy --eyes noise:0.67 --games 600 --out runs/clip_among_greedy
python scripts/tournament.py --focal clip,learned --residents greedy,random --compositions --games 3000 --out runs/mixed
"""


@dataclass(frozen=True, kw_only=True)
class Args(EyesArgs, TableArgs):
    """Play a tournament: seats mixed and moved round on every deal, ratings, 95 % intervals, a page to read."""

    agents: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Who fills the seats, with commas, in these proportions: clip,greedy or clip,greedy*5. Repeat to play several
    line-ups on the same deals (default: clip,greedy,random)."""
    focal: str = ""
    """Instead of --agents: agents with commas, each of which plays alone among --residents on the same deals."""
    residents: str = ""
    """Who fills the other seats, with commas, in these proportions: greedy or greedy*2,random."""
    compositions: bool = False
    """With --focal: also two and more seats of the focal agent, up to all but one; tells whether it would spread."""
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
        from dixit_env.bench.tournament.replicator import dynamics, sentences
        from dixit_env.bench.tournament.replicator import to_json as dynamics_json
        from dixit_env.bench.tournament.report import focal_section, spreading_section, write_csv, write_page
        from dixit_env.bench.tournament.standings import standings
    except ImportError as error:
        raise DixitError(f'a tournament needs {error.name}: pip install "dixit-env[arena]"') from error

    rules = edition(args.rules)
    table = rules.seated(args.players)
    plan = _focal_plan(args)
    line_ups = args.agents or ("clip,greedy,random",)
    rings = plan.rings() if plan else tuple(ring(split_specs(text)) for text in line_ups)
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
    shares = plan.shares(lines) if plan else {}
    spreading = dynamics(plan, lines) if plan and args.compositions else {}
    if plan:
        said = (*plan.verdicts(shares), *sentences(plan, spreading))
        outcome = replace(outcome, verdicts=(*said, *outcome.verdicts))
    results = {**asdict(outcome), "no_answer": len(outages)}
    results["agents"] = {name: _figures(figures) for name, figures in outcome.agents.items()}
    if plan:
        results["focal"] = {
            name: {
                **_figures(asdict(by_count[1])),
                "compositions": {count: _figures(asdict(share)) for count, share in by_count.items()},
                **({"replicator": dynamics_json(spreading[name])} if name in spreading else {}),
            }
            for name, by_count in shares.items()
        }
    write_csv(lines, rules, args.out / "games.csv")
    more = [spread_section(table, args.out)] if table.dials_least == 2 and table.may_stack else []
    first = [focal_section(plan, shares)] if plan else []
    first += [spreading_section(spreading, args.out)] if spreading else []
    viewer = shlex.join(["python", "scripts/serve.py", "--records", str(args.out), *args.deck_options()])
    notes = [str(source.eyes), f"Every game can be looked through, turn by turn: {viewer}"]
    page = write_page(tournament, lines, outcome, deck, args.out, first=first, more=more, notes=notes)
    path = write_results(args.out, results, args)

    console = Console(highlight=False)
    shown = Table("agent", "win share (95 %)", "points/turn", "rating", "ms/decision")
    shown.columns[0].overflow = "fold"
    for name, figures in outcome.agents.items():
        shown.add_row(
            name,
            f"{figures['win_share']:.1%} ({figures['win_share_low']:.1%} to {figures['win_share_high']:.1%})",
            f"{figures['points_per_turn']:.2f}",
            f"{figures['rating']:.0f} ({figures['rating_low']:.0f} to {figures['rating_high']:.0f})",
            f"{1000 * figures['seconds_per_decision']:.2g}",
        )
    console.print(shown)
    if plan:
        console.print(_focal_table(plan, shares))
    for verdict in outcome.verdicts:
        console.print(verdict, markup=False)
    if outages:
        console.print(
            f"{len(outages)} games left out for want of an answer ({outages[0]}): run again to play them", markup=False
        )
    console.print(f"{outcome.games} games on {outcome.deals} deals\nreport: {page}\nresults: {path}", markup=False)
    console.print(f"to step through the games: {viewer}", markup=False)


def _focal_plan(args: Args) -> FocalPlan | None:
    """What `--focal` asks for, or None without it."""
    if not args.focal:
        if args.residents or args.compositions:
            raise DixitError("--residents and --compositions go with --focal: say which agent is focal")
        return None
    if args.agents:
        raise DixitError("--focal and --residents make the line-ups: leave --agents out")
    if not args.residents:
        raise DixitError("--focal needs --residents: say who fills the other seats, such as --residents greedy")
    focal, residents = dict.fromkeys(split_specs(args.focal)), ring(split_specs(args.residents))
    counts = tuple(range(1, args.players)) if args.compositions else (1,)
    return FocalPlan(focal=tuple(focal), residents=residents, players=args.players, counts=counts)


def _focal_table(plan: FocalPlan, shares: Shares) -> Table:
    shown = Table("focal agent", "seats", "win share a seat (95 %)", "fair share", "verdict")
    shown.columns[0].overflow = "fold"
    for name, by_count in shares.items():
        for count, share in by_count.items():
            won = f"{share.win_share:.1%} ({share.win_share_low:.1%} to {share.win_share_high:.1%})"
            shown.add_row(name, f"{count} of {plan.players}", won, f"{share.fair_share:.1%}", share.verdict)
    return shown


def _figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """JSON values: what is NaN doesn't exist."""
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in figures.items()}


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
