"""The server as strangers meet it: what it tells, what it refuses, what it never lets out."""

import io
import json
import logging
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.datastructures import Headers
from web_kit import PATIENCE, Person, Running, go_home, play_until, running, sit, start, until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.rules import DIXIT_2008
from dixit_env.game.rules_text import rules_sections
from dixit_env.web.pictures import Pictures
from dixit_env.web.security import Bucket, Buckets, Limits, same_origin
from dixit_env.web.server import listen
from dixit_env.web.store import metadata


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("web")) as server:
        yield server


@pytest.fixture(autouse=True)
def evening() -> Iterator[None]:
    yield
    go_home()


# HTTP --------------------------------------------------------------------------------------------------------------


def test_info_says_what_a_new_table_may_be(up: Running) -> None:
    info = up.http.get("/api/info").json()
    assert info["bots"] == ["random", "other"]
    assert info["settings"] == {
        "rules": "odyssey",
        "seats": 6,
        "bots": "random",
        "cast": [],
        "lang": "en",
        "limit": 120,
        "rounds": 0,
        "least": 1,
        "explain": False,
        "describe": False,
        "listed": False,
    }
    assert {"name": "dixit", "min_players": 3, "max_players": 8} in info["editions"]


def test_the_rules_in_words(up: Running) -> None:
    sections = up.http.get("/api/rules/dixit-2008/5/pt").json()
    assert [section["title"] for section in sections] == [
        "Criar um enigma",
        "Resolver o enigma",
        "Pontos",
        "Fim do turno",
        "Conselhos para o narrador",
        "Um exemplo com seis jogadores",
    ]
    assert sections == json.loads(json.dumps([asdict(section) for section in rules_sections(DIXIT_2008, 5, "pt")]))


@pytest.mark.parametrize("path", ["dixit/9/en", "dixit/6/fr", "chess/6/en", "dixit/six/en", f"dixit/{'9' * 5000}/en"])
def test_rules_that_there_are_not(up: Running, path: str) -> None:
    assert up.http.get(f"/api/rules/{path}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/t/ANYTHING", "/t/ANYTHING/watch"])
def test_the_page_comes_with_a_policy_that_lets_nothing_else_in(up: Running, path: str) -> None:
    answer = up.http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = up.http.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/static//etc/passwd",
        "/static/..\\server.py",
        "/locales/../../../pyproject.toml",
        "/t/../../etc/passwd/qr.svg",
        "/t/23456789AB/cards/..%2f..%2f..%2fetc%2fpasswd/full.webp",
        "/static/index.html%00.js",
        "/nothing",
        "/api/tables/23456789AB/seats",
        "/t/23456789AB/link",
        "/t/" + "A" * 5000 + "/qr.svg",
    ],
)
def test_no_path_reaches_the_file_system_and_every_error_says_something(up: Running, path: str) -> None:
    host, port = up.address.split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as raw:  # no client tidies the path up
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {up.address}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split()[1] in (b"404", b"405"), head
    assert json.loads(body)["error"]["code"] in ("unknown_table", "bad_frame")


def test_an_address_for_others_is_shown_where_the_server_is_exposed(up: Running, tmp_path: Path) -> None:
    table = up.open()
    assert up.http.get(f"/t/{table}/link").json() == {"link": f"http://{up.address}/t/{table}"}
    code = up.http.get(f"/t/{table}/qr.svg")
    assert code.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in code.content
    with running(tmp_path, exposed=True) as open_to_all:
        link = open_to_all.http.get(f"/t/{open_to_all.open()}/link").json()["link"]
        name = open_to_all.http.get(f"/t/{open_to_all.open()}/link", headers={"host": "games.example"}).json()["link"]
        assert link.startswith("http://")
        assert name.startswith("http://games.example/t/")


def test_pictures_come_in_two_sizes_and_stay_in_the_cache(up: Running) -> None:
    [person] = sit(up, up.open(seats=3), 1)
    start([person])
    card = person.state["hand"][0]["id"]
    for size in ("small", "full"):
        answer = up.http.get(f"/t/{person.table}/cards/{card}/{size}.webp")
        assert answer.headers["content-type"] == "image/webp"
        assert "immutable" in answer.headers["cache-control"]
        assert not {"etag", "last-modified"} & set(answer.headers), "nothing that two names of a card would share"
        assert Image.open(io.BytesIO(answer.content)).format == "WEBP"
    for wrong in (f"{card}/huge", f"{card[:-1]}/small", "0/small"):
        assert up.http.get(f"/t/{person.table}/cards/{wrong}.webp").status_code == 404
    assert up.http.get(f"/t/{up.open()}/cards/{card}/small.webp").status_code == 404


