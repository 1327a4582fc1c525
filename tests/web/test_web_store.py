"""What is kept: events in a database, and games exported from it as records."""

import asyncio
import json
import time
from pathlib import Path

import msgspec
import pytest
from web_kit import Person, go_home, play_until, running, sit, start

from dixit_env.errors import DixitError
from dixit_env.table.records import read, replay
from dixit_env.web.events import AnyEvent, Joined, Moved, Opened, restore
from dixit_env.web.export import export_games
from dixit_env.web.protocol import Settings
from dixit_env.web.resources import Timing
from dixit_env.web.rooms import KEEP_DAYS
from dixit_env.web.store import Store, StoreError, events

OPENED = Opened(key="00" * 32, settings=Settings())


def some(count: int) -> list[AnyEvent]:
    return [Joined(person=f"p{number}", name="I <3 雨 🐇", consent=True) for number in range(count)]


def test_events_come_back_as_they_went(database: str) -> None:
    written: list[AnyEvent] = [
        OPENED,
        *some(2),
        Moved(seat=1, numbers=(3, 4), clue="<b>", why={"belief": [0.5, 0.5]}, seconds=1.25, by="p1", command="c"),
    ]
    store = Store(database)
    asyncio.run(store.append("A", 0, written))
    assert store.read("A") == written
    assert store.read("B") == []
    store.close()
    again = Store(database)
    assert again.read("A") == written
    again.close()


def test_a_database_can_be_named_by_its_file(tmp_path: Path) -> None:
    for name in (str(tmp_path / "games.sqlite"), f"sqlite:///{tmp_path / 'games.sqlite'}"):
        store = Store(name)
        if not store.tables():
            asyncio.run(store.append("A", 0, [OPENED]))
        assert store.tables() == ["A"]
        store.close()


def test_two_servers_cant_write_two_stories_of_one_table(database: str) -> None:
    store, other = (Store(database) for _ in range(2))

    async def both() -> None:
        await store.append("A", 0, [OPENED])
        await other.append("A", 1, some(1))
        with pytest.raises(StoreError):
            await store.append("A", 1, some(1))
        # a write that fails takes no other with it
        results = await asyncio.gather(
            store.append("A", 1, some(1)),
            *[store.append(f"T{number}", 0, [OPENED]) for number in range(50)],
            return_exceptions=True,
        )
        assert [type(result) for result in results if result is not None] == [StoreError]

    asyncio.run(both())
    assert len(store.tables()) == 51
    store.close()
    other.close()


@pytest.mark.parametrize("url", ["/nowhere/at/all.sqlite", "nonsense://x/y", "postgresql+nothing://x/y"])
def test_a_database_that_cant_be_opened_is_one_clear_error(url: str) -> None:
    with pytest.raises(DixitError, match="the database can't be opened"):
        Store(url)


def test_a_closed_table_is_gone_and_an_idle_one_is_known(database: str) -> None:
    store = Store(database)
    for table in ("A", "B", "C"):
        asyncio.run(store.append(table, 0, [OPENED, *some(2)]))
    store.close_table("A", [OPENED])
    store.forget("B")
    assert store.read("A") == []
    assert store.tables() == ["A", "C"]
    assert [told[0] for name, told in store.history() if name == "A"] == [OPENED]
    assert store.idle_since(time.time() + 1) == ["C"]
    store.close()


def played(tmp_path: Path, consents: list[bool], whole: bool = True) -> None:
    """A game of these people (and bots) at a table of three."""
    with running(tmp_path) as up:
        table = up.open(seats=3)
        crowd = [Person(up.address, table).join(f"Name{n}", consent) for n, consent in enumerate(consents)]
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == ("over" if whole else "reveal"))
        if whole:
            assert crowd[0].do("again")["type"] == "done"
            start(crowd)
            play_until(crowd, lambda state: state["phase"] == "votes")


def exported(tmp_path: Path, names: bool = False) -> tuple[tuple[int, int], list[Path]]:
    store = Store(str(tmp_path / "games.sqlite"))
    counts = export_games(store, tmp_path / "out", names)
    store.close()
    return counts, sorted((tmp_path / "out").iterdir())


def test_games_are_exported_as_records_without_names(tmp_path: Path) -> None:
    played(tmp_path, [True, True])
    counts, files = exported(tmp_path)
    assert counts == (2, 0)
    finished, broken_off = (read(file) for file in files)
    assert replay(finished).winners == tuple(finished.result["winners"])  # type: ignore[index]
    assert broken_off.result is None
    replay(broken_off)
    assert finished.game["agents"] == ["person", "person", "random"]
    assert {line["why"]["by"] for line in finished.decisions if line["seat"] == 2} == {"random"}
    assert {line["why"]["by"] for line in finished.decisions if line["seat"] != 2} == {"person"}
    assert all(line["seconds"] >= 0 for line in finished.decisions)
    assert not [file for file in files if "Name" in file.read_text(encoding="utf-8")]
    _, files = exported(tmp_path, names=True)
    assert read(files[0]).game["agents"] == ["Name0", "Name1", "random"]


