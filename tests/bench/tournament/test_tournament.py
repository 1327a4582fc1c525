"""Tournaments: fair seats, the same games on any workers, figures that add up, verdicts only where they are due."""

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from commands import Dixit
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tournament_players import Players

from dixit_env import EDITIONS, ODYSSEY, Deck, DixitError, RulesError, new_game
from dixit_env.bench.stats import ENOUGH
from dixit_env.bench.tournament.report import write_csv, write_page
from dixit_env.bench.tournament.schedule import Line, Tournament, kept_salt, play_match, play_tournament, ring
from dixit_env.bench.tournament.standings import seat_rows, standings

ROOT = Path(__file__).parents[3]
IMPORTED = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "kit")])}


def tournament(agents: str = "insider,chance", **changes: Any) -> Tournament:
    rings = tuple(ring(text.split(",")) for text in agents.split("/"))
    return replace(Tournament(rings=rings, games=12, players=4, rules=ODYSSEY, seed=5), **changes)


def played(tournament: Tournament, out: Path, source: Players | None = None, workers: int = 1) -> dict[int, Line]:
    return dict(
        play_tournament(tournament, source or Players(), out, source_settings={"deck": "blank"}, workers=workers)
    )


def played_here(tournament: Tournament) -> dict[int, Line]:
    """The same without workers."""
    source = Players()
    return {
        n: play_match(
            match,
            tournament.rules,
            source.deck(),
            [source.agent(name, seat, match.seed) for seat, name in enumerate(match.seats)],
        )
        for n, match in tournament.matches().items()
    }


def timeless(lines: dict[int, Line]) -> dict[int, Line]:
    return {number: {**line, "seconds": None} for number, line in sorted(lines.items())}


# Who sits where


@pytest.mark.parametrize(
    ("items", "names"),
    [
        (["clip", "greedy"], ("clip", "greedy")),
        (["clip*2", "greedy*2", "random*2"], ("clip", "greedy", "random")),
        (["clip", "greedy*5"], ("clip", *["greedy"] * 5)),
        (["clip:votes=win,temperature=0.05*3", "clip*3"], ("clip:votes=win,temperature=0.05", "clip")),
        (["clip", "greedy", "clip"], ("clip", "clip", "greedy")),
        (["clip*4"], ("clip",)),
    ],
)
def test_a_ring_is_written_as_names_with_numbers(items: list[str], names: tuple[str, ...]) -> None:
    assert ring(items) == names


@pytest.mark.parametrize("item", ["", "*2", "clip*", "clip*0", "clip*two", "clip*-1"])
def test_what_is_no_ring_is_refused(item: str) -> None:
    with pytest.raises(DixitError, match="no agent with a number of seats"):
        ring([item])


RINGS = st.lists(st.sampled_from(["a*1", "b*1", "b*2", "c*1", "c*3", "d*1", "e*5"]), min_size=1, max_size=6)


