"""Personas at the table: bots with a name, a face and a manner, whose specs stay on the server."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from web_kit import RandomBot, Running, go_home, play_until, running, sit, start

from dixit_env.game.rules import ODYSSEY
from dixit_env.web.events import Joined, Opened, Started, restore
from dixit_env.web.export import export_games
from dixit_env.web.protocol import Settings


@dataclass(frozen=True)
class Character:
    name: str
    face: str
    manner: Mapping[str, str]


PERSONAS = {
    "ida": Character("Ida", "🐢", {"en": "Has a saying for everything."}),
    "otto": Character("Otto", "🦉", {"en": "Speaks in riddles."}),
}


@pytest.fixture
def asked() -> dict[int, str]:
    """The spec of the bot that was made for each seat."""
    return {}


@pytest.fixture
def up(tmp_path: Path, asked: dict[int, str]) -> Iterator[Running]:
    def make_bot(spec: str, seat: int, seed: int) -> RandomBot:
        asked[seat] = spec
        return RandomBot()

    with running(tmp_path, make_bot=make_bot, spec="{}@secret:{}".format, personas=PERSONAS) as server:
        yield server
    go_home()


def test_personas_play_in_their_seats_and_what_they_are_made_of_stays_on_the_server(
    up: Running, asked: dict[int, str], tmp_path: Path
) -> None:
    crowd = sit(up, up.open(seats=5, cast=["", "ida", "otto"], lang="pt"), 1)
    [person] = crowd
    assert [seat["bot"] for seat in person.state["seats"]] == ["", "random", "ida", "otto", "random"]
    start(crowd)
    play_until(crowd, lambda state: state["turn"] == 2)
    bots = {1: "random", 2: "ida", 3: "otto", 4: "random"}
    assert asked == {seat: f"{bot}@secret:pt" for seat, bot in bots.items()}
    assert [seat["bot"] for seat in person.state["seats"]] == ["", *bots.values()]
    info = up.http.get("/api/info").json()
    assert info["personas"] == {key: asdict(persona) for key, persona in PERSONAS.items()}
    assert "secret" not in json.dumps([*person.frames, info])
    assert export_games(up.server.resources.store, tmp_path / "out") == (1, 0)
    [record] = (tmp_path / "out").glob("*.jsonl")
    game = json.loads(record.read_text(encoding="utf-8").splitlines()[0])
    assert game["agents"] == ["person", *(asked[seat] for seat in bots)], "what played can be told from the record"


def test_who_sits_down_takes_the_seat_of_the_last_bot_and_no_persona_s_name(up: Running) -> None:
    crowd = sit(up, up.open(seats=4, cast=["ida", "otto"]), 2)
    host, guest = crowd
    host.wait(lambda state: [seat["bot"] for seat in state["seats"]] == ["", "", "ida", "otto"])
    assert guest.do("join", name="iDA")["type"] == "done"
    host.wait(lambda state: state["seats"][1]["name"] == "iDA 2")
    [third] = sit(up, host.table, 1)
    host.wait(lambda state: [seat["bot"] for seat in state["seats"]] == ["", "", "", "ida"])
    assert third.seat == 2


@pytest.mark.parametrize("cast", [["nobody"], ["clip:persona=ida"], ["ida", "ida"], ["ida"] * 13, "ida", [3]])
def test_only_those_on_offer_sit_down_and_each_once(up: Running, cast: object) -> None:
    answer = up.http.post("/api/tables", json={"cast": cast})
    assert answer.json()["error"]["code"] == "bad_settings"


def test_the_host_changes_who_plays_before_the_game(up: Running) -> None:
    [host] = crowd = sit(up, up.open(seats=4), 1)
    assert host.do("settings", settings={"cast": ["other", "", "ida"]})["type"] == "done"
    assert [seat["bot"] for seat in host.state["seats"]] == ["", "other", "random", "ida"]
    start(crowd)
    assert host.do("settings", settings={"cast": []})["code"] == "stale"


def test_a_game_that_began_with_bots_of_one_kind_goes_on_with_them() -> None:
    people = ("a", "", "")
    opened = Opened(key="00", settings=Settings(seats=3, bots="greedy"))
    started = Started(rules=asdict(ODYSSEY), deck="x", cards=("",) * 84, people=people, bots="greedy:lang=da", seed=1)
    state = restore([opened, Joined(person="a", name="A", consent=False), started])
    assert state.bots == ("greedy",) * 3
    assert state.specs == ("greedy:lang=da",) * 3


def test_a_list_of_tables_hears_where_one_stands_and_who_is_there(up: Running) -> None:
    crowd = sit(up, up.open(seats=3, cast=["otto"]), 1)
    path = f"/api/tables/23456789AB,{crowd[0].table},.."
    gone = [{"table": code, "phase": "gone"} for code in ("23456789AB", "..")]
    seats = [{"name": crowd[0].state["seats"][0]["name"], "bot": ""}, {"name": "", "bot": "otto"}]
    told = {"table": crowd[0].table, "phase": "lobby", "turn": 0, "seats": [*seats, {"name": "", "bot": "random"}]}
    assert up.http.get(path).json() == [gone[0], told, gone[1]]
    start(crowd)
    play_until(crowd, lambda state: state["turn"] == 2)
    now = up.http.get(path).json()[1]
    assert now["turn"] == 2
    assert now["phase"] in ("clue", "cards")
