"""An own deck: any folder of pictures, with words in `cards.json` if you like.

    python examples/own_deck.py

Paints 36 plain pictures into a folder, looks at them through the embedded CLIP, and says which fits a clue best.
"""

import colorsys
import json
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

from dixit_env import ODYSSEY, play
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight


def paint(folder: Path, count: int = 36) -> None:
    """Discs in different colours on grey, and what they are called."""
    words = []
    for number in range(count):
        red, green, blue = colorsys.hsv_to_rgb(number / count, 0.8, 0.9)
        picture = Image.new("RGB", (512, 768), (70 + number, 70 + number, 80 + number))
        colour = (round(255 * red), round(255 * green), round(255 * blue))
        ImageDraw.Draw(picture).ellipse((106, 234, 406, 534), fill=colour)
        picture.save(folder / f"disc{number:02}.png")
        words.append({"file": f"disc{number:02}.png", "title": {"en": f"Disc {number}"}})
    (folder / "cards.json").write_text(json.dumps({"cards": words}), encoding="utf-8")


def main() -> None:
    """Look at the deck, and let bots play with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paint(folder)
        sight = Sight.load([str(folder)])
        (row,) = sight.similarity(["a green circle"])
        best = int(row.argmax())
        print(f"the likeliest of {len(sight.deck)} for a green circle: {sight.deck.cards[best].title['en']}")
        *_, end = play(make_agents(["greedy", "random", "random"], sight), ODYSSEY, sight.deck, seed=1)
        print(f"a game of three ended with {end.scores}")


if __name__ == "__main__":
    main()
