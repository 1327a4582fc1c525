"""The scenarios: who sits at which table, with which deck and which eyes.

After Melting Pot (Leibo et al. 2021): the agent that is judged takes the focal seats, residents that it can't choose
the others. The residents of the train half are the opponents of `agents.training`. Those of the test half are agents
that no training meets, so that half shows what carries over to strangers.

The suite is frozen: whoever changes a scenario makes another suite (`fingerprint`), whose scores can't be compared with
earlier ones, and measures the references anew.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from dixit_env.bench.tournament.focal import FocalPlan
from dixit_env.bench.tournament.schedule import Ring

Half = Literal["train", "test"]
HALVES: tuple[Half, ...] = ("train", "test")

FOCAL = "focal "
"""Before the names of focal agents, so that an agent can also be judged among its like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One kind of table."""

    name: str
    half: Half
    rules: str = "odyssey"
    players: int = 6
    focal: int = 1  # seats
    residents: Ring  # fill the other seats in these proportions
    deck: str = "dreams"  # embedded, or painted from its recipe
    eyes: str = "noise:0.67"  # as `--eyes` of a tournament

    def plan(self, agents: Sequence[str]) -> FocalPlan:
        """Each agent in the focal seats, on the same deals."""
        focal = tuple(f"{FOCAL}{name}" for name in agents)
        return FocalPlan(focal=focal, residents=self.residents, players=self.players, counts=(self.focal,))

    def __str__(self) -> str:
        return f"{self.focal} of {self.players} seats, {self.rules}, {self.deck}, {self.eyes}"


SUITE: tuple[Scenario, ...] = (
    Scenario(name="greedy-hosts", half="train", residents=("greedy",)),
    Scenario(name="clip-hosts", half="train", residents=("clip",)),
    Scenario(name="one-pair-of-eyes", half="train", residents=("clip",), eyes="shared"),
    Scenario(name="two-among-four", half="train", focal=2, residents=("clip", "greedy")),
    Scenario(name="clip-guests", half="train", players=5, focal=3, residents=("clip",)),
    Scenario(name="small-mixed-table", half="train", rules="dixit", players=4, residents=("clip", "greedy", "random")),
    Scenario(name="points-hosts", half="test", residents=("clip:clue=points,decoy=points,votes=points",)),
    Scenario(name="literal-hosts", half="test", residents=("clip:clue=literal,decoy=argmax,votes=argmax",)),
    Scenario(
        name="forgetful-hosts", half="test", players=4, deck="tides", residents=("clip:memory=off,temperature=1.5",)
    ),
    Scenario(name="portuguese-hosts", half="test", rules="dixit", deck="nocturne", residents=("clip:lang=pt",)),
    Scenario(
        name="motley-crowd",
        half="test",
        players=8,
        focal=2,
        residents=("clip:lang=da,votes=argmax", "clip:clue=literal,rho=0.5", "clip:clue=points,decoy=argmax"),
        eyes="noise:0.5",
    ),
    Scenario(
        name="old-rules-guests",
        half="test",
        rules="odyssey-2011",
        players=7,
        focal=4,
        residents=("clip:rho=0.4,votes=points",),
    ),
)


def fingerprint(suite: Sequence[Scenario]) -> str:
    """16 hex digits that name the scenarios with all they say."""
    return hashlib.sha256(json.dumps([asdict(scenario) for scenario in suite]).encode()).hexdigest()[:16]
