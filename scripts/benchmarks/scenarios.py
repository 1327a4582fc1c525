"""`benchmark.py scenarios`: an agent among others in frozen scenarios."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from dixit_env.agents.registry import split_specs
from dixit_env.agents.source import SightAgents
from dixit_env.bench.scenarios import references
from dixit_env.bench.scenarios.measure import Playing, Results, result, results, to_json
from dixit_env.bench.scenarios.report import verdict, write_page
from dixit_env.bench.scenarios.suite import SUITE, Scenario
from dixit_env.bench.tournament.schedule import Line, is_finished, kept_salt
from dixit_env.bench.viewers.measure import painted
from dixit_env.decks.deck import embedded_decks
from dixit_env.errors import DixitError
from dixit_env.models.eyes import Eyes
from dixit_env.paths import cache_dir
from dixit_env.scripts.common import write_results
from dixit_env.version import VERSION

KNOWN = "greedy,clip,learned:default"
EXAMPLES = """
python scripts/benchmark.py scenarios --agent clip --out runs/s1
python scripts/benchmark.py scenarios --agent learned:runs/ppo/best.safetensors --deals 100 --workers 2 --out runs/s2
python scripts/benchmark.py scenarios --agent clip:votes=points --only clip-hosts,points-hosts --out runs/s3
python scripts/benchmark.py scenarios --references dixit_env/bench/scenarios/references.json --out runs/references
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Score an agent among others in frozen scenarios; 0 is random, 1 the best agent known in each.

    Half of the scenarios have residents that no training meets.
    """

    out: Path
    """Folder for report.html, results.json, plots and the games; an interrupted run goes on there."""
    agent: str = ""
    """Who takes the focal seats: any agent by its spec."""
    references: Path | None = None
    """Instead of scoring, measure what random and the known agents win and write it to this file. Scores are read
    against dixit_env/bench/scenarios/references.json."""
    known: str = KNOWN
    """With --references: the agents, with commas, the best of which is score 1 in each scenario."""
    only: str = ""
    """Play only these scenarios, with commas."""
    deals: int = 40
    """Deals of each scenario, each played from every seat; more can be added later."""
    workers: int = 1
    """Games at once: processes here, or tasks on the cluster."""
    ray: str | None = None
    """Address of a Ray cluster, or auto."""
    seed: int = 0
    """Of the deals, the seats, the agents and their eyes."""
    salt: str = ""
    """A secret text that they depend on too; drawn by default and written to results.json: give it to repeat a run."""


def main(args: Args) -> None:
    """Play, and score or write references."""
    if bool(args.agent) == bool(args.references):
        raise DixitError("say either whom to score, --agent clip, or where to write references, --references FILE")
    if args.agent:
        score(args)
    else:
        measure_references(args)


def score(args: Args) -> None:
    """Score an agent, and write a report."""
    suite = _suite(args.only)
    playing = _playing(args, suite, [args.agent])
    known = references.read(references.FILE, SUITE)
    games = dict(_played(suite, playing))
    found = results([result(scenario, known[scenario.name], args.agent, games[scenario]) for scenario in suite])
    page = write_page(args.agent, found, args.deals, args.out, _notes(playing))
    path = write_results(args.out, to_json(found), replace(args, salt=playing.salt))
    console = Console(highlight=False)
    console.print(_shown(found))
    console.print(f"{verdict(args.agent, found)}\nreport: {page}\nresults: {path}", markup=False)


def measure_references(args: Args) -> None:
    """Measure `random` and the known agents, and write the file of references."""
    assert args.references
    if args.only:
        raise DixitError("references are of the whole suite: leave --only out")
    candidates = tuple(dict.fromkeys(split_specs(args.known)))
    if not candidates or references.RANDOM in candidates:
        raise DixitError(f"--known names agents that are better than random, such as {KNOWN}")
    playing = _playing(args, SUITE, [references.RANDOM, *candidates])
    games = dict(_played(SUITE, playing))
    found = {scenario.name: references.measured(scenario, candidates, games[scenario]) for scenario in SUITE}
    how = {"version": VERSION, "known": candidates, "deals": args.deals, "seed": args.seed, "salt": playing.salt}
    references.write(args.references, SUITE, found, how)
    shown = Table("scenario", "random", "best known", "who")
    for name, reference in found.items():
        shown.add_row(name, f"{reference.random:.1%}", f"{reference.best:.1%}", reference.agent)
    console = Console(highlight=False)
    console.print(shown)
    console.print(f"references: {args.references}", markup=False)


def _suite(only: str) -> tuple[Scenario, ...]:
    names = [name.strip() for name in only.split(",") if name.strip()]
    known = [scenario.name for scenario in SUITE]
    if unknown := [name for name in names if name not in known]:
        raise DixitError(f"no scenario is called {unknown[0]!r}: choose from {', '.join(known)}")
    return tuple(scenario for scenario in SUITE if not names or scenario.name in names)


def _playing(args: Args, suite: Sequence[Scenario], agents: Sequence[str]) -> Playing:
    """What is to be played; raises `SpecError` for an agent that can't be."""
    if "human" in agents:
        raise DixitError("people can't sit in a benchmark: use scripts/play.py")
    if args.deals < 1:
        raise DixitError(f"--deals is at least 1, not {args.deals}")
    residents = [name for scenario in suite for name in scenario.residents]
    SightAgents(("dreams",)).check([*agents, *dict.fromkeys(residents)])
    playing = Playing(
        agents=tuple(agents),
        deals=args.deals,
        seed=args.seed,
        salt=args.salt,
        out=args.out,
        workers=args.workers,
        ray=args.ray,
    )
    kept = next(filter(None, (kept_salt(playing.folder(scenario)) for scenario in SUITE)), "")
    return replace(playing, salt=args.salt or kept or secrets.token_hex(16))


