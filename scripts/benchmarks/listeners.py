"""`benchmark.py listeners`."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Column, Table
from tqdm import tqdm

from dixit_env.agents.language.viewer import LanguageViewer
from dixit_env.agents.listeners import listeners
from dixit_env.agents.listeners.readers import ENCODERS, ask, readers
from dixit_env.bench.clues import simulated_panel
from dixit_env.bench.listeners.dixit_bench import read_dixit_bench, right_by_level
from dixit_env.bench.listeners.line_ups import line_ups
from dixit_env.bench.listeners.measure import (
    LEAST_HISTORY,
    SPLITS,
    Figures,
    Listener,
    Scores,
    Split,
    SplitResult,
    measure,
    people,
)
from dixit_env.bench.listeners.report import draw, write_csv
from dixit_env.bench.listeners.rounds import Rounds, read
from dixit_env.bench.stats import Estimate, Floats
from dixit_env.bench.viewers import measure as viewers
from dixit_env.bench.viewers.report import reader_table
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import write_results

EXAMPLES = """
python scripts/benchmark.py listeners --rounds FOLDER --out runs/listeners
python scripts/benchmark.py listeners --rounds FOLDER --pictures CARDS --out runs/sight
python scripts/benchmark.py listeners --items dreams --out runs/items
python scripts/benchmark.py listeners --viewers --out runs/v1
python scripts/benchmark.py listeners --dixitbench distractor_dataset.json --pictures images --out runs/dixitbench
python scripts/benchmark.py listeners --viewers --language MODEL@http://127.0.0.1:8080/v1 --out runs/v2
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """How well listeners find the storyteller's card in rounds that people played, beside the people themselves.

    With --viewers: how well readers that know no round find the card that viewers wrote a clue for.
    """

    out: Path
    """Folder for results.json, listeners.csv, listeners.png and items.json."""
    rounds: Path | None = None
    """Folder of the public play data: X_NAME.csv with y_NAME.csv, or NAME.csv with C1_TARGET … columns."""
    history: str = "val"
    """The part that listeners learn from."""
    test: str = "test"
    """The part that they are measured on."""
    pictures: str | None = None
    """Folder with a picture of each card; by file name the first is card 1. Adds the listener "clip". For --dixitbench
    the folder of the pictures that it names."""
    items: str | None = None
    """Embedded deck or folder with words for its cards: write easy, medium and hard line-ups from it to items.json."""
    viewers: bool = False
    """Measure readers on viewers' clues for the decks nocturne and tides, which are painted the first time."""
    language: str | None = None
    """With --viewers: a language model that sees the cards, MODEL@URL with options as in an agent's name."""
    asked: int = 60
    """How many tables the language model is shown."""
    dixitbench: Path | None = None
    """DixitBench's distractor_dataset.json: measure readers on its line-ups; give its pictures with --pictures."""
    clip: str = "embedded"
    """CLIP that sees the pictures, and that measures how alike the cards of a line-up are."""
    seed: int = 0
    """Of the splits, the bootstrap and the line-ups."""


def main(args: Args) -> None:
    """Measure, print a table, and write it beside results.json."""
    if args.rounds is None and args.items is None and args.dixitbench is None and not args.viewers:
        raise DixitError(
            "nothing to do: give --rounds FOLDER of human rounds, --items DECK, --viewers or --dixitbench FILE"
        )
    if args.dixitbench is not None and args.pictures is None:
        raise DixitError("--dixitbench is about pictures: give their folder with --pictures")
    if args.language is not None and not args.viewers:
        raise DixitError("--language is for viewers' clues: give --viewers with it")
    if args.asked < 1:
        raise DixitError(f"--asked is at least 1, not {args.asked}")
    args.out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    results: dict[str, Any] = {"seed": args.seed}
    if args.items is not None:
        results["items"] = _write_items(args)
        console.print(f"line-ups: {args.out / 'items.json'}", markup=False)
    if args.rounds is not None:
        results |= _measure(args, console)
    if args.dixitbench is not None:
        results["dixitbench"] = _measure_dixit_bench(args, args.dixitbench, console)
    if args.viewers:
        results["viewers"] = _measure_readers(args, console)
    console.print(f"results: {write_results(args.out, results, args)}", markup=False)


