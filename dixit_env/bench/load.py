"""Latency and lost events of the browser table under load: the real server, real sockets, on loopback.

Tables are filled with people (clients here, two by default) and the server's bots. Every person moves after a short,
random while; a move's time runs from sending it until every socket at its table has been sent a state that holds it.
Some more sockets at the first tables never read: they must delay nobody.
"""

import asyncio
import json
import os
import re
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tqdm import tqdm
from websockets.asyncio.client import ClientConnection, connect

from dixit_env.errors import DixitError
from dixit_env.web.events import AnyEvent, Moved, restore
from dixit_env.web.protocol import PROTOCOL
from dixit_env.web.store import Store

Frame = dict[str, Any]

THINKING = (0.2, 2.0)  # seconds that a person takes; chosen: much faster than people, to load the server
DEAF = 5  # sockets that never read
PATIENCE = 30.0  # seconds until a move counts as lost


@dataclass
class Person:
    """A client in a seat, and when it was sent which revision."""

    socket: ClientConnection
    table: str
    rng: Random
    state: Frame = field(default_factory=dict)
    arrivals: list[tuple[int, float]] = field(default_factory=list)
    turns: dict[tuple[int, int], Frame] = field(default_factory=dict)
    answers: dict[str, Frame] = field(default_factory=dict)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def listen(self) -> None:
        """Take in frames, for ever."""
        async for text in self.socket:
            now = time.perf_counter()
            frame = json.loads(text)
            async with self.news:
                if frame["type"] == "state":
                    self.state = frame
                    self.arrivals.append((frame["revision"], now))
                elif frame["type"] == "turns":
                    self.turns |= {(frame["game"], turn["turn"]): turn for turn in frame["turns"]}
                elif frame.get("id"):
                    self.answers[frame["id"]] = frame
                self.news.notify_all()

    async def send(self, kind: str, **fields: object) -> str:
        order = secrets.token_hex(8)
        await self.socket.send(json.dumps({"type": kind, "id": order, "table": self.table, **fields}))
        return order

    async def do(self, kind: str, **fields: object) -> tuple[str, Frame]:
        """Send a command and wait for its answer."""
        order = await self.send(kind, **fields)
        async with asyncio.timeout(PATIENCE), self.news:
            await self.news.wait_for(lambda: order in self.answers)
        return order, self.answers.pop(order)

    async def has_part(self, done: tuple[int, int, str] | None) -> bool:
        """Wait a little for something to do that is not done yet."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5), self.news:
                await self.news.wait_for(lambda: _part(self.state, done))
                return True
        return False

    async def saw(self, revision: int) -> float:
        """When it was sent this revision or a newer one."""
        async with asyncio.timeout(PATIENCE), self.news:
            await self.news.wait_for(lambda: self.arrivals and self.arrivals[-1][0] >= revision)
        return next(moment for number, moment in self.arrivals if number >= revision)


@dataclass
class Tally:
    """What the people have measured."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)  # ids of moves
    unseen: int = 0  # moves that somebody was not sent in time


def measure(
    serve: Sequence[str], tables: int = 100, people: int = 2, seats: int = 6, seconds: float = 60.0, seed: int = 0
) -> Frame:
    """Start a server, play on it, stop it, and compare what people were told with what it kept.

    Args:
        serve: the command line of `scripts/serve.py` without port and database.
        tables: how many at once.
        people: clients at each table; the server's bots take the other seats.
        seconds: how long they play.

    Returns:
        `moves.p50_ms`, `.p95_ms`, `.p99_ms`, `.count`: of people's moves; `bots`: the same of the bots' decisions, each
        from the moment that the server wants it until it is there, and `.faults`, for how many a random move stood in
        ({} where bots decided less than twice); `lost_events`: moves that were acknowledged and are not in the
        database, turns that it holds and somebody was not shown, and moves that somebody was not shown; `memory_mb`:
        the peaks of the server's processes together; `events`, `turns`: what the database holds.

    Raises:
        DixitError: when the server does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "games.sqlite")
        process = subprocess.Popen([*serve, "--port", "0", "--db", database], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line.startswith("Open http"):
                raise DixitError(
                    f"the server did not start: {line.strip() or 'it said nothing'}; try {' '.join(serve)}"
                )
            address = line.split()[1].removeprefix("http://").rstrip("/")
            crowd, tally = asyncio.run(_play(address, tables, people, seats, seconds, seed))
        finally:
            process.stdout.close()
            peak = _peak_mb(process.pid)
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)  # Popen's own way would take the figures that wait4 gives
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        store = Store(database)
        kept = dict(store.history())
        store.close()
    if len(tally.seconds) < 2:
        raise DixitError(f"{len(tally.seconds)} moves in {seconds:g} s are too few to measure: give it more seconds")
    per_mb = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return {
        "moves": _milliseconds(tally.seconds),
        "bots": _of_bots(kept),
        "lost_events": tally.unseen + _lost(kept, crowd, tally.acknowledged),
        "memory_mb": peak or usage.ru_maxrss / per_mb,
        "events": sum(map(len, kept.values())),
        "turns": sum(len(play.history) for events in kept.values() if (play := restore(events).play)),
        "tables": tables,
        "seats": seats,
        "people": people,
        "seconds": seconds,
    }


def _milliseconds(seconds: Sequence[float]) -> Frame:
    """Percentiles of two or more times."""
    cuts = statistics.quantiles([1000 * second for second in seconds], n=100, method="inclusive")
    return {"p50_ms": cuts[49], "p95_ms": cuts[94], "p99_ms": cuts[98], "count": len(seconds)}


def _of_bots(kept: dict[str, list[AnyEvent]]) -> Frame:
    """How long bots took to decide, by what the server kept, and for how many a random move stood in."""
    moves = [event for events in kept.values() for event in events if isinstance(event, Moved) and event.bot]
    if len(moves) < 2:
        return {}
    return {**_milliseconds([move.seconds for move in moves]), "faults": sum(move.bots_fault != "" for move in moves)}


def _peak_mb(pid: int) -> float:
    """The most memory that a running process and its descendants have held, each at its own peak, where /proc tells;
    else 0.

    What wait4 tells counts the moment between fork and exec too, when the child still is as large as its parent.
    """
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0
    peak = int(re.search(r"VmHWM:\s+(\d+)", status.read_text() + "VmHWM: 0")[1]) / 1024  # type: ignore[index]
    children = [child for task in status.parent.glob("task/*/children") for child in task.read_text().split()]
    return peak + sum(_peak_mb(int(child)) for child in children)


async def _play(
    address: str, tables: int, people: int, seats: int, seconds: float, seed: int
) -> tuple[list[Person], Tally]:
    """Fill the tables, play for a while, let the last moves land."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        crowd: list[list[Person]] = []
        for number in range(tables):
            table = await asyncio.to_thread(_open, address, seats)
            sitting = [await _sit(stack, address, table, Random(f"{seed}/{number}/{n}")) for n in range(people)]
            crowd.append(sitting)
            if number < DEAF:
                await _socket(stack, address, table)
        everybody = [person for sitting in crowd for person in sitting]
        listeners = [asyncio.create_task(person.listen()) for person in everybody]
        for sitting in crowd:
            for person in sitting:
                await person.do("join", name="load", consent=True)
        over = asyncio.Event()
        players = [asyncio.create_task(_live(person, sitting, over, tally)) for sitting in crowd for person in sitting]
        for sitting in crowd:
            await sitting[0].do("start")
        for _ in tqdm(range(round(seconds)), "seconds of play", leave=False, disable=None):
            await asyncio.sleep(1)
        over.set()
        await asyncio.gather(*players)
        for sitting in crowd:  # nobody is left: the game pauses, and what came last has been sent to all
            last = [(await person.do("leave"))[1]["revision"] for person in sitting]
            for person in sitting:
                await person.saw(max(last))
        for listener in listeners:
            listener.cancel()
    return everybody, tally


