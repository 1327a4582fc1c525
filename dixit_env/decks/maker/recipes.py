"""Whole decks: which scenes belong together, and their files."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from dixit_env.errors import DeckError
from dixit_env.jobs import run_jobs
from dixit_env.languages import LANGUAGES

from .render import compose, render
from .sampling import sample_scene, suiting
from .scene import Scene
from .sources import Sources, load_sources
from .things import data_rows

RECIPES = Path(__file__).parent.parent / "recipes"
SIZE = (512, 768)
LICENCE = "Apache-2.0"
TOO_NEAR = 20.0
"""root mean square difference of two cards' thumbnails (0 … 255) below which they look alike"""
ATTEMPTS = 100
"""so many scenes of a template are looked at before it is passed over"""


@dataclass(frozen=True)
class Recipe:
    """What a deck is made from. Equal recipes make equal decks."""

    name: str
    count: int
    seed: int
    moods: tuple[str, ...] = ()
    """only these; empty for all"""
    kinds: tuple[str, ...] = ()
    """the same for kinds of landscape"""

    def __post_init__(self) -> None:
        if self.count < 1 or self.seed < 0:
            raise DeckError(f"a deck of {self.count} cards from seed {self.seed}: at least one card, no negative seed")

    def scene(self, sources: Sources, template: str, number: int) -> Scene:
        """The scene of one template and number, in the recipe's moods and landscapes."""
        seed = self.seed * 1_000_000 + number
        return sample_scene(sources, seed, template=template, moods=frozenset(self.moods), kinds=frozenset(self.kinds))


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
    """The scenes of a deck, in order, no two alike.

    Templates come in a shuffled order, each once before any comes again; a main thing, a title and a photograph come
    no more often than they have to, and no card whose thumbnail is near an earlier one's. Raises `DeckError` when the
    recipe has too few different cards.
    """
    names = suiting(frozenset(recipe.moods), frozenset(recipe.kinds))
    places = [place for place in sources.landscapes.values() if not recipe.kinds or place.kind in recipe.kinds]
    rounds = math.ceil(recipe.count / max(1, len(names)))
    photographs = math.ceil(2 * recipe.count / max(1, len(places)))
    rng = np.random.default_rng(recipe.seed)
    order = [name for _ in range(rounds + 1) for name in rng.permutation(names).tolist()]
    titles: Counter[str] = Counter()
    mains: Counter[str] = Counter()
    views: Counter[str] = Counter()
    seen: list[np.ndarray] = []
    for place, template in enumerate(order):
        for attempt in range(ATTEMPTS):
            scene = recipe.scene(sources, template, place * ATTEMPTS + attempt)
            title, main, view = scene.title("en"), scene.main.key, scene.landscape.key
            if titles[title] == rounds or mains[main] == rounds or views[view] == photographs:
                continue
            small = thumbnail(compose(sources, scene, (96, 144)).canvas)
            if any(float(np.sqrt(np.mean((small - other) ** 2))) < TOO_NEAR for other in seen):
                continue
            titles[title] += 1
            mains[main] += 1
            views[view] += 1
            seen.append(small)
            yield scene
            break
        if len(seen) == recipe.count:
            return
    raise DeckError(f"recipe {recipe.name!r} has only {len(seen)} different cards: ask for fewer than {recipe.count}")


def card_entry(scene: Scene, file: str) -> dict[str, Any]:
    """What `cards.json` says of a card."""
    painting = next(row for row in data_rows("paintings.tsv") if row["name"] == scene.style)
    manner = f"{painting['title']} by {painting['painter']}, died {painting['died']} (public domain)"
    return {
        "file": file,
        "title": {language: scene.title(language) for language in LANGUAGES},
        "captions": {language: scene.description(language) for language in LANGUAGES},
        "tags": {language: list(scene.tags(language)) for language in LANGUAGES},
        "licence": LICENCE,
        "sources": [
            "Noto Emoji by Google (Apache-2.0)",
            f"endless-sky-data images/land: {scene.landscape.key}, {scene.other.key} (public domain)",
            f"strokes and colours after {manner}",
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


@dataclass(frozen=True)
class _Painter:
    """What a worker needs to paint cards: where the packages lie."""

    folder: Path

    def __call__(self) -> Callable[[tuple[Scene, Path]], Path]:
        sources = load_sources(self.folder)

        def paint(job: tuple[Scene, Path]) -> Path:
            scene, path = job
            partial = path.with_suffix(".part")
            render(sources, scene, SIZE).save(partial, "WEBP", quality=86, method=6)
            return partial.rename(path)

        return paint


def write_deck(
    sources: Sources,
    recipe: Recipe,
    out: Path,
    progress: Callable[[Iterable[Path]], Iterable[Path]] = iter,
    workers: int = 1,
) -> list[Path]:
    """Paints a deck into a folder: 001.webp …, `cards.json`, `recipe.json`; cards that are there already stay.

    `progress` wraps the cards as they are finished, to show how far it is; `workers`: how many are painted at once.
    Raises `DeckError` when the folder holds another deck.
    """
    out.mkdir(parents=True, exist_ok=True)
    settings = json.dumps(asdict(recipe), indent=1) + "\n"
    note = out / "recipe.json"
    if note.exists() and note.read_text(encoding="utf-8") != settings:
        raise DeckError(f"{out} holds a deck of another recipe: name an empty folder")
    note.write_text(settings, encoding="utf-8")
    cards = {out / f"{number:03}.webp": scene for number, scene in enumerate(choose_scenes(sources, recipe), start=1)}
    jobs = {number: (scene, path) for number, (path, scene) in enumerate(cards.items()) if not path.exists()}
    there = (path for path in cards if path.exists())
    painted = (path for _, path in run_jobs(_Painter(sources.folder), jobs, workers=workers))
    for _ in progress(chain(list(there), painted)):
        pass
    paths, entries = list(cards), [card_entry(scene, path.name) for path, scene in cards.items()]
    words = {
        "name": recipe.name,
        "licence": LICENCE,
        "sources": [
            "Noto Emoji by Google, from npm @iconify-json/noto (Apache-2.0)",
            "names and tags from npm emojibase-data (MIT)",
            "landscapes from Debian endless-sky-data, only those in the public domain",
            "strokes and colours after paintings in the public domain, seen in Debian gcompris-qt-data",
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
