"""What the two stages learn from, put together: the texts and what they are true of."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from open_clip import CustomTextCLIP
from tqdm import tqdm

from dixit_env.decks.maker import Sources, sample_scene
from dixit_env.decks.maker.things import words
from dixit_env.languages import LANGUAGES
from dixit_env.models.clip_training.cards import Truth
from dixit_env.models.clip_training.meanings import Association, Key, Said, ViewersClue
from dixit_env.models.clip_training.network import Tokens
from dixit_env.models.clip_training.picture_stage import Speech
from dixit_env.models.clip_training.scenes import SceneSpace
from dixit_env.models.clip_training.text_stage import encode_by_length

SCENES = 20_000  # cards without pictures that the text tower hears of
_FIRST_SCENE = 700_000  # seed; between those of the other splits and the decks'
_TAG_PAIRS = 4  # pairs of tags of a thing and language
_BATCH = 512  # texts
_ARTICLES = frozenset(["a", "an", "um", "uma", "uns", "umas", "un", "una", "unos", "unas", "en", "et"])


def names_and_tags(sources: Sources) -> Iterator[Said]:
    """The names of things, moods and kinds of landscape, and the tags of things, one by one and in pairs."""
    rng = np.random.default_rng(0)
    for key, thing in sources.things.items():
        for language in LANGUAGES:
            name, tags = thing.name[language], thing.tags.get(language, ())
            for text in dict.fromkeys((name, without_article(name))):
                yield Said(Association(("thing", key), language, text), "name")
            for tag in tags:
                yield Said(Association(("thing", key), language, tag), "tag")
            if len(tags) > 1:
                for _ in range(_TAG_PAIRS):
                    pair = rng.choice(list(tags), 2, replace=False)
                    yield Said(Association(("thing", key), language, ", ".join(pair)), "tag")
    for mood, told in words()["moods"].items():
        yield from (Said(Association(("mood", mood), language, told[language]), "name") for language in LANGUAGES)
    for kind, told in words()["kinds"].items():
        for language in LANGUAGES:
            for text in (told["name"][language], told["place"][language]):
                yield Said(Association(("place", kind), language, text), "name")


def without_article(name: str) -> str:
    """`an owl` → `owl`, `uma coruja` → `coruja`."""
    first, _, rest = name.partition(" ")
    return rest if rest and first in _ARTICLES else name


def imagined(sources: Sources) -> list[Truth]:
    """Cards to speak of that nobody paints."""
    return [Truth.of(sample_scene(sources, _FIRST_SCENE + number)) for number in range(SCENES)]


def speech(
    network: CustomTextCLIP,
    tokens: Tokens,
    said: Sequence[Said],
    clues: Sequence[ViewersClue],
    cards: Sequence[Truth],
) -> Speech:
    """Everything that the picture tower hears, as vectors of the text tower."""
    texts: dict[str, int] = {}

    def row(text: str) -> int:
        return texts.setdefault(text, len(texts))

    of_key: dict[tuple[str, Key], list[int]] = {}
    for one in said:
        of_key.setdefault((one.kind, one.association.key), []).append(row(one.association.clue))
    of_card: dict[int, list[int]] = {}
    rng = np.random.default_rng(0)
    for truth in cards:
        other = str(rng.choice(LANGUAGES[1:]))
        described = [truth.description["en"], truth.title["en"], truth.description[other]]
        of_card.setdefault(truth.seed, []).extend(map(row, described))
    for clue in clues:
        if clue.card in of_card:
            of_card[clue.card].append(row(clue.clue))
    return Speech(
        text_vectors(network, tokens, list(texts)),
        {key: np.array(rows) for key, rows in of_key.items()},
        {card: np.array(rows) for card, rows in of_card.items()},
    )


def text_vectors(network: CustomTextCLIP, tokens: Tokens, texts: Sequence[str]) -> np.ndarray:
    """Unit vectors of texts by the text tower, float32 (n, dim)."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    vectors = np.empty((len(texts), network.text.text_projection.shape[1]), np.float32)
    for start in tqdm(range(0, len(order), _BATCH), desc="texts", disable=None):
        rows = order[start : start + _BATCH]
        with torch.inference_mode():
            part = encode_by_length(network, tokens([texts[i] for i in rows]))
        vectors[rows] = F.normalize(part, dim=-1).numpy()
    return vectors


def with_named_things(space: SceneSpace, speech: Speech, keys: Sequence[Key]) -> SceneSpace:
    """The space with directions for things of which only names and tags are known: the mean of their vectors."""
    new = [key for key in dict.fromkeys(keys) if key not in space.row and ("name", key) in speech.of_key]
    if not new:
        return space
    rows = [np.concatenate([speech.of_key["name", key], speech.of_key.get(("tag", key), [])]) for key in new]
    means = np.stack([speech.vectors[row.astype(int)].mean(0) for row in rows])
    wider = SceneSpace([*space.keys, *new], space.directions.shape[1])
    with torch.no_grad():
        wider.directions.copy_(torch.cat([space.unit(), F.normalize(torch.from_numpy(means), dim=-1)]))
        wider.weights.copy_(space.weights)
        wider.scale.copy_(space.scale)
    return wider
