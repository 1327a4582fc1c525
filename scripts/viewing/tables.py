"""`viewers.py tables`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dixit_env.agents.registry import split_specs
from dixit_env.bench.tournament.schedule import ring
from dixit_env.bench.viewers.clues import by_card, read_clues
from dixit_env.bench.viewers.games import played, recorded
from dixit_env.bench.viewers.guesses import Table, among_six, evenly, with_controls, write_tables
from dixit_env.bench.viewers.page import write_page
from dixit_env.decks.deck import Card
from dixit_env.errors import DixitError
from dixit_env.game.rules import ODYSSEY
from dixit_env.scripts.common import EyesArgs

EXAMPLES = """
python scripts/viewers.py tables --agents clip,greedy,random --tables 60 --page --out runs/blind
python scripts/viewers.py tables --agents clip,greedy --eyes noise:0.67 --deck nocturne --tables 40 --out runs/noisy
python scripts/viewers.py tables --records runs/games --tables 60 --out runs/tables
python scripts/viewers.py tables --clues runs/nocturne/clues.tsv --deck nocturne --tables 84 --out runs/understood
"""


@dataclass(frozen=True, kw_only=True)
class Args(EyesArgs):
    """Draw tables, a clue and numbered cards, for viewers to guess the card: a blind test of who gives clues.

    Clues come from games among agents, played here or recorded, with the cards that lay there, or from viewers, among
    cards drawn at random. As many tables as there can be are of each agent. Who gave a clue is hidden, and a quarter of
    the tables shows the clue of another one as a control.
    """

    agents: str = ""
    """Agents with commas, such as clip,greedy*2,random: games among them are played."""
    records: Path | None = None
    """Folder of game records (play.py --out): the turns' clues and cards."""
    clues: Path | None = None
    """Table of viewers' clues (viewers.py read)."""
    players: int = 6
    """With --agents: seats at the table."""
    tables: int = 60
    """How many, drawn from what there is."""
    page: bool = False
    """Also write page.html, on which a person answers in a browser: it needs nothing else."""
    out: Path
    """Folder for pictures, prompt.txt and key.json."""
    seed: int = 0
    """Of the games, of what is drawn and of the order."""


def main(args: Args) -> None:
    """Write the tables, say what to do with them."""
    if not args.agents and args.records is None and args.clues is None:
        raise DixitError(
            "nothing to show: give --agents to play games, --records FOLDER of games or --clues FILE of viewers"
        )
    if args.tables < 1:
        raise DixitError(f"--tables is at least 1, not {args.tables}")
    cards = args.source().deck().cards
    rng = np.random.default_rng(args.seed)
    there = [
        *(recorded(args.records, cards) if args.records else ()),
        *(written(args.clues, cards, rng) if args.clues else ()),
        *(_games(args) if args.agents else ()),
    ]
    if not there:
        raise DixitError(f"{args.records or args.clues} holds nothing to show: no turn of a game, no evocative clue")
    tables = with_controls(evenly(there, args.tables, rng), rng)
    count = write_tables(tables, cards, args.out)
    print(f"{count} tables in {args.out / 'pictures'}, what to ask viewers in {args.out / 'prompt.txt'}")
    if args.page:
        print(f"a page that a person opens in a browser: {write_page(tables, cards, args.out)}")


def _games(args: Args) -> list[Table]:
    """The turns of games among `--agents`, enough of each for its part of the tables."""
    agents = ring(split_specs(args.agents))
    if "human" in agents:
        raise DixitError("people can't sit in these games: take human out, or record games with scripts/play.py")
    source = args.source()
    ODYSSEY.seated(args.players)
    ODYSSEY.check_deck(args.players, len(source.deck()))
    source.check(agents)
    return played(agents, source, ODYSSEY, args.players, -(-args.tables // len(set(agents))), args.seed)


def written(file: Path, cards: Sequence[Card], rng: np.random.Generator) -> Iterator[Table]:
    """One of the viewers' evocative clues for each card, among five other cards."""
    names = [card.name for card in cards]
    for clues in by_card(read_clues(file)).values():
        if evocative := [clue for clue in clues if clue.evocative]:
            yield among_six(evocative[int(rng.integers(len(evocative)))], names, rng)
