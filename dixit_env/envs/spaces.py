"""Moves as integers and views as arrays, the same for every environment.

An action is one integer with one meaning, whatever the phase: 0 waits, then come the clues (position in the hand, rung
of that card's ladder), the cards to give (position, or pair of positions), and the votes. The observation is a vector
of named pieces, made from the view alone. Both layouts are fixed by the rules at the table, the size of the deck and
the CLIP table; `Spaces.describe()` prints them.
"""

from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards, legal_votes
from dixit_env.game.rules import TableRules
from dixit_env.game.view import View

WAIT = 0  # the only legal action of a seat that has nothing to do
PHASES = (Phase.CLUE, Phase.CARDS, Phase.VOTES)
NO_CARD = -1  # where a card or a clue is missing
SILENT = "…"  # the clue where no CLIP table gives words

Observation = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Piece:
    """A named stretch of the observation vector."""

    name: str
    shape: tuple[int, ...]
    start: int
    low: float
    high: float
    meaning: str

    @property
    def where(self) -> slice:
        """Its place in the vector."""
        return slice(self.start, self.start + prod(self.shape))


class Spaces:
    """The action and observation layout of one table.

    Args:
        rules: the rules at this table.
        cards: number of cards in the deck.
        clip: embeddings and clue ladders; without it there is one silent clue, and no similarity in the observation.
        embeddings: put the embeddings themselves into the observation. They make it large: a network that keeps the
            CLIP table can look them up by the card and clue numbers, which are there in any case.
    """

    def __init__(
        self, rules: TableRules, cards: int = 84, clip: ClipTable | None = None, embeddings: bool = False
    ) -> None:
        if clip is not None and len(clip.cards) != cards:
            raise DixitError(f"the CLIP table is for {len(clip.cards)} cards, the deck has {cards}: make one for it")
        if embeddings and clip is None:
            raise DixitError("embeddings come from a CLIP table: pass clip=")
        self.rules = rules
        self.cards = cards
        self.clip = clip
        self.embeddings = embeddings
        positions = range(rules.hand)
        self.clues = list(product(positions, range(clip.rungs if clip else 1)))
        self.gifts = list(combinations(positions, rules.gives))
        self._casts = legal_votes(rules.slots, (), rules.dials_least, rules.dials_most, rules.may_stack)
        self.votes = [cast.slots for cast in self._casts]
        self.first = {
            Phase.CLUE: 1,
            Phase.CARDS: 1 + len(self.clues),
            Phase.VOTES: 1 + len(self.clues) + len(self.gifts),
        }  # the first action of each phase
        self.actions = self.first[Phase.VOTES] + len(self.votes)
        self.pieces = {piece.name: piece for piece in _pieces(rules, cards, clip, embeddings)}
        self.size = sum(prod(piece.shape) for piece in self.pieces.values())

        self._where = {name: piece.where for name, piece in self.pieces.items()}
        self._masks: dict[tuple[Phase, tuple[int, ...]], NDArray[np.int8]] = {}
        self._blanks: dict[tuple[Phase, int], NDArray[np.float32]] = {}

    def action_space(self) -> Discrete:
        """A new space object."""
        return Discrete(self.actions)

    def observation_space(self) -> Dict:
        """A new space object: `observation` float32 (size,), `action_mask` int8 (actions,)."""
        pieces = self.pieces.values()
        low = np.concatenate([np.full(prod(piece.shape), piece.low, np.float32) for piece in pieces])
        high = np.concatenate([np.full(prod(piece.shape), piece.high, np.float32) for piece in pieces])
        return Dict({"observation": Box(low, high), "action_mask": Box(0, 1, (self.actions,), np.int8)})

    def move(self, view: View, action: int) -> Move | None:
        """The move that an action means to this seat; None when it is not legal now (or waits)."""
        if view.idle:
            return None
        index = action - self.first[view.phase]
        if view.phase is Phase.CLUE and 0 <= index < len(self.clues):
            position, rung = self.clues[index]
            card = view.hand[position]
            return GiveClue(card, self.clip.texts[self.clip.ladder[card, rung]] if self.clip else SILENT)
        if view.phase is Phase.CARDS and 0 <= index < len(self.gifts):
            return PlayCards(tuple([view.hand[position] for position in self.gifts[index]]))
        if view.phase is Phase.VOTES and 0 <= index < len(self.votes):
            cast = self._casts[index]
            return None if set(cast.slots) & set(view.own_slots) else cast
        return None

    def action(self, view: View, move: Move) -> int | None:
        """The action that means a legal move of this seat: `move` the other way round.

        Without a CLIP table any clue is the silent one. With one, a clue on no rung of its card's ladder gives None.
        """
        match move:
            case GiveClue():
                rung = 0
                if self.clip:
                    ladder = self.clip.ladder[move.card].tolist()
                    if (clue := self.clip.numbers.get(move.clue)) not in ladder:
                        return None
                    rung = ladder.index(clue)
                return self.first[Phase.CLUE] + self.clues.index((view.hand.index(move.card), rung))
            case PlayCards():
                positions = tuple(sorted(map(view.hand.index, move.cards)))
                return self.first[Phase.CARDS] + self.gifts.index(positions)
            case CastVotes():
                return self.first[Phase.VOTES] + self.votes.index(tuple(sorted(move.slots)))

    def mask(self, view: View) -> NDArray[np.int8]:
        """(actions,) int8: 1 where the action is legal; `WAIT` alone when the seat has nothing to do. A new array."""
        key = (Phase.OVER if view.idle else view.phase, view.own_slots)
        if (mask := self._masks.get(key)) is None:
            legal = [action for action in range(self.actions) if self.move(view, action)]
            mask = np.zeros(self.actions, np.int8)
            mask[legal or [WAIT]] = 1
            self._masks[key] = mask
        return mask.copy()

    def features(self, view: View) -> NDArray[np.float32]:
        """(size,) float32: the pieces, as `describe()` lists them. A new array."""
        seat, where, clip, hand = view.seat, self._where, self.clip, list(view.hand)
        if seat is None:
            raise DixitError("a spectator has no features: view the game from a seat")
        vector = self.blank(view.phase, (view.storyteller - seat) % self.rules.players).copy()
        target, scores = self.rules.target, view.scores[seat:] + view.scores[:seat]
        clue = clip.numbers.get(view.clue, NO_CARD) if clip else NO_CARD
        values = [*[points / target for points in scores], view.pile / self.cards, clue, *hand]
        start = where["scores"].start
        vector[start : start + len(values)] = values  # four pieces at once: small assignments are what takes time
        if view.slots:
            vector[where["slots"]] = view.slots
            start = where["own"].start
            for slot in view.own_slots:
                vector[start + slot] = 1
        if clip is None:
            return vector
        if view.phase is Phase.CLUE and seat == view.storyteller:
            vector[where["rung_similarity"]] = clip.rung_similarity[hand].ravel()
        if clue != NO_CARD:
            similarity = clip.similarity[clue]
            start = where["hand_similarity"].start
            vector[start : start + len(hand)] = similarity[hand]
            if view.slots:
                vector[where["slot_similarity"]] = similarity[list(view.slots)]
        if self.embeddings:
            start = where["hand_embedding"].start
            vector[start : start + len(hand) * clip.width] = clip.cards[hand].ravel()
            if clue != NO_CARD:
                vector[where["clue_embedding"]] = clip.clues[clue]
            if view.slots:
                vector[where["slot_embedding"]] = clip.cards[list(view.slots)].ravel()
        return vector

    def observe(self, view: View) -> Observation:
        """What a seat gets to see, as new arrays."""
        return {"observation": self.features(view), "action_mask": self.mask(view)}

    def describe(self) -> str:
        """The two layouts as Markdown tables."""
        first, last = self.first, self.actions - 1
        cards, votes = first[Phase.CARDS], first[Phase.VOTES]
        clue = f"clue: hand position {self.clues[0][0]} to {self.clues[-1][0]}, each with rung 0 to {self.clues[-1][1]}"
        rows = [
            ("0", "wait: the seat has nothing to do"),
            (f"{first[Phase.CLUE]}–{cards - 1}", clue),
            (f"{cards}–{votes - 1}", f"cards: hand position{_listed(self.gifts)}"),
            (f"{votes}–{last}", f"votes: slot{_listed(self.votes)}"),
        ]
        actions = ["| action | meaning |", "|---|---|", *[f"| {numbers} | {text} |" for numbers, text in rows]]
        vector = ["| piece | index | shape | range | meaning |", "|---|---|---|---|---|"]
        for piece in self.pieces.values():
            where = piece.where
            index = f"{where.start}" if where.stop - where.start == 1 else f"{where.start}–{where.stop - 1}"
            shape = "×".join(map(str, piece.shape))
            vector.append(
                f"| `{piece.name}` | {index} | {shape} | {piece.low:g} to {piece.high:.3g} | {piece.meaning} |"
            )
        return "\n".join([*actions, "", *vector])

    def blank(self, phase: Phase, storyteller: int) -> NDArray[np.float32]:
        """(size,) the part of an observation that phase and storyteller fix.

        `storyteller` counts seats from the own one on. Kept between calls: copy it before a change.
        """
        if (blank := self._blanks.get((phase, storyteller))) is None:
            blank = np.zeros(self.size, np.float32)
            for name in ("hand", "clue", "slots"):
                blank[self._where[name]] = NO_CARD
            blank[self._where["target"]] = self.rules.target / 30
            blank[self._where["players"]] = self.rules.players / 12
            if phase is not Phase.OVER:
                blank[self._where["phase"].start + PHASES.index(phase)] = 1
                blank[self._where["storyteller"].start + storyteller] = 1
            self._blanks[phase, storyteller] = blank
        return blank


