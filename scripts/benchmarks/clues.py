"""`benchmark.py clues`: clue givers and the listeners they are judged by."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from dixit_env import edition
from dixit_env.agents.language.local import NAME, local_model
from dixit_env.agents.panels import SightBooth, about_eyes, clone_eyes, default_panels, instructions, missing_readers
from dixit_env.agents.registry import split_specs
from dixit_env.bench.clues.questions import Answer
from dixit_env.bench.clues.run import ClueBench, run_bench
from dixit_env.bench.clues.tables import eyes_of
from dixit_env.bench.clues.text import clue_fault
from dixit_env.bench.listeners.rounds import read as read_rounds
from dixit_env.bench.listeners.rounds import same_clue
from dixit_env.game.moves import GiveClue
from dixit_env.scripts.common import write_results

GIVERS = "literal,random-clue,shuffled,clip"
FRESH = 84  # cards of a fresh deck
EXAMPLES = """
python scripts/benchmark.py clues --out runs/c1
python scripts/benchmark.py clues --givers literal,clip,clip:clue=points --deals 200 --workers 2 --out runs/c2
python scripts/benchmark.py clues --local --workers 2 --out runs/local
python scripts/benchmark.py clues --language gemma@http://127.0.0.1:8080/v1 --deals 24 --out runs/gemma
python scripts/benchmark.py clues --fresh-deck 5 --experiment clones --rules dixit --players 4 --out runs/clones
python scripts/benchmark.py clues --merge runs/c1 runs/gemma --out runs/leaderboard
"""


@dataclass(frozen=True)
class Args:
    """Benchmark clue givers on the same deals before several panels of listeners, exactly scored."""

    givers: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Clue givers, with commas: literal, random-clue, shuffled, or any agent (default: these three and clip)."""
    language: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A language model that gives clues too: MODEL@URL, with options as in an agent's name; repeat for more."""
    local: bool = False
    """Gemma 3 270M gives clues too, served here on one thread (extra local-llm)."""
    listeners: str = ""
    """Agents, with commas, that vote for themselves in a panel of their own; they may be language models."""
    panel_clip: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A CLIP of another kind for the mixed panel; repeat for more."""
    deals: int = 60
    """Deals, the same for all; rounded up to a multiple of four. More can be added later."""
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
    """Folder for report.html, results.json, turns.csv, log.jsonl, plots; a broken-off run goes on there."""
    workers: int = 1
    """Agents that think at once: processes here, or tasks on the cluster."""
    ray: str | None = None
    """Address of a Ray cluster, or auto."""
    rules: str = "odyssey"
    """Edition: odyssey, dixit, odyssey-2011 or dixit-2008."""
    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures; repeat to combine packs (default: dreams)."""
    clip: str = "embedded"
    """CLIP that agents and listeners see through."""
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
    decks = (str(_painted(args)),) if args.fresh_deck is not None else args.deck or ("dreams",)
    booth = SightBooth(decks, args.clip)
    givers = [
        *split_specs(",".join(args.givers) or GIVERS),
        *(f"language:{spec}" for spec in (*args.language, *models)),
    ]
    panels = default_panels(booth.deck(), args.panel_clip, split_specs(args.listeners))
    bench = ClueBench(
        givers=tuple(givers), panels=panels, deals=args.deals, players=args.players, rules=rules, seed=args.seed
    )
    rules.check_deck(args.players, len(booth.deck()))
    for name in (*bench.asked, *split_specs(args.listeners)):
        booth.agent(name)  # so that an unknown name is told before any worker starts
    if missing := missing_readers():
        print(f"not installed, so no listeners: {', '.join(missing)} (pip install 'dixit-env[listeners]')")
    about = about_eyes(eyes_of(panels), booth.sight())
    told = instructions()

    def valid(answer: Answer) -> bool:
        return isinstance(answer.move, GiveClue) and not clue_fault(answer.move.clue, told)

    outcome = run_bench(
        bench,
        booth,
        args.out,
        valid,
        settings={"deck": booth.deck().hash, "clip": about["clip"]},
        progress=lambda items, total, label: tqdm(items, total=total, desc=label, unit="", disable=None),
        workers=args.workers,
        ray=args.ray,
    )

    from dixit_env.bench.clues.clones import clones  # these import matplotlib, which no worker needs
    from dixit_env.bench.clues.figures import figures
    from dixit_env.bench.clues.files import turn_lines, without_nan, write_csv, write_log
    from dixit_env.bench.clues.report import write_page

    results = {"comparable": bench.comparable(booth.deck(), about), **figures(outcome, told, _known(args.rounds))}
    if args.experiment == "clones":
        results["clones"] = clones(outcome, clone_eyes(panels))
    lines = list(turn_lines(outcome, told))
    write_log(lines, args.out / "log.jsonl")
    write_csv(lines, args.out / "turns.csv")
    page = write_page(outcome, results, lines, args.out)
    path = write_results(args.out, without_nan(results), args)
    _show(results["clue_givers"], results["main_panel"])
    Console(highlight=False).print(f"report: {page}\nresults: {path}", markup=False)


def merge(args: Args) -> None:
    """One leaderboard of several runs."""
    from dixit_env.bench.clues.files import without_nan
    from dixit_env.bench.clues.leaderboard import merge_runs, read_run
    from dixit_env.bench.clues.report import leaderboard
    from dixit_env.bench.report import page

    merged = merge_runs({str(folder): read_run(folder) for folder in args.merge})
    path = write_results(args.out, without_nan(merged), args)
    givers = merged["clue_givers"]
    lead = f"{len(givers)} clue givers of {len(args.merge)} runs on the same deals, before the same panels."
    file = args.out / "leaderboard.html"
    file.write_text(page("Clue givers", lead, leaderboard(givers)), encoding="utf-8")
    _show(givers, merged["main_panel"])
    Console(highlight=False).print(f"leaderboard: {file}\nresults: {path}", markup=False)


def _painted(args: Args) -> Path:
    """The folder of a fresh deck, painted unless it is there."""
    from dixit_env.decks.maker import load_sources
    from dixit_env.decks.maker.recipes import Recipe, write_deck

    folder = args.out / f"deck-{args.fresh_deck}"
    recipe = Recipe(folder.name, FRESH, int(args.fresh_deck or 0))
    write_deck(load_sources(), recipe, folder, lambda scenes: tqdm(scenes, total=FRESH, desc="deck", unit="card"))
    return folder


def _known(folder: Path | None) -> frozenset[str]:
    """Clues that people gave."""
    parts = read_rounds(folder).values() if folder else ()
    return frozenset(same_clue(clue) for part in parts for clue in part.clues)


def _show(givers: Mapping[str, Mapping[str, Any]], panel: str) -> None:
    from dixit_env.bench.clues.report import points

    table = Table("clue giver", f"points before {panel} (95 %)", "some", "found", "lift", "over shuffled", "valid")
    for name, figures in givers.items():
        table.add_row(
            name,
            points(figures),
            points({"some": figures["some"]}, "some", ".0%"),
            points({"found": figures["guess_rate"]}, "found", ".0%"),
            points({"lift": figures["lift"]}, "lift", "+.2f"),
            points(figures, "points_over_shuffled", "+.2f"),
            f"{figures['valid']:.0%}",
        )
    Console(highlight=False).print(table)
