"""A table of simulated people, from what rounds of the public play data say about how people vote.

A belief says where votes go on average. Votes at one table agree more than independent ones would, because people see
the same pictures in the same light. The panel has both: the table's opinion is drawn from a Dirichlet distribution
around the belief, and every listener votes by that opinion. Two votes then correlate by ρ, and the number of listeners
that find the storyteller's card is beta-binomial.

The constants were fitted on the 8,623 rounds of X_test, around the belief of the listener "trained-large" that had
learned from X_val. This fits them anew and writes them as `panel` into results.json:

    python scripts/benchmark.py listeners --rounds FOLDER --out runs/listeners
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.measure import Scores, cross_entropy, least, player_belief
from dixit_env.bench.listeners.rounds import Rounds

Floats = NDArray[np.float64]

RHO: Mapping[int, float] = {4: 0.226, 5: 0.238, 6: 0.258}
"""Correlation of two votes for or against the storyteller's card, by table size, when all that is known of a clue is
the mean share of listeners that find the card (53.8, 45.9, 40.8 %). It includes that some clues are easier."""
SHARPNESS: Mapping[int, float] = {4: 0.798, 5: 0.822, 6: 0.901}
"""Exponent of the trained listener's belief that foresees people's votes best, by table size: below 1, so people
spread their votes wider than the belief, which leans to the storyteller's card."""
RESIDUAL_RHO: Mapping[int, float] = {4: 0.196, 5: 0.214, 6: 0.221}
"""Correlation of two votes that is left when the trained listener's belief in each card is known, by table size."""


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


def independent_finders(found: Sequence[float]) -> Floats:
    """The same for independent listeners with different chances, Poisson-binomial: (listeners + 1,)."""
    counts = np.ones(1)
    for chance in found:
        counts = np.convolve(counts, [1 - chance, chance])
    return counts


@dataclass(frozen=True)
class HumanPanel:
    """People who vote around a belief.

    Args:
        rho: correlation of two votes, by table size; a size that wasn't seen counts as the nearest one.
        sharpness: exponent of the belief, by table size: above 1 people agree more on the likely card than it says.
    """

    rho: Mapping[int, float] = field(default_factory=lambda: RESIDUAL_RHO)
    sharpness: Mapping[int, float] = field(default_factory=lambda: SHARPNESS)

    def expected(self, belief: Floats, own: int | None = None) -> Floats:
        """Where a listener's vote goes on average, (slots,), from a belief in the slots; never to the `own` slot."""
        votes = np.asarray(belief, float) ** _nearest(self.sharpness, len(belief))
        if own is not None:
            votes[own] = 0
        return np.asarray(votes / votes.sum())

    def opinions(self, belief: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Common opinions that tables of people may have, (count, slots): where a vote goes at such a table."""
        average, rho = self.expected(belief), _nearest(self.rho, len(belief))
        if rho == 0:
            return np.tile(average, (count, 1))
        return rng.dirichlet(np.maximum(average * (1 - rho) / rho, 1e-6), count) + 1e-12

    def votes(self, belief: Floats, own: Sequence[int], rng: np.random.Generator) -> list[int]:
        """A vote of each listener, whose own slots are `own`, for one common opinion of the table."""
        legal = np.tile(self.opinions(belief, 1, rng), (len(own), 1))
        legal[np.arange(len(own)), list(own)] = 0
        return [int(rng.choice(len(row), p=row / row.sum())) for row in legal]


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
    rho = least(lambda rho: _surprise(chances, either, rho), 0.0, 0.9)

    def foreseen(power: float) -> Floats:
        return player_belief(power * logits, rounds)

    sharpness = least(lambda power: float(cross_entropy(foreseen(power), rounds).mean()), 0.1, 4.0)
    known = foreseen(sharpness)[rounds.is_target]
    known_chances = np.stack([known, 1 - known], 1)
    return rho, sharpness, least(lambda rho: _surprise(known_chances, either, rho), 0.0, 0.9)


def _urn(share: float | Floats, draws: int, rho: float) -> float | Floats:
    """Π (share·(1 − ρ) + i·ρ) for i < draws: the Dirichlet-multinomial's factors, finite at ρ = 0."""
    product: float | Floats = 1.0
    for i in range(draws):
        product = product * (share * (1 - rho) + i * rho)
    return product


def _surprise(chances: Floats, counts: NDArray[np.int64], rho: float) -> float:
    """Mean negative log-likelihood of Dirichlet-multinomial counts, bar the multinomial coefficient."""
    steps = np.arange(counts.max())
    factors = np.log(np.maximum(chances, 1e-12)[..., None] * (1 - rho) + steps * rho)  # (n, slots, draws)
    drawn = np.where(steps < counts[..., None], factors, 0).sum((1, 2))
    total = np.log1p(-rho + np.arange(counts[0].sum()) * rho).sum()
    return float(total - drawn.mean())


def _nearest(by_size: Mapping[int, float], size: int) -> float:
    return by_size[min(by_size, key=lambda known: abs(known - size))]