def test_a_slot_is_no_picture_before_the_vote(up: Running) -> None:
    crowd = sit(up, up.open(seats=3), 3)
    start(crowd)
    play_until(crowd, lambda state: state["phase"] == "votes")
    for card in crowd[0].state["slots"]:
        assert up.http.get(f"/t/{crowd[0].table}/cards/{card['id']}/small.webp").status_code == 200


def test_pictures_are_made_small_once_and_carry_nothing_else(tmp_path: Path) -> None:
    secret = Image.Exif()
    secret[0x010E] = "the photographer's name"
    Image.effect_noise((1600, 2400), 40).convert("RGB").save(tmp_path / "a.jpg", exif=secret)
    deck = Deck.from_folder(tmp_path)
    pictures = Pictures(deck, tmp_path / "cache")
    small, full = (Image.open(io.BytesIO(pictures.webp(0, size))) for size in ("small", "full"))
    assert small.size == (240, 360)
    assert max(full.size) == 1024
    assert not small.getexif()
    assert not full.getexif()
    (tmp_path / "a.jpg").unlink()
    assert Pictures(deck, tmp_path / "cache").webp(0, "small") == pictures.webp(0, "small")


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        (b"{", "application/json", "bad_settings"),
        (b"[]", "application/json", "bad_settings"),
        (b'{"seats": 2}', "application/json", "bad_settings"),
        (b'{"seats": "six"}', "application/json", "bad_settings"),
        (b'{"lang": "fr"}', "application/json", "bad_settings"),
        (b'{"bots": "learned:../../x"}', "application/json", "bad_settings"),
        (b'{"unknown": 1}', "application/json", "bad_settings"),
        (b"[" * 4000, "application/json", "bad_settings"),
        (b"\xff\xfe", "application/json", "bad_settings"),
        (b"{}", "text/plain", "bad_frame"),
        (b"x" * 5000, "application/json", "bad_frame"),
    ],
)
def test_settings_that_are_none_are_refused(up: Running, body: bytes, kind: str, code: str) -> None:
    answer = up.http.post("/api/tables", content=body, headers={"content-type": kind})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def test_tables_are_opened_by_post_from_the_own_page(up: Running) -> None:
    assert up.http.put("/api/tables").status_code == 405
    answer = up.http.post("/api/tables", json={}, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "origin"
    assert up.http.post("/api/tables", json={}, headers={"origin": f"http://{up.address}"}).status_code == 201


def test_a_fault_of_the_database_is_told_and_passes(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        table = up.open()
        metadata.drop_all(up.server.resources.store.engine)
        answer = up.http.post("/api/tables", json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server")
        assert up.http.get(f"/t/{table}/link").json()["error"]["code"] == "server"
        answers, code = talk(up, {"type": "hello", "protocol": 1, "table": table})
        assert ([answer["code"] for answer in answers], code) == (["server"], 1012)
        metadata.create_all(up.server.resources.store.engine)
        up.open()
        assert up.http.get(f"/t/{table}/link").status_code == 404, "nothing is stuck"


# sockets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1"])
def test_another_sites_page_gets_no_socket(up: Running, origin: str) -> None:
    address = f"ws://{up.address}/ws"
    with pytest.raises(InvalidStatus, match="403"), connect(address, origin=Origin(origin), proxy=None):
        pass


def test_an_origin_is_compared_with_the_host_that_was_asked() -> None:
    for origin, host, same in [
        ("http://games.example:8000", "games.example:8000", True),
        ("https://games.example", "games.example", True),
        ("http://games.example:8000", "games.example:9000", False),
        ("http://games.example.evil", "games.example", False),
        ("", "games.example", False),
        ("http://[", "games.example", False),
    ]:
        assert same_origin(Headers({"origin": origin, "host": host})) is same
    assert same_origin(Headers({"host": "games.example"})), "no browser, no page"


def talk(up: Running, *frames: object) -> tuple[list[dict[str, Any]], int | None]:
    """Say these frames on a fresh socket; what comes back, and the code that it closes with."""
    answers = []
    with connect(f"ws://{up.address}/ws", proxy=None, close_timeout=1) as ws:
        for frame in frames:
            ws.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))
        try:
            while True:
                answers.append(json.loads(ws.recv(timeout=2)))
        except TimeoutError:
            return answers, None
        except Exception:
            return answers, ws.close_code


@pytest.mark.parametrize(
    ("frame", "code", "closed"),
    [
        ("hello", "bad_frame", 4400),
        (b"\x00\x01", "bad_frame", 4400),
        ({"type": "ping"}, "bad_frame", 4400),
        ({"type": "join", "id": "1", "table": "x", "name": "x"}, "bad_frame", 4400),
        ({"type": "hello", "protocol": 99, "table": "x"}, "protocol", 4400),
        ({"type": "hello", "protocol": 1, "table": "23456789AB"}, "unknown_table", 4404),
        ({"type": "hello", "protocol": 1, "table": "../../etc"}, "unknown_table", 4404),
    ],
)
def test_a_socket_that_begins_wrong_is_told_so_and_closed(up: Running, frame: object, code: str, closed: int) -> None:
    answers, close_code = talk(up, frame)
    assert [answer["code"] for answer in answers] == [code]
    assert close_code == closed


def test_a_frame_too_large_closes_the_socket(up: Running) -> None:
    person = Person(up.address, up.open())
    person.socket.send("x" * 9000)
    assert person.closed() == 1009


def test_nonsense_between_commands_is_told_and_ends_after_a_while(up: Running) -> None:
    person = Person(up.address, up.open())
    person.socket.send("nonsense")
    person.socket.send(json.dumps({"type": "hello", "protocol": 1, "table": person.table}))
    assert person.do("join", name="Ana")["type"] == "done"
    errors = [frame["code"] for frame in person.frames if frame["type"] == "error"]
    assert errors == ["bad_frame", "bad_frame"]
    with suppress(ConnectionClosed):  # the server may end it before the last is sent
        for _ in range(60):
            person.socket.send("nonsense")
    assert person.closed() == 4429


def test_too_many_frames_are_refused_and_the_game_goes_on(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(frames=(5, 2.0))) as up:
        person = Person(up.address, up.open(seats=3))
        for _ in range(20):
            person.socket.send('{"type": "ping"}')
        while not any(frame["type"] == "error" for frame in person.frames):
            person.read()
        assert person.frames[-1]["code"] == "rate"


def test_sockets_are_bounded_by_person(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(sockets_of_person=2)) as up:
        table = up.open(seats=3)
        first = Person(up.address, table).join()
        second = Person(up.address, table, first.token)
        answers, code = talk(up, {"type": "hello", "protocol": 1, "table": table, "token": first.token})
        assert (answers[0]["code"], code) == ("busy", 4429), "the one too many is refused, nobody is thrown out"
        second.close()
        until(lambda: up.server.sockets == 1)
        Person(up.address, table, first.token)
        first.do("back")


def test_a_socket_that_says_nothing_is_closed(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(hello=0.2)) as up:
        assert talk(up) == ([], 4408)


def test_rates_are_by_address_and_remember_a_bounded_number() -> None:
    buckets = Buckets(2, 0.001)
    assert [buckets.take("10.0.0.1") for _ in range(3)] == [True, True, False]
    assert buckets.take("10.0.0.2")
    assert all(buckets.take("127.0.0.1") for _ in range(10))
    for number in range(Buckets.MOST + 5):
        buckets.take(f"host{number}")
    assert len(buckets._buckets) == Buckets.MOST
    bucket = Bucket(1, 0.001)
    assert bucket.take()
    assert not bucket.take()


def test_secrets_reach_neither_logs_nor_addresses(up: Running, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    crowd = sit(up, up.open(seats=3), 2)
    start(crowd)
    play_until(crowd, lambda state: state["turn"] == 2)
    crowd[0].socket.send("nonsense")
    crowd[0].do("leave")
    server_side = [record.getMessage() for record in caplog.records if not record.name.startswith("websockets.client")]
    assert not [line for line in server_side if any(str(person.token) in line for person in crowd)]
    folder = Path(str(up.server.resources.store.engine.url.database)).parent
    kept = [file.read_bytes() for file in folder.glob("games*")]
    assert not [data for data in kept if any(str(person.token).encode() in data for person in crowd)]


def test_a_port_that_is_taken_is_one_clear_error() -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DixitError, match=f"port {port}"):
            listen("127.0.0.1", port)
    with pytest.raises(DixitError, match="choose another"):
        listen("127.0.0.1", 123456)
