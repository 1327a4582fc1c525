"""Play scenarios and score an agent on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from dixit_env.bench.scenarios.references import Reference
from dixit_env.bench.scenarios.suite import FOCAL, HALVES, Half, Scenario
from dixit_env.bench.sources import AgentSource
from dixit_env.bench.stats import Estimate, Floats, interval
from dixit_env.bench.tournament.focal import Share
from dixit_env.bench.tournament.schedule import Line, Tournament, play_tournament
from dixit_env.decks.deck import Deck
from dixit_env.game.rules import edition
from dixit_env.game.streams import stream
from dixit_env.table.play import Agent


@dataclass(frozen=True)
class FocalAgents:
    """The agents of another source, also under their names as focal agents."""

    source: AgentSource

    def deck(self) -> Deck:
        """The deck that is played with."""
        return self.source.deck()

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        """A new agent for a seat in the game `seed`."""
        return self.source.agent(name.removeprefix(FOCAL), seat, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """How scenarios are played: each on as many deals, of its own."""

    agents: tuple[str, ...]  # each takes the focal seats in turn
    deals: int
    seed: int
    salt: str
    out: Path
    workers: int = 1
    ray: str | None = None

    def folder(self, scenario: Scenario) -> Path:
        """Where the games of a scenario are kept."""
        return self.out / "scenarios" / scenario.name

    def tournament(self, scenario: Scenario) -> Tournament:
        """The games of a scenario."""
        rings = scenario.plan(self.agents).rings()
        return Tournament(
            rings=rings,
            games=self.deals * sum(map(len, rings)),
            players=scenario.players,
            rules=edition(scenario.rules),
            seed=stream(self.seed, f"scenario {scenario.name}").getrandbits(32),
            salt=self.salt,
        )

    def play(self, scenario: Scenario, source: AgentSource) -> Iterator[tuple[int, Line]]:
        """Play a scenario, or go on with it, and yield its games as they end (`play_tournament`)."""
        described = {"scenario": asdict(scenario), "deck": source.deck().hash}
        return play_tournament(
            self.tournament(scenario),
            FocalAgents(source),
            self.folder(scenario),
            source_settings=described,
            workers=self.workers,
            ray=self.ray,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """How an agent did in one scenario."""

    scenario: Scenario
    reference: Reference
    share: Share
    score: Estimate
    samples: Floats  # (draws,) of the score, by resampled deals


@dataclass(frozen=True, slots=True)
class Results:
    """How an agent did in all scenarios that were played."""

    scenarios: tuple[Result, ...]
    score: Estimate
    halves: dict[Half, Estimate]  # the same over the scenarios of one half


def result(scenario: Scenario, reference: Reference, agent: str, lines: Mapping[int, Line]) -> Result:
    """Score the games of an agent in one scenario. The reference is taken as exact."""
    plan = scenario.plan((agent,))
    share = plan.shares(lines)[f"{FOCAL}{agent}"][scenario.focal]
    samples = reference.score(plan.tally(lines).resampled()[0, 0])
    return Result(scenario, reference, share, Estimate(reference.score(share.win_share), *interval(samples)), samples)


def results(scenarios: Sequence[Result]) -> Results:
    """Scenarios with the means of their scores, in which each counts the same."""
    halves = {half: [found for found in scenarios if found.scenario.half == half] for half in HALVES}
    return Results(tuple(scenarios), _mean(scenarios), {half: _mean(some) for half, some in halves.items() if some})


def to_json(found: Results) -> dict[str, Any]:
    """The results as JSON values."""
    return {
        **_named(found.score),
        "halves": {half: _named(score) for half, score in found.halves.items()},
        "scenarios": {
            result.scenario.name: {
                **_named(result.score),
                **asdict(result.share),
                "random": result.reference.random,
                "best": result.reference.best,
                "best_agent": result.reference.agent,
                **asdict(result.scenario),
            }
            for result in found.scenarios
        },
    }


def _mean(scenarios: Sequence[Result]) -> Estimate:
    """The mean score. All scenarios draw the same numbers of deals, so a resample is one of them all."""
    samples = np.mean([found.samples for found in scenarios], axis=0)
    return Estimate(fmean(found.score.value for found in scenarios), *interval(samples))


def _named(score: Estimate) -> dict[str, float]:
    return {"score": score.value, "score_low": score.low, "score_high": score.high}
