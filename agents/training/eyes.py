"""What the seats of many games see through: eyes drawn anew for every seat of every game.

Seats that share one CLIP share its errors, and a learner that meets only such seats learns to speak and hear those
errors: a code that strangers don't know. So each seat has noise of its own, as `--eyes noise:R` gives it in tournaments
(`models.eyes`). The noise there is put on the cards' vectors, of which z-scores are linear up to their scale, so here
it is put on the z-scores of the whole clue bank at once, with the same outcome. Games draw their seats' eyes from a
pool, because the tables of one eye are too large to be made for every game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dixit_env.agents.clip.reading import DeckBank, ReadBank, bank_ways, deck_bank
from dixit_env.agents.clues.bank import KINDS
from dixit_env.agents.learned.shortlist import ladder, shortlist
from dixit_env.decks.deck import Deck
from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import SpecError
from dixit_env.models.sight import Floats, Sight, z_scores

GROUPS = 3  # agreements in a pool, spread over their range; chosen
SPARE = 2  # eyes of each agreement beyond those of one table: so the same eyes seldom meet again; chosen

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class EyeRange:
    """How far two seats of a game agree: the correlation of their z-scores, drawn for each game from low to high."""

    low: float = 1.0
    high: float = 1.0

    @classmethod
    def parse(cls, text: str) -> "EyeRange":
        """`shared`, `noise:R` or `noise:LOW-HIGH`; raises `SpecError`."""
        if text == "shared":
            return cls()
        kind, _, value = text.partition(":")
        low, _, high = value.partition("-")
        try:
            found = cls(float(low), float(high or low))
        except ValueError:
            found = cls(0.0, 0.0)
        if kind != "noise" or not 0 < found.low <= found.high <= 1:
            raise SpecError(
                "eyes in training are shared, noise:R or noise:LOW-HIGH with correlations above 0 and at most 1, such"
                f" as noise:0.3-0.8, not {text!r}"
            )
        return found

    def __str__(self) -> str:
        """As it is parsed."""
        if self.low == 1:
            return "shared"
        return f"noise:{self.low:g}" if self.low == self.high else f"noise:{self.low:g}-{self.high:g}"


@dataclass(frozen=True, eq=False)
class ReadDeck:
    """A deck beside the clue bank, before anybody's noise: z-scores over the deck."""

    deck: Deck
    bank: DeckBank  # the clue bank, in the order of the table
    table: ClipTable
    ways: Vectors  # (ways, clues, cards) in each way that any clue is read, the first beside pictures
    together: Vectors  # (clues, cards) of all clues of the same thing, beside pictures; 0 where nothing vouches

    @classmethod
    def through(cls, sight: Sight) -> "ReadDeck":
        """The deck of a sight, read as the agents do."""
        *ways, together = bank_ways(sight, "en").astype(np.float32)
        return cls(sight.deck, deck_bank(sight.clear, "en"), shortlist(sight), np.stack(ways), together)

    @classmethod
    def of(cls, table: ClipTable) -> "ReadDeck":
        """A deck that is read in one way: by the similarities in the table. No clue is literal."""
        z = _z_scores(table.similarity)
        names = np.zeros(z.shape, np.bool_)
        bank = DeckBank(table.texts, np.full(len(z), KINDS[0]), names, table.clues, np.zeros_like(table.clues))
        return cls(Deck.blank(z.shape[1]), bank, table, z[None], z)

    def seen(self, agreement: float, rng: np.random.Generator) -> tuple[Vectors, Vectors]:
        """What one seat makes of all clues, (clues, cards): as it hears them, and as it would tell them.

        In each way the z-scores of two seats correlate by `agreement` in the mean, as through `models.eyes.noisy`.
        """
        ways, together = self.ways, self.together
        if agreement < 1:
            cards = ways.shape[2]
            weights = rng.standard_normal((len(ways), cards, cards), dtype=np.float32) / sqrt(cards)
            ways = _z_scores(sqrt(agreement) * ways + sqrt(1 - agreement) * (ways @ weights))
            together = _z_scores(sqrt(agreement) * together + sqrt(1 - agreement) * (together @ weights[0]))
        return _z_scores(ways.mean(0)), (ways.sum(0) + together) / (len(ways) + 1)


@dataclass(frozen=True)
class Heard:
    """How one eye reads the clues of the bank, and no others (`agents.clip.reading.Reads`)."""

    numbers: Mapping[str, int]
    z_scores: Vectors  # (clues, cards)

    def z(self, clue: str) -> Floats:
        """The z-score over the deck of each card, (cards,), in double precision: the odds of the sharpest voters need
        it."""
        return self.z_scores[self.numbers[clue]].astype(np.float64)


@dataclass(frozen=True, eq=False)
class EyePool:
    """The eyes that the seats of many games draw from: groups of equally many, each group of one agreement."""

    deck: Deck
    heard: Vectors  # (eyes, clues, cards) z-scores over the deck, to whoever hears a clue
    banks: tuple[ReadBank, ...]  # (eyes,) the same of all clues, to the storyteller
    ladder: NDArray[np.int64]  # (eyes, cards, rungs) clue numbers
    agreements: tuple[float, ...]  # of each group

    @classmethod
    def drawn(cls, deck: ReadDeck, eyes: EyeRange, players: int, seed: int) -> "EyePool":
        """Eyes for tables of so many players; through `shared` eyes there is one for all."""
        rng = np.random.default_rng(seed)
        groups = 1 if eyes.low == eyes.high else GROUPS
        spread = (np.arange(groups) + rng.random(groups)) / groups
        agreements = tuple(float(value) for value in eyes.low + (eyes.high - eyes.low) * spread)
        each = 1 if eyes.low == 1 else players + SPARE
        seen = [deck.seen(agreement, rng) for agreement in np.repeat(agreements, each)]
        heard = np.stack([hears for hears, _ in seen])
        banks = tuple(ReadBank(deck.bank, tells) for _, tells in seen)
        ladders = np.stack([ladder(bank.z, deck.table.rungs) for bank in banks])
        return cls(deck.deck, heard, banks, ladders, agreements)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each clue by its text."""
        return self.banks[0].numbers

    @cached_property
    def eyes(self) -> list[tuple[Heard, ReadBank]]:
        """How a CLIP agent hears clues through each eye, and how it reads those that it may tell."""
        return [(Heard(self.numbers, z), bank) for z, bank in zip(self.heard, self.banks, strict=True)]

    @property
    def told(self) -> Vectors:
        """(eyes, cards, rungs, cards) z-scores over the deck of the clues of the ladders, to the storyteller."""
        return np.stack([bank.z[ladder] for bank, ladder in zip(self.banks, self.ladder, strict=True)])

    def assigned(self, games: int, players: int, generator: torch.Generator) -> Tensor:
        """(B, P) int64 which eye each seat has: of one agreement in a game, all different unless they are shared."""
        device, each = generator.device, len(self.ladder) // len(self.agreements)
        if each == 1:
            return torch.zeros((games, players), dtype=torch.int64, device=device)
        group = torch.randint(len(self.agreements), (games, 1), generator=generator, device=device)
        order = torch.rand((games, each), generator=generator, device=device).argsort(1)
        return group * each + order[:, :players]


def _z_scores(values: NDArray[np.floating[Any]]) -> Vectors:
    return z_scores(values).astype(np.float32)
