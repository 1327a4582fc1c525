"""A simulated panel whose votes agree as people's do: its constants are fitted to the public play data.

A belief gives the mean distribution of votes over cards. Votes at one table agree more than independent votes would. So
the panel draws one opinion for each table from a Dirichlet distribution around the belief, and every listener votes by
that opinion. Two votes then correlate by ρ, and the number of listeners that find the storyteller's card is
beta-binomial.

The constants were fitted on the 8,623 rounds of X_test, around the belief of the listener "trained-large" that had
learned from X_val. This command fits them anew and writes them as `panel` into results.json:

    python scripts/benchmark.py listeners --rounds FOLDER --out runs/listeners
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Scores, cross_entropy, least, player_belief
from dixit_env.bench.listeners.rounds import Rounds
from dixit_env.bench.stats import Floats

RHO: Mapping[int, float] = {4: 0.226, 5: 0.238, 6: 0.258}
"""Correlation of two votes for or against the storyteller's card, by table size, given only the mean share of listeners
that find the card (53.8, 45.9, 40.8 %). So it includes differences in how easy clues are."""
SHARPNESS: Mapping[int, float] = {4: 0.798, 5: 0.822, 6: 0.901}
"""Exponent of the trained listener's belief that predicts people's votes best, by table size. Below 1: people spread
their votes wider than the belief does."""
RESIDUAL_RHO: Mapping[int, float] = {4: 0.196, 5: 0.214, 6: 0.221}
"""Correlation of two votes given the trained listener's belief in each card, by table size."""

LEAST = 1e-6
"""The smallest concentration of a card in the Dirichlet distribution (chosen: it must be positive)."""


def nearest_size(by_size: Mapping[int, float], players: int) -> float:
    """The value for this table size, or for the nearest size that there is one for."""
    return by_size[min(by_size, key=lambda known: abs(known - players))]


def finders(found: float, listeners: int, rho: float) -> Floats:
    """How many listeners find the storyteller's card: P(0), …, P(listeners), beta-binomial.

    Args:
        found: the chance that one listener finds it.
        listeners: how many there are.
        rho: correlation of two listeners' votes in [0, 1); 0 makes it binomial.
    """
    ways = [
        comb(listeners, k) * _urn(found, k, rho) * _urn(1 - found, listeners - k, rho) for k in range(listeners + 1)
    ]
    return np.array(ways) / _urn(1, listeners, rho)


@dataclass(frozen=True)
class SimulatedPanel:
    """Voters around a belief, who agree beyond it.

    Args:
        rho: correlation of two votes, by table size (`nearest_size`).
        sharpness: exponent of the belief, by table size: above 1 votes concentrate more than the belief does.
    """

    rho: Mapping[int, float] = field(default_factory=lambda: RESIDUAL_RHO)
    sharpness: Mapping[int, float] = field(default_factory=lambda: SHARPNESS)

    def expected(self, belief: Floats) -> Floats:
        """The mean distribution of votes, (slots,), from a belief in the slots."""
        votes = np.asarray(belief, float) ** nearest_size(self.sharpness, len(belief))
        return np.asarray(votes / votes.sum())

    def opinions(self, belief: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Distributions of votes at `count` tables, (count, slots), drawn around the expected one."""
        average, rho = self.expected(belief), nearest_size(self.rho, len(belief))
        return rng.dirichlet(np.maximum(average * (1 - rho) / rho, LEAST), count) + 1e-12  # so that no row is all 0


def fit(rounds: Rounds, scores: Scores) -> dict[str, dict[int, float]]:
    """Maximum-likelihood constants by table size: `rho`, and `sharpness` and `residual_rho` around a listener's belief.

    `scores` must not have learned from these rounds. Sharpness and residual ρ use the player view: voters leave out
    one decoy each.
    """
    constants: dict[str, dict[int, float]] = {"rho": {}, "sharpness": {}, "residual_rho": {}}
    for size in np.unique(rounds.players).tolist():
        part = rounds[np.flatnonzero(rounds.players == size)]
        for name, value in zip(constants, _fit_size(part, scores(part), size - 1), strict=True):
            constants[name][size] = value
    return constants


def _fit_size(rounds: Rounds, logits: Floats, listeners: int) -> tuple[float, float, float]:
    """ρ, sharpness and residual ρ of rounds with the same number of listeners."""
    hits = rounds.votes[rounds.is_target]
    either = np.stack([hits, listeners - hits], 1)  # (n, 2): found it, or not
    chances = np.broadcast_to(either.mean(0) / listeners, either.shape)
    rho = least(lambda rho: _negative_log_likelihood(chances, either, rho), 0.0, 0.9)

    def predicted(power: float) -> Floats:
        return player_belief(power * logits, rounds)

    sharpness = least(lambda power: float(cross_entropy(predicted(power), rounds).mean()), 0.1, 4.0)
    known = predicted(sharpness)[rounds.is_target]
    known_chances = np.stack([known, 1 - known], 1)
    return rho, sharpness, least(lambda rho: _negative_log_likelihood(known_chances, either, rho), 0.0, 0.9)


def _urn(share: float | Floats, draws: int, rho: float) -> float | Floats:
    """Π (share·(1 − ρ) + i·ρ) for i < draws: the Dirichlet-multinomial's factors, in a form finite at ρ = 0."""
    product: float | Floats = 1.0
    for i in range(draws):
        product = product * (share * (1 - rho) + i * rho)
    return product


def _negative_log_likelihood(chances: Floats, counts: NDArray[np.int64], rho: float) -> float:
    """Mean over rounds, of Dirichlet-multinomial counts; without the multinomial coefficient, which is constant."""
    steps = np.arange(counts.max())
    factors = np.log(np.maximum(chances, 1e-12)[..., None] * (1 - rho) + steps * rho)  # (n, slots, draws)
    drawn = np.where(steps < counts[..., None], factors, 0).sum((1, 2))
    total = np.log1p(-rho + np.arange(counts[0].sum()) * rho).sum()
    return float(total - drawn.mean())
