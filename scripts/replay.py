"""Write a game as one HTML file to step through, turn by turn. It needs no server."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from dixit_env.bench.stored_games import counted, stored_games
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.paths import write_atomically
from dixit_env.scripts.common import DeckArgs, run
from dixit_env.web.replay_file import replay_html

EXAMPLES = """
python scripts/replay.py game.jsonl --out game.html
python scripts/replay.py runs/t1/games.jsonl --game 12 --out game.html
"""


@dataclass(frozen=True, kw_only=True)
class Args(DeckArgs):
    """Write a recorded game as one HTML file: hands, clues, votes, points and beliefs, turn by turn."""

    record: Annotated[Path, tyro.conf.Positional]
    """What play.py --record or tournament.py wrote."""
    out: Path
    """The HTML file."""
    game: int = 1
    """Which game of the file, counted from 1."""


def main(args: Args) -> None:
    """Write the file."""
    deck = Deck.load(*args.decks)
    games = stored_games(args.record, deck)
    if not 1 <= args.game <= len(games):
        raise DixitError(f"{args.record} holds {counted(games)}: --game is 1 to {len(games)}, not {args.game}")
    html = replay_html(games[args.game - 1].open(), deck)
    write_atomically(args.out, html)
    print(f"{args.out}: {len(html.encode()) / 1e6:.1f} MB")


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
