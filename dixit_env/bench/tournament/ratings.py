"""OpenSkill ratings (Plackett–Luce; Weng and Lin 2011, Joshy 2024) from the final scores of games."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from openskill.models import PlackettLuce


@dataclass(frozen=True, slots=True)
class Rating:
    """Skill as a normal belief; a newcomer has 25 ± 8.3."""

    mu: float
    sigma: float


def rate(games: Iterable[tuple[Sequence[str], Sequence[int]]]) -> dict[str, Rating]:
    """Rate agents from games in the order they are given, each `(names by seat, final scores by seat)`.

    Every seat is a player of its own in the ranking of its game, ties included. An agent in several seats of a game
    starts it with the same rating in each and leaves it with their mean: clones don't count as more evidence than one
    game is. `sigma` is the model's own uncertainty, which takes games for independent; intervals that know of the deals
    are in `standings`.
    """
    model = PlackettLuce()
    ratings: dict[str, Rating] = {}
    for names, scores in games:
        teams = []
        for name in names:
            known = ratings.get(name)
            teams.append([model.rating() if known is None else model.rating(known.mu, known.sigma)])
        rated = model.rate(teams, scores=[float(score) for score in scores])
        for name in set(names):
            seats = [team[0] for team, other in zip(rated, names, strict=True) if other == name]
            ratings[name] = Rating(fmean(seat.mu for seat in seats), fmean(seat.sigma for seat in seats))
    return ratings
