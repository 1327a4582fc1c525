"""What the seats of many games see through: eyes drawn anew for every seat of every game.

Seats that share one CLIP share its errors, and a learner that meets only such seats learns to speak and hear those
errors: a code that strangers don't know. So each seat has noise of its own, as `--eyes noise:R` gives it in tournaments
(`models.eyes`). The noise there is put on the cards' vectors, of which z-scores are linear up to their scale, so here
it is put on the z-scores of the whole clue bank at once, with the same outcome. Games draw their seats' eyes from a
pool, because the tables of one eye are too large to be made for every game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dixit_env.agents.clip.reading import DeckBank, ReadBank, bank_ways, deck_bank
from dixit_env.agents.clues.bank import KINDS
from dixit_env.agents.learned.shortlist import ladder, shortlist
from dixit_env.decks.deck import Deck
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import DixitError, SpecError
from dixit_env.game.engine import Phase, PlayedTurn
from dixit_env.game.scoring import score_checked
from dixit_env.models.sight import Sight, z_scores

REMEMBERED = 32  # turns; games last hardly twenty
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

    def z(self, clue: str) -> Vectors:
        """The z-score over the deck of each card, (cards,)."""
        return self.z_scores[self.numbers[clue]]


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


class History(NamedTuple):
    """The finished turns of a game that began when so many turns had been played in the batch."""

    began: int
    turns: tuple[PlayedTurn, ...]


class EyedGame(BatchedGame):
    """B games whose seats have eyes of their own: a storyteller's rung is one of the ladder that it sees itself.

    Observations and masks are those of `BatchedGame`; what each seat sees of clues and cards is the reader's part. The
    last `REMEMBERED` turns of every game are kept, for whoever learns of the others from them.

    Args:
        pool: where the eyes come from.
        table: the deck.
        eye_seed: of who has which.
        more: as for `BatchedGame`.
    """

    def __init__(self, games: int, players: int, pool: EyePool, table: ClipTable, eye_seed: int, **more: Any) -> None:
        device = torch.device(more.get("device", "cpu"))
        self.pool, self.texts = pool, table.texts
        self.eye_generator = torch.Generator(device).manual_seed(eye_seed)
        self.ladders = torch.as_tensor(pool.ladder, device=device)  # (eyes, cards, rungs)
        self.eyes = torch.zeros((games, players), dtype=torch.int64, device=device)  # (B, P)
        super().__init__(games, players, clip=table, **more)
        shapes = {"clue": (), "slots": (self.rules.slots,), "slot_of": (self.rules.slots,), "votes": (players - 1,)}
        self.past = {
            name: torch.zeros((REMEMBERED, games, *shape), dtype=torch.int32, device=device)
            for name, shape in shapes.items()
        }
        """the last turns, (T, B, …) int32, the newest last; how many of them belong to a game its turn tells"""
        self.finished = 0  # turns of all games
        self.kept: dict[int, History] = {}  # by game

    def reset(self, games: Tensor | None = None, first: int = 0) -> None:
        """Begin new games, with new eyes."""
        super().reset(games, first)
        drawn = self.pool.assigned(self.games, self.players, self.eye_generator)
        self.eyes = drawn if games is None else torch.where(games[:, None], drawn, self.eyes)

    def step(self, actions: Tensor, autoreset: bool = True) -> Step:
        """As `BatchedGame.step`; the clue is the one that the storyteller sees on the rung, or that of `free_clue`."""
        teller, phase = self.storyteller, self.phase
        if phase is Phase.CLUE:
            choice, rungs = actions[:, 0] - self.spaces.first[phase], self.ladders.shape[2]
            free = choice - len(self.spaces.clues)  # from 0 for a clue that is not chosen by its rung
            choice = torch.where(free < 0, choice, free // len(self.texts) * rungs)
            done = super().step(choice[:, None] + self.spaces.first[phase], autoreset)
            position = self.given[:, teller] - 1
            card = self.hands[:, teller].gather(1, position[:, None]).squeeze(1).long()
            on_rung = self.ladders[self.eyes[:, teller], card, choice % rungs]
            self.clue = torch.where(free < 0, on_rung, free % len(self.texts))
            return done
        done = super().step(actions, autoreset)
        if phase is Phase.VOTES:
            for name, turns in self.past.items():
                self.past[name] = torch.cat((turns[1:], getattr(self, name)[None].int()))
            self.finished += 1
        return done

    def free_clue(self, position: int, clue: int) -> int:
        """The choice of a storyteller who gives the card at a position of the hand and tells any clue of the table."""
        return len(self.spaces.clues) + position * len(self.texts) + clue

    def began(self, rows: Sequence[int]) -> list[int]:
        """After how many turns of all games some of them began; a number below 0 where they went on from a state."""
        return [self.finished + 1 - turn for turn in self.turn[torch.tensor(rows, device=self.device)].tolist()]

    def histories(self, rows: Sequence[int]) -> list[tuple[PlayedTurn, ...]]:
        """The finished turns of some games, at most the last `REMEMBERED`."""
        known: dict[int, History] = {}
        lacking = 0
        for row, began in zip(rows, self.began(rows), strict=True):
            kept = self.kept.get(row)
            known[row] = kept if kept and kept.began == began else History(began, ())
            lacking = max(lacking, self.finished - began - len(known[row].turns))
        lacking = min(lacking, REMEMBERED)
        at = torch.tensor(rows, device=self.device)
        past = {name: turns[REMEMBERED - lacking :, at].tolist() for name, turns in self.past.items()}
        for number, row in enumerate(rows):
            began, turns = known[row]
            new = min(self.finished - began - len(turns), REMEMBERED)
            played = [self._played(past, number, lacking - back, back, began) for back in range(new, 0, -1)]
            self.kept[row] = known[row] = History(began, (*turns, *played))
        return [known[row].turns for row in rows]

    def _played(self, past: Mapping[str, Any], row: int, at: int, back: int, began: int) -> PlayedTurn:
        """The turn that all games finished `back` turns ago, in one that began after `began` of them; `past` lists by
        turn and game."""
        rules, teller = self.rules, (self.storyteller - back) % self.players
        owner_of = {slot: number // rules.gives for number, slot in enumerate(past["slot_of"][at][row])}
        owners = tuple(owner_of[slot] for slot in range(rules.slots))
        cast = [self.spaces.votes[choice] for choice in past["votes"][at][row]]
        votes = (*cast[:teller], (), *cast[teller:])
        clue, slots = self.texts[past["clue"][at][row]], tuple(past["slots"][at][row])
        number, points = self.finished - back - began + 1, score_checked(rules, teller, owners, votes)
        return PlayedTurn(number, teller, clue, slots, owners, votes, points)

    def state(self) -> dict[str, Any]:
        """As `BatchedGame.state`, and the eyes."""
        return super().state() | {"eyes": self.eyes, "eye_draws": self.eye_generator.get_state(), "past": self.past}

    def restore(self, state: Mapping[str, Any]) -> None:
        """As `BatchedGame.restore`; with the same pool; raises `DixitError` also for eyes that it lacks."""
        eyes: Tensor = state["eyes"]
        if not ((eyes >= 0) & (eyes < len(self.ladders))).all():
            raise DixitError("a seat of a game has an eye that is not in the pool")
        past: dict[str, Tensor] = state["past"]
        counts = {"clue": len(self.texts), "slots": self.spaces.cards, "votes": len(self.spaces.votes)}
        for name, values in past.items():
            if not ((values >= 0) & (values < counts.get(name, self.rules.slots))).all():
                raise DixitError(f"a past turn of a game has {name} that there are not")
        super().restore(state)
        self.eyes, self.past, self.kept = eyes, past, {}
        self.eye_generator.set_state(state["eye_draws"].cpu())


def _z_scores(values: NDArray[np.floating[Any]]) -> Vectors:
    return z_scores(values).astype(np.float32)