def _pieces(rules: TableRules, cards: int, clip: ClipTable | None, embeddings: bool) -> list[Piece]:
    players, hand, slots = rules.players, rules.hand, rules.slots
    clues = len(clip.clues) if clip else 0
    clue_points = rules.dial_points * rules.dials_most + rules.single_dial_bonus
    all_points = rules.all_points + (rules.single_dial_bonus if rules.single_bonus_when_all else 0)
    most = max(all_points, rules.none_points, rules.storyteller_points, clue_points)
    most += rules.decoy_points * rules.dials_most * (players - 2)
    highest = rules.target - 1 + most if rules.last_turn is None else rules.last_turn * most
    pieces: list[Piece] = []

    def add(name: str, shape: tuple[int, ...], low: float, high: float, meaning: str) -> None:
        pieces.append(Piece(name, shape, pieces[-1].where.stop if pieces else 0, low, high, meaning))

    add("phase", (3,), 0, 1, "clue, cards, votes: one of them is 1; all 0 when the game is over")
    add("storyteller", (players,), 0, 1, "1 for the storyteller, seats counted from the own one on; all 0 at the end")
    add("target", (1,), 0, max(1, rules.target / 30), "points that end the game / 30")
    add("players", (1,), 0, 1, "players / 12")
    add("scores", (players,), 0, highest / rules.target, "points / target, own seat first")
    add("pile", (1,), 0, 1, "cards in the draw pile / cards in the deck")
    add("clue", (1,), NO_CARD, max(0, clues - 1), "clue number; -1: none yet, or not in the CLIP table")
    add("hand", (hand,), NO_CARD, cards - 1, "card numbers; cards that were given are gone, -1 fills the end")
    add("slots", (slots,), NO_CARD, cards - 1, "card numbers on the table; -1 before the vote")
    add("own", (slots,), 0, 1, "1 where an own card lies")
    if clip:
        add(
            "rung_similarity",
            (hand, clip.rungs),
            -1,
            1,
            "storyteller's choice: cosine of card and clue of each rung; else 0",
        )
        add("hand_similarity", (hand,), -1, 1, "cosine of the clue and each hand card; 0: no clue or no card")
        add("slot_similarity", (slots,), -1, 1, "cosine of the clue and each card on the table; 0: none")
    if clip and embeddings:
        add("hand_embedding", (hand, clip.width), -1, 1, "of each hand card; 0: no card")
        add("clue_embedding", (clip.width,), -1, 1, "of the clue; 0: none")
        add("slot_embedding", (slots, clip.width), -1, 1, "of each card on the table; 0: none")
    return pieces


def _listed(choices: list[tuple[int, ...]]) -> str:
    """The first and last choices in words: "s (0,), (1,) … (5,)"."""
    shown = [" + ".join(map(str, choice)) for choice in choices]
    return "s " + ", ".join(shown if len(shown) < 4 else [*shown[:2], "…", shown[-1]])
