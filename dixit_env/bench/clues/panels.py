"""Panels of listeners, and how they vote.

An *eye* gives the z-score of every card of the deck for a clue: its similarity in standard deviations over the deck. A
*listener* is an eye with a sharpness β, written `captions@3`: it sets a dial on a card with probability ∝ exp(β z). A
listener with a lapse λ, written `captions@3~0.1`, sets that share of its dials blindly. Two dials are set
independently, so a listener with a narrow belief tends to stack them and one with a broad belief to spread them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.clues.deals import DECOY_EYE, Deal
from dixit_env.bench.clues.scoring import Votes, legal
from dixit_env.bench.clues.simulated_panel import SimulatedPanel
from dixit_env.bench.stats import Floats
from dixit_env.errors import DixitError
from dixit_env.game.streams import shuffled

Eye = Callable[[Sequence[str]], Floats]
"""Clues → z-scores of the deck's cards, (clues, cards)."""

WORLDS = 48  # common opinions that are drawn for each simulated table; chosen
KEPT = 8192  # seatings that are kept: each of a benchmark is asked for by every giver and shuffle
VIEWERS = "viewers"  # the panel whose constants are fitted to what viewers guessed
GIVER_EYES = "giver-eyes"  # the panel that sees through the givers' own CLIP: what it finds may be a shared code


@dataclass(frozen=True, slots=True)
class Panel:
    """Who votes."""

    name: str
    listeners: tuple[str, ...]
    """`eye@sharpness` or `eye@sharpness~lapse`; in a panel of agents, their specs. They sit in turn, in an order drawn
    for each deal."""
    kind: Literal["independent", "simulated", "agents"] = "independent"
    """independent: each votes by its own distribution. simulated: `SimulatedPanel` around the mean of the listeners'
    beliefs. agents: each decides for itself at the table, with its own dials, at the run's table size only."""


class Listener(NamedTuple):
    """An eye and how its votes follow from what it sees."""

    eye: str
    sharpness: float
    lapse: float = 0.0

    def __str__(self) -> str:
        lapse = f"~{self.lapse:g}" if self.lapse else ""
        return f"{self.eye}@{self.sharpness:g}{lapse}"


def listener(name: str) -> Listener:
    """The listener of that name, `eye@sharpness` or `eye@sharpness~lapse`; raises `DixitError`."""
    eye, _, constants = name.rpartition("@")
    sharpness, tilde, lapse = constants.partition("~")
    try:
        told = Listener(eye, float(sharpness), float(lapse) if tilde else 0.0)
    except ValueError:
        raise DixitError(f"{name!r} is no listener: write an eye and a sharpness, like clip@1.5") from None
    if not 0 <= told.lapse <= 1:
        raise DixitError(f"{name!r} is no listener: a lapse is a share from 0 to 1, not {lapse}")
    return told


def eyes_of(panels: Sequence[Panel]) -> tuple[str, ...]:
    """The eyes that decoys and panels need."""
    names = [listener(name).eye for panel in panels if panel.kind != "agents" for name in panel.listeners]
    return tuple(dict.fromkeys([DECOY_EYE, *names]))


@lru_cache(maxsize=KEPT)
def seated(panel: Panel, deal_seed: int, voters: int) -> tuple[int, ...]:
    """Which listener of the panel sits in each voter's seat on the deal of that seed, (voters,)."""
    order = shuffled(deal_seed, f"panel {panel.name}", 0, range(len(panel.listeners)))
    return tuple(order[seat % len(order)] for seat in range(voters))


def beliefs(listeners: Sequence[str], z: Mapping[str, Floats]) -> Floats:
    """Each listener's belief in the cards, own cards included: z by eye (…, cards) → (…, listeners, cards)."""
    return np.stack([belief(listener(name), z) for name in listeners], -2)


def belief(told: Listener, z: Mapping[str, Floats]) -> Floats:
    """The belief of one listener, (…, cards)."""
    logits = told.sharpness * z[told.eye]
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return (1 - told.lapse) * odds / odds.sum(-1, keepdims=True) + told.lapse / logits.shape[-1]


def panel_votes(panel: Panel, z: Mapping[str, Floats], owners: NDArray[np.intp], deals: Sequence[Deal]) -> Votes:
    """How the panel votes at the tables of some deals: z by eye (deals, cards) → votes (deals, worlds, voters, cards).

    A simulated panel has `WORLDS` common opinions for each deal, the same draws for every clue; others have one world.
    """
    voters = int(owners.max())
    held = beliefs(panel.listeners, z)  # (deals, listeners, cards)
    if panel.kind == "simulated":
        opinions = np.stack([_opinions(belief.mean(0), dealt) for belief, dealt in zip(held, deals, strict=True)])
        odds = np.repeat(opinions[:, :, None, :], voters, 2)
    else:
        seats = np.array([seated(panel, dealt.seed, voters) for dealt in deals])  # (deals, voters)
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
    """Common opinions of a simulated table, (worlds, cards); the random numbers belong to the deal."""
    return SimulatedPanel().opinions(belief, WORLDS, np.random.default_rng([dealt.seed, len(belief)]))