@given(items=st.lists(RINGS, min_size=1, max_size=2), players=st.integers(3, 12), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_on_every_deal_every_agent_plays_every_seat_equally_often(
    items: list[list[str]], players: int, seed: int
) -> None:
    rings = tuple(ring(names) for names in items)
    plan = Tournament(rings=rings, games=25, players=players, rules=ODYSSEY, seed=seed)
    matches = plan.matches()
    assert list(matches) == list(range(plan.deals * plan.seatings))
    assert 25 <= len(matches) < 25 + plan.seatings
    expected = Counter(name for names in rings for name in names)
    for deal in range(plan.deals):
        block = [match for match in matches.values() if match.deal == deal]
        assert len({match.seed for match in block}) == 1
        for seat in range(players):
            assert Counter(match.seats[seat] for match in block) == expected
    assert len({match.seed for match in matches.values()}) == plan.deals


def test_a_composition_that_fills_the_table_is_the_same_in_every_game() -> None:
    plan = tournament("one,other*5", players=6, games=60)
    assert all(Counter(match.seats) == {"one": 1, "other": 5} for match in plan.matches().values())


def test_neighbours_and_opponents_are_mixed() -> None:
    neighbours = Counter(
        (match.seats[seat], match.seats[(seat + 1) % 6])
        for match in tournament("a,b,c", players=6, games=600).matches().values()
        for seat in range(6)
    )
    assert len(neighbours) == 9
    tables = {frozenset(match.seats) for match in tournament("a,b,c,d,e", players=3, games=200).matches().values()}
    assert len(tables) == 10  # every three of five


def test_line_ups_are_paired_a_variant_sits_where_the_original_sat() -> None:
    matches = tournament("new,b*3/old,b*3", games=40).matches().values()
    for deal in range(5):
        with_new, with_old = (
            [match.seats for match in matches if match.deal == deal and name in match.seats] for name in ("new", "old")
        )
        assert with_new == [tuple(seat.replace("old", "new") for seat in seats) for seats in with_old]


def test_another_seed_is_another_tournament_and_a_longer_one_goes_on_from_the_shorter() -> None:
    short, long = tournament(games=10).matches(), tournament(games=30).matches()
    assert short.items() <= long.items()
    assert tournament(seed=6).matches()[0].seed != short[0].seed


def test_what_can_not_be_played_is_said_before_it_begins() -> None:
    with pytest.raises(RulesError, match="3 to 12 players"):
        tournament(players=2)
    with pytest.raises(DixitError, match="at least one agent and one game"):
        tournament(games=0)


# The games


def test_the_same_seed_gives_the_same_games_on_one_worker_and_on_two(tmp_path: Path) -> None:
    one = played(tournament(), tmp_path / "one", workers=1)
    two = played(tournament(), tmp_path / "two", workers=2)
    assert timeless(one) == timeless(two)
    assert len({json.dumps(line["scores"]) for line in one.values()}) > 1
    figures = [standings(lines, ODYSSEY).agents["insider"] for lines in (one, two)]
    for name in figures[0]:
        if not name.startswith("seconds"):
            assert figures[0][name] == figures[1][name] or np.isnan(figures[0][name])


def test_a_deal_is_the_same_cards_for_everyone_in_another_order_on_the_table() -> None:
    lines = played_here(tournament("first,first:b,first:c", players=4, games=18, salt="secret"))
    hands: dict[int, set[tuple[tuple[int, ...], ...]]] = {}
    tables: dict[int, set[tuple[str, ...]]] = {}
    for line in lines.values():
        hands.setdefault(line["deal"], set()).add(new_game(ODYSSEY, 4, 84, line["seed"], salt=line["salt"]).hands)
        tables.setdefault(line["deal"], set()).add(tuple(line["turns"][0]["slots"]))
    assert all(len(dealt) == 1 for dealt in hands.values())
    assert len({frozenset(dealt) for dealt in hands.values()}) == len(hands)
    # `First` always gives its first card: the same cards lie on the table, and nobody can tell whose from their places.
    by_cards = [{frozenset(table) for table in orders} for orders in tables.values()]
    assert all(len(cards) == 1 for cards in by_cards)
    assert sum(map(len, tables.values())) > 12


def test_another_salt_is_another_tournament_and_the_same_one_the_same() -> None:
    deals = {salt: [match.seed for match in tournament(salt=salt).matches().values()] for salt in ("", "a", "b")}
    assert len({tuple(seeds) for seeds in deals.values()}) == 3
    assert tournament(salt="a").matches() == tournament(salt="a").matches()
    salts = [match.salt for match in tournament(salt="a").matches().values()]
    assert all(salt.startswith("a/") for salt in salts)
    first, second = (match for match in tournament(salt="a").matches().values() if match.deal == 0)
    assert first.salt != second.salt


def test_the_salt_of_a_tournament_is_kept_with_its_games(tmp_path: Path) -> None:
    assert kept_salt(tmp_path) == ""
    played(tournament(games=2, salt="secret"), tmp_path)
    assert kept_salt(tmp_path) == "secret"


def test_a_killed_workers_games_are_played_again(tmp_path: Path) -> None:
    murder = played(tournament(), tmp_path / "murder", Players(murder=tmp_path / "knife"), workers=2)
    assert (tmp_path / "knife").exists()
    assert timeless(murder) == timeless(played_here(tournament()))


def test_eyes_are_those_of_the_seat_and_the_deal_whatever_the_workers_and_interruptions(tmp_path: Path) -> None:
    whole = played_here(tournament("seer:a,seer:b"))
    played(tournament("seer:a,seer:b", games=6), tmp_path)
    resumed = played(tournament("seer:a,seer:b"), tmp_path, workers=2)
    assert timeless(resumed) == timeless(whole)
    for deal in range(6):
        one, other = (line for line in whole.values() if line["deal"] == deal)
        assert one["seats"] != other["seats"]
        assert one["turns"][0]["clue"] == other["turns"][0]["clue"]  # another agent, with the eye of that seat


def test_a_tournament_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; import test_tournament as t\n"
        "if __name__ == '__main__':"
        f" t.played(t.tournament(), Path({str(tmp_path / 'killed')!r}), t.Players(pause=0.05), workers=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parent, env={**os.environ, **IMPORTED})
    journal = tmp_path / "killed" / "games.jsonl"
    end = time.monotonic() + 30
    while not journal.exists() or journal.read_text().count("\n") < 4:
        assert time.monotonic() < end
        time.sleep(0.05)
    process.kill()
    process.wait()
    kept = journal.read_text().splitlines()[1:]
    assert 3 <= len(kept) < 12
    resumed = played(tournament(), tmp_path / "killed", workers=2)
    assert timeless(resumed) == timeless(played_here(tournament()))
    for line in map(json.loads, kept):
        assert resumed[line["job"]] == line["result"]  # its seconds too: not played again


def test_a_finished_tournament_can_be_made_longer_but_not_another(tmp_path: Path) -> None:
    first = played(tournament(games=4), tmp_path)
    longer = played(tournament(games=8), tmp_path)
    assert first.items() <= longer.items()
    with pytest.raises(DixitError, match=r"other settings \(players\)"):
        played(tournament(players=5), tmp_path)
    with pytest.raises(DixitError, match=r"other settings \(rings, seed\)"):
        played(tournament("insider,other", seed=1), tmp_path)


# The figures


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.parametrize("players", [3, 6])
def test_what_seats_did_adds_up(name: str, players: int) -> None:
    rules = EDITIONS[name]
    lines = played_here(tournament("insider,chance", players=players, games=2, rules=rules))
    table = rules.seated(players)
    for number, line in lines.items():
        rows = seat_rows(number, line, rules)
        turns = len(line["turns"])
        for row in rows:
            assert row["clue_points"] + row["vote_points"] + row["decoy_points"] == row["score"]
            assert row["all"] + row["some"] + row["none"] == row["told"]
            ballots = (turns - row["told"]) if table.dials_most == 2 else 0
            assert row["stacked"] + row["spread"] + row["single"] == row["ballots"] == ballots
            assert row["decoys"] == (turns - row["told"]) * table.gives
            assert row["decisions"] == 2 * turns - row["told"]
        assert sum(row["told"] for row in rows) == turns
        assert sum(row["dials"] for row in rows) == sum(row["drawn"] + row["found"] for row in rows)
        assert sum(row["won"] for row in rows) == pytest.approx(1)
        for agent in ("insider", "chance"):
            assert sum(row["games"] for row in rows if row["agent"] == agent) == pytest.approx(1)


def line(seats: Sequence[str], scores: Sequence[int], deal: int = 0, **changes: Any) -> Line:
    best = max(scores)
    winners = [seat for seat, points in enumerate(scores) if points == best]
    idle = {"decisions": [1] * len(seats), "seconds": [0.1] * len(seats), "faults": [], "turns": []}
    return {"deal": deal, "seats": list(seats), "scores": list(scores), "winners": winners, **idle, **changes}


def test_a_tie_is_shared_and_an_agents_seats_count_together() -> None:
    lines = {0: line(["a", "a", "b"], [30, 30, 30]), 1: line(["a", "b", "b"], [10, 31, 31], deal=1)}
    agents = standings(lines, ODYSSEY).agents
    assert agents["a"]["win_share"] == pytest.approx((2 / 3 + 0) / 2)
    assert agents["b"]["win_share"] == pytest.approx((1 / 3 + 1) / 2)
    assert agents["a"]["fair_share"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert agents["b"]["win_ratio"] == pytest.approx((4 / 3) / 1)
    assert list(agents) == ["b", "a"]


def test_a_game_that_waits_for_a_model_to_load_does_not_make_an_agent_slow() -> None:
    lines = {n: line("abb", [30, 10, 5], n, seconds=[9.0 if n == 0 else 0.1, 0.2, 0.2]) for n in range(5)}
    agents = standings(lines, ODYSSEY).agents
    assert (agents["a"]["seconds_per_decision"], agents["b"]["seconds_per_decision"]) == (0.1, 0.2)


def test_a_turn_counted_by_hand() -> None:
    """Seat 0 tells, and its card lies in slot 1. Seat 1 stacks on it, seat 2 spreads over it and seat 3's card, seat 3
    stacks on the card of seat 1: some found it."""
    turn = {"storyteller": 0, "owners": [3, 0, 2, 1], "votes": [[], [1, 1], [0, 1], [3, 3]]}
    rows = seat_rows(0, line(["a", "b", "c", "d"], [3, 8, 3, 1], turns=[turn]), ODYSSEY)
    shown = ("told", "some", "clue_points", "vote_points", "decoy_points", "found", "stacked", "spread", "drawn")
    assert [[row[column] for column in shown] for row in rows] == [
        [1, 1, 3, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 6, 2, 2, 1, 0, 2],
        [0, 0, 0, 3, 0, 1, 0, 1, 0],
        [0, 0, 0, 0, 1, 0, 1, 0, 1],
    ]


def test_correlated_games_count_as_one_deal() -> None:
    """Ten games a deal that all end alike are no more evidence than one."""
    rng = Random(1)
    outcomes = [rng.random() < 0.5 for _ in range(40)]
    scores = [[30, 20, 10] if first else [20, 30, 10] for first in outcomes]
    single = {deal: line("abc", scores[deal], deal) for deal in range(40)}
    tenfold = {10 * deal + game: line("abc", scores[deal], deal) for deal in range(40) for game in range(10)}
    one, ten = standings(single, ODYSSEY), standings(tenfold, ODYSSEY)
    for end in ("win_share_low", "win_share", "win_share_high"):
        assert one.agents["a"][end] == pytest.approx(ten.agents["a"][end])


def results(wins: int, deals: int) -> dict[int, Line]:
    """Two against two; `a` wins the first deals."""
    return {n: line("abab", [30, 10, 20, 5] if n < wins else [10, 30, 5, 20], deal=n) for n in range(deals)}


def test_a_verdict_is_given_only_where_the_paired_difference_is_beyond_chance() -> None:
    clear = standings(results(75, 100), ODYSSEY)
    assert clear.pairs[0].separate
    assert clear.agents["a"]["win_share_low"] > clear.agents["b"]["win_share_high"]
    assert clear.verdicts[0].startswith("a (75% of its games [")
    assert "wins more often than b (25%" in clear.verdicts[0]
    unclear = standings(results(54, 100), ODYSSEY)
    assert not unclear.pairs[0].separate
    (verdict,) = unclear.verdicts
    assert re.fullmatch(r"No difference found: a − b \+0\.16 \[-0\.\d\d to \+0\.\d\d\]\.", verdict)


def test_no_verdict_from_few_deals() -> None:
    few = standings(results(ENOUGH - 1, ENOUGH - 1), ODYSSEY)
    assert few.verdicts == (f"No verdict: {ENOUGH - 1} deals are too few, at least {ENOUGH} are needed.",)


def test_unequal_seats_are_compared_by_their_fair_share() -> None:
    """One against three, as good as each other: 25 % against 75 % of the games is no difference."""
    lines = {n: line(["a", "b", "b", "b"], [30 - 5 * ((n + seat) % 4) for seat in range(4)], n) for n in range(80)}
    outcome = standings(lines, ODYSSEY)
    assert outcome.agents["a"]["win_share"] == pytest.approx(0.25)
    assert outcome.agents["a"]["win_ratio"] == pytest.approx(1)
    assert outcome.verdicts[0].startswith("No difference found")


def test_who_knows_more_is_ahead_in_every_figure() -> None:
    outcome = standings(played_here(tournament(games=60)), ODYSSEY)
    insider, chance = outcome.agents["insider"], outcome.agents["chance"]
    assert list(outcome.agents) == ["insider", "chance"]
    assert outcome.verdicts[0].startswith("insider (")
    for figure in ("win_share", "points_per_turn", "found", "rating"):
        assert insider[figure] > chance[figure]
    assert insider["win_share"] + chance["win_share"] == pytest.approx(1)
    assert insider["win_share_low"] <= insider["win_share"] <= insider["win_share_high"]


# What is written


def test_the_page_stands_alone_and_tells_of_every_agent(tmp_path: Path) -> None:
    plan = tournament("insider,chance,<b>&", players=6, games=9)
    lines = played_here(plan)
    page = write_page(plan, lines, standings(lines, ODYSSEY), Deck.blank(84), tmp_path).read_text()
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', page)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)
    assert "<b>&" not in page
    assert all(name in page for name in ("insider", "chance", "&lt;b&gt;&amp;", "correlated"))
    assert {file.name for file in (tmp_path / "plots").iterdir()} == {
        "wins.svg",
        "points.svg",
        "outcomes.svg",
        "ballots.svg",
    }


def test_the_csv_has_a_row_for_each_seat_of_each_game(tmp_path: Path) -> None:
    lines = played_here(tournament(games=4))
    write_csv(lines, ODYSSEY, tmp_path / "games.csv")
    with open(tmp_path / "games.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 4
    assert [int(row["score"]) for row in rows[:4]] == lines[0]["scores"]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    for number in range(36):
        Image.fromarray(rng.integers(0, 255, (48, 32, 3), dtype=np.uint8)).save(folder / f"{number}.png")
    return folder


def script(*options: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/tournament.py", *map(str, options)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_the_script_writes_the_promised_results(pictures: Path, tmp_path: Path) -> None:
    options = ("--agents", "random", "--games", "3", "--players", "4", "--deck", pictures, "--out", tmp_path)
    done = script(*options)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "results.json").read_text())
    promised = {"win_share", "win_share_low", "win_share_high", "points_per_turn", "rating", "seconds_per_decision"}
    assert promised <= found["agents"]["random"].keys()
    assert found["agents"]["random"]["win_share"] == 1
    assert found["games"] == 3
    assert found.keys() >= {"version", "machine", "settings"}
    assert all((tmp_path / name).exists() for name in ("games.csv", "report.html", "games.jsonl"))
    assert "data:image/jpeg" in (tmp_path / "report.html").read_text()  # turns are shown with their pictures
    again = script(*options[:5], "5", *options[6:])
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith("error: ")
    assert again.stderr.count("\n") == 1
    assert "players" in again.stderr


@pytest.mark.slow
def test_the_script_judges_focal_agents_against_their_fair_share(pictures: Path, tmp_path: Path) -> None:
    options = ("--focal", "random", "--residents", "greedy", "--compositions", "--games", "12", "--players", "3")
    table = (*options, "--eyes", "noise:0.5", "--deck", pictures, "--out", tmp_path)
    done = script(*table)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "results.json").read_text())
    focal = found["focal"]["random"]
    assert focal["fair_share"] == pytest.approx(1 / 3)
    assert 0 <= focal["win_share_low"] <= focal["win_share"] <= focal["win_share_high"] <= 1
    assert {count: share["games"] for count, share in focal["compositions"].items()} == {"1": 6, "2": 6}
    assert focal["verdict"] == focal["replicator"]["spreads"] == "too few deals"
    assert {"settles", "settles_low", "settles_high", "rest_points"} <= focal["replicator"].keys()
    assert (tmp_path / "plots" / "replicator.svg").exists()
    assert found["settings"]["eyes"] == "noise:0.5"
    assert "33.3%" in done.stdout
    page = (tmp_path / "report.html").read_text()
    assert all(
        words in page
        for words in ("Among residents: greedy", "1 of 3", "33.3%", "When what wins spreads", "correlate by 0.5")
    )
    again = script(*table, "--eyes", "noise:0.4")
    assert again.returncode == 2
    assert re.fullmatch(r"error: .*other settings \(eyes\).*\n", again.stderr)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--focal", "clip", "--residents", "greedy"], "leave --agents out"),
        (["--residents", "greedy"], "go with --focal"),
        (["--compositions"], "go with --focal"),
        (["--eyes", "noise:2"], "above 0 and at most 1"),
        (["--eyes", "embedded,"], "names of CLIPs"),
        (["--agents", "greddy"], "greedy"),
        (["--agents", "human,random"], "human"),
        (["--agents", "random*0"], "random\\*0"),
        (["--players", "13"], "3 to 12"),
        (["--rules", "odysey"], "odyssey"),
        (["--players", "8"], "need 48 cards"),
    ],
)
def test_the_script_says_in_one_line_what_is_wrong(
    options: list[str], said: str, pictures: Path, tmp_path: Path, dixit: Dixit
) -> None:
    done = dixit("tournament", "--agents", "random", *options, "--deck", str(pictures), "--out", str(tmp_path))
    assert done.code == 2
    assert re.search(f"^error: .*{said}.*\n$", done.err)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--focal", "random"], "--focal needs --residents"),
        (["--focal", "random", "--residents", "greedy,random"], "both focal and resident"),
        (["--focal", "random*2", "--residents", "greedy"], "random\\*2"),
        (["--focal", "random", "--residents", "greedy", "--players", "0"], "3 to 12"),
    ],
)
def test_the_script_says_in_one_line_what_is_wrong_with_focal_agents(
    options: list[str], said: str, pictures: Path, tmp_path: Path, dixit: Dixit
) -> None:
    done = dixit("tournament", *options, "--deck", str(pictures), "--out", str(tmp_path))
    assert done.code == 2
    assert re.search(f"^error: .*{said}.*\n$", done.err)