def _played(suite: Sequence[Scenario], playing: Playing) -> Iterator[tuple[Scenario, dict[int, Line]]]:
    """The finished games of each scenario."""
    sources = {scenario: SightAgents((_deck(scenario.deck),), Eyes.parse(scenario.eyes)) for scenario in suite}
    total = sum(len(playing.tournament(scenario).matches()) for scenario in suite)
    with tqdm(total=total, unit="game", disable=None) as bar:
        for scenario, source in sources.items():
            bar.set_description(scenario.name)
            lines = {}
            for number, line in playing.play(scenario, source):
                lines[number] = line
                bar.update()
            if outages := [line["no_answer"] for line in lines.values() if not is_finished(line)]:
                raise DixitError(f"{len(outages)} games lack an answer ({outages[0]}): run again to play them")
            yield scenario, lines


def _deck(name: str) -> str:
    """The deck's name, or its folder where it has to be painted the first time."""
    if name in embedded_decks():
        return name
    try:
        painted(name)
    except ImportError as error:
        raise DixitError(f'the deck {name} is painted with {error.name}: pip install "dixit-env[deck]"') from error
    return str(cache_dir() / "decks" / name)


def _notes(playing: Playing) -> list[str]:
    return [
        "Each deal is played from every seat with the same cards. The intervals resample deals, not games.",
        "A scenario's score is (share − random) / (best known − random); the mean counts each scenario the same.",
        f"Seed {playing.seed}, salt {playing.salt}.",
    ]


def _shown(found: Results) -> Table:
    shown = Table("scenario", "half", "score (95 %)", "win share a seat", "fair", "random", "best known")
    for one in found.scenarios:
        share, reference = one.share, one.reference
        shown.add_row(
            one.scenario.name,
            one.scenario.half,
            f"{one.score.value:.2f} ({one.score.low:.2f} to {one.score.high:.2f})",
            f"{share.win_share:.1%}",
            f"{share.fair_share:.1%}",
            f"{reference.random:.1%}",
            f"{reference.best:.1%} {reference.agent}",
        )
    return shown