async def _live(person: Person, sitting: Sequence[Person], over: asyncio.Event, tally: Tally) -> None:
    """Play one person's part until it is over."""
    done: tuple[int, int, str] | None = None
    while not over.is_set():
        if not await person.has_part(done):
            continue
        state = person.state
        done = (state["game"], state["turn"], state["phase"])
        await asyncio.sleep(person.rng.uniform(*THINKING))
        kind, fields = _move(state)
        start = time.perf_counter()
        try:
            order, answer = await person.do(kind, **fields)
            if answer["type"] != "done":
                continue
            seen = [await other.saw(answer["revision"]) for other in sitting]
        except TimeoutError:
            tally.unseen += 1
            continue
        if kind in ("clue", "cards", "votes"):
            tally.seconds.append(max(seen) - start)
            tally.acknowledged.add(order)


def _part(state: Frame, done: tuple[int, int, str] | None) -> bool:
    """Is there something for this person to do that it has not done?"""
    if not state or (state["game"], state["turn"], state["phase"]) == done:
        return False
    if state["phase"] == "reveal":
        return state["you"]["seat"] in state["waiting"]
    return state["idle"] == "" or (state["phase"] in ("over", "lobby") and state["you"]["host"] and state["game"] > 0)


def _move(state: Frame) -> tuple[str, Frame]:
    """Some legal command."""
    now = {key: state[key] for key in ("game", "turn", "phase")}
    match state["phase"]:
        case "lobby":
            return "start", {}
        case "over":
            return "again", {}
        case "reveal":
            return "seen", now
        case "clue":
            return "clue", {"card": state["hand"][0]["id"], "clue": f"load {state['turn']}", **now}
        case "cards":
            return "cards", {"cards": [card["id"] for card in state["hand"][: state["needs"]["cards"]]], **now}
    slots = [slot for slot in range(len(state["slots"])) if slot not in state["own_slots"]]
    return "votes", {"slots": slots[: state["needs"]["dials_most"]], **now}


def _lost(kept: dict[str, list[AnyEvent]], crowd: Sequence[Person], acknowledged: set[str]) -> int:
    """Acknowledged moves that are not in the database, and turns there that a person was not shown."""
    stored = {event.command for events in kept.values() for event in events if isinstance(event, Moved)}
    lost = len(acknowledged - stored)
    for person in crowd:
        state = restore(kept[person.table])
        if state.play is not None:
            lost += sum((state.game, turn.number) not in person.turns for turn in state.play.history)
    return lost


async def _sit(stack: AsyncExitStack, address: str, table: str, rng: Random) -> Person:
    return Person(await _socket(stack, address, table), table, rng)


async def _socket(stack: AsyncExitStack, address: str, table: str) -> ClientConnection:
    here = connect(f"ws://{address}/ws", proxy=None, max_queue=None, close_timeout=1, ping_interval=None)
    socket = await stack.enter_async_context(here)
    await socket.send(json.dumps({"type": "hello", "protocol": PROTOCOL, "table": table}))
    return socket


def _open(address: str, seats: int) -> str:
    body = json.dumps({"seats": seats, "limit": None}).encode()
    request = urllib.request.Request(f"http://{address}/api/tables", body, {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as answer:
        return str(json.load(answer)["table"])
