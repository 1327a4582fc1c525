"""Clue givers before panels: exact scores against enumeration, correlation, pairing, resuming, texts, merging."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import isnan, prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from dixit_env.arena.clue_bench import ClueBench, Outcome, run_bench, shuffled_clues
from dixit_env.arena.clue_clones import clones
from dixit_env.arena.clue_figures import figures, judge
from dixit_env.arena.clue_files import turn_lines, without_nan, write_csv, write_log
from dixit_env.arena.clue_leaderboard import merge_runs, read_run
from dixit_env.arena.clue_questions import Answer
from dixit_env.arena.clue_report import write_page
from dixit_env.arena.clue_scoring import CERTAIN, Votes, correlation, legal, sample, worth
from dixit_env.arena.clue_table import Eye, Panel, deal, layout, panel_votes
from dixit_env.arena.clue_text import clue_fault, names_card, variety
from dixit_env.arena.stats import Floats
from dixit_env.deck import Card, Deck
from dixit_env.errors import DixitError
from dixit_env.moves import GiveClue, PlayCards
from dixit_env.rules import DIXIT, DIXIT_2008, ODYSSEY, ODYSSEY_2011, Rules
from dixit_env.scoring import score
from dixit_env.table import Agent, Decision
from dixit_env.view import View

CARDS = 84
PANELS = (Panel("mixed", ("clip@2", "tilted@4")), Panel("people", ("clip@2", "tilted@4"), "people"))


class Teller:
    """Tells the number of its card: `number` as it is, `vague` rounded, `broken` now and then, `mute` never."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            if self.name == "mute" or (self.name == "broken" and self.rng.random() < 0.5):
                raise RuntimeError("no clue")
            number = move.card if self.name != "vague" else move.card // 6 * 6
            return Decision(GiveClue(move.card, f"about {number}"), {"expected": {"finders": 2.0}, "cost": 0.25})
        if isinstance(move, PlayCards):
            told = float(view.clue.split()[1])
            return Decision(min(view.moves, key=lambda m: sum(abs(c - told) for c in getattr(m, "cards", ()))))
        return Decision(move)


def near(clues: Sequence[str], tilt: int) -> Floats:
    """Cards stand out the more, the nearer their number is to the one that is told."""
    told = np.array([float(clue.split()[1]) for clue in clues])[:, None]
    return 2.0 - np.abs(np.arange(CARDS) - told - tilt) / 6


@dataclass(frozen=True)
class NumberBooth:
    """Numbers for pictures."""

    def deck(self) -> Deck:
        return Deck.blank(CARDS)

    def agent(self, name: str) -> Agent:
        return Teller(name)

    def eye(self, name: str) -> Eye:
        return lambda clues: near(clues, 3 if name == "tilted" else 0)


def valid(answer: Answer) -> bool:
    return isinstance(answer.move, GiveClue) and not clue_fault(answer.move.clue)


def bench(**changes: Any) -> ClueBench:
    givers = ("clip", "vague", "broken", "shuffled")
    return replace(ClueBench(givers=givers, panels=PANELS, deals=16, players=5, rules=DIXIT), **changes)


def ran(tmp_path: Path, **changes: Any) -> Outcome:
    return run_bench(bench(**changes), NumberBooth(), tmp_path, valid, settings={"deck": "numbers"})


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    panels = (*PANELS, Panel("agents", ("clip", "vague"), "agents"))
    return ran(tmp_path_factory.mktemp("run"), panels=panels)


@pytest.fixture(scope="module")
def results(outcome: Outcome) -> dict[str, Any]:
    return figures(outcome, "", frozenset({"about 6"}))


def table(rules: Rules, players: int, seed: int = 0) -> tuple[Any, Any, Votes]:
    """Random vote distributions at a table."""
    seated, rng = rules.seated(players), np.random.default_rng(seed)
    owners = np.array([0, *(seat for seat in range(1, players) for _ in range(seated.gives))])
    first = legal(rng.dirichlet(np.ones(len(owners)), players - 1), owners)
    return seated, owners, Votes(first, rng.random(first.shape))


