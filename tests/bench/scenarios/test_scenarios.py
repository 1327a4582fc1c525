"""Scenarios: what the suite promises, how shares become scores, and how references are measured."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_players import Players

from dixit_env import EDITIONS, DixitError
from dixit_env.agents.clip.agent import ClipOptions
from dixit_env.agents.options import parse_options
from dixit_env.agents.training.scripted import SCRIPTED
from dixit_env.bench.scenarios import references
from dixit_env.bench.scenarios.measure import FocalAgents, Playing, Result, Results, result, results, to_json
from dixit_env.bench.scenarios.references import Reference, measured
from dixit_env.bench.scenarios.report import verdict, write_page
from dixit_env.bench.scenarios.suite import FOCAL, SUITE, Half, Scenario, fingerprint
from dixit_env.bench.tournament.schedule import Line
from dixit_env.models.eyes import Eyes
from dixit_env.scripts.benchmarks.scenarios import Args, main

SCENARIO = Scenario(name="strangers", half="test", players=4, residents=("chance",))
REFERENCE = Reference(random=0.1, best=0.6, agent="insider")
CARDS = 84  # of every deck that scenarios name


def lines(scenario: Scenario, agents: tuple[str, ...], deals: int, wins: Callable[[str, int], bool]) -> dict[int, Line]:
    """Games in which a focal agent wins the deals that `wins` says, and a resident the others."""
    playing = Playing(agents=agents, deals=deals, seed=0, salt="", out=Path())
    games: dict[int, Line] = {}
    for number, match in playing.tournament(scenario).matches().items():
        agent = next(name for name in match.seats if name.startswith(FOCAL))
        won = wins(agent.removeprefix(FOCAL), match.deal)
        winner = next(seat for seat, name in enumerate(match.seats) if (name == agent) == won)
        games[number] = {"deal": match.deal, "seats": list(match.seats), "winners": [winner]}
    return games


# The suite


def test_the_suite_has_a_train_and_a_test_half_of_scenarios_with_names_of_their_own() -> None:
    halves = [scenario.half for scenario in SUITE]
    assert len(SUITE) >= 12
    assert halves.count("train") == halves.count("test")
    assert len({scenario.name for scenario in SUITE}) == len(SUITE)


def test_training_meets_the_residents_of_the_train_half_and_none_of_the_test_half() -> None:
    for scenario in SUITE:
        met = set(scenario.residents) & set(SCRIPTED)
        assert met == (set(scenario.residents) if scenario.half == "train" else set()), scenario.name


@pytest.mark.parametrize("scenario", SUITE, ids=lambda scenario: scenario.name)
def test_every_scenario_can_be_played(scenario: Scenario) -> None:
    EDITIONS[scenario.rules].check_deck(scenario.players, CARDS)
    Eyes.parse(scenario.eyes)
    assert 1 <= scenario.focal < scenario.players
    for resident in scenario.residents:
        name, _, options = resident.partition(":")
        assert name in SCRIPTED
        if name == "clip":
            parse_options(options, ClipOptions)


def test_another_scenario_makes_another_suite() -> None:
    other = (replace(SUITE[0], eyes="shared"), *SUITE[1:])
    assert fingerprint(SUITE) == fingerprint(tuple(SUITE))
    assert fingerprint(other) != fingerprint(SUITE)


# Scores


@given(random=st.floats(0, 0.4), gap=st.floats(0.01, 0.6), share=st.floats(0, 1))
@settings(deadline=None)
def test_random_scores_0_the_best_known_1_and_shares_between_in_proportion(
    random: float, gap: float, share: float
) -> None:
    reference = Reference(random, random + gap, "best")
    assert reference.score(reference.random) == 0
    assert reference.score(reference.best) == pytest.approx(1)
    assert random + reference.score(share) * gap == pytest.approx(share)


def test_the_score_and_its_interval_are_those_of_the_share() -> None:
    found = result(SCENARIO, REFERENCE, "new", lines(SCENARIO, ("new",), 40, lambda name, deal: deal % 4 == 0))
    assert found.share.win_share == pytest.approx(0.25)
    for ours, theirs in (("value", "win_share"), ("low", "win_share_low"), ("high", "win_share_high")):
        assert getattr(found.score, ours) == pytest.approx((getattr(found.share, theirs) - 0.1) / 0.5)
    assert found.score.low < found.score.value < found.score.high


def three() -> Results:
    def found(name: str, half: Half, chance: float) -> Result:
        rng = np.random.default_rng(3)
        won = set(np.flatnonzero(rng.random(60) < chance))
        scenario = replace(SCENARIO, name=name, half=half)
        return result(scenario, REFERENCE, "new", lines(scenario, ("new",), 60, lambda _, deal: deal in won))

    return results([found("one", "train", 0.2), found("two", "test", 0.4), found("three", "test", 0.6)])


def test_every_scenario_counts_the_same_in_the_mean_and_in_that_of_its_half() -> None:
    found = three()
    one, two, three_ = (scenario.score.value for scenario in found.scenarios)
    assert found.score.value == pytest.approx((one + two + three_) / 3)
    assert found.halves["train"].value == pytest.approx(one)
    assert found.halves["test"].value == pytest.approx((two + three_) / 2)
    assert found.score.low < found.score.value < found.score.high


def test_an_agent_among_its_like_has_its_fair_share() -> None:
    """Whatever wins: one seat of four has the agent, and each seat wins in a quarter of the games."""
    plan = SCENARIO.plan(("chance",))
    assert {name for ring in plan.rings() for name in ring} == {"chance", f"{FOCAL}chance"}
    source = FocalAgents(Players())
    assert type(source.agent(f"{FOCAL}insider")) is type(source.agent("insider"))


# References


def test_the_best_agent_is_chosen_on_half_of_the_deals_and_measured_on_the_others() -> None:
    """Lucky wins all of the even deals and half of the odd ones, steady three quarters of either, random none."""
    wins: dict[str, Callable[[int], bool]] = {
        "random": lambda deal: False,
        "lucky": lambda deal: deal % 4 != 1,
        "steady": lambda deal: deal % 8 < 6,
    }
    games = lines(SCENARIO, tuple(wins), 40, lambda name, deal: wins[name](deal))
    assert measured(SCENARIO, ("lucky", "steady"), games) == Reference(0, 0.5, "lucky")


def test_references_that_tell_nothing_apart_are_refused() -> None:
    games = lines(SCENARIO, ("random", "other"), 4, lambda name, deal: deal == 0)
    with pytest.raises(DixitError, match="strangers other is not above random"):
        measured(SCENARIO, ("other",), games)


def test_references_are_read_as_they_were_written_and_only_for_their_suite(tmp_path: Path) -> None:
    file = tmp_path / "references.json"
    with pytest.raises(DixitError, match="holds no references"):
        references.read(file, [SCENARIO])
    references.write(file, [SCENARIO], {"strangers": REFERENCE}, {"deals": 8})
    assert references.read(file, [SCENARIO]) == {"strangers": REFERENCE}
    assert json.loads(file.read_text())["deals"] == 8
    with pytest.raises(DixitError, match="another suite"):
        references.read(file, [replace(SCENARIO, players=5)])


# Playing and telling


def test_played_games_are_kept_scored_and_told(tmp_path: Path) -> None:
    """The insider knows what its own clues mean, and needs somebody who knows too."""
    scenario = replace(SCENARIO, focal=2)
    playing = Playing(agents=("insider",), deals=3, seed=1, salt="s", out=tmp_path)
    games = dict(playing.play(scenario, Players()))
    assert len(games) == 12
    assert all(line["seats"].count(f"{FOCAL}insider") == 2 for line in games.values())
    kept = (playing.folder(scenario) / "games.jsonl").read_bytes()
    assert dict(playing.play(scenario, Players())) == games
    assert (playing.folder(scenario) / "games.jsonl").read_bytes() == kept
    longer = replace(playing, deals=4).tournament(scenario).matches()
    assert playing.tournament(scenario).matches().items() <= longer.items()

    found = results([result(scenario, REFERENCE, "insider", games)])
    page = write_page("insider", found, 3, tmp_path, ["Salt s."]).read_text()
    for words in (
        "How does insider do among others?",
        "strangers",
        "Salt s.",
        "Fewer than 20 deals",
        "60.0% (insider)",
    ):
        assert words in page
    assert (tmp_path / "plots" / "scores.svg").exists()
    told = to_json(found)
    assert {"score", "score_low", "score_high"} <= told.keys()
    promised = {"score", "score_low", "score_high", "win_share", "win_share_low", "win_share_high", "random", "best"}
    assert promised <= told["scenarios"]["strangers"].keys()


def test_scenarios_are_dealt_anew_each() -> None:
    playing = Playing(agents=("a",), deals=2, seed=0, salt="", out=Path())
    seeds = {match.seed for s in SUITE for match in playing.tournament(s).matches().values()}
    assert len(seeds) == 2 * len(SUITE)


def test_the_verdict_names_the_halves() -> None:
    said = verdict("new", three())
    assert "residents that training meets" in said
    assert "residents that no training meets" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "say either whom to score"),
        ({"agent": "clip", "references": Path("r.json")}, "say either whom to score"),
        ({"agent": "clip", "only": "greedy-host"}, "no scenario is called 'greedy-host': choose from greedy-hosts"),
        ({"references": Path("r.json"), "only": "greedy-hosts"}, "leave --only out"),
        ({"references": Path("r.json"), "known": "random"}, "better than random"),
        ({"agent": "human"}, "people can't sit"),
        ({"agent": "clip", "deals": 0}, "--deals is at least 1"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(options: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(DixitError, match=said):
        main(Args(out=tmp_path, **options))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_command_scores_an_agent_by_the_references_that_come_with_it(tmp_path: Path) -> None:
    assert references.read(references.FILE, SUITE).keys() == {scenario.name for scenario in SUITE}
    main(Args(out=tmp_path, agent="random", only="greedy-hosts", deals=1))
    found = json.loads((tmp_path / "results.json").read_text())
    assert found["scenarios"].keys() == {"greedy-hosts"}
    assert found["score"] == found["scenarios"]["greedy-hosts"]["score"]
    assert found["settings"]["salt"]
    assert (tmp_path / "report.html").exists()
