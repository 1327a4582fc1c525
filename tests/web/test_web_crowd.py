"""The server among slow clients, crowds and people who mean no good: seated people keep their places."""

import logging
import re
import socket
import stat
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from web_kit import PATIENCE, Person, Running, go_home, running, sit, until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from dixit_env.web import rooms
from dixit_env.web.connections import Doors
from dixit_env.web.page import load_page
from dixit_env.web.security import Fewer, Limits, known_host
from dixit_env.web.store import Store


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


# slow clients ------------------------------------------------------------------------------------------------------

HEAD = b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 900\r\n"


def raw(up: Running) -> socket.socket:
    host, port = up.address.split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def ended(client: socket.socket) -> bool:
    """Wait until the server has closed the connection; False when it answered instead."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("begun", [b"", b"GET / HTT", HEAD, HEAD + b"\r\n{"], ids=["nothing", "line", "head", "body"])
def test_a_request_that_does_not_come_is_not_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, begun: bytes
) -> None:
    with running(tmp_path, limits=Limits(request=0.3)) as up:
        with raw(up) as client:
            start = time.monotonic()
            client.sendall(begun)
            assert ended(client)
            assert time.monotonic() - start < PATIENCE / 2
        assert up.http.get("/api/info").status_code == 200
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_request_that_trickles_is_cut_off_all_the_same(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(request=0.5)) as up, raw(up) as client, suppress(ConnectionError):
        for letter in HEAD.decode():
            client.sendall(letter.encode())
            time.sleep(0.02)
        raise AssertionError("two seconds, and it was still listened to")


def test_a_broken_off_post_leaves_no_traceback_and_no_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as up:
        with raw(up) as client:
            client.sendall(HEAD + b"\r\n{}")
        up.http.get("/api/info")
        assert up.server.resources.store.tables() == []
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR] == []


def test_logs_of_one_kind_are_bounded() -> None:
    fewer = Fewer()
    record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 1, "Invalid HTTP request received.", None, None)
    other = logging.LogRecord("uvicorn.error", logging.WARNING, "", 1, "something else", None, None)
    assert sum(fewer.filter(record) for _ in range(1000)) <= 11
    assert fewer.filter(other)


# crowds ------------------------------------------------------------------------------------------------------------


def test_doors_count_in_all_and_by_address() -> None:
    doors = Doors(5, 2)
    assert [doors.enter("10.0.0.1") for _ in range(3)] == [True, True, False]
    assert doors.enter("10.0.0.2")
    assert [doors.enter("127.0.0.1") for _ in range(3)] == [True, True, False], "loopback is counted in all only"
    doors.leave("10.0.0.1")
    assert doors.enter("10.0.0.3")
    assert len(doors) == 5


def test_connections_that_say_nothing_are_bounded_and_make_place_again(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(waiting=6)) as up, ExitStack() as stack:
        table = up.open(seats=3)
        seated = Person(up.address, table).join()
        idle = [stack.enter_context(raw(up)) for _ in range(6)]
        until(lambda: len(up.server.doors) == 6)
        with raw(up) as one_more:
            assert ended(one_more)
        assert seated.do("back")["type"] == "done", "who is known is not counted"
        for client in idle:
            client.close()
        until(lambda: len(up.server.doors) < 6)
        Person(up.address, table)


def test_strangers_at_a_table_never_take_the_places_of_its_seats(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(strangers_at_table=3)) as up:
        table = up.open(seats=3)
        crowd = sit(up, table, 2)
        crowd[1].close()
        for _ in range(3):
            Person(up.address, table)
        with pytest.raises(AssertionError, match="not let in: busy"):
            Person(up.address, table)
        crowd[1].connect()
        assert crowd[1].seat == 1


def test_the_last_quarter_of_all_sockets_is_for_people_with_a_seat(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(sockets=4)) as up:
        table = up.open(seats=3)
        [seated] = sit(up, table, 1)
        seated.close()
        until(lambda: up.server.sockets == 0)
        for _ in range(3):
            Person(up.address, up.open())
        with pytest.raises(AssertionError, match="not let in: busy"):
            Person(up.address, table)
        seated.connect()
        assert seated.seat == 0


def test_limits_fit_the_files_that_the_system_allows() -> None:
    small = Limits().within(512)
    assert small.sockets + small.waiting <= 512
    assert Limits().within(10**6) == Limits()


def test_empty_rooms_make_place_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_ROOMS", 2)
    with running(tmp_path) as up:
        full, empty, new = (up.open(seats=3) for _ in range(3))
        person = Person(up.address, full).join()
        assert up.http.get(f"/t/{empty}/link").status_code == 200
        assert up.http.get(f"/t/{new}/link").status_code == 200, "nobody was at the other table"
        assert person.do("back")["type"] == "done"
        other = Person(up.address, new).join()
        assert up.http.get(f"/t/{empty}/link").json()["error"]["code"] == "busy", "there are people at both"
        other.close()
        until(lambda: up.http.get(f"/t/{empty}/link").status_code == 200)


def test_names_at_the_top_of_the_pages_modules_are_unique() -> None:
    for script in ("page.js", "replay.js"):
        text = load_page().files[script].body.decode()
        names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
        assert len(names) > 100
        assert [name for name, times in Counter(names).items() if times > 1] == []


def test_a_class_of_thirty_behind_one_address_loads_the_page_with_all_its_cards() -> None:
    page = load_page()
    in_the_page = page.index.body.decode().count(f"/static/{page.version}/")
    others = 4  # the page itself, its words, what tables can be like, the link; the QR code is in the lobby only
    cards = 2 * (12 + 7)  # in both sizes
    assert in_the_page <= 4
    assert 30 * (in_the_page + others + 1 + cards) <= Limits().requests[0]


def test_the_pages_files_are_kept_for_ever_under_a_name_that_changes_with_them(tmp_path: Path) -> None:
    version = load_page().version
    with running(tmp_path) as up:
        for name in ("page.js", "page.css", "en.json", "icon.svg"):
            today = up.http.get(f"/static/{version}/{name}")
            assert "immutable" in today.headers["cache-control"]
            yesterday = up.http.get(f"/static/0123456789abcdef/{name}")
            assert (yesterday.content, yesterday.headers["cache-control"]) == (today.content, "no-cache")
        assert up.http.get("/").headers["cache-control"] == "no-cache"


# who asks for what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.7:8000", True),
        ("[::1]:8000", True),
        ("localhost", True),
        ("Games.Example:443", True),
        ("evil.example", False),
        ("games.example.evil", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.1:99999999", False),
        ("", False),
        ("[", False),
        ("a b", False),
        ("x" * 3000, False),
    ],
)
def test_a_request_is_for_an_address_or_a_name_of_this_server(host: str, known: bool) -> None:
    assert known_host(host, frozenset({"games.example"})) is known


def test_forged_hosts_get_neither_page_nor_socket(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        answer = up.http.get("/", headers={"host": "evil.example"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (421, "host")
        with (
            pytest.raises(InvalidStatus, match="403"),
            connect("ws://evil.example/ws", sock=raw(up)),
        ):
            pass


def test_the_database_file_is_nobody_elses_to_read(tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite"
    old.touch(0o644)
    for file in (tmp_path / "new.sqlite", old):
        Store(str(file)).close()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
