"""Paint a deck of surreal picture cards: see dixit_env/decks/README.md."""

import os
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from dixit_env.decks.maker import load_sources
from dixit_env.decks.maker.recipes import Recipe, contact_sheet, load_recipe, write_deck
from dixit_env.scripts.common import run

EXAMPLES = """
python scripts/make_deck.py --count 84 --seed 1 --out my_deck --sheet
python scripts/make_deck.py --recipe nocturne --out nocturne
"""


@dataclass(frozen=True)
class Args:
    """Paint a deck of cards from a seed or a recipe: WebP pictures of 512 × 768 and cards.json.

    Run again to go on where it stopped.
    """

    out: Path
    """folder for the deck"""
    count: int = 84
    """how many cards"""
    seed: int = 1
    """another seed, other cards"""
    recipe: str | None = None
    """a recipe that comes with the project (harvest, nocturne, tides); it sets count and seed"""
    sheet: bool = False
    """also write a contact sheet, OUT-sheet.jpg beside the folder"""


def main(args: Args) -> None:
    """Paint the deck, say where it is."""
    recipe = load_recipe(args.recipe) if args.recipe else Recipe(args.out.name, args.count, args.seed)
    sources = load_sources()
    paths = write_deck(
        sources,
        recipe,
        args.out,
        lambda cards: tqdm(cards, total=recipe.count, unit="card", desc=recipe.name),
        workers=os.cpu_count() or 1,
    )
    print(f"{len(paths)} cards and cards.json in {args.out}")
    if args.sheet:
        sheet = args.out.with_name(f"{args.out.name}-sheet.jpg")
        contact_sheet(paths).save(sheet, quality=88)
        print(f"contact sheet: {sheet}")


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
