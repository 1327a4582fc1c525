"""`viewers.py tables`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from dixit_env.bench.viewers.clues import by_card, read_clues
from dixit_env.bench.viewers.guesses import Table, among_six, with_controls, write_tables
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DixitError
from dixit_env.table.records import read

EXAMPLES = """
python scripts/play.py --seats clip,greedy,random,clip,greedy,random --games 20 --out runs/games
python scripts/viewers.py tables --records runs/games --tables 60 --out runs/tables
python scripts/viewers.py tables --clues runs/nocturne/clues.tsv --deck nocturne --tables 84 --out runs/understood
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Draw tables, a clue and numbered cards, for viewers to guess the card.

    Clues come from games (with the cards that lay there) or from viewers (among cards drawn at random). Who gave a clue
    is hidden, and a quarter of the tables shows the clue of another one as a control.
    """

    records: Path | None = None
    """Folder of game records (play.py --out): the turns' clues and cards."""
    clues: Path | None = None
    """Table of viewers' clues (viewers.py read)."""
    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures that the clues are about; repeat to combine packs (default: dreams)."""
    tables: int = 60
    """How many, drawn from what there is."""
    out: Path
    """Folder for pictures, prompt.txt and key.json."""
    seed: int = 0
    """Of what is drawn and of the order."""


def main(args: Args) -> None:
    """Write the tables, say what to do with them."""
    if args.records is None and args.clues is None:
        raise DixitError("nothing to show: give --records FOLDER of games or --clues FILE of viewers, or both")
    if args.tables < 1:
        raise DixitError(f"--tables is at least 1, not {args.tables}")
    cards = Deck.load(*(args.deck or ("dreams",))).cards
    rng = np.random.default_rng(args.seed)
    there = [
        *(played(args.records, cards) if args.records else ()),
        *(written(args.clues, cards, rng) if args.clues else ()),
    ]
    if not there:
        raise DixitError(f"{args.records or args.clues} holds nothing to show: no turn of a game, no evocative clue")
    drawn = [there[row] for row in rng.permutation(len(there))[: args.tables]]
    count = write_tables(with_controls(drawn, rng), cards, args.out)
    print(f"{count} tables in {args.out / 'pictures'}, what to ask viewers in {args.out / 'prompt.txt'}")


def played(folder: Path, cards: Sequence[Card]) -> Iterator[Table]:
    """The turns of recorded games."""
    names = {card.id: card.name for card in cards}
    for file in sorted(folder.glob("*.jsonl")):
        record = read(file)
        for turn in record.turns:
            if missing := [card for card in turn["slots"] if card not in names]:
                raise DixitError(f"{file} shows the card {missing[0]}, which isn't in the deck: give its --deck")
            shown = tuple(names[card] for card in turn["slots"])
            giver = record.game["agents"][turn["storyteller"]]
            yield Table(turn["clue"], giver, shown, turn["owners"].index(turn["storyteller"]))


def written(file: Path, cards: Sequence[Card], rng: np.random.Generator) -> Iterator[Table]:
    """One of the viewers' evocative clues for each card, among five other cards."""
    names = [card.name for card in cards]
    for clues in by_card(read_clues(file)).values():
        if evocative := [clue for clue in clues if clue.evocative]:
            yield among_six(evocative[int(rng.integers(len(evocative)))], names, rng)