def _write_items(args: Args) -> dict[str, int]:
    sight = Sight.load((str(args.items),), args.clip)
    items = line_ups(sight.deck, sight.cards, args.seed)
    content = {"deck": sight.deck.hash, "clip": args.clip, "seed": args.seed, "items": items}
    (args.out / "items.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {level: sum(item["level"] == level for item in items) for level in ("easy", "medium", "hard")}


def _measure(args: Args, console: Console) -> dict[str, Any]:
    parts = read(args.rounds or Path())
    if unknown := [name for name in (args.history, args.test) if name not in parts]:
        raise DixitError(
            f"{args.rounds} has no part {unknown[0]!r}: choose --history and --test from {', '.join(parts)}"
        )
    history, test = parts[args.history], parts[args.test]
    named, missing = listeners(_pictures(args, max(history.deck, test.deck)))
    for name, lack in missing.items():
        console.print(f"left out: {name}; it needs: {lack}", markup=False)

    splits: dict[str, SplitResult] = {}
    fitted: dict[tuple[str, int], tuple[Scores, float]] = {}  # by listener and history; some splits share theirs
    with tqdm(total=len(SPLITS) * len(named), unit="", disable=None) as bar:
        for split_name, cut in SPLITS.items():
            split = cut(history, test, args.seed)
            if len(split.history) < LEAST_HISTORY or not len(split.test):
                bar.update(len(named))
                continue
            splits[split_name] = result = SplitResult(
                history=len(split.history), test=len(split.test), people=_people(split.test), listeners={}
            )
            for name, listener in named.items():
                bar.set_postfix_str(f"{split_name} {name}")
                scores, seconds = _fitted(fitted, name, listener, split)
                result["listeners"][name] = measure(scores(split.test), split.test, args.seed)
                if split_name == "published":
                    result.setdefault("seconds", {})[name] = seconds
                bar.update()
    if "published" not in splits:
        raise DixitError(f"{len(history)} rounds of history teach a listener nothing: give at least {LEAST_HISTORY}")
    best, _ = fitted[list(named)[-1], id(history)]  # the published split learns from this very object
    write_csv(splits, args.out / "listeners.csv")
    draw(splits, args.out / "listeners.png")
    _print(console, splits)
    for name, part in parts.items():
        if part.left_out:
            count, of = len(part.left_out), len(part.left_out) + len(part)
            console.print(f"left out: {count} of {of:,} rounds of {name}; {part.left_out[0]}", markup=False)
    flat = {name: views["spectator"]["all"] for name, views in splits["published"]["listeners"].items()}
    return {
        "listeners": flat,
        "people": splits["published"]["people"]["all"],
        "splits": splits,
        "panel": simulated_panel.fit(test, best),
        "missing": missing,
        "left_out": {name: len(part.left_out) for name, part in parts.items()},
    }


def _pictures(args: Args, deck: int) -> Callable[[Sequence[str]], Floats] | None:
    """Cosines of clues and the pictures of the deck's cards."""
    if args.pictures is None:
        return None
    sight = Sight.load((args.pictures,), args.clip)
    if len(sight.deck) != deck:
        raise DixitError(f"{args.pictures} has {len(sight.deck)} pictures, the rounds {deck} cards: one each, in order")
    return lambda clues: np.asarray(sight.similarity(clues), np.float64)


def _measure_readers(args: Args, console: Console) -> dict[str, Any]:
    """Figures by reader, as they stand in results.json; prints them."""
    shown = LanguageViewer.named(args.language) if args.language is not None else None
    named, missing = readers(args.clip)
    for name, lack in missing.items():
        console.print(f"left out: {name}; it needs: {lack}", markup=False)
    decks = {name: viewers.painted(name) for name in viewers.DECKS}
    figures: dict[str, Mapping[str, Estimate]] = {
        name: viewers.measure(similarity, decks, args.seed) for name, similarity in named.items()
    }
    results = {name: viewers.as_json(told) for name, told in figures.items()}
    if shown is not None:
        name, answers = shown.chat.model, ask(shown, decks, args.asked, args.seed)
        figures[name] = answers.figures
        counts = {"asked": answers.asked, "failed": answers.failed, "outages": answers.outages}
        results[name] = viewers.as_json(answers.figures) | counts
        console.print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}", markup=False)
    console.print(reader_table(figures))
    return results


def _measure_dixit_bench(args: Args, file: Path, console: Console) -> dict[str, Any]:
    """Figures by reader, as they stand in results.json; prints them."""
    deck = Deck.load(args.pictures or "")
    questions = read_dixit_bench(file, deck)
    clues = [question["clue"] for question in questions]
    figures = {
        name: right_by_level(reader(deck, clues), questions, deck, args.seed)
        for name, reader in readers(args.clip)[0].items()
        if all(lang in card.captions for lang in ENCODERS.get(name, ()) for card in deck.cards)
    }
    levels = list(figures["clip"])
    console.print(reader_table(figures, levels, f"DixitBench, {len(questions)} line-ups"))
    return {name: viewers.as_json(told) for name, told in figures.items()}


def _people(rounds: Rounds) -> dict[str, Figures]:
    sizes = {str(size): np.flatnonzero(rounds.players == size) for size in np.unique(rounds.players)}
    return {"all": people(rounds), **{size: people(rounds[rows]) for size, rows in sizes.items()}}


def _fitted(
    fitted: dict[tuple[str, int], tuple[Scores, float]], name: str, listener: Listener, split: Split
) -> tuple[Scores, float]:
    """The listener with this history, and the seconds that it took to learn."""
    key = name, id(split.history)
    if key not in fitted:
        start = time.perf_counter()
        fitted[key] = listener(split.history), time.perf_counter() - start
    return fitted[key]


def _print(console: Console, splits: Mapping[str, SplitResult]) -> None:
    for name, measured in splits.items():
        table = Table(
            Column("listener", no_wrap=True),
            Column("of n cards", justify="right"),
            "95 %",
            Column("of n − 1", justify="right"),
            Column("voted", justify="right"),
            Column("log-loss", justify="right"),
            Column("ECE", justify="right"),
            title=f"{name}: {measured['test']:,} rounds, {measured['history']:,} to learn from",
            title_justify="left",
        )
        for listener, views in measured["listeners"].items():
            cell, player = views["spectator"]["all"], views["player"]["all"]
            table.add_row(
                listener,
                f"{100 * cell['storyteller_accuracy']:.1f}",
                f"{100 * cell['low']:.1f}–{100 * cell['high']:.1f}",
                f"{100 * player['storyteller_accuracy']:.1f}",
                f"{100 * cell['most_voted_accuracy']:.1f}",
                f"{cell['log_loss']:.3f}",
                f"{cell['ece']:.3f}",
            )
        crowd = {key: 100 * value for key, value in measured["people"]["all"].items()}
        votes = f"{crowd['storyteller_accuracy']:.1f}", f"{crowd['most_voted_accuracy']:.1f}"
        table.add_row("people", "", "", *votes, f"{crowd['log_loss'] / 100:.3f}", "")
        console.print(table)
    console.print(
        "of n cards, of n − 1: storyteller's card found (%), choosing among all cards or, as people do, all but one\n"
        "voted: a most-voted card found (%)"
    )
