"""Deals, tables and listeners of the clue benchmark.

A deal is the first turn of a game in which seat 0 tells. It is dealt for as many seats as the deck allows, so that the
same hands and the same clue are scored at every table size: a table of n players is its first n seats.

The others' decoys are drawn by one rule, whoever tells and whoever votes: each gives the card(s) of the hand that a
softmax of sharpness `DECOY` over how the cards stand out for the clue takes, with noise that belongs to the deal. Two
clues for one deal meet the same hands and the same noise.

An *eye* says how every card of the deck stands out for a clue, in standard deviations over the deck. A *listener* is an
eye with a sharpness β, written `captions@3`: a dial goes to a card with probability ∝ exp(β z). Two dials are set
independently: who is sure stacks, who doubts spreads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.people import HumanPanel
from dixit_env.bench.clues.scoring import Votes, legal
from dixit_env.bench.stats import Floats
from dixit_env.errors import DixitError
from dixit_env.game.engine import GameState, new_game
from dixit_env.game.rules import Rules
from dixit_env.game.streams import shuffled, stream

Eye = Callable[[Sequence[str]], Floats]
"""Clues → how the cards of the deck stand out, (clues, cards)."""

DECOY_EYE = "clip"
DECOY = 1.5  # sharpness of those who give decoys
WORLDS = 48  # common opinions that are drawn for each table of simulated people


@dataclass(frozen=True, slots=True)
class Panel:
    """Who votes."""

    name: str
    listeners: tuple[str, ...]
    """`eye@sharpness`; at an `agents` panel, specs of agents. They sit in turn, in an order drawn for each deal."""
    kind: Literal["independent", "people", "agents"] = "independent"
    """independent: each votes by its own distribution. people: `HumanPanel` around the mean of the listeners'
    beliefs. agents: each decides for itself at the table, with its own dials, at the run's table size only."""
    held_out: bool = False
    """Nothing was ever tuned against it."""


def listener(name: str) -> tuple[str, float]:
    """Eye and sharpness of `eye@sharpness`; raises `DixitError`."""
    eye, _, sharpness = name.rpartition("@")
    try:
        return eye, float(sharpness)
    except ValueError:
        raise DixitError(f"{name!r} is no listener: write an eye and a sharpness, like clip@1.5") from None


def eyes_of(panels: Sequence[Panel]) -> tuple[str, ...]:
    """The eyes that panels and decoys look through."""
    seen = [listener(name)[0] for panel in panels if panel.kind != "agents" for name in panel.listeners]
    return tuple(dict.fromkeys([DECOY_EYE, *seen]))


@dataclass(frozen=True, slots=True)
class Deal:
    """Hands for a turn that seat 0 tells."""

    number: int
    seed: int
    state: GameState  # at the run's table size, before the clue
    hands: tuple[tuple[int, ...], ...]  # (seats,) as many as the deck allows

    def noise(self, seat: int) -> Floats:
        """Gumbel noise of a seat's choice of decoys, (hand,)."""
        rng = stream(self.seed, "decoys", seat)
        return np.array([-log(-log(rng.random())) for _ in self.hands[seat]])


