"""A real server on loopback for the tests of the browser table, and people who play over real sockets."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import httpx
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from dixit_env.decks.deck import Deck
from dixit_env.game.engine import Phase
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.table.play import Decision
from dixit_env.web.blind import BlindTable
from dixit_env.web.orders import Offer, Persona
from dixit_env.web.pictures import Pictures
from dixit_env.web.protocol import PROTOCOL
from dixit_env.web.resources import MakeBot, Resources, Timing
from dixit_env.web.security import Limits
from dixit_env.web.server import Server, configured, listen
from dixit_env.web.store import Store
from dixit_env.web.study import Study

Frame = dict[str, Any]

AT_ONCE = Timing(pace=0, grace=0, reveal=30, bot=5)
MANY = Limits(frames=(10_000, 10_000.0))
PATIENCE = 10.0  # seconds until a test gives up waiting
everybody: "list[Person]" = []  # who has a browser open; `go_home` closes them


def go_home() -> None:
    """Close every browser that a test has opened."""
    for person in everybody:
        person.close()
    everybody.clear()


class RandomBot:
    """Any legal move, with something to say about its vote."""

    name = "random"

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            return Decision(GiveClue(move.card, f"clue {view.turn}"), {"card": move.card})
        belief = [1 / len(view.slots)] * len(view.slots) if view.phase is Phase.VOTES else []
        return Decision(move, {"belief": belief, "text": "a hunch", "hand": list(view.hand), "best": 7})


@cache
def blank_pictures(cards: int) -> Pictures:
    return Pictures(Deck.blank(cards))


class Running:
    """A server that runs in this process."""

    def __init__(self, server: Server, port: int) -> None:
        self.server = server
        self.rooms = server.rooms
        self.address = f"127.0.0.1:{port}"
        self.http = httpx.Client(base_url=f"http://{self.address}", trust_env=False)

    def soon(self, work: Callable[[], object]) -> None:
        """Have something done on the server's loop."""
        loop = next(iter(self.rooms._rooms.values())).get_loop() if self.rooms._rooms else None
        if loop is not None:
            loop.call_soon_threadsafe(work)

    def open(self, **settings: object) -> str:
        """A new table; without a time limit where none is named."""
        answer = self.http.post("/api/tables", json={"limit": None, **settings})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"])


@contextmanager
def running(
    folder: Path,
    timing: Timing = AT_ONCE,
    limits: Limits = MANY,
    make_bot: MakeBot = lambda *seated: RandomBot(),
    cards: int = 100,
    exposed: bool = False,
    spec: Callable[[str, str], str] = lambda bot, lang: bot,
    personas: Mapping[str, Persona] | None = None,
    study: Study | None = None,
    tables: tuple[BlindTable, ...] = (),
) -> Iterator[Running]:
    """Serve the database in `folder` until the block ends."""
    deck = Deck.blank(cards)
    store = Store(str(folder / "games.sqlite"))
    pool = ThreadPoolExecutor(4)
    offer = Offer(deck, ("random", "other"), spec, personas or {}, study, tables)
    resources = Resources(offer, make_bot, store, pool, timing)
    server = Server(resources, blank_pictures(cards), limits, exposed, frozenset({"games.example"}))
    listener = listen("127.0.0.1", 0)
    web = uvicorn.Server(configured(server))
    thread = threading.Thread(target=web.run, kwargs={"sockets": [listener]})
    thread.start()
    up = Running(server, listener.getsockname()[1])
    try:
        until(lambda: web.started)
        yield up
    finally:
        web.should_exit = True
        thread.join()
        go_home()
        up.http.close()
        listener.close()
        pool.shutdown()
        store.close()


