"""Ratings of a whole tournament at once: Plackett–Luce strengths from who finished before whom.

Under Plackett–Luce (Luce 1959, Plackett 1975) an agent of strength s finishes before one of strength t with chance
s / (s + t), whoever else sits there, so the pairs of a ranking tell the strengths (Azari Soufiani et al. 2013). Pairs
may be tied, which Dixit's scores often are. All games count alike: their order doesn't matter.
"""

from collections.abc import Iterable, Sequence
from math import log

import choix
import numpy as np

from dixit_env.bench.stats import Floats

MEAN = 1500.0
SCALE = 400 / log(10)
"""Elo's scale: the agents' mean is 1500, and 400 points are odds of ten to one."""
DRAWS = 400  # bootstrap resamples that are rated; chosen: each takes about a millisecond


def finished_before(agents: Sequence[str], games: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Floats:
    """How many games each agent finished before each other, (agents, agents), row before column; a tie is half a game.

    Args:
        agents: their names, in the order of rows.
        games: (names by seat, final scores by seat). An agent in several seats counts as their mean, so that clones
            are no more evidence than one game is.
    """
    row = {name: number for number, name in enumerate(agents)}
    before = np.zeros((len(agents), len(agents)))
    for names, scores in games:
        seats = np.array([row[name] for name in names])
        share = 1 / np.bincount(seats, minlength=len(agents))[seats]
        points = np.asarray(scores)
        ahead = (np.sign(points[:, None] - points) + 1) / 2  # 1 before, ½ tied, 0 behind
        np.add.at(before, (seats[:, None], seats), ahead * share[:, None] * share)
    np.fill_diagonal(before, 0)
    return before


def rate(before: Floats) -> Floats:
    """Ratings (agents,) that make `finished_before` likeliest.

    A tied game between every two agents is added, so that one that never wins has a rating too.
    """
    if len(before) < 2:
        return np.full(len(before), MEAN)
    ties = (1 - np.eye(len(before))) / 2
    strengths: Floats = choix.ilsr_pairwise_dense(before + ties, max_iter=1000)
    return MEAN + SCALE * (strengths - strengths.mean())
