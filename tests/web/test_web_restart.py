"""The real program: killed with SIGKILL wherever a game may stand, and started again; before a phone that sleeps."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from PIL import Image
from web_kit import Frame, Person, go_home, play_until, start, sync

from dixit_env.table.records import read, replay
from dixit_env.web.protocol import PROTOCOL

ROOT = Path(__file__).parents[2]
LIVE = {"revision", "seconds_left", "watchers"}  # what starts anew

# A client that can be put to sleep: it listens at a seat, in a process of its own.
PHONE = """
import sys, json
from websockets.sync.client import connect
address, table, token, protocol = sys.argv[1:]
with connect(f"ws://{address}/ws", origin=f"http://{address}", proxy=None) as line:
    line.send(json.dumps({"table": table, "type": "hello", "protocol": int(protocol), "token": token, "watch": False}))
    for frame in line:
        print(json.loads(frame)["type"], flush=True)
"""


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """84 small pictures."""
    folder = tmp_path_factory.mktemp("deck")
    for number in range(84):
        Image.new("RGB", (40, 60), (number * 3, 255 - number * 3, number)).save(folder / f"{number:02}.png")
    return folder


class Program:
    """`scripts/serve.py`, started, killed and started again on one database."""

    def __init__(self, database: str, deck: Path) -> None:
        self.common = [sys.executable, str(ROOT / "scripts/serve.py"), "--db", database]
        self.deck = deck
        self.port = "0"
        self.begin()

    def begin(self) -> None:
        command = [*self.common, "--deck", str(self.deck), "--bots", "random", "--pace", "0"]
        command += ["--port", self.port]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:"), line
        self.address = line.split("//")[1].strip().strip("/")
        self.port = self.address.rpartition(":")[2]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.end()

    def stop(self) -> str:
        """Stop it with Ctrl-C; what it said."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self) -> str:
        assert self.process.stdout is not None
        said = self.process.stdout.read()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        return said


@contextmanager
def program(database: Path | str, deck: Path) -> Iterator[Program]:
    up = Program(str(database), deck)
    try:
        yield up
    finally:
        go_home()
        if up.process.returncode is None:
            up.kill()


def kept(person: Person) -> tuple[Frame, dict[int, Frame]]:
    """All that a person sees and that must outlive a crash."""
    return {key: value for key, value in person.state.items() if key not in LIVE}, dict(person.turns)


def crash(up: Program, crowd: list[Person]) -> None:
    """Kill the server, start it again, let everybody come back; nothing may have changed."""
    sync(crowd)
    before = [kept(person) for person in crowd]
    up.kill()
    for person in crowd:
        person.close()
    up.begin()
    for person in crowd:
        person.turns.clear()
        person.connect()
    sync(crowd)
    for person, (state, turns) in zip(crowd, before, strict=True):
        now, log = kept(person)
        now["seen"] = state["seen"] = now["waiting"] = state["waiting"] = []  # who has read a reveal is asked again
        for entries in (now["seats"], state["seats"]):
            for entry in entries:
                entry["task"] = entry["task"].replace("reads", "")
        assert now == state
        assert log == turns


def in_phase(phase: str) -> Callable[[Frame], bool]:
    return lambda state: bool(state["phase"] == phase)


def test_a_killed_server_goes_on_where_it_stood_in_every_phase(tmp_path: Path, deck: Path) -> None:
    with program(tmp_path / "games.sqlite", deck) as up:
        answer = httpx.post(f"http://{up.address}/api/tables", json={"seats": 3, "limit": None}, trust_env=False)
        table = answer.json()["table"]
        crowd = [Person(up.address, table).join("Ana") for _ in range(3)]
        crash(up, crowd)  # the lobby
        start(crowd)
        for phase in ("clue", "cards", "votes", "reveal"):
            play_until(crowd, in_phase(phase))
            if phase in ("cards", "votes"):  # some have decided, some have not
                actor = next(person for person in crowd if person.may_act())
                fields = {"type": phase, "id": f"one {phase}", **actor.move()}
                actor.send(**fields)
                assert actor.answer(f"one {phase}")["type"] == "done"
            crash(up, crowd)
            if phase in ("cards", "votes"):
                actor.answers.clear()
                actor.send(**fields)
                assert actor.answer(f"one {phase}")["type"] == "done", "the answer may have been lost in the crash"
        play_until(crowd, lambda state: state["phase"] == "over")
        crash(up, crowd)
        go_home()
        assert "Traceback" not in up.stop()

        out = subprocess.run(
            [*up.common, "--export", str(tmp_path / "out")], capture_output=True, text=True, check=True
        )
        assert out.stdout.startswith("1 games written")
        [record] = (tmp_path / "out").iterdir()
        assert replay(read(record)).phase == "over"


