"""A server for the browser tests: painted cards, bots that draw lots, and little waiting.

    python tests/browser/serve.py [--port 8000] [--deck FOLDER] [--db FILE] [--pace 0.01] [--study FILE]

Prints its address and serves until it is killed.
"""

import argparse
import colorsys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from dixit_env.bench.viewers.online import shown_tables
from dixit_env.decks.deck import Deck
from dixit_env.game.engine import Phase
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.languages import LANGUAGES
from dixit_env.table.play import Decision
from dixit_env.web.orders import Offer
from dixit_env.web.pictures import Pictures
from dixit_env.web.resources import Resources, Timing
from dixit_env.web.security import Limits
from dixit_env.web.server import Server, listen, run
from dixit_env.web.store import Store
from dixit_env.web.study import read_study

CLUES = ("rain", "a long way home", "Was the moon ever this near, or did we only climb?", "?", "سفر", "雨", "I <3 you")


class DrawsLots:
    """A bot that plays any legal move, and says what it believes."""

    name = "random"

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            move = GiveClue(move.card, self.rng.choice(CLUES))
        slots = len(view.slots)
        why = {"belief": [1 / slots] * slots} if view.phase is Phase.VOTES else {}
        return Decision(move, why)


class Follows(DrawsLots):
    """Votes with everybody else: every dial on the first slot that it may vote for."""

    name = "sheep"

    def act(self, view: View) -> Decision:
        return Decision(view.moves[0]) if view.phase is Phase.VOTES else super().act(view)


BOTS = {"random": DrawsLots, "sheep": Follows}


@dataclass(frozen=True)
class Character:
    """A bot with a name; it plays as the others do."""

    name: str
    face: str
    manner: dict[str, str]


PERSONAS = {
    key: Character(key.title(), face, {lang: f"{key} {lang}: a sentence about a manner" for lang in LANGUAGES})
    for key, face in {"bruno": "🐻", "ida": "🐢", "luna": "🦋", "marco": "🦚", "nora": "🦊", "otto": "🦉"}.items()
}


def paint(folder: Path, count: int) -> None:
    """Draw `count` different cards: a sky, a hill and some discs."""
    rng = Random(7)
    for number in range(count):

        def colour(light: float) -> tuple[int, int, int]:
            red, green, blue = colorsys.hls_to_rgb(rng.random(), light, 0.5)
            return int(255 * red), int(255 * green), int(255 * blue)

        card = Image.new("RGB", (320, 480), colour(0.75))
        draw = ImageDraw.Draw(card)
        draw.ellipse((-80, 330, 400, 700), fill=colour(0.4))
        for _ in range(rng.randint(1, 5)):
            x, y, size = rng.randint(30, 290), rng.randint(40, 400), rng.randint(15, 70)
            draw.ellipse((x - size, y - size, x + size, y + size), fill=colour(0.55))
        card.save(folder / f"{number:03}.png")


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--deck", type=Path)
    parser.add_argument("--db")
    parser.add_argument("--study", type=Path, help="a study; its bots draw lots too")
    parser.add_argument("--pace", type=float, default=0.01)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        folder = args.deck or Path(scratch, "painted")
        if args.deck is None:
            folder.mkdir()
            paint(folder, 84)
        deck = Deck.from_folder(folder)
        listener = listen("127.0.0.1", args.port)
        study = read_study(args.study) if args.study else None
        tables = shown_tables(Path(study.tables), deck.cards) if study and study.tables else ()
        resources = Resources(
            Offer(deck, tuple(BOTS), personas=PERSONAS, study=study, tables=tables),
            lambda bot, seat, seed: BOTS.get(bot, DrawsLots)(),
            Store(args.db or f"{scratch}/games.sqlite"),
            pool,
            Timing(pace=args.pace),
        )
        server = Server(resources, Pictures(deck), Limits())
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        run(server, listener)


if __name__ == "__main__":
    main()
