"""What the seats of many games see through: eyes drawn anew for every seat of every game.

Seats that share one CLIP share its errors, and a learner that meets only such seats learns to speak and hear those
errors: a code that strangers don't know. So each seat has noise of its own, as `--eyes noise:R` gives it in tournaments
(`models.eyes`). The noise there is put on the cards' vectors, of which z-scores are linear up to their scale, so here
it is put on the z-scores of the whole clue bank at once, with the same outcome. Games draw their seats' eyes from a
pool, because the tables of one eye are too large to be made for every game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dixit_env.agents.clip.reading import bank_ways
from dixit_env.agents.learned.shortlist import ladder, shortlist
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import DixitError, SpecError
from dixit_env.game.engine import Phase
from dixit_env.models.sight import Sight, z_scores

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

    table: ClipTable
    ways: Vectors  # (ways, clues, cards) in each way that any clue is read, the first beside pictures
    together: Vectors  # (clues, cards) of all clues of the same thing, beside pictures; 0 where nothing vouches

    @classmethod
    def through(cls, sight: Sight) -> "ReadDeck":
        """The deck of a sight, read as the agents do."""
        *ways, together = bank_ways(sight, "en").astype(np.float32)
        return cls(shortlist(sight), np.stack(ways), together)

    @classmethod
    def of(cls, table: ClipTable) -> "ReadDeck":
        """A deck that is read in one way: by the similarities in the table."""
        z = _z_scores(table.similarity)
        return cls(table, z[None], z)

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


@dataclass(frozen=True, eq=False)
class EyePool:
    """The eyes that the seats of many games draw from: groups of equally many, each group of one agreement."""

    heard: Vectors  # (eyes, clues, cards) z-scores over the deck, to whoever hears a clue
    told: Vectors  # (eyes, cards, rungs, cards) the same of the clues of the ladders, to the storyteller
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
        eyes_heard, eyes_told, ladders = [], [], []
        for agreement in np.repeat(agreements, each):
            heard, telling = deck.seen(agreement, rng)
            ladders.append(ladder(telling, deck.table.rungs))
            eyes_heard.append(heard)
            eyes_told.append(telling[ladders[-1]])
        return cls(np.stack(eyes_heard), np.stack(eyes_told), np.stack(ladders), agreements)

    def assigned(self, games: int, players: int, generator: torch.Generator) -> Tensor:
        """(B, P) int64 which eye each seat has: of one agreement in a game, all different unless they are shared."""
        device, each = generator.device, len(self.ladder) // len(self.agreements)
        if each == 1:
            return torch.zeros((games, players), dtype=torch.int64, device=device)
        group = torch.randint(len(self.agreements), (games, 1), generator=generator, device=device)
        order = torch.rand((games, each), generator=generator, device=device).argsort(1)
        return group * each + order[:, :players]


class EyedGame(BatchedGame):
    """B games whose seats have eyes of their own: a storyteller's rung is one of the ladder that it sees itself.

    Observations and masks are those of `BatchedGame`; what each seat sees of clues and cards is the reader's part.

    Args:
        pool: where the eyes come from.
        table: the deck.
        eye_seed: of who has which.
        more: as for `BatchedGame`.
    """

    def __init__(self, games: int, players: int, pool: EyePool, table: ClipTable, eye_seed: int, **more: Any) -> None:
        device = torch.device(more.get("device", "cpu"))
        self.pool = pool
        self.eye_generator = torch.Generator(device).manual_seed(eye_seed)
        self.ladders = torch.as_tensor(pool.ladder, device=device)  # (eyes, cards, rungs)
        self.eyes = torch.zeros((games, players), dtype=torch.int64, device=device)  # (B, P)
        super().__init__(games, players, clip=table, **more)

    def reset(self, games: Tensor | None = None, first: int = 0) -> None:
        """Begin new games, with new eyes."""
        super().reset(games, first)
        drawn = self.pool.assigned(self.games, self.players, self.eye_generator)
        self.eyes = drawn if games is None else torch.where(games[:, None], drawn, self.eyes)

    def step(self, actions: Tensor, autoreset: bool = True) -> Step:
        """As `BatchedGame.step`; the clue is the one that the storyteller sees on the rung."""
        teller, telling = self.storyteller, self.phase is Phase.CLUE
        done = super().step(actions, autoreset)
        if telling:
            position, rung = self.given[:, teller] - 1, (actions[:, 0] - self.spaces.first[Phase.CLUE])
            card = self.hands[:, teller].gather(1, position[:, None]).squeeze(1).long()
            self.clue = self.ladders[self.eyes[:, teller], card, rung % self.ladders.shape[2]]
        return done

    def state(self) -> dict[str, Any]:
        """As `BatchedGame.state`, and the eyes."""
        return super().state() | {"eyes": self.eyes, "eye_draws": self.eye_generator.get_state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """As `BatchedGame.restore`; with the same pool; raises `DixitError` also for eyes that it lacks."""
        eyes: Tensor = state["eyes"]
        if not ((eyes >= 0) & (eyes < len(self.ladders))).all():
            raise DixitError("a seat of a game has an eye that is not in the pool")
        super().restore(state)
        self.eyes = eyes
        self.eye_generator.set_state(state["eye_draws"].cpu())


def _z_scores(values: NDArray[np.floating[Any]]) -> Vectors:
    return z_scores(values).astype(np.float32)
