"""Play games of Dixit between bots and people in the terminal."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from dixit_env import edition, play, view
from dixit_env.agents.registry import split_specs
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.scripts.common import EyesArgs, TableArgs, run, write_results
from dixit_env.table.log import turn_lines
from dixit_env.table.picture import table_picture
from dixit_env.table.play import Decided, Event, GameEnded, TurnEnded
from dixit_env.table.records import read, recorded, replay, to_line

EXAMPLES = """
python scripts/play.py
python scripts/play.py --seats clip,clip,random,human --seed 7 --record game.jsonl
python scripts/play.py --seats clip,greedy,random --rules dixit --explain
python scripts/play.py --seats clip,clip,greedy,greedy,random,random --games 3 --out runs/demo
python scripts/play.py --seats clip,clip,clip,greedy --eyes noise:0.67
"""


@dataclass(frozen=True, kw_only=True)
class Args(EyesArgs, TableArgs):
    """Play Dixit with bots and people at the terminal."""

    seats: str = "clip,clip,greedy,greedy,random,random"
    """An agent for each seat, with commas: random, greedy, clip, human, … with options, e.g. clip:votes=win."""
    seed: int = 0
    """Of the deals, the bots and their eyes; the n-th game has seed + n - 1."""
    games: int = 1
    """How many games."""
    time_limit: float | None = None
    """Seconds for one decision; then a random legal move is made instead."""
    explain: bool = False
    """Show what the bots thought, after each turn."""
    json: bool = False
    """Print the record's lines instead of the log."""
    record: Path | None = None
    """Write the record of the game to this file (one game)."""
    out: Path | None = None
    """Write records, results.json and a picture of the last turn into this folder."""


def main(args: Args) -> None:
    """Play."""
    specs, rules = split_specs(args.seats), edition(args.rules)
    if args.games < 1:
        raise DixitError(f"--games is at least 1, not {args.games}")
    if args.record and args.games > 1:
        raise DixitError("--record is for one game: use --out FOLDER for several")
    rules.seated(len(specs))
    source = args.source()
    deck = source.deck()
    rules.check_deck(len(specs), len(deck))
    agents = [source.agent(spec, seat, args.seed) for seat, spec in enumerate(specs)]
    console = Console(highlight=False, markup=False, soft_wrap=True)
    path = args.record
    results: list[GameEnded] = []
    for game in range(args.games):
        if args.out:
            path = args.out / f"game-{game + 1}.jsonl"
        events = play(agents, rules, deck, args.seed + game, time_limit=args.time_limit)
        thoughts: list[Decided] = []
        for event in recorded(events, path) if path else events:
            if args.json:
                cards = tuple(card.id for card in deck.cards)
                print(json.dumps(to_line(event, cards), ensure_ascii=False), flush=True)
            else:
                _log(event, thoughts, console, specs, deck, rules.target, args.explain)
            if isinstance(event, GameEnded):
                results.append(event)
        if path and not args.json:
            console.print(f"record: {path}")
    if args.out:
        _write_out(args.out, args, specs, results, deck, console if not args.json else None)


def _log(
    event: Event,
    thoughts: list[Decided],
    console: Console,
    specs: Sequence[str],
    deck: Deck,
    target: int,
    explain: bool,
) -> None:
    """Show what is public: faults at once, the turn and the bots' thoughts when it is scored, the result."""
    match event:
        case Decided():
            thoughts.append(event)
            if event.fault:
                name = f"{event.seat + 1} {specs[event.seat]}"
                console.print(f"! {name}: {event.fault}; a random legal move was made instead", style="yellow")
        case TurnEnded():
            head, *lines = turn_lines(event.turn, event.scores, specs, deck, target)
            console.print(head, style="bold")
            console.print("\n".join(lines))
            for thought in thoughts if explain else ():
                if thought.decision.why:
                    why = json.dumps(dict(thought.decision.why), ensure_ascii=False)
                    console.print(f"  {thought.seat + 1} {thought.phase}: {why}", style="dim")
            thoughts.clear()
            console.print()
        case GameEnded():
            winners = " and ".join(f"{seat + 1} {specs[seat]}" for seat in event.winners)
            console.print(f"{winners} won with {max(event.scores)} points.", style="bold green")


def _write_out(
    out: Path, args: Args, specs: Sequence[str], results: Sequence[GameEnded], deck: Deck, console: Console | None
) -> None:
    """Standings, results.json and the picture of the last turn."""
    last = view(replay(read(out / f"game-{len(results)}.jsonl")), None)
    table_picture(last, deck, specs).save(out / "table.png")
    standings = {}
    for name in dict.fromkeys(specs):
        seats = [seat for seat, spec in enumerate(specs) if spec == name]
        won = sum(sum(seat in game.winners for seat in seats) / len(game.winners) for game in results)
        points = [game.scores[seat] for game in results for seat in seats]
        standings[name] = {"seats": len(seats), "wins": won, "points_per_game": sum(points) / len(points)}
    games = [{"seed": args.seed + n, "scores": game.scores, "winners": game.winners} for n, game in enumerate(results)]
    path = write_results(out, {"agents": standings, "games": games}, args)
    if console:
        table = Table("agent", "seats", "games won", "points a game", title=f"{len(results)} game(s)")
        for name, row in sorted(standings.items(), key=lambda item: -item[1]["points_per_game"]):
            table.add_row(name, str(row["seats"]), f"{row['wins']:.2f}", f"{row['points_per_game']:.1f}")
        console.print(table)
        console.print(f"picture of the last turn: {out / 'table.png'}\nresults: {path}")


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
