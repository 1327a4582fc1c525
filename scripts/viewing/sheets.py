"""`viewers.py sheets`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from dixit_env.bench.viewers.clues import write_sheets
from dixit_env.decks.deck import Deck

EXAMPLES = """
python scripts/viewers.py sheets --deck nocturne --out runs/nocturne
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Lay the cards of a deck out on numbered sheets without any words, for viewers to write clues for.

    Give a viewer the folder `pictures` and the text of `prompt.txt`, and put what it writes into `answers`; then call
    `viewers.py read`.
    """

    deck: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Embedded deck or folder of pictures; repeat to combine packs (default: dreams)."""
    out: Path
    """Folder for pictures, prompt.txt and key.json."""
    seed: int = 0
    """Of the order."""


def main(args: Args) -> None:
    """Write the sheets, say what to do with them."""
    count = write_sheets(Deck.load(*(args.deck or ("dreams",))).cards, args.out, args.seed)
    print(f"{count} sheets in {args.out / 'pictures'}, what to ask viewers in {args.out / 'prompt.txt'}")
