"""The panel `viewers`: listeners whose constants are fitted to what viewers guessed.

Viewers who saw only the pictures guessed which card a clue was for (`bench/viewers`); what each finds likeliest is its
vote. The mean of the panel's beliefs is fitted to these votes, controls included, on the deck `harvest`.
`scripts/fit_panel.py` fits it, and measures it on `nocturne` and `tides`.

One listener sees the pictures, through the two small CLIPs that come with the project, and two read captions, tags and
titles with encoders that no storyteller reads with: MiniLM and word counts. What they share with the `clip` agent's own
reading (`clip/reading.py`): the text of the captions, the origin of the associations that all three CLIPs learned from,
and E5, from whose vectors the text towers of all three learned. E5 itself has no seat.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dixit_env.bench.clues.panels import Eye, Listener, belief
from dixit_env.bench.stats import Floats
from dixit_env.bench.viewers.guesses import Guess
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.languages import LANGUAGES

SEATS = ("clip=lite1+lite2", "captions", "words")
"""The eyes of the listeners."""
FILE = Path(__file__).parent / "viewers_panel.json"  # scripts/fit_panel.py writes it
LEAST = 1e-9  # chosen: the smallest chance of a card in a log loss
LARGEST = 10.0  # chosen: bound of a sharpness


@dataclass(frozen=True)
class Constants:
    """What is fitted."""

    sharpness: Mapping[str, float]  # by eye
    lapse: float  # the same for all

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """One for each eye."""
        return tuple(Listener(eye, sharpness, self.lapse) for eye, sharpness in self.sharpness.items())

    def to_json(self) -> str:
        """As `load_constants` reads it."""
        return json.dumps({"sharpness": dict(self.sharpness), "lapse": self.lapse})


def load_constants(path: Path = FILE) -> Constants:
    """Constants as `Constants.to_json` writes them."""
    return Constants(**json.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True, eq=False)
class Guesses:
    """Tables that viewers guessed, as eyes see them."""

    guesses: tuple[Guess, ...]
    z: Mapping[str, Floats]  # eye → (tables, cards)

    @property
    def votes(self) -> Floats:
        """What viewers vote for, (tables, cards): the card that each finds likeliest; a tie counts in parts."""
        return np.array([guess.likeliest for guess in self.guesses])

    def belief(self, listeners: Sequence[Listener]) -> Floats:
        """The mean belief of listeners, (tables, cards)."""
        return np.mean([belief(one, self.z) for one in listeners], axis=0)


def seen_guesses(guesses: Sequence[Guess], decks: Mapping[str, Deck], eyes: Mapping[str, Mapping[str, Eye]]) -> Guesses:
    """Guesses as eyes see them.

    Args:
        guesses: tables of one size, each of one deck.
        decks: by name.
        eyes: by eye, then by the name of the deck that it sees.

    Raises `DixitError` for tables of several sizes.
    """
    if len({len(guess.table.cards) for guess in guesses}) != 1:
        raise DixitError("the panel is fitted to tables of one size: give guesses that have one")
    row = {card.name: number for deck in decks.values() for number, card in enumerate(deck.cards)}
    cards = np.array([[row[name] for name in guess.table.cards] for guess in guesses])
    of = np.array([guess.table.cards[0].split("/")[0] for guess in guesses])
    z = {}
    for name, by_deck in eyes.items():
        z[name] = np.empty(cards.shape)
        for deck, eye in by_deck.items():
            rows = np.flatnonzero(of == deck).tolist()
            if rows:
                shown = eye([guesses[at].table.clue for at in rows])
                z[name][rows] = np.take_along_axis(shown, cards[rows], 1)
    return Guesses(tuple(guesses), z)


def in_english(guesses: Sequence[Guess], kinds: Mapping[str, str]) -> Iterator[Guess]:
    """The guesses of tables with an English clue, which is what the listeners read.

    `kinds`: of viewers' clues, by text (`viewers.clues.KINDS`): those in other languages are named after these.
    """
    for guess in guesses:
        source = guess.table.source
        foreign = kinds.get(guess.table.clue) in LANGUAGES if source == "viewers" else "lang=" in source
        if not foreign:
            yield guess


def fit(tables: Guesses, eyes: Sequence[str] = SEATS) -> Constants:
    """The constants of listeners with these eyes at which the viewers' votes are likeliest, to four digits."""
    from scipy.optimize import minimize  # here, for it comes with the extra `listeners`

    votes = tables.votes

    def constants(values: Floats) -> Constants:
        *sharpness, lapse = values.tolist()
        return Constants(dict(zip(eyes, sharpness, strict=True)), lapse)

    def surprise(values: Floats) -> float:
        return float(losses(tables.belief(constants(values).listeners), votes).mean())

    start = np.array([1.0] * len(eyes) + [0.1])
    found = minimize(surprise, start, bounds=[(0, LARGEST)] * len(eyes) + [(0, 1)])
    return constants(found.x.round(4))


def losses(belief: Floats, votes: Floats) -> Floats:
    """The log loss of a belief about each table's vote, (tables,); both (tables, cards)."""
    return -(votes * np.log(np.maximum(belief, LEAST))).sum(-1)
