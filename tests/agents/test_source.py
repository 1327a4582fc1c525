"""Agents for benchmarks and tournaments: they see with the eyes of their seat."""

import pickle
from dataclasses import replace

import pytest

from dixit_env import ODYSSEY
from dixit_env.agents.scripted import GreedyAgent
from dixit_env.agents.source import SightAgents
from dixit_env.bench.tournament.schedule import Line, Match, Tournament, play_match
from dixit_env.errors import SpecError
from dixit_env.models.eyes import Eyes

NOISY = SightAgents(("dreams",), Eyes.parse("noise:0.5"))


def played(source: SightAgents, match: Match) -> Line:
    agents = [source.agent(name, seat, match.seed) for seat, name in enumerate(match.seats)]
    return {**play_match(match, ODYSSEY, source.deck(), agents), "seconds": None}


def test_a_game_is_the_same_whatever_was_played_before() -> None:
    plan = Tournament(rings=(("greedy",),), games=3, players=4, rules=ODYSSEY)
    matches = list(plan.matches().values())
    forth = [played(NOISY, match) for match in matches]
    back = [played(NOISY, match) for match in reversed(matches)][::-1]
    assert forth == back
    assert played(replace(NOISY, eyes=Eyes()), matches[0]) != forth[0]


def test_agents_with_the_same_eyes_share_one_sight_and_all_share_the_clip() -> None:
    source = pickle.loads(pickle.dumps(NOISY))
    one, same, other = (source.agent("greedy", seat, 3) for seat in (0, 0, 1))
    assert isinstance(one, GreedyAgent)
    assert one.sight is same.sight
    assert one.sight is not other.sight
    assert one.sight.clip is other.sight.clip


def test_a_clip_that_is_unknown_is_found_whichever_seat_has_it() -> None:
    with pytest.raises(SpecError, match="unknown CLIP 'ViT-Q'"):
        replace(NOISY, eyes=Eyes(("embedded", "embedded", "ViT-Q"))).check(["random", "greedy"])