class TestExactScores:
    @pytest.mark.parametrize(
        ("rules", "players"),
        [(ODYSSEY, 3), (ODYSSEY, 4), (DIXIT, 3), (DIXIT, 5), (DIXIT_2008, 3), (ODYSSEY_2011, 4)],
    )
    @pytest.mark.parametrize("all_means", ["dials", "voters"])
    def test_they_are_the_mean_over_all_ways_to_vote(self, rules: Rules, players: int, all_means: Any) -> None:
        """Every ballot of every voter, scored by the rules and weighed by its chance."""
        seated, owners, votes = table(replace(rules, all_means=all_means), players)
        ways = [self.ballots(seated, votes.first[voter], votes.stacks[voter]) for voter in range(players - 1)]
        sums = dict.fromkeys(("everybody", "some", "nobody", "points", "listeners"), 0.0)
        for combination in product(*(way.items() for way in ways)):
            chance = prod(weight for _, weight in combination)
            result = score(seated, 0, owners.tolist(), [(), *(ballot for ballot, _ in combination)])
            name = {"all": "everybody", "some": "some", "none": "nobody"}[result.outcome]
            sums[name] += chance
            # The bonus for one dial can't be had: voters use all of their dials.
            sums["points"] += chance * result.points[0]
            sums["listeners"] += chance * sum(result.points[1:]) / (players - 1)
        exact = worth(seated, owners, votes)
        assert {name: float(getattr(exact, name)) for name in sums} == pytest.approx(sums, abs=1e-9)

    @staticmethod
    def ballots(seated: Any, first: Floats, stacks: Floats) -> dict[tuple[int, ...], float]:
        ways: dict[tuple[int, ...], float] = {}
        for card, chance in enumerate(first):
            if not chance:
                continue
            if seated.dials_most == 1:
                ways[(card,)] = chance
                continue
            stack = stacks[card] if seated.may_stack else 0.0
            for other, more in enumerate(first):
                share = stack if other == card else (1 - stack) * more / (1 - chance)
                ballot = tuple(sorted((card, other)))
                ways[ballot] = ways.get(ballot, 0.0) + chance * share
        return {ballot: chance for ballot, chance in ways.items() if chance}

    def test_success_with_one_dial_is_poisson_binomial(self) -> None:
        seated, owners, votes = table(DIXIT, 6)
        q = votes.first[:, 0]
        assert worth(seated, owners, votes).some == pytest.approx(1 - np.prod(q) - np.prod(1 - q))

    def test_dials_that_are_set_independently_find_a_card_like_twice_as_many_voters(self) -> None:
        seated, owners, votes = table(ODYSSEY, 6)
        q = votes.first[:, 0]
        exact = worth(seated, owners, Votes(votes.first, votes.first))
        assert exact.everybody == pytest.approx(np.prod(q**2))
        assert exact.nobody == pytest.approx(np.prod((1 - q) ** 2))

    @pytest.mark.parametrize("players", range(3, 13))
    def test_spread_dials_never_all_lie_on_the_card(self, players: int) -> None:
        seated, owners, votes = table(ODYSSEY, players)
        assert worth(seated, owners, Votes(votes.first, np.zeros_like(votes.stacks))).everybody == pytest.approx(0)

    def test_turns_voted_by_chance_agree(self) -> None:
        seated, owners, votes = table(ODYSSEY, 5, seed=3)
        exact = worth(seated, owners, votes)
        turns = sample(np.random.default_rng(0), seated, owners, votes, 4000)
        points = np.array([turn.points for turn in turns])
        error = points[:, 0].std() / np.sqrt(len(turns))
        assert points[:, 0].mean() == pytest.approx(float(exact.points), abs=4 * error + 1e-3)
        assert points[:, 1:].mean() == pytest.approx(float(exact.listeners), abs=0.1)

    def test_nobody_votes_for_an_own_card_or_is_quite_certain(self) -> None:
        owners = np.array([0, 1, 2])
        votes = legal(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), owners)
        assert votes[0].tolist() == [0.5, 0.0, 0.5]
        assert votes[1].tolist() == pytest.approx([1 - CERTAIN / 2, CERTAIN / 2, 0.0])