class Person:
    """Somebody at a browser: one socket, every frame kept, the newest state at hand."""

    def __init__(self, address: str, table: str, token: str | None = None, watch: bool = False) -> None:
        self.address, self.table, self.token, self.watch = address, table, token, watch
        self._open = ExitStack()
        everybody.append(self)
        self.frames: list[Frame] = []
        self.state: Frame = {}
        self.turns: dict[int, Frame] = {}
        self.answers: dict[str, Frame] = {}
        self.connect()

    def connect(self) -> None:
        """Open the socket and wait for the welcome and the first state."""
        origin = Origin(f"http://{self.address}")
        here = connect(f"ws://{self.address}/ws", origin=origin, proxy=None, max_queue=None, close_timeout=1)
        self.socket = self._open.enter_context(here)
        self.state = {}
        self.send(type="hello", protocol=PROTOCOL, token=self.token, watch=self.watch)
        self.wait(lambda state: True)

    def close(self) -> None:
        """Close the browser."""
        self._open.close()

    def send(self, **frame: object) -> None:
        """Send a frame to this table, as it is."""
        self.socket.send(json.dumps({"table": self.table, **frame}))

    def do(self, kind: str, **fields: object) -> Frame:
        """Send a command and wait for its answer: done or error."""
        order = secrets.token_hex(8)
        while True:
            self.send(type=kind, id=order, **fields)
            answer = self.answer(order)
            if answer.get("code") != "rate":
                return answer
            del self.answers[order]
            time.sleep(0.2)

    def answer(self, order: str) -> Frame:
        while order not in self.answers:
            self.read()
        answer = self.answers[order]
        if answer["type"] == "done":
            self.wait(lambda state: state["revision"] >= answer["revision"])
        return answer

    def join(self, name: str = "Ana", consent: bool = True) -> "Person":
        assert self.do("join", name=name, consent=consent)["type"] == "done"
        return self

    def wait(self, holds: Callable[[Frame], Any]) -> Frame:
        """Read until the newest state is so; it comes back."""
        end = time.monotonic() + PATIENCE
        while not (self.state and holds(self.state)):
            assert time.monotonic() < end, f"still {self.state}"
            self.read()
        return self.state

    def read(self) -> None:
        """Take in one frame."""
        frame = json.loads(self.socket.recv(timeout=PATIENCE))
        self.frames.append(frame)
        match frame["type"]:
            case "welcome":
                self.token = self.token or frame["token"]
            case "state":
                self.state = frame
            case "turns":
                self.turns |= {turn["turn"]: turn for turn in frame["turns"]}
            case "done" | "error":
                assert frame["id"] or self.state, f"not let in: {frame['code']}"
                if frame["id"]:
                    self.answers[frame["id"]] = frame

    def closed(self) -> int:
        """Wait until the server closes the socket; the code."""
        try:
            while True:
                self.read()
        except ConnectionClosed as error:
            return error.rcvd.code if error.rcvd else 1006

    @property
    def seat(self) -> int:
        return int(self.state["you"]["seat"])

    @property
    def now(self) -> Frame:
        """What a command in turn carries."""
        return {key: self.state[key] for key in ("game", "turn", "phase")}

    def move(self) -> Frame:
        """The fields of some legal command for the phase: the first cards, or the first open slot for every dial."""
        state = self.state
        if state["phase"] == "clue":
            return {"card": state["hand"][0]["id"], "clue": f"I <3 {state['turn']}", **self.now}
        if state["phase"] == "cards":
            return {"cards": [card["id"] for card in state["hand"][: state["needs"]["cards"]]], **self.now}
        slot = next(slot for slot in range(len(state["slots"])) if slot not in state["own_slots"])
        return {"slots": [slot] * state["needs"]["dials_least"], **self.now}

    def act(self) -> Frame:
        """Make some legal move."""
        fields = self.move()
        return self.do(str(self.state["phase"]), **fields)

    def sees(self, seat: int) -> Frame:
        """What is told about a seat."""
        return dict(self.state["seats"][seat])

    def may_act(self) -> bool:
        return bool(self.state["idle"] == "")

    def is_reading(self) -> bool:
        return self.state["phase"] == "reveal" and self.seat in self.state["waiting"]


def until(holds: Callable[[], Any]) -> None:
    """Wait for something that has no frame."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def sit(up: Running, table: str, count: int) -> list[Person]:
    """That many people at a table, the first one the host."""
    return [Person(up.address, table).join(f"P{number}") for number in range(count)]


def start(people: list[Person]) -> None:
    """The host starts; everybody has seen it."""
    assert people[0].do("start")["type"] == "done"
    for person in people:
        person.wait(lambda state: state["phase"] == "clue")


def catch_up(people: list[Person]) -> None:
    """Wait until everybody has the newest revision that anybody has."""
    newest = max(person.state["revision"] for person in people)
    for person in people:
        person.wait(lambda state: state["revision"] >= newest)


def sync(people: list[Person]) -> None:
    """Bring everybody to the newest revision."""
    for person in people:
        answer = person.do("back")
        assert answer["type"] in ("done", "error")
    catch_up(people)


def play_until(people: list[Person], holds: Callable[[Frame], Any]) -> None:
    """Everybody makes legal moves until the first person's state is so."""
    end = time.monotonic() + 6 * PATIENCE
    while True:
        catch_up(people)
        if holds(people[0].state):
            return
        assert time.monotonic() < end, f"never came: {people[0].state}"
        if actor := next((person for person in people if person.may_act()), None):
            assert actor.act()["type"] == "done"
        elif reader := next((person for person in people if person.is_reading()), None):
            reader.do("seen", **reader.now)
        else:
            people[0].read()
