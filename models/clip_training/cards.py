"""Cards to learn from and cards to be measured on, composed by the deck maker and kept in shards.

A shard is a tar of pictures (`SEED.jpg`) and what they show (`SEED.json`). The truth is stored beside the picture
because the maker's seeds mean other scenes once its catalogue grows.
"""

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from tqdm import tqdm

from dixit_env.decks.maker import Scene, Sources, Thing, compose, load_sources, render, sample_scene
from dixit_env.jobs import run_jobs
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.widen import widened

SHARD = 50  # cards
CARD = (192, 288)  # width, height
_QUALITY = 92

# Never on a training card: what the pictures of these look like has to be inferred from what the words mean.
HELD_OUT = frozenset(
    [
        *("fox", "giraffe", "penguin", "crocodile", "dolphin", "butterfly", "scorpion", "snail", "owl", "octopus"),
        *("sunflower", "cactus", "pineapple", "strawberry", "croissant", "teapot", "hourglass-done", "castle"),
        *("tent", "bicycle", "tractor", "helicopter", "rocket", "violin", "trumpet", "camera", "candle"),
        *("scissors", "chair", "anchor", "robot", "telescope", "crown", "mermaid"),
    ]
)


@dataclass(frozen=True)
class Split:
    """A stretch of seeds below those of the embedded deck (1,000,000 and up)."""

    name: str
    first_seed: int
    unseen: bool = False
    """its cards' main thing is a held-out one; other splits show none at all"""
    wide: bool = False
    """its cards also show the emoji that the maker's catalogue leaves out"""
    painted: bool = True
    """its cards are painted; others stay as composed, so that the tower doesn't know things by one manner alone"""

    def scenes(self, sources: Sources) -> Iterator[Scene]:
        """Its scenes without end, always the same."""
        seed = self.first_seed
        while True:
            scene = sample_scene(sources, seed, exclude=frozenset() if self.unseen else HELD_OUT)
            if not self.unseen or scene.main.key in HELD_OUT:
                yield scene
            seed += 1


TRAIN = Split("train", 100_000)
PLAIN = Split("plain", 200_000, painted=False)
WIDE = Split("wide", 300_000, wide=True, painted=False)
TEST = Split("test", 500_000)
UNSEEN = Split("unseen", 600_000, unseen=True)


@dataclass(frozen=True)
class Truth:
    """What a card shows. Words are by language."""

    seed: int
    template: str
    things: tuple[str, ...]  # keys, the main thing first
    names: tuple[dict[str, str], ...]  # of the things
    tags: tuple[dict[str, list[str]], ...]  # of the things
    place: str  # the kind of landscape
    place_name: dict[str, str]
    place_phrase: dict[str, str]
    mood: str
    title: dict[str, str]
    description: dict[str, str]

    @classmethod
    def of(cls, scene: Scene) -> "Truth":
        things: tuple[Thing, ...] = (scene.main, *scene.small)
        return cls(
            seed=scene.seed,
            template=scene.template,
            things=tuple(thing.key for thing in things),
            names=tuple(dict(thing.name) for thing in things),
            tags=tuple({language: list(thing.tags.get(language, ())) for language in LANGUAGES} for thing in things),
            place=scene.landscape.kind,
            place_name=dict(scene.landscape.name),
            place_phrase=dict(scene.landscape.place),
            mood=scene.mood,
            title={language: scene.title(language) for language in LANGUAGES},
            description={language: scene.description(language) for language in LANGUAGES},
        )


@dataclass(frozen=True)
class TrainingCard:
    """A composed card: a JPEG of `CARD` size and what it shows."""

    jpeg: bytes
    truth: Truth

    def image(self) -> Image.Image:
        return Image.open(io.BytesIO(self.jpeg)).convert("RGB")


@dataclass(frozen=True)
class _Renderer:
    """What a worker needs to render shards of a split."""

    split: Split

    def __call__(self) -> Callable[[tuple[Path, list[Scene]]], None]:
        sources = _sources(self.split)
        return lambda shard: _write(sources, self.split.painted, *shard)


def render_split(split: Split, count: int, folder: Path) -> None:
    """Render the split's first `count` cards into shards under `folder`, on all cores; shards that are there stay."""
    folder = folder / split.name
    folder.mkdir(parents=True, exist_ok=True)
    scenes = split.scenes(_sources(split))
    shards = {}
    for number, start in enumerate(range(0, count, SHARD)):
        drawn = [next(scenes) for _ in range(min(SHARD, count - start))]
        path = folder / f"{number:05}.tar"
        if not path.exists():
            shards[number] = path, drawn
    workers = min(os.cpu_count() or 1, len(shards)) or 1
    rendered = run_jobs(_Renderer(split), shards, workers=workers)
    for _ in tqdm(rendered, total=len(shards), desc=f"{split.name} cards", unit="shard", disable=None):
        pass


def _sources(split: Split) -> Sources:
    return widened(load_sources(), HELD_OUT) if split.wide else load_sources()


def render_splits(counts: dict[Split, int], folder: Path) -> None:
    """Render the first cards of several splits, as many as `counts` says, that aren't under `folder` yet."""
    for split, count in counts.items():
        render_split(split, count, folder)


def _write(sources: Sources, painted: bool, path: Path, scenes: list[Scene]) -> None:
    unfinished = path.with_suffix(".part")
    with tarfile.open(unfinished, "w") as shard:
        for scene in scenes:
            buffer = io.BytesIO()
            picture = render(sources, scene, CARD) if painted else compose(sources, scene, CARD).canvas.convert("RGB")
            picture.save(buffer, "JPEG", quality=_QUALITY)
            _add(shard, f"{scene.seed}.jpg", buffer.getvalue())
            _add(shard, f"{scene.seed}.json", json.dumps(vars(Truth.of(scene)), ensure_ascii=False).encode())
    unfinished.replace(path)


def _add(shard: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    shard.addfile(member, io.BytesIO(data))


def read_split(split: Split, folder: Path, limit: int | None = None) -> list[TrainingCard]:
    """The cards of the split's finished shards, the first `limit` of them, in order."""
    cards: list[TrainingCard] = []
    for path in sorted((folder / split.name).glob("*.tar")):
        if limit is not None and len(cards) >= limit:
            break
        cards.extend(_read(path))
    return cards[:limit]


def _read(path: Path) -> Iterator[TrainingCard]:
    with tarfile.open(path) as shard:
        files = {member.name: shard.extractfile(member) for member in shard}
        data = {name: file.read() for name, file in files.items() if file is not None}
    for name in sorted(data):
        if name.endswith(".jpg"):
            yield TrainingCard(data[name], _truth(json.loads(data[name.replace(".jpg", ".json")])))


def _truth(fields: dict[str, Any]) -> Truth:
    listed = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Truth(**(fields | listed))