def test_a_game_with_one_who_did_not_agree_stays_inside(tmp_path: Path) -> None:
    played(tmp_path, [True, False], whole=False)
    counts, files = exported(tmp_path)
    assert (counts, files) == ((0, 1), [])


def test_who_sat_down_later_or_left_is_asked_too(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        crowd = sit(up, up.open(seats=3), 1)
        start(crowd)
        late = Person(up.address, crowd[0].table).join("late", consent=False)
        assert crowd[0].do("remove", seat=late.seat, name="late")["type"] == "done"
        play_until(crowd, lambda state: state["phase"] == "reveal")
        go_home()
    assert exported(tmp_path)[0] == (0, 1)


def test_a_bot_that_stood_in_is_named_in_the_record(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        crowd = sit(up, up.open(seats=3), 2)
        start(crowd)
        gone = crowd[1].seat
        crowd[1].close()
        play_until(crowd[:1], lambda state: state["turn"] == 2)
        go_home()
    _, [file] = exported(tmp_path)
    lines = [line for line in read(file).decisions if line["seat"] == gone]
    assert {line["why"]["by"] for line in lines} == {"random"}
    assert {line["fault"] for line in lines} == {"the person is away"}


def test_old_tables_expire_and_keep_no_names(tmp_path: Path) -> None:
    played(tmp_path, [True, True], whole=False)
    played(tmp_path, [False, True], whole=False)
    with running(tmp_path) as up:
        store = up.server.resources.store
        fresh = up.open()
        old = [table for table in store.tables() if table != fresh]
        long_ago = time.time() - (KEEP_DAYS + 1) * 86400
        with store.engine.begin() as connection:
            connection.execute(events.update().where(events.c.table != fresh).values(at=long_ago))
        up.rooms.expire()
        up.rooms.expire()
        agreed = [table for table in store.tables() if table != fresh]
        assert len(agreed) == 1, "what nobody may export is gone"
        for table in old:
            assert store.read(table) == []
            assert up.http.get(f"/t/{table}/link").status_code == 404
        assert up.http.get(f"/t/{fresh}/link").status_code == 200
        assert "Name" not in json.dumps([str(one) for _, told in store.history() for one in told])
    assert exported(tmp_path)[0] == (1, 0)


def test_an_empty_room_leaves_memory_and_comes_back_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path, Timing(pace=0, grace=30)) as up:  # no stand-in moves while the people leave
        crowd = sit(up, up.open(seats=3), 3)
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == "votes")
        before = {key: crowd[0].state[key] for key in ("phase", "turn", "hand", "slots", "clue", "own_slots")}
        for person in crowd:
            person.close()
        monkeypatch.setattr("dixit_env.web.rooms.KEEP_EMPTY", 0.0)
        end = time.monotonic() + 5
        while up.rooms._rooms and time.monotonic() < end:
            time.sleep(0.05)
            up.soon(up.rooms.sweep)
        assert not up.rooms._rooms
        crowd[0].connect()
        assert {key: crowd[0].state[key] for key in before} == before


def test_the_state_is_told_by_the_events_alone(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        crowd = sit(up, up.open(seats=4), 2)
        start(crowd)
        play_until(crowd, lambda state: state["turn"] == 2 and state["phase"] == "cards")
        room = up.rooms._rooms[crowd[0].table].result()
        for person in crowd:
            person.close()
        time.sleep(0.3)
        assert restore(up.server.resources.store.read(room.name)) == room.state


def test_a_database_that_fails_loses_nothing_that_was_told(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        crowd = sit(up, up.open(seats=3), 3)
        start(crowd)
        teller = crowd[crowd[0].state["storyteller"]]
        table = teller.table
        intruder = Store(str(tmp_path / "games.sqlite"))
        number = len(intruder.read(table))
        joined = [event for event in intruder.read(table) if isinstance(event, Joined)]
        asyncio.run(intruder.append(table, number, joined[-1:]))
        intruder.close()
        teller.send(type="clue", id="lost", **teller.move())
        assert [person.closed() for person in crowd] == [1012] * 3, "everybody is asked to come again"
        assert "lost" not in teller.answers or teller.answers["lost"]["code"] == "server"
        teller.connect()
        assert teller.state["phase"] == "clue"
        assert teller.act()["type"] == "done"


def test_a_bot_that_stands_in_for_a_person_did_nothing_wrong() -> None:
    move = Moved(seat=1, numbers=(3,), bot="clip")
    assert move.for_person("away").fault == "the person is away"
    assert move.for_person("away").bots_fault == move.bots_fault == ""
    failed = msgspec.structs.replace(move, fault="illegal move: no such card")
    assert failed.bots_fault == failed.for_person("away").bots_fault == "illegal move: no such card"
