"""Deals of the clue benchmark, and the table that a clue makes of a deal.

A deal is the first turn of a game in which seat 0 is the storyteller. It is dealt for as many seats as the deck allows,
so that the same hands and the same clue can be scored at every table size: a table of n players is its first n seats.

The others' decoys are drawn by one rule, whoever gives the clue and whoever votes. Each seat plays the card(s) of its
hand that a softmax of sharpness `DECOY` over the cards' z-scores for the clue takes, with noise that belongs to the
deal. So two clues on one deal meet the same hands and the same noise.
"""

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.stats import Floats
from dixit_env.game.engine import GameState, new_game
from dixit_env.game.rules import Rules
from dixit_env.game.streams import stream

DECOY_EYE = "clip"  # the eye (`panels`) through which decoys are chosen
DECOY = 1.5  # softmax sharpness of those who give decoys; chosen, the broadest of the main panel's listeners


@dataclass(frozen=True)
class Deal:
    """Hands for a turn in which seat 0 is the storyteller."""

    number: int
    seed: int
    state: GameState  # at the run's table size, before the clue
    hands: tuple[tuple[int, ...], ...]  # (seats,) as many as the deck allows

    @cached_property
    def noise(self) -> Floats:
        """Gumbel noise of every seat's choice of decoys, (seats, hand)."""
        streams = [stream(self.seed, "decoys", seat) for seat in range(len(self.hands))]
        return np.array([[-log(-log(rng.random())) for _ in self.hands[0]] for rng in streams])


def deal(rules: Rules, players: int, cards: int, seed: int, number: int) -> Deal:
    """The deal of that number; the same for every run with this seed."""
    own = stream(seed, "clues", number).getrandbits(48)
    state = new_game(rules, players, cards, own, first=0)
    size = state.rules.hand
    order = [card for hand in state.hands for card in hand] + list(state.pile)
    seats = min(rules.max_players, cards // size)
    return Deal(number, own, state, tuple(tuple(order[seat * size : (seat + 1) * size]) for seat in range(seats)))


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a full table, one a card, the same for all deals of a run."""

    owners: NDArray[np.intp]  # (columns,) seat that played the card
    choice: NDArray[np.intp]  # (columns,) 0: the seat's first choice of a decoy, 1: its second

    def columns(self, rules: Rules, players: int) -> NDArray[np.intp]:
        """The columns that lie on a table of this size, ascending."""
        return np.flatnonzero((self.owners < players) & (self.choice < rules.seated(players).gives))


def full_layout(rules: Rules, seats: int) -> Layout:
    """The storyteller's card, then everybody's first decoys, then the second ones."""
    most = max(rules.gives, rules.three_player_gives if rules.min_players <= 3 else 1)
    owners = [0, *list(range(1, seats)) * most]
    choice = [0, *(number for number in range(most) for _ in range(1, seats))]
    return Layout(np.array(owners, np.intp), np.array(choice, np.intp))


def table_cards(dealt: Deal, card: int, z: Floats, layout: Layout) -> NDArray[np.intp]:
    """The card of each column, (columns,), when seat 0 plays `card`; z: z-scores of the deck for the clue, (cards,)."""
    hands = np.array(dealt.hands)  # (seats, hand)
    ranked = np.take_along_axis(hands, np.argsort(-(DECOY * z[hands] + dealt.noise), axis=1), axis=1)
    cards = ranked[layout.owners, layout.choice]
    cards[layout.owners == 0] = card
    return cards
