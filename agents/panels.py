"""Eyes and panels for the clue benchmark: z-scores of a deck's cards for a clue, by a CLIP or by a reader of captions.

Every eye standardises its similarities over the deck (`sight.z_scores`), so that one sharpness means about the
same for all eyes.

`clip` sees the pictures through the sight's own CLIP, as the agents do. All others are eyes of other kinds, and read
known words only (`vocabulary`): `clip=NAME` sees the pictures through another CLIP, `clip=NAME+NAME` through several,
by the mean of their z-scores; `captions` reads the English captions with all-MiniLM-L6-v2, `e5` with
multilingual-e5-small, and `words` counts the words in common (TF-IDF over caption, title and tags). The embedded CLIP's
text tower learned from E5's vectors, so `e5` is not independent of it; `captions` and `words` are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dixit_env.agents.clue_rows import ROWS, NonsenseGiver, TextGiver, texts_for
from dixit_env.agents.clues.bank import load_bank
from dixit_env.agents.source import SightAgents
from dixit_env.agents.viewers_panel import load_constants
from dixit_env.agents.vocabulary import known_words, of_known_words
from dixit_env.bench.clues.panels import GIVER_EYES, VIEWERS, Eye, Panel, listener
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, SpecError
from dixit_env.languages import LANGUAGES
from dixit_env.models.sight import Floats, Sight, Vectors, z_scores
from dixit_env.table.play import Agent
from dixit_env.words import words_of

READERS = {"captions": "minilm", "e5": "e5"}
"""Eye → its sentence encoder (`models.sentences`)."""

PROMPTS = Path(__file__).parent / "language"

SCRIPTED = {"literal": "greedy", "random-clue": "random"}
"""Clue givers with a name of their own in the benchmark → agents."""

# Listeners of the panels. The sharpness values are chosen: a broad belief and a narrower one.
OTHERS_EYES = ("captions@1.5", "captions@3", "words@3")
TEACHER = ("e5@1.5", "e5@3")
GIVERS_OWN = ("clip@1.5", "clip@3")
USUAL = 16  # every so manieth clue of the bank stands for what is usually said; chosen


@dataclass(frozen=True)
class PanelAgents(SightAgents):
    """The agents and eyes of a clue benchmark, over decks seen through one CLIP (an `EyeSource`)."""

    main: tuple[str, ...] = GIVERS_OWN
    """The listeners of the main panel, whom the row `nonsense` attacks."""

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        """The agent or row behind the name of a clue giver; raises `SpecError`."""
        if name == NonsenseGiver.name:
            listeners = map(listener, self.main)
            return NonsenseGiver([(any_string_eye(one.eye, self.sight()), one.sharpness) for one in listeners])
        if name in ROWS:
            return TextGiver(name, texts_for(name, self.deck()))
        return super().agent(SCRIPTED.get(name, name), seat, seed)

    def eye(self, name: str) -> Eye:
        """The eye of that name (`make_eye`)."""
        return make_eye(name, self.sight())


def make_eye(name: str, sight: Sight) -> Eye:
    """The eye of that name; raises `SpecError` for an unknown one, `DeckError` when the deck has no captions.

    All but `clip` read known words alone: those of the project's clues (E5 in all languages, the others in English) and
    those of the deck.
    """
    eye = any_string_eye(name, sight)
    if name == "clip":
        return eye
    own = words_of(*map(_description, sight.deck.cards))
    return of_known_words(eye, known_words(LANGUAGES if name == "e5" else ("en",)) | own, len(sight.deck))


def any_string_eye(name: str, sight: Sight) -> Eye:
    """The eye of that name as it sees any string, words or not; raises as `make_eye`."""
    kind, _, other = name.partition("=")
    if kind == "clip":
        seeing = _seeing(other, sight)
        return lambda clues: np.mean([z_scores(one.similarity(clues)) for one in seeing], axis=0)
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
            about[name] = "+".join(one.clip.fingerprint for one in _seeing(other, sight))
        else:
            about[name] = READERS.get(kind, "TF-IDF")
    return about


def _seeing(clips: str, sight: Sight) -> list[Sight]:
    """The deck through each CLIP of `NAME+NAME`; through the sight's own for none."""
    return [Sight(sight.deck, clip) for clip in clips.split("+")] if clips else [sight]


def default_panels(deck: Deck, clips: Sequence[str] = (), agents: Sequence[str] = ()) -> tuple[Panel, ...]:
    """The panels that this deck and the installed packages allow, the main one first.

    viewers: the small CLIPs and readers of captions, with constants fitted to what viewers guessed (`viewers_panel`).
    readers: readers of captions with chosen constants, and other `clips`. simulated: the eyes of readers, whose votes
    agree as people's do. e5: a reader that the embedded CLIP learned from. giver-eyes: the CLIP that the givers see
    through, a control. agents: these agents, voting for themselves.

    A deck without captions is judged by CLIPs alone.
    """
    captions = any("en" in card.captions for card in deck.cards)
    other = [f"clip={name}@{sharpness}" for name in clips for sharpness in (1.5, 3)]
    fitted = list(map(str, load_constants().listeners))
    panels = [Panel(VIEWERS, _available(fitted, captions))]
    if readers := _available([*OTHERS_EYES, *other], captions):
        panels += [Panel("readers", readers), Panel("simulated", readers, "simulated")]
    if teacher := _available(TEACHER, captions):
        panels.append(Panel("e5", teacher))
    panels.append(Panel(GIVER_EYES, GIVERS_OWN))
    if agents:
        panels.append(Panel("agents", tuple(agents), "agents"))
    return tuple(panels)


def instructions() -> str:
    """The text of all prompts for language models, to recognise replies that copy it."""
    return " ".join(file.read_text(encoding="utf-8") for file in sorted(PROMPTS.glob("*.toml")))


def missing_readers() -> tuple[str, ...]:
    """Readers whose package isn't installed."""
    from dixit_env.models.sentences import installed

    missing = [name for name, encoder in READERS.items() if not installed(encoder)]
    return (*missing, *(() if find_spec("sklearn") else ("words",)))


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

    told = sentence_vectors(captions, encoder)
    usual = sentence_vectors([clue.text for clue in load_bank()[::USUAL]], encoder)
    return z_scores(without_hubs(sentence_vectors(clues, encoder) @ told.T, usual @ told.T))


def without_hubs(similarity: Vectors, usual: Vectors) -> Vectors:
    """Cosines of clues and cards, (clues, cards), less what each card has with `usual` clues, (n, cards), on average.

    Some cards are near to whatever is said (hubs; Radovanović et al. 2010). A listener would vote for them always.
    """
    return similarity - usual.mean(0)


def _by_words(clues: Sequence[str], descriptions: Sequence[str]) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    cards = words.fit_transform(descriptions)
    return z_scores(np.asarray((words.transform(clues) @ cards.T).todense(), np.float32))