class TestCorrelation:
    @pytest.mark.parametrize("rho", [0.0, 0.236, 0.6])
    def test_it_is_found_in_correlated_votes(self, rho: float) -> None:
        rng, p = np.random.default_rng(1), 0.4
        q = rng.beta(p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho, 200_000) if rho else np.full(1000, p)
        assert correlation(q, q**2) == pytest.approx(rho, abs=0.01)

    def test_success_of_three_listeners_follows_from_it(self) -> None:
        """P(some) = 3 p (1 − p) (1 − ρ), whoever the listeners are."""
        rng = np.random.default_rng(2)
        seated, owners = DIXIT.seated(4), np.arange(4)
        first = legal(rng.dirichlet(np.full(4, 0.5), (50, 3)), owners)
        exact = worth(seated, owners, Votes(first, first))
        p, rho = exact.found.mean(), correlation(exact.found, exact.together)
        assert exact.some.mean() == pytest.approx(3 * p * (1 - p) * (1 - rho))


class TestDeals:
    def test_a_smaller_table_is_part_of_a_larger_one(self) -> None:
        dealt = deal(ODYSSEY, 4, CARDS, 7, 0)
        assert dealt.hands[:4] == dealt.state.hands
        assert len(dealt.hands) == 12
        assert sorted(card for hand in dealt.hands for card in hand) == sorted({c for h in dealt.hands for c in h})
        plan = layout(ODYSSEY, 12)
        assert [len(plan.columns(ODYSSEY, players)) for players in (3, 4, 12)] == [5, 4, 12]

    def test_deals_and_decoys_are_the_same_for_all_clue_givers(self, outcome: Outcome) -> None:
        """Two givers with the same clue and card make the same table."""
        tables: dict[tuple[int, int, str], set[tuple[int, ...]]] = {}
        for turns in outcome.told.values():
            for turn in filter(None, turns):
                tables.setdefault((turn.deal, turn.card, turn.clue), set()).add(turn.cards)
                assert turn.card in outcome.deals[turn.deal].hands[0]
        assert {len(different) for different in tables.values()} == {1}

    def test_people_share_one_opinion_and_other_listeners_do_not(self) -> None:
        rng = np.random.default_rng(0)
        deals = [deal(DIXIT, 5, CARDS, 0, number) for number in range(40)]
        z = {"clip": rng.normal(size=(40, 5)), "tilted": rng.normal(size=(40, 5))}
        owners = np.arange(5)
        rho = []
        for panel in PANELS:
            exact = worth(DIXIT.seated(5), owners, panel_votes(panel, z, owners, deals))
            within = exact.together.mean(1) - exact.found.mean(1) ** 2
            rho.append(float(within.mean()))
        assert rho[1] > rho[0] + 0.02

    def test_shuffled_clues_keep_the_card_and_come_from_another_deal(self) -> None:
        moves = [GiveClue(number, f"clue {number}") for number in range(8)]
        shuffled = [move for move in shuffled_clues(moves) if move]
        assert [move.card for move in shuffled] == list(range(8))
        assert [move.clue for move in shuffled[:4]] == ["clue 1", "clue 2", "clue 3", "clue 0"]
        assert shuffled_clues([moves[0], None, *moves[2:]])[:2] == [GiveClue(0, "clue 2"), None]
        assert shuffled_clues([moves[0], None, None, None]) == [None] * 4


