"""Whole decks: which scenes belong together, and their files."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from dixit_env.errors import DeckError

from .render import render
from .sampling import sample_scene
from .scene import Scene
from .sources import Sources
from .templates import TEMPLATES
from .things import LANGUAGES, data_rows

RECIPES = Path(__file__).parent.parent / "recipes"
SIZE = (512, 768)
LICENCE = "Apache-2.0"
TOO_NEAR = 20.0
"""root mean square difference of two cards' thumbnails (0 … 255) below which they look alike"""


@dataclass(frozen=True)
class Recipe:
    """What a deck is made from. Equal recipes make equal decks."""

    name: str
    count: int
    seed: int
    templates: tuple[str, ...] = ()
    """only these; empty for all"""
    moods: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """kinds of landscape"""
    cards: tuple[int, ...] = ()
    """seeds of the cards, where a person chose them; then nothing else counts"""

    def __post_init__(self) -> None:
        if self.count < 1 or self.seed < 0:
            raise DeckError(f"a deck of {self.count} cards from seed {self.seed}: at least one card, no negative seed")


def recipe_names() -> tuple[str, ...]:
    """The recipes that come with the project."""
    return tuple(sorted(path.stem for path in RECIPES.glob("*.json")))


def load_recipe(name: str) -> Recipe:
    """A recipe by name. Raises `DeckError` that lists those there are."""
    if name not in recipe_names():
        raise DeckError(f"no recipe {name!r}: there are {', '.join(recipe_names())}")
    fields = json.loads((RECIPES / f"{name}.json").read_text(encoding="utf-8"))
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return Recipe(**values)


def thumbnail(picture: Image.Image) -> np.ndarray:
    """(24, 16, 3) float32: what of a card is seen from afar."""
    return np.asarray(picture.resize((16, 24), Image.Resampling.BOX), dtype=np.float32)


def choose_scenes(sources: Sources, recipe: Recipe) -> Iterator[Scene]:
    """The scenes of a deck, in order: no title and no main thing too often, no two cards that look alike.

    Raises `DeckError` when the recipe has too few different cards.
    """
    if recipe.cards:
        yield from (sample_scene(sources, seed) for seed in recipe.cards)
        return
    allowed = math.ceil(recipe.count / (2.5 * len(recipe.templates or TEMPLATES)))
    titles: Counter[str] = Counter()
    mains: Counter[str] = Counter()
    taken: set[tuple[str, str]] = set()
    seen: list[np.ndarray] = []
    for number in range(1000 * recipe.count):
        scene = sample_scene(sources, recipe.seed * 1_000_000 + number)
        title, main, pair = scene.title("en"), scene.main.key, (scene.template, scene.main.key)
        if not fits(scene, recipe) or titles[title] == allowed or mains[main] == allowed or pair in taken:
            continue
        small = thumbnail(render(sources, scene, (96, 144)))
        if any(float(np.sqrt(np.mean((small - other) ** 2))) < TOO_NEAR for other in seen):
            continue
        titles[title] += 1
        mains[main] += 1
        taken.add(pair)
        seen.append(small)
        yield scene
        if len(seen) == recipe.count:
            return
    raise DeckError(f"recipe {recipe.name!r} has only {len(seen)} different cards: ask for fewer than {recipe.count}")


def fits(scene: Scene, recipe: Recipe) -> bool:
    """Whether the recipe admits the scene's template, mood and landscape."""
    return (
        (not recipe.templates or scene.template in recipe.templates)
        and (not recipe.moods or scene.mood in recipe.moods)
        and (not recipe.kinds or scene.landscape.kind in recipe.kinds)
    )


def card_entry(scene: Scene, file: str) -> dict[str, Any]:
    """What `cards.json` says of a card."""
    painting = next(row for row in data_rows("paintings.tsv") if row["name"] == scene.style)
    return {
        "file": file,
        "title": {language: scene.title(language) for language in LANGUAGES},
        "captions": {language: scene.description(language) for language in LANGUAGES},
        "tags": {language: list(scene.tags(language)) for language in LANGUAGES},
        "licence": LICENCE,
        "sources": [
            "Noto Emoji by Google (Apache-2.0)",
            f"endless-sky-data images/land: {scene.landscape.key}, {scene.other.key} (public domain)",
            f"in the manner of {painting['title']} by {painting['painter']}, died {painting['died']} (public domain)",
        ],
        "scene": {
            "seed": scene.seed,
            "template": scene.template,
            "main": scene.main.key,
            "small": [thing.key for thing in scene.small],
            "landscape": scene.landscape.kind,
            "mood": scene.mood,
        },
    }


def write_deck(
    sources: Sources,
    recipe: Recipe,
    out: Path,
    progress: Callable[[Iterable[Scene]], Iterable[Scene]] = iter,
) -> list[Path]:
    """Paints a deck into a folder: 001.webp …, `cards.json`, `recipe.json`; cards that are there already stay.

    `progress` wraps the scenes, to show how far it is. Raises `DeckError` when the folder holds another deck.
    """
    out.mkdir(parents=True, exist_ok=True)
    settings = json.dumps(asdict(recipe), indent=1) + "\n"
    note = out / "recipe.json"
    if note.exists() and note.read_text(encoding="utf-8") != settings:
        raise DeckError(f"{out} holds a deck of another recipe: name an empty folder")
    note.write_text(settings, encoding="utf-8")
    paths, entries = [], []
    for number, scene in enumerate(progress(choose_scenes(sources, recipe)), start=1):
        path = out / f"{number:03}.webp"
        if not path.exists():
            partial = path.with_suffix(".part")
            render(sources, scene, SIZE).save(partial, "WEBP", quality=86, method=6)
            partial.rename(path)
        paths.append(path)
        entries.append(card_entry(scene, path.name))
    words = {
        "name": recipe.name,
        "licence": LICENCE,
        "sources": [
            "Noto Emoji by Google, from npm @iconify-json/noto (Apache-2.0)",
            "names and tags from npm emojibase-data (MIT)",
            "landscapes from Debian endless-sky-data, only those in the public domain",
            "style: paintings in the public domain, read from Debian gcompris-qt-data",
        ],
        "cards": entries,
    }
    (out / "cards.json").write_text(json.dumps(words, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return paths


def contact_sheet(paths: list[Path], width: int = 180, columns: int = 12) -> Image.Image:
    """All cards side by side, RGB, each `width` pixels wide, with its file's number."""
    from PIL import ImageDraw

    height, gap = width * 3 // 2, 14
    rows = math.ceil(len(paths) / columns)
    sheet = Image.new("RGB", (columns * (width + 6) + 6, rows * (height + gap) + 6), (32, 30, 38))
    draw = ImageDraw.Draw(sheet)
    for index, path in enumerate(paths):
        x, y = 6 + index % columns * (width + 6), 6 + index // columns * (height + gap)
        with Image.open(path) as picture:
            sheet.paste(picture.convert("RGB").resize((width, height)), (x, y))
        draw.text((x + 2, y + height), path.stem, fill=(220, 214, 200))
    return sheet
