"""Seats for programs over HTTP: sit down with a name, get a token, ask for the view, send moves.

Every request but the first carries the seat's token in its `Authorization` header, never in a URL. Views and moves have
the form of records. The same seat can be played over the socket (`hello` with the token and `views`). What a program
may do is what a person at the page may do: commands go the same way, through `Room.do`.
"""

import asyncio
import re
import secrets
from contextlib import suppress

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.link import Presence, person_of
from dixit_env.web.pictures import SIZES, Pictures
from dixit_env.web.projection import Frame, visible
from dixit_env.web.protocol import Again, AnyCommand, Join, Leave, Play, Refused, Start
from dixit_env.web.room import Room
from dixit_env.web.rooms import Rooms
from dixit_env.web.security import Bucket, Buckets, Limits, address_of, json_body, same_origin

STAY = 120.0  # seconds that a program counts as here after its last request; chosen: a language model thinks that long
LONGEST_WAIT = 25.0  # seconds for news; chosen: shorter than what proxies and clients give a request
MOST_LISTED = 100  # tables
BEARER = re.compile(r"Bearer ([A-Za-z0-9_-]{32})", re.IGNORECASE)


class Sit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for a seat."""

    name: str
    consent: bool = False


class MoveIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move, and the moment that it is meant for."""

    game: int
    turn: int
    phase: str
    move: dict[str, object]


class Caller(Presence):
    """A program that comes with requests: here until `STAY` seconds after its last one."""

    def __init__(self, person: str, address: str, room: Room, limits: Limits) -> None:
        super().__init__(person, address)
        self.room = room
        self.bucket = Bucket(*limits.frames)
        self.open = 0  # requests that wait for news
        self.news = asyncio.Event()
        self._leaving: asyncio.TimerHandle | None = None

    def stay(self) -> None:
        """It has just been here."""
        if self._leaving is not None:
            self._leaving.cancel()
        if self not in self.room.links:
            self.room.arrive(self)
        self._leaving = asyncio.get_running_loop().call_later(STAY, self._go)

    async def pace(self) -> None:
        """Slow down who asks too fast, for a second; raises `Refused` when that is not enough."""
        for _ in range(10):
            if self.bucket.take():
                return
            await asyncio.sleep(0.1)
        raise Refused("rate", "too many requests at once; send it again a little later")

    def leave(self) -> None:
        """It says that it goes."""
        if self._leaving is not None:
            self._leaving.cancel()
        self._go()

    def wake(self) -> None:
        """Answer the requests that wait."""
        self.news.set()
        self.news = asyncio.Event()

    async def close(self) -> None:
        """The table is closed: answer the requests that wait, and forget the program."""
        self.leave()
        self.wake()

    def _go(self) -> None:
        if self in self.room.links:
            self.room.depart(self)