class TestFigures:
    def test_a_clue_giver_that_is_understood_beats_its_shuffled_clues(self, results: dict[str, Any]) -> None:
        clip = results["clue_givers"]["clip"]
        assert clip["guess_rate_over_shuffled_low"] > 0
        assert clip["lift"] == pytest.approx(clip["guess_rate"] - 1 / 4)
        assert clip["all"] + clip["some"] + clip["none"] == pytest.approx(1)
        assert clip["points_low"] <= clip["points"] <= clip["points_high"]
        assert clip["points"] == pytest.approx(3 * clip["some"])

    def test_the_shuffled_giver_is_the_control_of_the_reference(self, results: dict[str, Any]) -> None:
        givers = results["clue_givers"]
        assert givers["shuffled"]["points"] == pytest.approx(givers["clip"]["shuffled_points"])

    def test_failed_replies_are_no_clues(self, outcome: Outcome, results: dict[str, Any]) -> None:
        broken = results["clue_givers"]["broken"]
        failed = [answer.fault for answer in outcome.answers["broken"] if answer.fault]
        assert 0 < len(failed) < 16
        assert failed[0] == "RuntimeError: no clue"
        assert broken["faults"]["failed"] == len(failed)
        assert broken["valid"] == 1 - len(failed) / 16
        assert not isnan(broken["points"])

    def test_the_curve_goes_over_all_table_sizes(self, outcome: Outcome, results: dict[str, Any]) -> None:
        curve = results["clue_givers"]["clip"]["curve"]
        assert list(curve) == [str(players) for players in range(3, 9)]
        assert curve["5"]["some"] == pytest.approx(results["clue_givers"]["clip"]["some"])

    def test_calibration_is_the_brier_score_of_every_vote(self, outcome: Outcome, results: dict[str, Any]) -> None:
        """2 of 4 voters were expected: (½ − X)² is ¼ whatever happens."""
        clip = results["clue_givers"]["clip"]
        assert clip["brier"] == pytest.approx(0.25)
        assert clip["ece"] == pytest.approx(abs(0.5 - clip["guess_rate"]))

    def test_decoys_stand_between_a_random_card_and_the_best(self, results: dict[str, Any]) -> None:
        decoys = results["clue_givers"]["clip"]["decoys"]
        assert decoys["random"] < decoys["drawn"] <= decoys["best"] + 1e-9
        assert 0.3 < decoys["skill"] <= 1

    def test_agents_vote_for_themselves(self, outcome: Outcome, results: dict[str, Any]) -> None:
        judged = judge(outcome, "clip", outcome.bench.panels[-1], 5)
        assert judged is not None
        cast = outcome.ballots["clip", "agents"]
        assert all(votes is not None and [len(vote) for vote in votes] == [1] * 4 for votes in cast)
        assert set(np.unique(judged.votes.first)) == {0.0, 1.0}
        assert set(results["cross_play"]["clip"]) == {"mixed", "people", "agents"}

    def test_costs_are_added_up(self, results: dict[str, Any]) -> None:
        """16 clues, 4 at a second attempt, 16 decoys, and every other ballot of the agents' panel."""
        assert results["clue_givers"]["clip"]["cost_per_clue"] == 0.25
        account = results["accounts"]["clip"]
        assert account["cost"] == pytest.approx(20 * 0.25)
        assert account["asked"] > 20 + 16
        assert account["failed"] == 0

    def test_a_pair_is_compared_on_the_same_deals(self, outcome: Outcome, results: dict[str, Any]) -> None:
        one, other = (judge(outcome, name, PANELS[0], 5) for name in ("clip", "broken"))
        assert one is not None
        assert other is not None
        both = one.values["points"] - other.values["points"]
        pair = next(pair for pair in results["pairs"] if {pair["ahead"], pair["behind"]} == {"clip", "broken"})
        sign = 1 if pair["ahead"] == "clip" else -1
        assert pair["difference"] == pytest.approx(sign * np.nanmean(both))


