"""Made-up games of focal agents among residents."""

from typing import Any

import numpy as np

from dixit_env import ODYSSEY
from dixit_env.bench.tournament.focal import FocalPlan
from dixit_env.bench.tournament.schedule import Line, Match, Tournament

PLAN = FocalPlan(focal=("new",), residents=("old",), players=4)


def matches(plan: FocalPlan, games: int = 1) -> list[Match]:
    tournament = Tournament(rings=plan.rings(), games=games, players=plan.players, rules=ODYSSEY)
    return list(tournament.matches().values())


def won(match: Match, *winners: int) -> Line:
    idle: dict[str, Any] = {"decisions": [1] * len(match.seats), "seconds": [0.1] * len(match.seats), "faults": []}
    scores = [30 if seat in winners else 0 for seat in range(len(match.seats))]
    return {"deal": match.deal, "seats": match.seats, "scores": scores, "winners": list(winners), "turns": [], **idle}


def lines(plan: FocalPlan, games: int, chance: float) -> dict[int, Line]:
    """Focal agents win with this chance, however many of the seats they have."""
    rng = np.random.default_rng(1)
    result = {}
    for number, match in enumerate(matches(plan, games)):
        focal = [seat for seat, name in enumerate(match.seats) if name in plan.focal]
        others = [seat for seat in range(plan.players) if seat not in focal]
        result[number] = won(match, int(rng.choice(focal if rng.random() < chance else others)))
    return result
