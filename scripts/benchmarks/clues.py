"""`benchmark.py clues`: clue givers before panels of listeners."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from dixit_env import edition
from dixit_env.agents.clue_rows import rows_for
from dixit_env.agents.language.local import NAME, local_model
from dixit_env.agents.panels import PanelAgents, about_eyes, default_panels, instructions, missing_readers
from dixit_env.agents.registry import split_specs
from dixit_env.bench.clues.asking import Answer, Execution
from dixit_env.bench.clues.benchmark import ClueBench, run_bench
from dixit_env.bench.clues.panels import eyes_of
from dixit_env.bench.clues.text import reply_fault
from dixit_env.bench.listeners.rounds import read as read_rounds
from dixit_env.errors import DixitError
from dixit_env.game.moves import GiveClue
from dixit_env.models.eyes import Eyes
from dixit_env.scripts.common import TableArgs, write_results
from dixit_env.words import normalised

if TYPE_CHECKING:
    from dixit_env.bench.clues.report_tables import Entry

GIVERS = "literal,random-clue,shuffled,clip"
DEALS = 240
FEWER = 60  # deals where a language model takes part, which is slow
FRESH = 84  # cards of a fresh deck, as many as the embedded decks have
EXAMPLES = """
python scripts/benchmark.py clues --out runs/c1
python scripts/benchmark.py clues --givers literal,clip,clip:clue=points --deals 200 --workers 2 --out runs/c2
python scripts/benchmark.py clues --local --workers 2 --out runs/local
python scripts/benchmark.py clues --language gemma@http://127.0.0.1:8080/v1 --deals 24 --out runs/gemma
python scripts/benchmark.py clues --fresh-deck 5 --experiment clones --rules dixit --players 4 --out runs/clones
python scripts/benchmark.py clues --merge runs/c1 runs/gemma --out runs/leaderboard
"""


@dataclass(frozen=True, kw_only=True)
class Args(TableArgs):
    """Benchmark clue givers on the same deals before several panels of listeners, exactly scored."""

    givers: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Clue givers, with commas: literal, random-clue, shuffled, or any agent (default: these three and clip). The rows
    nonsense, title, tags and viewers are always added, where the deck has what they tell."""
    language: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A language model that gives clues too: MODEL@URL, with options as in an agent's name; repeat for more."""
    local: bool = False
    """Gemma 3 270M gives clues too, served here on one thread (extra local-llm)."""
    listeners: str = ""
    """Agents, with commas, that vote for themselves in a panel of their own; they may be language models."""
    panel_clip: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A CLIP of another kind for the panel `readers`; repeat for more."""
    deals: int | None = None
    """Deals, the same for all (default: 240, or 60 with a language model). More can be added later."""
    players: int = 6
    """Seats at the table for which clues are given; they are scored at all sizes."""
    experiment: Literal["none", "clones"] = "none"
    """clones: also compare tables of equal listeners with mixed ones."""
    fresh_deck: int | None = None
    """Paint a deck that nobody has seen, from this seed, and use it."""
    merge: tuple[Path, ...] = ()
    """Make one leaderboard of these runs instead of a run; they must be comparable."""
    rounds: Path | None = None
    """Folder of rounds that people played: which clues did they give already?"""
    out: Path = Path("runs/clues")
    """Folder for report.html, results.json, turns.csv, log.jsonl, plots; an interrupted run goes on there."""
    workers: int = 1
    """Agents that think at once: processes here, or tasks on the cluster."""
    ray: str | None = None
    """Address of a Ray cluster, or auto."""
    seed: int = 0
    """Of the deals and the agents."""


def main(args: Args) -> None:
    """Run, or merge runs."""
    if args.merge:
        merge(args)
    elif args.local:
        with local_model() as url:
            measure(args, f"{NAME}@{url}")
    else:
        measure(args)


def measure(args: Args, *models: str) -> None:
    """Run the benchmark, with these language models besides those that `args` names."""
    rules = edition(args.rules)
    decks = args.decks if args.fresh_deck is None else (str(_painted(args.out, args.fresh_deck)),)
    source = PanelAgents(decks, Eyes((args.clip,)))
    deck = source.deck()
    givers = [
        *split_specs(",".join(args.givers) or GIVERS),
        *(f"language:{spec}" for spec in (*args.language, *models)),
    ]
    voters = split_specs(args.listeners)
    panels = default_panels(deck, args.panel_clip, voters)
    rows, notes = rows_for(deck)
    slow = any(name.startswith("language:") for name in (*givers, *voters))
    bench = ClueBench(
        givers=tuple(givers),
        rows=rows,
        panels=panels,
        deals=args.deals if args.deals is not None else FEWER if slow else DEALS,
        players=args.players,
        rules=rules,
        seed=args.seed,
    )
    source = replace(source, main=panels[0].listeners)
    rules.check_deck(args.players, len(deck))
    for name in (*bench.agents, *voters):
        source.agent(name)  # an unknown name is an error before any worker starts
    if missing := missing_readers():
        print(f"not installed, so no listeners: {', '.join(missing)} (pip install 'dixit-env[listeners]')")
    for note in notes:
        print(note)
    about = about_eyes(eyes_of(panels), source.sight())
    if own := [eye for eye, model in about.items() if eye != "clip" and model == about["clip"]]:
        raise DixitError(f"{own[0]} is the CLIP that the givers see through: name another with --panel-clip")
    prompts = instructions()

    def valid(answer: Answer) -> bool:
        return isinstance(answer.move, GiveClue) and not reply_fault(answer.move.clue, prompts)

    def progress(items: Iterable[Any], total: int, label: str) -> Iterable[Any]:
        return tqdm(items, total=total, desc=label, unit="", disable=None)

    how = Execution(progress=progress, workers=args.workers, ray=args.ray)
    settings = {"deck": deck.hash, "clip": about["clip"], "main panel": list(panels[0].listeners)}
    played = run_bench(bench, source, args.out, valid, settings=settings, how=how)

    from dixit_env.bench.clues.clones import clones  # here, for they import matplotlib, which no worker needs
    from dixit_env.bench.clues.figures import clue_results
    from dixit_env.bench.clues.report import write_page
    from dixit_env.bench.clues.report_tables import entries
    from dixit_env.bench.clues.results import to_json
    from dixit_env.bench.clues.turn_log import turn_lines, write_csv, write_log

    results = clue_results(played, prompts, _known(args.rounds))
    if args.experiment == "clones":
        results = replace(results, clones=clones(played, eyes_of(panels)))
    lines = list(turn_lines(played, prompts))
    write_log(lines, args.out / "log.jsonl")
    write_csv(lines, args.out / "turns.csv")
    page = write_page(played, results, lines, args.out, notes)
    path = write_results(args.out, {"comparable": bench.comparable(deck, about), **to_json(results)}, args)
    _show(entries(results), results.main_panel)
    Console(highlight=False).print(f"report: {page}\nresults: {path}", markup=False)


def merge(args: Args) -> None:
    """One leaderboard of several runs."""
    from dixit_env.bench.clues.leaderboard import merge_runs, read_run
    from dixit_env.bench.clues.report_tables import Entry, ranking
    from dixit_env.bench.clues.results import panel_score
    from dixit_env.bench.report import page

    merged = merge_runs({str(folder): read_run(folder) for folder in args.merge})
    path = write_results(args.out, vars(merged), args)
    rows = {
        name: Entry(panel_score(figures), figures["all"], figures["points_at_four"], figures["valid"])
        for name, figures in merged.clue_givers.items()
    }
    lead = f"{len(rows)} clue givers of {len(args.merge)} runs on the same deals, before the same panels."
    file = args.out / "leaderboard.html"
    file.write_text(page("Clue givers", lead, ranking(rows)), encoding="utf-8")
    _show(rows, merged.main_panel)
    Console(highlight=False).print(f"leaderboard: {file}\nresults: {path}", markup=False)


def _painted(out: Path, seed: int) -> Path:
    """The folder of a fresh deck, painted unless it is there."""
    from dixit_env.decks.maker import load_sources
    from dixit_env.decks.maker.recipes import Recipe, write_deck

    folder = out / f"deck-{seed}"
    recipe = Recipe(folder.name, FRESH, seed)
    write_deck(load_sources(), recipe, folder, lambda scenes: tqdm(scenes, total=FRESH, desc="deck", unit="card"))
    return folder


def _known(folder: Path | None) -> frozenset[str]:
    """Clues that people gave, normalised."""
    parts = read_rounds(folder).values() if folder else ()
    return frozenset(normalised(clue) for part in parts for clue in part.clues)


def _show(rows: Mapping[str, "Entry"], panel: str) -> None:
    from dixit_env.bench.clues.report_tables import plain

    table = Table("clue giver", f"found, panel {panel}", "above shuffled (95 %)", "all", "at four", "points", "valid")
    for name, entry in rows.items():
        score = entry.score
        table.add_row(
            name,
            plain(score.guess_rate.value, ".0%"),
            f"{score.guess_rate_over_shuffled:+.0%}",
            plain(entry.all, ".0%"),
            plain(entry.at_four, ".2f"),
            plain(score.points.value, ".2f"),
            f"{entry.valid:.0%}",
        )
    Console(highlight=False).print(table)
