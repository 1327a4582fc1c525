"""Clue givers before panels: pairing, figures, resuming, merging."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from math import isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from number_cards import CARDS, Numbers, near

from dixit_env.bench.clues.asking import Answer, Execution
from dixit_env.bench.clues.benchmark import SHUFFLES, ClueBench, ClueRun, run_bench, shuffled_clues
from dixit_env.bench.clues.clones import SHARPNESS, clones
from dixit_env.bench.clues.deals import DECOY, deal, full_layout, table_cards
from dixit_env.bench.clues.figures import clue_results
from dixit_env.bench.clues.judging import control_values, judge, judge_turns
from dixit_env.bench.clues.leaderboard import SavedRun, merge_runs, read_run
from dixit_env.bench.clues.panels import GIVER_EYES, Panel, panel_votes
from dixit_env.bench.clues.report import OWN_EYES, clone_findings, verdicts, write_page
from dixit_env.bench.clues.results import CloneResult, ClueResults, panel_score, to_json
from dixit_env.bench.clues.scoring import worth
from dixit_env.bench.clues.text import reply_fault
from dixit_env.bench.clues.turn_log import turn_lines, write_csv, write_log
from dixit_env.errors import DixitError
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import DIXIT, DIXIT_2008, ODYSSEY, Rules
from dixit_env.game.streams import stream

PANELS = (Panel("mixed", ("clip@2", "tilted@4")), Panel("simulated", ("clip@2", "tilted@4"), "simulated"))


def valid(answer: Answer) -> bool:
    return isinstance(answer.move, GiveClue) and not reply_fault(answer.move.clue)


def bench(**changes: Any) -> ClueBench:
    givers = ("clip", "vague", "broken", "shuffled")
    return replace(ClueBench(givers=givers, panels=PANELS, deals=16, players=5, rules=DIXIT), **changes)


def ran(tmp_path: Path, **changes: Any) -> ClueRun:
    return run_bench(bench(**changes), Numbers(), tmp_path, valid, settings={"deck": "numbers"}, how=Execution())


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> ClueRun:
    panels = (*PANELS, Panel("agents", ("clip", "vague"), "agents"))
    return ran(tmp_path_factory.mktemp("run"), panels=panels)


@pytest.fixture(scope="module")
def typed(outcome: ClueRun) -> ClueResults:
    return clue_results(outcome, "", frozenset({"about 6"}))


@pytest.fixture(scope="module")
def results(typed: ClueResults) -> dict[str, Any]:
    """As in results.json."""
    return to_json(typed)


@pytest.fixture(scope="module")
def entries(outcome: ClueRun) -> list[CloneResult]:
    """The clones experiment."""
    return clones(outcome, ("clip", "tilted"))


class TestDeals:
    def test_a_smaller_table_is_part_of_a_larger_one(self) -> None:
        dealt = deal(ODYSSEY, 4, CARDS, 7, 0)
        assert dealt.hands[:4] == dealt.state.hands
        assert len(dealt.hands) == 12
        assert sorted(card for hand in dealt.hands for card in hand) == sorted({c for h in dealt.hands for c in h})
        layout = full_layout(ODYSSEY, 12)
        assert [len(layout.columns(ODYSSEY, players)) for players in (3, 4, 12)] == [5, 4, 12]

    def test_deals_and_decoys_are_the_same_for_all_clue_givers(self, outcome: ClueRun) -> None:
        """Two givers with the same clue and card make the same table."""
        tables: dict[tuple[int, int, str], set[tuple[int, ...]]] = {}
        for turns in outcome.turns.values():
            for turn in filter(None, turns):
                tables.setdefault((turn.deal, turn.card, turn.clue), set()).add(turn.cards)
                assert turn.card in outcome.deals[turn.deal].hands[0]
        assert {len(different) for different in tables.values()} == {1}

    def test_every_seat_plays_the_cards_that_its_own_softmax_takes(self, outcome: ClueRun) -> None:
        """A softmax takes the card whose logit with Gumbel noise is the highest, and then the next."""
        dealt, z = outcome.deals[3], near(["about 40"], 0)[0]
        layout = full_layout(ODYSSEY, len(dealt.hands))
        cards = table_cards(dealt, 7, z, layout).tolist()
        assert cards[0] == 7
        for seat, hand in enumerate(dealt.hands[1:], 1):
            rng = stream(dealt.seed, "decoys", seat)
            noisy = {card: DECOY * z[card] - log(-log(rng.random())) for card in hand}
            played = [card for card, owner in zip(cards, layout.owners, strict=True) if owner == seat]
            assert played == sorted(hand, key=lambda card: -noisy[card])[:2]

    def test_simulated_voters_share_one_opinion_and_other_listeners_do_not(self) -> None:
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

    def test_shuffled_clues_keep_the_card_and_come_from_other_deals(self) -> None:
        moves = [GiveClue(number, f"clue {number}") for number in range(30)]
        controls = shuffled_clues(moves)
        assert len(controls) == SHUFFLES
        for control in controls:
            told = [move for move in control if move]
            assert [move.card for move in told] == list(range(30))
            assert {move.clue for move in told} == {move.clue for move in moves}
        for number, move in enumerate(moves):
            others = {other.clue for control in controls if (other := control[number])}
            assert len(others) == SHUFFLES
            assert move.clue not in others

    def test_deals_without_a_clue_are_passed_over(self) -> None:
        moves = [GiveClue(0, "a"), None, GiveClue(2, "c"), GiveClue(3, "d")]
        first, second = shuffled_clues(moves)
        assert first == [GiveClue(0, "c"), None, GiveClue(2, "d"), GiveClue(3, "a")]
        assert second == [GiveClue(0, "d"), None, GiveClue(2, "a"), GiveClue(3, "c")]
        assert shuffled_clues([moves[0], None]) == []


class TestJudging:
    @pytest.mark.parametrize("panel", PANELS, ids=[panel.name for panel in PANELS])
    @pytest.mark.parametrize(("rules", "players"), [(DIXIT, 5), (ODYSSEY, 7), (ODYSSEY, 3)])
    def test_all_clues_are_judged_together_as_each_alone(
        self, outcome: ClueRun, panel: Panel, rules: Rules, players: int
    ) -> None:
        turns = outcome.turns["broken"]
        together = judge_turns(outcome, turns, panel, rules, players)
        assert together is not None
        assert together.rows.tolist() == [turn.deal for turn in turns if turn]
        for turn in filter(None, turns):
            alone = judge_turns(outcome, (turn,), panel, rules, players)
            assert alone is not None
            for measure, values in together.values.items():
                assert values[turn.deal] == pytest.approx(alone.values[measure][turn.deal], abs=1e-12), measure


class TestFigures:
    def test_a_clue_giver_that_is_understood_beats_its_shuffled_clues(self, results: dict[str, Any]) -> None:
        clip = results["clue_givers"]["clip"]
        assert clip["guess_rate_over_shuffled_low"] > 0
        assert clip["lift"] == pytest.approx(clip["guess_rate"] - 1 / 4)
        assert clip["all"] + clip["some"] + clip["none"] == pytest.approx(1)
        assert clip["points_low"] <= clip["points"] <= clip["points_high"]
        assert clip["points"] == pytest.approx(3 * clip["some"])

    def test_the_shuffled_giver_is_the_first_shuffle_of_the_reference(self, outcome: ClueRun) -> None:
        assert [turn and (turn.card, turn.clue) for turn in outcome.turns["shuffled"]] == [
            turn and (turn.card, turn.clue) for turn in outcome.controls["clip"][0]
        ]

    def test_the_control_is_the_mean_over_all_shuffles(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        assert len(outcome.controls["clip"]) == 15
        found = [
            judge(replace(outcome, turns={"clip": turns}), "clip", PANELS[0], 5) for turns in outcome.controls["clip"]
        ]
        rate = np.mean([one.values["guess_rate"].mean() for one in found if one])
        assert results["clue_givers"]["clip"]["shuffled_guess_rate"] == pytest.approx(rate)

    def test_givers_are_ranked_by_the_share_that_finds_the_card_above_its_control(
        self, results: dict[str, Any]
    ) -> None:
        above = [figures["guess_rate_over_shuffled"] for figures in results["clue_givers"].values()]
        assert above == sorted(above, reverse=True)
        assert list(results["clue_givers"])[-1] == "shuffled"

    def test_at_a_table_of_four_some_of_three_voters_find_the_card(self, results: dict[str, Any]) -> None:
        """By the rules of Dixit, which are the run's own here: the same as on its curve."""
        clip = results["clue_givers"]["clip"]
        assert clip["points_at_four"] == pytest.approx(clip["curve"]["4"]["points"])
        assert clip["points_at_four_low"] <= clip["points_at_four"] <= clip["points_at_four_high"] <= 3

    def test_failed_replies_are_no_clues(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        broken = results["clue_givers"]["broken"]
        failed = [answer.fault for answer in outcome.answers["broken"] if answer.fault]
        assert 0 < len(failed) < 16
        assert failed[0] == "RuntimeError: no clue"
        assert broken["faults"]["failed"] == len(failed)
        assert broken["valid"] == 1 - len(failed) / 16
        assert broken["points"] is not None

    def test_the_curve_goes_over_all_table_sizes(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        curve = results["clue_givers"]["clip"]["curve"]
        assert list(curve) == [str(players) for players in range(3, 9)]
        assert curve["5"]["some"] == pytest.approx(results["clue_givers"]["clip"]["some"])

    def test_calibration_is_the_brier_score_of_every_vote(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        """2 of 4 voters were expected: (½ − X)² is ¼ whatever happens."""
        clip = results["clue_givers"]["clip"]
        assert clip["brier"] == pytest.approx(0.25)
        assert clip["ece"] == pytest.approx(abs(0.5 - clip["guess_rate"]))

    def test_decoys_stand_between_a_random_card_and_the_best(self, results: dict[str, Any]) -> None:
        decoys = results["clue_givers"]["clip"]["decoys"]
        assert decoys["random"] < decoys["drawn"] <= decoys["best"] + 1e-9
        assert 0.3 < decoys["skill"] <= 1

    def test_agents_vote_for_themselves(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        judged = judge(outcome, "clip", outcome.bench.panels[-1], 5)
        assert judged is not None
        cast = outcome.ballots["clip", "agents"]
        assert all(votes is not None and [len(vote) for vote in votes] == [1] * 4 for votes in cast)
        assert set(np.unique(judged.votes.first)) == {0.0, 1.0}
        assert set(results["cross_play"]["clip"]) == {"mixed", "simulated", "agents"}

    def test_costs_are_added_up(self, results: dict[str, Any]) -> None:
        """16 clues, 4 at a second attempt, 16 decoys, and every other ballot of the agents' panel."""
        assert results["clue_givers"]["clip"]["cost_per_clue"] == 0.25
        account = results["accounts"]["clip"]
        assert account["cost"] == pytest.approx(20 * 0.25)
        assert account["asked"] > 20 + 16
        assert account["failed"] == 0

    def test_a_pair_is_compared_on_the_same_deals(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        one, other = (judge(outcome, name, PANELS[0], 5) for name in ("clip", "broken"))
        assert one is not None
        assert other is not None
        both = one.values["guess_rate"] - other.values["guess_rate"]
        pair = next(pair for pair in results["pairs"] if {pair["ahead"], pair["behind"]} == {"clip", "broken"})
        sign = 1 if pair["ahead"] == "clip" else -1
        assert pair["difference"] == pytest.approx(sign * np.nanmean(both))

    def test_every_giver_is_held_against_its_control(self, outcome: ClueRun, results: dict[str, Any]) -> None:
        control = control_values(outcome, "clip", PANELS[0], DIXIT, 5)
        judged = judge(outcome, "clip", PANELS[0], 5)
        assert control is not None
        assert judged is not None
        pair = next(
            pair for pair in results["pairs"] if (pair["ahead"], pair["behind"]) == ("clip", "its shuffled clues")
        )
        assert pair["difference"] == pytest.approx(np.mean(judged.values["guess_rate"] - control["guess_rate"]))
        assert pair["difference"] == pytest.approx(results["clue_givers"]["clip"]["guess_rate_over_shuffled"])


class TestVerdicts:
    def test_few_deals_give_none(self, typed: ClueResults) -> None:
        assert [verdict.partition(":")[0] for verdict in verdicts(typed)] == ["No verdict"]

    def test_who_is_found_more_often_and_who_no_more_than_by_chance(self, tmp_path: Path) -> None:
        sentences = verdicts(clue_results(ran(tmp_path, deals=40, givers=("clip", "shuffled")), "", frozenset()))
        assert sentences[0].startswith("clip (")
        assert "is found more often than shuffled (" in sentences[0]
        assert sentences[-1].startswith("Found no more often than with shuffled clues: ")
        assert "clip" not in sentences[-1].replace("its shuffled clues", "")

    def test_a_panel_that_sees_through_the_givers_eyes_is_named_so(self, typed: ClueResults) -> None:
        assert OWN_EYES not in verdicts(typed)
        assert verdicts(replace(typed, main_panel=GIVER_EYES))[0] == OWN_EYES


class TestClones:
    def test_copies_agree_more_and_find_as_often(self, entries: list[CloneResult]) -> None:
        for entry in entries:
            assert entry.clones.rho.value > entry.mixed.rho.value
            assert entry.clones.some.value < entry.mixed.some.value
            p = entry.guess_rate
            for table in entry.tables.values():
                assert table.some.value == pytest.approx(3 * p * (1 - p) * (1 - table.rho.value))

    def test_every_giver_is_compared_before_listeners_of_every_sharpness(self, entries: list[CloneResult]) -> None:
        assert [(entry.giver, entry.sharpness) for entry in entries] == [
            (giver, sharpness) for giver in ("clip", "vague", "broken", "shuffled") for sharpness in SHARPNESS
        ]

    def test_the_excess_is_the_asymmetry_beyond_independent_votes(self, entries: list[CloneResult]) -> None:
        for entry in entries:
            asymmetry = {kind: table.asymmetry.value for kind, table in entry.tables.items()}
            excess = asymmetry["clones"] - asymmetry["independent"]
            assert entry.excess.value == pytest.approx(excess)
            assert entry.excess.low < entry.excess.value < entry.excess.high
            gone = asymmetry["clones"] - asymmetry["mixed"]
            assert entry.panel_share_of_excess.value == pytest.approx(gone / excess)
            assert entry.panel_share.value == pytest.approx(gone / asymmetry["clones"])

    @pytest.mark.parametrize("rules", [DIXIT, ODYSSEY])
    def test_independent_votes_earn_what_the_same_votes_earn_on_clues_that_are_all_alike(
        self, tmp_path: Path, rules: Rules
    ) -> None:
        """The oracle scores tables at which every voter has the same distribution, that of the mean mixed table."""
        run = ran(tmp_path, deals=1, rules=rules, givers=("clip",))
        for entry in clones(run, ("clip", "tilted")):
            assert entry.independent.points.value == pytest.approx(entry.mixed.points.value, abs=0.02)
            assert entry.independent.listeners.value == pytest.approx(entry.mixed.listeners.value, abs=0.02)

    def test_the_report_tells_of_each_giver_whose_clone_tables_have_an_excess(self, entries: list[CloneResult]) -> None:
        told = clone_findings(entries)
        expected = [entry.giver for entry in entries if entry.sharpness == max(SHARPNESS) and entry.excess.low > 0]
        assert [sentence.split(" ")[0] for sentence in told] == expected
        assert "clip" in expected


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

    def test_a_row_gives_clues_and_no_decoys(self, tmp_path: Path) -> None:
        run = ran(tmp_path, deals=4, givers=("clip",), rows=("vague",))
        assert set(run.turns) >= {"clip", "vague"}
        assert set(run.decoys) == {"clip"}
        found = clue_results(run, "", frozenset()).clue_givers
        assert not isnan(found["vague"].score.points.value)
        assert isnan(found["vague"].decoys.drawn.value)

    def test_two_workers_say_the_same_as_one(self, tmp_path: Path, outcome: ClueRun) -> None:
        two = run_bench(bench(), Numbers(), tmp_path, valid, settings={}, how=Execution(workers=2))
        assert [turn and turn.clue for turn in two.turns["vague"]] == [
            turn and turn.clue for turn in outcome.turns["vague"]
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

    def test_everything_is_logged_and_reported(self, outcome: ClueRun, typed: ClueResults, tmp_path: Path) -> None:
        lines = list(turn_lines(outcome, ""))
        write_log(lines, tmp_path / "log.jsonl")
        write_csv(lines, tmp_path / "turns.csv")
        read = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
        assert len(read) == 4 * 16
        line = next(line for line in read if line["giver"] == "clip")
        assert line["seed"] == outcome.deals[0].seed
        assert np.shape(line["panels"]["simulated"]["votes"]) == (4, 5)
        assert np.sum(line["panels"]["mixed"]["votes"], axis=1) == pytest.approx(np.ones(4), abs=1e-3)
        page = write_page(outcome, replace(typed, clones=clones(outcome, ("clip", "tilted"))), lines, tmp_path)
        html = page.read_text(encoding="utf-8")
        assert "http" not in html.replace("http://www.w3.org", "")
        assert "clones" in html
        assert (tmp_path / "plots" / "sizes.svg").exists()

    def test_who_never_gives_a_clue_has_no_points(self, tmp_path: Path) -> None:
        silent = ran(tmp_path, deals=4, givers=("clip", "mute"))
        found = clue_results(silent, "", frozenset())
        mute = found.clue_givers["mute"]
        assert mute.texts.valid == 0
        assert isnan(mute.score.points.value)
        assert list(found.clue_givers) == ["clip", "mute"]
        lines = list(turn_lines(silent, ""))
        assert {line["fault"] for line in lines if line["giver"] == "mute"} == {"failed"}
        assert "mute" in write_page(silent, found, lines, tmp_path).read_text(encoding="utf-8")
        written = json.loads(json.dumps(to_json(found), allow_nan=False))["clue_givers"]
        assert written["mute"]["points"] is None
        assert isnan(panel_score(written["mute"]).points.value)

    def test_a_score_is_read_back_as_it_was_written(self, typed: ClueResults, results: dict[str, Any]) -> None:
        score = panel_score(results["clue_givers"]["clip"])
        assert score == panel_score(results["cross_play"]["clip"]["mixed"])
        assert score == typed.cross_play["clip"]["mixed"]
        assert f"{score.points:.2f}" == f"{score.points.value:.2f} [{score.points.low:.2f} to {score.points.high:.2f}]"


class TestLeaderboard:
    @pytest.fixture
    def run(self, outcome: ClueRun, results: dict[str, Any]) -> Callable[..., dict[str, Any]]:
        def make(**changes: Any) -> dict[str, Any]:
            comparable = {**outcome.bench.comparable(outcome.deck, {"clip": "a", "tilted": "b"}), **changes}
            return json.loads(json.dumps({**results, "comparable": comparable}))

        return make

    def test_runs_on_the_same_deals_are_merged(self, run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
        runs = {}
        for name, other in (("a", "other"), ("b", "clip")):
            results = run()
            results["clue_givers"] = {**results["clue_givers"], other: results["clue_givers"]["vague"]}
            (tmp_path / name).mkdir()
            (tmp_path / name / "results.json").write_text(json.dumps(results))
            runs[name] = read_run(tmp_path / name)
        merged = merge_runs(runs).clue_givers
        assert set(merged) == {"clip", "vague", "broken", "shuffled", "other", "clip (b)"}
        headlines = [panel_score(figures).headline for figures in merged.values()]
        assert headlines == sorted(headlines, reverse=True)

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
        saved = {
            name: SavedRun(results["comparable"], results["main_panel"], results["clue_givers"])
            for name, results in (("a", run()), ("b", run(**changes)))
        }
        with pytest.raises(DixitError, match=f"b can't be compared with a: they differ in .*{named}"):
            merge_runs(saved)

    def test_a_folder_of_something_else(self, tmp_path: Path) -> None:
        with pytest.raises(DixitError, match="holds no results of a clue benchmark"):
            read_run(tmp_path)