class SeatApi:
    """The routes.

    Args:
        newcomers: what limits how many seats an address may take in a while.
    """

    def __init__(self, rooms: Rooms, pictures: Pictures, limits: Limits, newcomers: Buckets) -> None:
        self.rooms = rooms
        self.pictures = pictures
        self.limits = limits
        self.newcomers = newcomers

    def routes(self) -> list[Route]:
        """For the application."""
        table = "/api/tables/{table}"
        return [
            Route("/api/tables", self._tables),
            Route(f"{table}/seats", self._sit, methods=["POST"]),
            Route(f"{table}/seat", self._leave, methods=["DELETE"]),
            Route(f"{table}/view", self._view),
            Route(f"{table}/moves", self._move, methods=["POST"]),
            Route(f"{table}/start", self._start, methods=["POST"]),
            Route(f"{table}/again", self._again, methods=["POST"]),
            Route(f"{table}/cards/{{card}}/{{size}}.webp", self._picture),
        ]

    async def _tables(self, _: Request) -> Response:
        """The tables that may be found, those with a free seat first."""
        tables = [_listing(room) for room in self.rooms.listed()]
        return JSONResponse({"tables": sorted(tables, key=lambda table: not table["free"])[:MOST_LISTED]})

    async def _sit(self, request: Request) -> Response:
        asked = await json_body(request, self.limits.body, Sit)
        room = await self.rooms.find(request.path_params["table"])
        address = address_of(request.scope)
        if not self.newcomers.take(address):
            raise Refused("rate", "too many new seats from this address; wait a moment")
        token = secrets.token_urlsafe(24)
        caller = Caller(person_of(token), address, room, self.limits)
        order = Join(id=_new_id(), table=room.name, name=asked.name, consent=asked.consent, program=True)
        await room.do(caller, order)
        caller.stay()
        return JSONResponse({"table": room.name, "seat": room.state.seat_of(caller.person), "token": token}, 201)

    async def _view(self, request: Request) -> Response:
        """The view; with `after` and `wait` as soon as there is another than of that revision."""
        caller = await self._caller(request)
        after, wait = _number(request, "after", -1), min(_number(request, "wait", 0), LONGEST_WAIT)
        room = caller.room
        end = asyncio.get_running_loop().time() + wait
        if wait and caller.open >= self.limits.sockets_of_person:
            raise Refused("busy", "too many requests of this seat wait for news")
        caller.open += 1
        try:
            while room.revision == after and not room.closed:
                left = end - asyncio.get_running_loop().time()
                if left <= 0:
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(caller.news.wait(), left)
        finally:
            caller.open -= 1
        if room.closed:
            raise Refused("server", "the table is being read again; come back")
        if room.state.seat_of(caller.person) is None:
            raise Refused("not_seated", "the seat was given up")
        return JSONResponse(room.view(caller.person))

    async def _move(self, request: Request) -> Response:
        caller = await self._caller(request)
        move = await json_body(request, self.limits.body, MoveIn)
        order = Play(
            id=_new_id(),
            table=caller.room.name,
            game=move.game,
            turn=move.turn,
            phase=move.phase,
            move=move.move,
        )
        return await _done(caller, order)

    async def _start(self, request: Request) -> Response:
        caller = await self._caller(request)
        return await _done(caller, Start(id=_new_id(), table=caller.room.name))

    async def _again(self, request: Request) -> Response:
        caller = await self._caller(request)
        return await _done(caller, Again(id=_new_id(), table=caller.room.name))

    async def _leave(self, request: Request) -> Response:
        caller = await self._caller(request)
        answer = await _done(caller, Leave(id=_new_id(), table=caller.room.name))
        caller.leave()
        return answer

    async def _picture(self, request: Request) -> Response:
        """The picture of a card that the seat sees, or has seen on the table."""
        caller = await self._caller(request)
        card, size = request.path_params["card"], request.path_params["size"]
        number = visible(caller.room.state, caller.person).get(card)
        if number is None or size not in SIZES:
            raise Refused("unknown_table", "there is no such picture in this seat's view")
        headers = {"Cache-Control": "no-store"}
        return Response(self.pictures.webp(number, size), headers=headers, media_type="image/webp")

    async def _caller(self, request: Request) -> Caller:
        """The program that the token belongs to; raises `Refused` where it has no seat, or comes too often."""
        if not same_origin(request.headers):
            raise Refused("origin", "another site's page may not ask for this")
        found = BEARER.fullmatch(request.headers.get("authorization", ""))
        if found is None:
            raise Refused("no_token", "send the seat's token in the header Authorization: Bearer TOKEN")
        person = person_of(found[1])
        room = await self.rooms.find(request.path_params["table"])
        if person in room.state.removed:
            raise Refused("removed", "the host took you off this table")
        if room.state.seat_of(person) is None:
            raise Refused("not_seated", "no seat at this table has this token")
        here = (link for link in room.links if isinstance(link, Caller) and link.person == person)
        caller = next(here, None) or Caller(person, address_of(request.scope), room, self.limits)
        caller.stay()
        await caller.pace()
        room.show_up(person)
        return caller


def _new_id() -> str:
    return secrets.token_hex(8)


async def _done(caller: Caller, order: AnyCommand) -> Response:
    done = await caller.room.do(caller, order)
    return JSONResponse({"revision": done["revision"]})


def _listing(room: Room) -> Frame:
    state = room.state
    return {
        "table": room.name,
        "phase": str(state.stage),
        "free": state.seated.count(""),
        "seats": len(state.seated),
        "rules": state.settings.rules,
        "lang": state.settings.lang,
    }


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise Refused("bad_frame", f"{name} is a whole number")
    return int(text)