class TestClones:
    def test_copies_agree_more_and_find_as_often(self, outcome: Outcome) -> None:
        for entry in clones(outcome, ("clip", "tilted")):
            assert entry["clones"]["rho"] > entry["mixed"]["rho"]
            assert entry["clones"]["some"] < entry["mixed"]["some"]
            p, rho = entry["guess_rate"], entry["clones"]["rho"]
            assert entry["clones"]["some"] == pytest.approx(3 * p * (1 - p) * (1 - rho))
            assert entry["mixed"]["some"] == pytest.approx(3 * p * (1 - p) * (1 - entry["mixed"]["rho"]))


class TestRuns:
    def test_a_run_goes_on_and_grows(self, tmp_path: Path) -> None:
        """Answers that are there aren't asked for again; more deals and givers can be added."""
        ran(tmp_path, deals=4, givers=("clip",))
        before = (tmp_path / "clues.jsonl").read_text()
        again = ran(tmp_path, deals=4, givers=("clip",))
        assert (tmp_path / "clues.jsonl").read_text() == before
        more = ran(tmp_path, deals=8, givers=("clip", "vague"))
        assert (tmp_path / "clues.jsonl").read_text().startswith(before)
        assert more.answers["clip"][:4] == again.answers["clip"]
        with pytest.raises(DixitError, match="begun with other settings"):
            ran(tmp_path, deals=4, seed=1)

    def test_two_workers_say_the_same_as_one(self, tmp_path: Path, outcome: Outcome) -> None:
        two = run_bench(bench(), NumberBooth(), tmp_path, valid, settings={}, workers=2)
        assert [turn and turn.clue for turn in two.told["vague"]] == [
            turn and turn.clue for turn in outcome.told["vague"]
        ]
        assert two.decoys == outcome.decoys

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"givers": ()}, "at least one clue giver"),
            ({"givers": ("clip", "clip")}, "named twice"),
            ({"players": 9}, "3 to 8 players"),
            ({"panels": (Panel("agents", ("clip",), "agents"),)}, "can't be the main one"),
        ],
    )
    def test_what_is_no_benchmark_is_refused(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(DixitError, match=message):
            bench(**changes)

    def test_everything_is_logged_and_told(self, outcome: Outcome, results: dict[str, Any], tmp_path: Path) -> None:
        lines = list(turn_lines(outcome, ""))
        write_log(lines, tmp_path / "log.jsonl")
        write_csv(lines, tmp_path / "turns.csv")
        read = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
        assert len(read) == 4 * 16
        told = next(line for line in read if line["giver"] == "clip")
        assert told["seed"] == outcome.deals[0].seed
        assert np.shape(told["panels"]["people"]["votes"]) == (4, 5)
        assert np.sum(told["panels"]["mixed"]["votes"], axis=1) == pytest.approx(np.ones(4), abs=1e-3)
        page = write_page(outcome, {**results, "clones": clones(outcome, ("clip", "tilted"))}, lines, tmp_path)
        html = page.read_text(encoding="utf-8")
        assert "http" not in html.replace("http://www.w3.org", "")
        assert "clones" in html
        assert (tmp_path / "plots" / "sizes.svg").exists()

    def test_who_never_gives_a_clue_has_no_points(self, tmp_path: Path) -> None:
        silent = ran(tmp_path, deals=4, givers=("clip", "mute"))
        found = figures(silent, "", frozenset())
        mute = found["clue_givers"]["mute"]
        assert mute["valid"] == 0
        assert isnan(mute["points"])
        assert list(found["clue_givers"]) == ["clip", "mute"]
        lines = list(turn_lines(silent, ""))
        assert {line["fault"] for line in lines if line["giver"] == "mute"} == {"failed"}
        assert "mute" in write_page(silent, found, lines, tmp_path).read_text(encoding="utf-8")
        assert json.loads(json.dumps(without_nan(found), allow_nan=False))


class TestTexts:
    @pytest.mark.parametrize(
        ("clue", "fault"),
        [
            (None, "failed"),
            ("…", "empty"),
            ('{"clue": "sea"}', "json"),
            ("```sea```", "json"),
            ("Clue: the sea", "instructions"),
            ("As an AI language model, I can't", "instructions"),
            ("I would choose card 3", "instructions"),
            ("some players should see why it fits the card", "instructions"),
            ("sea " * 41, "long"),
            ("a sea of stars", ""),
            ("“To be or not to be”", ""),
            ("it's a card game", ""),
            ("¡Olé!", ""),
            ("海", ""),
        ],
    )
    def test_what_is_a_clue(self, clue: str | None, fault: str) -> None:
        assert clue_fault(clue, "Some players should see why it fits the card, and some should not.") == fault

    def test_naming_the_card(self) -> None:
        card = Card("1", "d/1", captions={"en": "A whale over the town"}, tags={"pt": ("baleia",)})
        assert names_card("Whales!", card)
        assert names_card("a baleia", card)
        assert not names_card("over and out", Card("2", "d/2", captions={"en": "A fox out at sea"}))

    def test_variety(self) -> None:
        told = [(1, "the sea"), (1, "The sea!"), (2, "the sky")]
        told_of = variety(told, {"other": ["The Sky"]}, frozenset({"the sea"}))
        assert told_of["distinct_1"] == 3 / 6
        assert told_of["distinct_2"] == 2 / 3
        assert told_of["repeats"] == pytest.approx(1 / 3)
        assert told_of["per_card"] == 1 / 2
        assert told_of["overlap"] == pytest.approx(1 / 3)
        assert told_of["known"] == pytest.approx(2 / 3)
        assert isnan(variety([], {}, frozenset())["words"])


class TestLeaderboard:
    @pytest.fixture
    def run(self, outcome: Outcome, results: dict[str, Any]) -> Callable[..., dict[str, Any]]:
        def make(**changes: Any) -> dict[str, Any]:
            comparable = {**outcome.bench.comparable(outcome.deck, {"clip": "a", "tilted": "b"}), **changes}
            return json.loads(json.dumps(without_nan({**results, "comparable": comparable})))

        return make

    def test_runs_on_the_same_deals_are_merged(self, run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
        runs = {}
        for name, other in (("a", "other"), ("b", "clip")):
            results = run()
            results["clue_givers"] = {**results["clue_givers"], other: results["clue_givers"]["vague"]}
            (tmp_path / name).mkdir()
            (tmp_path / name / "results.json").write_text(json.dumps(results))
            runs[name] = read_run(tmp_path / name)
        merged = merge_runs(runs)["clue_givers"]
        assert set(merged) == {"clip", "vague", "broken", "shuffled", "other", "clip (b)"}
        points = [figures["points"] for figures in merged.values()]
        assert points == sorted(points, reverse=True)

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"deck": "another"}, "deck"),
            ({"version": "0"}, "version"),
            ({"seed": 5}, "seed"),
            ({"panels": []}, "panels"),
            ({"eyes": {"clip": "a", "tilted": "c"}}, r"eyes\.tilted"),
            ({"rules": asdict(DIXIT_2008)}, r"rules\.name"),
        ],
    )
    def test_what_can_not_be_compared_is_refused(
        self, run: Callable[..., dict[str, Any]], changes: dict[str, Any], named: str
    ) -> None:
        with pytest.raises(DixitError, match=f"b can't be compared with a: they differ in .*{named}"):
            merge_runs({"a": run(), "b": run(**changes)})

    def test_a_folder_of_something_else(self, tmp_path: Path) -> None:
        with pytest.raises(DixitError, match="holds no results of a clue benchmark"):
            read_run(tmp_path)
