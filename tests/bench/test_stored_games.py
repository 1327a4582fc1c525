"""Games on disk become pages: records of single games and tournaments' games, in a list and one by one."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tournament_players import Players

from dixit_env import ODYSSEY, Deck, DixitError, play
from dixit_env.bench.stored_games import match_record, stored_games
from dixit_env.bench.tournament.schedule import Tournament, play_match, play_tournament
from dixit_env.table.records import read, recorded, replay
from dixit_env.web.library import LibraryServer
from dixit_env.web.pictures import Pictures
from dixit_env.web.replay import replay_frame
from dixit_env.web.security import Limits

DECK = Deck.blank(84)
NAMES = ("insider", "chance 1", "chance 2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of three players, and one recorded game."""
    out = tmp_path_factory.mktemp("runs")
    tournament = Tournament(rings=(NAMES,), games=3, players=3, rules=replace(ODYSSEY, target=12), salt="s")
    for _ in play_tournament(tournament, Players(), out / "t1", source_settings={"deck": DECK.hash}):
        pass
    with open(out / "t1" / "games.jsonl", "a") as file:
        file.write('{"job": 3, "result": {"deal"')  # a crash cut it off
    agents = [Players().agent(name) for name in NAMES]
    for _ in recorded(play(agents, ODYSSEY, DECK, 5), out / "game.jsonl"):
        pass
    (out / "log.jsonl").write_text('{"update": 1}\n')  # of a training
    return out


@pytest.mark.parametrize("players", [3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_the_record_of_a_tournaments_game_is_that_of_the_game_itself(tmp_path: Path, players: int, seed: int) -> None:
    names = [f"chance {seat}" for seat in range(players)]
    *_, match = Tournament(rings=(tuple(names),), games=1, players=players, rules=ODYSSEY, seed=seed).matches().values()
    agents = [Players().agent(name) for name in match.seats]
    line = json.loads(json.dumps(play_match(match, ODYSSEY, DECK, agents)))
    settings = {"version": "1", "rules": asdict(ODYSSEY)}
    record = match_record(line, settings, DECK)
    assert replay(record).scores == tuple(line["scores"])
    agents = [Players().agent(name) for name in match.seats]
    path = tmp_path / "game.jsonl"
    for _ in recorded(play(agents, ODYSSEY, DECK, match.seed, salt=match.salt), path):
        pass
    assert replay_frame(record) == {**replay_frame(read(path)), "deck": DECK.name}


def test_all_games_of_a_folder_are_listed_and_open(folder: Path) -> None:
    games = stored_games(folder, DECK)
    assert [(game.file, game.name) for game in games] == [
        ("game.jsonl", ""),
        *[("t1/games.jsonl", name) for name in ("0", "1", "2")],
    ]
    for game in games:
        frame = game.open()
        assert [seat["name"] for seat in frame["seats"]] == list(game.seats)
        assert frame["turns"][-1]["scores"] == list(game.scores)
        assert all(len(hand) == 7 for turn in frame["turns"] for hand in turn["hands"])


def test_a_game_that_was_broken_off_is_shown_as_far_as_it_went(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "game.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "half.jsonl").write_text("".join(lines[: len(lines) // 2]))
    (game,) = stored_games(tmp_path / "half.jsonl", DECK)
    assert (game.scores, game.open()["winners"]) == ((), [])
    assert 0 < len(game.open()["turns"]) < sum('"turn",' in line for line in lines)


def test_a_giver_of_the_clue_benchmark_is_a_game_with_a_turn_for_each_deal(tmp_path: Path) -> None:
    ids = [card.id for card in DECK.cards]
    judged = {"votes": [[0.7, 0.0, 0.3], [0.6, 0.4, 0.0]]}  # by listener, over the table
    line = {"giver": "clip", "hand": ids[:6], "card": ids[2], "clue": "sea", "owners": [0, 1, 2], "table": ids[2:5]}
    rows = [{**line, "panels": {"readers": judged}}, {**line, "clue": None, "panels": {}}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (game,) = stored_games(tmp_path, DECK)
    (turn,) = game.open()["turns"]
    assert game.name == "clip · readers"
    assert (turn["clue"], turn["target"], len(turn["hands"][0])) == ("sea", 0, 6)
    assert turn["why"] == {"1": {"belief": judged["votes"][0]}, "2": {"belief": judged["votes"][1]}}


def test_what_cannot_be_shown_says_why(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DixitError, match="does not exist"):
        stored_games(tmp_path / "no", DECK)
    with pytest.raises(DixitError, match="holds no games"):
        stored_games(folder / "log.jsonl", DECK)
    for path in (folder / "t1", folder / "game.jsonl"):
        with pytest.raises(DixitError, match="name it with --deck"):
            stored_games(path, Deck.blank(83))


def test_the_library_serves_the_list_the_games_and_their_cards(folder: Path) -> None:
    server = LibraryServer(stored_games(folder, DECK), Pictures(DECK), Limits(), frozenset())
    with TestClient(server.app(), base_url="http://127.0.0.1") as http:
        games = http.get("/api/games").json()["games"]
        assert [game["number"] for game in games] == [1, 2, 3, 4]
        game = http.get("/api/games/2").json()
        assert [turn["scores"] for turn in game["turns"]][-1] == games[1]["scores"]
        card = game["turns"][0]["slots"][0]["id"]
        assert http.get(f"/cards/{card}/full.webp").headers["content-type"] == "image/webp"
        assert http.get("/games/2").text == http.get("/").text
        for lost in ("/api/games/0", "/api/games/5", "/api/games/x", "/cards/x/full.webp", f"/cards/{card}/huge.webp"):
            assert http.get(lost).status_code == 404
        assert http.get("/", headers={"host": "elsewhere.example"}).status_code == 421
