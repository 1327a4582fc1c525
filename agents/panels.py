"""Eyes and panels for the clue benchmark: z-scores of a deck's cards for a clue, by a CLIP or by a reader of captions.

Every eye standardises its similarities over the deck (`sight.z_scores`), so that one sharpness means about the
same for all eyes.

`clip` sees the pictures through the sight's own CLIP, `clip=NAME` through another one. The others read the English
captions: `captions` with all-MiniLM-L6-v2, `e5` with multilingual-e5-small, `words` by the words in common (TF-IDF over
caption, title and tags). The embedded CLIP's text tower was trained on MiniLM's vectors, so `captions` is not
independent of `clip`; `e5` and `words` are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dixit_env.agents.source import SightAgents
from dixit_env.bench.clues.panels import Eye, Panel, eyes_of
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, SpecError
from dixit_env.models.sight import Floats, Sight, z_scores
from dixit_env.table.play import Agent

READERS = {"captions": "minilm", "e5": "e5"}
"""Eye → its sentence encoder (`models.sentences`)."""

PROMPTS = Path(__file__).parent / "language"

SCRIPTED = {"literal": "greedy", "random-clue": "random"}
"""Clue givers with a name of their own in the benchmark → agents."""

# Listeners of the panels. The sharpness values are chosen: from a broad belief (1.5) to a decided one (6).
MIXED = ("clip@1.5", "clip@3", "captions@1.5", "captions@3")
HELD_OUT = ("e5@1.5", "e5@3")
HELD_OUT_ELSE = ("words@3",)  # where e5 is not installed
CLONE = "clip@6"


@dataclass(frozen=True)
class PanelAgents(SightAgents):
    """The agents and eyes of a clue benchmark, over decks seen through one CLIP (an `EyeSource`)."""

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        """The agent behind the name of a clue giver; raises `SpecError`."""
        return super().agent(SCRIPTED.get(name, name), seat, seed)

    def eye(self, name: str) -> Eye:
        """The eye of that name (`make_eye`)."""
        return make_eye(name, self.sight())


def make_eye(name: str, sight: Sight) -> Eye:
    """The eye of that name; raises `SpecError` for an unknown one, `DeckError` when the deck has no captions."""
    kind, _, other = name.partition("=")
    if kind == "clip":
        seeing = Sight(sight.deck, other) if other else sight
        return lambda clues: z_scores(seeing.similarity(clues))
    if kind in READERS:
        captions = _captions(sight.deck)
        return lambda clues: _by_sentences(clues, captions, READERS[kind])
    if kind == "words":
        descriptions = [_description(card) for card in sight.deck.cards]
        return lambda clues: _by_words(clues, descriptions)
    raise SpecError(f"no eye is called {name!r}: choose clip, clip=NAME, {', '.join(READERS)} or words")


def about_eyes(names: Sequence[str], sight: Sight) -> Mapping[str, str]:
    """The model behind each eye: a CLIP's fingerprint, or the encoder's name."""
    about = {}
    for name in names:
        kind, _, other = name.partition("=")
        if kind == "clip":
            about[name] = (Sight(sight.deck, other) if other else sight).clip.fingerprint
        else:
            about[name] = READERS.get(kind, "TF-IDF")
    return about


def default_panels(deck: Deck, clips: Sequence[str] = (), agents: Sequence[str] = ()) -> tuple[Panel, ...]:
    """The panels that this deck and the installed packages allow, the main one first.

    mixed: the CLIP, other `clips` and a reader of captions, each with two sharpness values. people: simulated people
    around the mean belief of `mixed`. clones: one sharp CLIP in every seat. held-out: readers that nothing is
    tuned against. agents: these agents, voting for themselves.
    """
    other = [f"clip={name}@{sharpness}" for name in clips for sharpness in (1.5, 3)]
    captions = any("en" in card.captions for card in deck.cards)
    mixed = _available([*MIXED, *other], captions)
    held_out = _available(HELD_OUT, captions) or _available(HELD_OUT_ELSE, captions)
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
    """The text of all prompts for language models, to recognise replies that copy it."""
    return " ".join(file.read_text(encoding="utf-8") for file in sorted(PROMPTS.glob("*.toml")))


def missing_readers() -> tuple[str, ...]:
    """Readers whose package isn't installed."""
    from dixit_env.models.sentences import installed

    return tuple(name for name, encoder in READERS.items() if not installed(encoder))


def _available(listeners: Sequence[str], captions: bool) -> tuple[str, ...]:
    """Those of the listeners whose eyes are installed and, if they read, have captions to read."""
    missing = missing_readers()
    eyes = [(name, name.rpartition("@")[0]) for name in listeners]
    return tuple(name for name, eye in eyes if eye.startswith("clip") or (captions and eye not in missing))


def _captions(deck: Deck) -> tuple[str, ...]:
    missing = [card.name for card in deck.cards if "en" not in card.captions]
    if missing:
        raise DeckError(f"{len(missing)} cards have no English caption ({missing[0]}, …): a reader can't see them")
    return tuple(card.captions["en"] for card in deck.cards)


def _description(card: Card) -> str:
    return " ".join([card.captions.get("en", ""), card.title.get("en", ""), *card.tags.get("en", ())])


def _by_sentences(clues: Sequence[str], captions: Sequence[str], encoder: str) -> Floats:
    from dixit_env.models.sentences import sentence_vectors

    return z_scores(sentence_vectors(clues, encoder) @ sentence_vectors(captions, encoder).T)


def _by_words(clues: Sequence[str], descriptions: Sequence[str]) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    cards = words.fit_transform(descriptions)
    return z_scores(np.asarray((words.transform(clues) @ cards.T).todense(), np.float32))