def deal(rules: Rules, players: int, cards: int, seed: int, number: int) -> Deal:
    """The deal of that number; the same for every run of this seed."""
    own = stream(seed, "clues", number).getrandbits(48)
    state = new_game(rules, players, cards, own, first=0)
    size = state.rules.hand
    order = [card for hand in state.hands for card in hand] + list(state.pile)
    seats = min(rules.max_players, cards // size)
    return Deal(number, own, state, tuple(tuple(order[seat * size : (seat + 1) * size]) for seat in range(seats)))


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a full table: whose card, and which choice of its hand. The same for all deals of a run."""

    owners: NDArray[np.intp]  # (columns,)
    choice: NDArray[np.intp]  # (columns,) 0: the decoy given first, 1: the second

    def columns(self, rules: Rules, players: int) -> NDArray[np.intp]:
        """The columns that lie on a table of this size, ascending."""
        return np.flatnonzero((self.owners < players) & (self.choice < rules.seated(players).gives))


def layout(rules: Rules, seats: int) -> Layout:
    """The storyteller's card, then everybody's first decoys, then the second ones."""
    most = max(rules.gives, rules.three_player_gives if rules.min_players <= 3 else 1)
    owners = [0, *list(range(1, seats)) * most]
    choice = [0, *(number for number in range(most) for _ in range(1, seats))]
    return Layout(np.array(owners, np.intp), np.array(choice, np.intp))


def lay(dealt: Deal, card: int, z: Floats, plan: Layout) -> list[int]:
    """The card of each column, when `card` is told with a clue for which the deck stands out by `z` (cards,)."""
    ranked = {
        seat: [hand[i] for i in np.argsort(-(DECOY * z[list(hand)] + dealt.noise(seat)))]
        for seat, hand in enumerate(dealt.hands)
    }
    return [
        ranked[seat][choice] if seat else card
        for seat, choice in zip(plan.owners.tolist(), plan.choice.tolist(), strict=True)
    ]


def seated(panel: Panel, dealt: Deal, voters: int) -> list[int]:
    """Which listener of the panel sits in each voter's seat, (voters,)."""
    order = shuffled(dealt.seed, f"panel {panel.name}", 0, range(len(panel.listeners)))
    return [order[seat % len(order)] for seat in range(voters)]


def beliefs(listeners: Sequence[str], z: Mapping[str, Floats]) -> Floats:
    """Each listener's belief in the cards, were none its own: z by eye (…, cards) → (…, listeners, cards)."""
    parts = []
    for name in listeners:
        eye, sharpness = listener(name)
        logits = sharpness * z[eye]
        odds = np.exp(logits - logits.max(-1, keepdims=True))
        parts.append(odds / odds.sum(-1, keepdims=True))
    return np.stack(parts, -2)


def panel_votes(panel: Panel, z: Mapping[str, Floats], owners: NDArray[np.intp], deals: Sequence[Deal]) -> Votes:
    """How the panel votes at the tables of some deals: z by eye (deals, cards) → votes (deals, worlds, voters, cards).

    People have `WORLDS` common opinions for each deal, the same draws for every clue; other panels have one.
    """
    voters = int(owners.max())
    held = beliefs(panel.listeners, z)  # (deals, listeners, cards)
    if panel.kind == "people":
        opinions = np.stack([_opinions(belief.mean(0), dealt) for belief, dealt in zip(held, deals, strict=True)])
        odds = np.repeat(opinions[:, :, None, :], voters, 2)
    else:
        seats = np.array([seated(panel, dealt, voters) for dealt in deals])  # (deals, voters)
        odds = np.take_along_axis(held, seats[..., None], 1)[:, None]
    first = legal(odds, owners)
    return Votes(first, first)


def ballot_votes(ballots: Sequence[Sequence[Sequence[int]]], cards: int) -> Votes:
    """Ballots that were cast, (deals, voters) of columns, as votes with nothing left to chance."""
    first = np.zeros((len(ballots), 1, len(ballots[0]), cards))
    stacks, single = np.ones_like(first), np.zeros_like(first)
    for turn, votes in enumerate(ballots):
        for voter, dials in enumerate(votes):
            for column in dials:
                first[turn, 0, voter, column] += 1 / len(dials)
            stacks[turn, 0, voter] = len(set(dials)) == 1
            single[turn, 0, voter] = len(dials) == 1
    return Votes(first, stacks, single)


def _opinions(belief: Floats, dealt: Deal) -> Floats:
    """Common opinions of a table of people around a belief, (worlds, cards): Dirichlet, as in `HumanPanel.votes`."""
    people = HumanPanel()
    rho = people.rho[min(people.rho, key=lambda size: abs(size - len(belief)))]
    rng = np.random.default_rng([dealt.seed, len(belief)])
    return rng.dirichlet(np.maximum(people.expected(belief) * (1 - rho) / rho, 1e-6), WORLDS) + 1e-12