def test_a_kill_in_the_middle_of_many_moves_loses_none_that_was_acknowledged(database: str, deck: Path) -> None:
    with program(database, deck) as up:
        answer = httpx.post(f"http://{up.address}/api/tables", json={"seats": 12, "limit": None}, trust_env=False)
        crowd = [Person(up.address, answer.json()["table"]).join(f"P{n}") for n in range(12)]
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == "cards")
        sync(crowd)
        movers = [person for person in crowd if person.may_act()]
        for number, person in enumerate(movers):
            person.send(type="cards", id=f"m{number}", **person.move())
        for number, person in enumerate(movers[:6]):
            person.answer(f"m{number}")
        up.kill()
        for person in crowd:
            person.close()
        up.begin()
        for person in crowd:
            person.connect()
        sync(crowd)
        for number, person in enumerate(movers):
            if f"m{number}" in person.answers:
                assert len(person.state["given"]) == 1
        play_until(crowd, lambda state: state["phase"] == "votes")


def test_a_table_dealt_from_other_cards_says_so(tmp_path: Path, deck: Path) -> None:
    with program(tmp_path / "games.sqlite", deck) as up:
        answer = httpx.post(f"http://{up.address}/api/tables", json={"seats": 3, "limit": None}, trust_env=False)
        crowd = [Person(up.address, answer.json()["table"]).join("Ana") for _ in range(3)]
        start(crowd)
        go_home()
        up.stop()
        other = tmp_path / "other"
        other.mkdir()
        for file in sorted(deck.iterdir())[:-1]:
            (other / file.name).write_bytes(file.read_bytes())
        up.deck = other
        up.begin()
        with pytest.raises(AssertionError, match="other_deck"):
            crowd[0].connect()


@pytest.mark.slow
def test_a_phone_that_falls_asleep_is_played_by_a_bot_until_it_wakes(tmp_path: Path, deck: Path) -> None:
    """The server asks every 5 s whether the line lives, and waits 10 s for the answer."""
    with program(tmp_path / "games.sqlite", deck) as up:
        answer = httpx.post(f"http://{up.address}/api/tables", json={"seats": 4, "limit": None}, trust_env=False)
        crowd = [Person(up.address, answer.json()["table"]).join(name) for name in ("Ana", "Ben")]
        start(crowd)
        play_until(crowd, lambda state: state["phase"] == "votes")
        ana, ben = crowd
        ben.close()
        command = [sys.executable, "-c", PHONE, up.address, ben.table, str(ben.token), str(PROTOCOL)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as phone:
            assert phone.stdout is not None
            assert phone.stdout.readline() == "welcome\n"
            ana.wait(lambda state: state["seats"][ben.seat]["status"] == "here")
            phone.send_signal(signal.SIGSTOP)
            try:
                end = time.monotonic() + 20
                while ana.sees(ben.seat)["status"] == "here" and time.monotonic() < end:
                    time.sleep(0.5)
                    sync([ana])
            finally:
                phone.kill()
        assert ana.sees(ben.seat)["status"] == "away"
        ana.wait(lambda state: ben.seat not in state["waiting"])
        ben.connect()
        assert ana.wait(lambda state: state["seats"][ben.seat]["status"] == "here")
        play_until(crowd, lambda state: state["turn"] == 2)
