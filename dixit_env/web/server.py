"""HTTP and WebSocket: the page's files, tables and pictures, and the sockets that people play over.

Nothing in a path or query names a file: the page's files and the deck's pictures are in memory, looked up by exact
name. Secrets travel inside frames only, never in a URL, and no frame is logged.
"""

import asyncio
import contextlib
import io
import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from functools import partial
from typing import Protocol

import msgspec
import segno
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dixit_env.errors import DixitError, RulesError
from dixit_env.game.rules import EDITIONS, edition
from dixit_env.game.rules_text import rules_sections
from dixit_env.version import VERSION
from dixit_env.web.connections import Careful, Doors
from dixit_env.web.link import Link, person_of
from dixit_env.web.page import load_page
from dixit_env.web.pictures import SIZES, Pictures
from dixit_env.web.projection import summary
from dixit_env.web.protocol import LARGEST_FRAME, PROTOCOL, Hello, Ping, Refused, Settings, encode, read_frame
from dixit_env.web.resources import Resources
from dixit_env.web.responses import FAULTS, FOR_EVER, NOT_KEPT, deck_picture, page_file, static
from dixit_env.web.room import Room
from dixit_env.web.rooms import Rooms
from dixit_env.web.seat_api import SeatApi
from dixit_env.web.security import (
    Bucket,
    Buckets,
    Fewer,
    Guard,
    Limits,
    address_of,
    is_loopback,
    json_body,
    same_origin,
)
from dixit_env.web.study_api import StudyApi

CLOSE = {
    "unknown_table": 4404,
    "no_study": 4404,
    "other_deck": 4409,
    "protocol": 4400,
    "bad_frame": 4400,
    "busy": 4429,
    "server": 1012,
}
MOST_TOLD = 8  # tables that are told about at once
BACKLOG = 256  # connections accepted at once; more are kept waiting by the system
SPARE_FILES = 512  # for the database, the decks and what is being accepted
SWITCH = 0.0005  # seconds: bots that think in threads hand the interpreter back to the sockets ten times as often


class Served(Protocol):
    """What `run` serves."""

    doors: Doors
    limits: Limits

    def app(self) -> Starlette:
        """The ASGI application."""


class Server:
    """The tables of a resources, served.

    Args:
        exposed: it listens on more than loopback, so links should carry an address that others can reach.
        names: that lead here; requests for other names are refused.
    """

    def __init__(
        self,
        resources: Resources,
        pictures: Pictures,
        limits: Limits,
        exposed: bool = False,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self.resources = resources
        self.pictures = pictures
        self.limits = limits
        self.exposed = exposed
        self.names = names
        self.rooms = Rooms(resources)
        self.doors = Doors(limits.waiting, limits.waiting_of_address)
        self.sockets = 0
        self._new_tables = Buckets(*limits.tables)
        self._hellos = Buckets(*limits.hellos)
        self.seats = SeatApi(self.rooms, pictures, limits, self._hellos)
        self.study = StudyApi(resources.offer.study, self.rooms, limits, self._new_tables)
        self._page_files = load_page()

    def app(self) -> Starlette:
        """The ASGI application."""
        page, file = self._page, self._file
        return Starlette(
            routes=[
                Route("/", page),
                Route("/learn", page),
                Route("/t/{table}", page),
                Route("/t/{table}/watch", page),
                Route("/t/{table}/games/{number}", self._replay_page),
                Route("/t/{table}/link", self._link),
                Route("/t/{table}/qr.svg", self._qr),
                Route("/t/{table}/cards/{card}/{size}.webp", self._picture),
                Route("/api/info", self._info),
                Route("/api/rules/{edition}/{players}/{language}", self._rules),
                Route("/api/tables", self._open, methods=["POST"]),
                Route("/api/tables/{codes}", self._tables),
                Route("/api/tables/{table}/games/{number}", self._replay),
                Route("/cards/{card}/{size}.webp", self._deck_picture),
                *self.seats.routes(),
                Route("/study", page),
                *self.study.routes(),
                Route("/static/{version}/{name}", file),
                WebSocketRoute("/ws", self._socket),
            ],
            middleware=[Middleware(Guard, limits=self.limits, names=self.names)],
            exception_handlers=FAULTS,
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        keeper = asyncio.get_running_loop().create_task(self.rooms.look_after())
        yield
        keeper.cancel()
        await self.rooms.close()

    # HTTP ------------------------------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        return static(self._page_files.index, NOT_KEPT, request)

    async def _replay_page(self, request: Request) -> Response:
        return static(self._page_files.replay, NOT_KEPT, request)

    async def _file(self, request: Request) -> Response:
        return page_file(self._page_files, request)

    async def _info(self, _: Request) -> Response:
        offer = self.resources.offer
        return JSONResponse(
            {
                "protocol": PROTOCOL,
                "version": VERSION,
                "cards": len(offer.deck),
                "editions": [
                    {"name": rules.name, "min_players": rules.min_players, "max_players": rules.max_players}
                    for rules in EDITIONS.values()
                ],
                "bots": list(offer.bots),
                "personas": {
                    key: {"name": persona.name, "face": persona.face, "manner": dict(persona.manner)}
                    for key, persona in offer.personas.items()
                },
                "study": offer.study is not None,
                "settings": msgspec.to_builtins(Settings(bots=offer.bots[0])),
            }
        )

    async def _rules(self, request: Request) -> Response:
        name, players, language = (request.path_params[key] for key in ("edition", "players", "language"))
        try:
            number = int(players) if players.isdecimal() and len(players) <= 2 else 0
            rounds = request.query_params.get("rounds")
            rules = replace(edition(name), rounds=int(rounds) if rounds in ("1", "2") else 0)
            sections = rules_sections(rules, number, language)
        except RulesError as error:
            raise Refused("unknown_table", str(error)) from error
        return JSONResponse([asdict(section) for section in sections])

    async def _replay(self, request: Request) -> Response:
        """A finished game of a table, open to whoever may look on there."""
        number = request.path_params["number"]
        room = await self.rooms.find(request.path_params["table"])
        game = await room.replay(int(number) if number.isdecimal() and len(number) < 9 else 0)
        return Response(game, headers=NOT_KEPT, media_type="application/json")

    async def _open(self, request: Request) -> Response:
        changes = await json_body(request, self.limits.body, dict[str, object], "bad_settings")
        if not self._new_tables.take(address_of(request.scope)):
            raise Refused("rate", "too many new tables from this address; wait a minute")
        return JSONResponse({"table": await self.rooms.open(changes)}, 201)

    async def _tables(self, request: Request) -> Response:
        """Where each of some tables stands; the phase of one that is not there, or can't go on, is `gone`."""
        told = []
        for code in request.path_params["codes"].split(",")[:MOST_TOLD]:
            try:
                told.append(summary(code, (await self.rooms.find(code)).state))
            except Refused as error:
                if error.code not in ("unknown_table", "other_deck", "no_study"):
                    raise
                told.append({"table": code, "phase": "gone"})
        return JSONResponse(told, headers=NOT_KEPT)

    async def _link(self, request: Request) -> Response:
        return JSONResponse({"link": await self._address(request)})

    async def _qr(self, request: Request) -> Response:
        buffer = io.BytesIO()
        segno.make(await self._address(request), micro=False).save(buffer, kind="svg", scale=8, border=4, light="white")
        return Response(buffer.getvalue(), media_type="image/svg+xml")

    async def _address(self, request: Request) -> str:
        """The link to a table, with an address that others can reach where this one is for us alone."""
        room = await self.rooms.find(request.path_params["table"])
        base = request.base_url
        if self.exposed and is_loopback(base.hostname or ""):
            base = base.replace(hostname=lan_address())
        return f"{str(base).rstrip('/')}/t/{room.name}"

    async def _picture(self, request: Request) -> Response:
        table, card, size = (request.path_params[name] for name in ("table", "card", "size"))
        number = (await self.rooms.find(table)).picture(card)
        if number is None or size not in SIZES:
            raise Refused("unknown_table", "there is no such picture")
        return Response(self.pictures.webp(number, size), headers=FOR_EVER, media_type="image/webp")

    async def _deck_picture(self, request: Request) -> Response:
        return deck_picture(self.pictures, request)

    # sockets ---------------------------------------------------------------------------------------------------

    async def _socket(self, websocket: WebSocket) -> None:
        if not same_origin(websocket.headers):
            await websocket.close(4403)  # before it is accepted: the handshake fails with 403
            return
        await websocket.accept()
        try:
            await self._converse(websocket)
        except Refused as error:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await websocket.send_text(encode(_error(None, error)))
                await websocket.close(CLOSE.get(error.code, 4400))
        except (WebSocketDisconnect, TimeoutError):
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await websocket.close(4408)

    async def _hello(self, websocket: WebSocket) -> Hello:
        """The first frame; until it is there, the socket is one of those that wait at the doors."""
        address = address_of(websocket.scope)
        if not self.doors.enter(address):
            raise Refused("busy", "too many connections wait here")
        try:
            hello = read_frame(await asyncio.wait_for(_receive(websocket), self.limits.hello))
        finally:
            self.doors.leave(address)
        if not isinstance(hello, Hello):
            raise Refused("bad_frame", "say hello first")
        if hello.protocol != PROTOCOL:
            raise Refused("protocol", f"this server speaks protocol {PROTOCOL}: load the page again")
        if not self._hellos.take(address_of(websocket.scope)):
            raise Refused("busy", "too many connections from this address; wait a moment")
        return hello

    async def _converse(self, websocket: WebSocket) -> None:
        """Hello, then commands until the socket closes."""
        hello = await self._hello(websocket)
        room = await self.rooms.find(hello.table)
        token = hello.token or secrets.token_urlsafe(24)
        link = Link(websocket, person_of(token), hello.watch, hello.views)
        self._make_room(link, room)
        welcome = {"type": "welcome", "protocol": PROTOCOL, "table": room.name, "seat": room.state.seat_of(link.viewer)}
        await link.reply(welcome if hello.token else {**welcome, "token": token})
        room.arrive(link)
        self.sockets += 1
        sender = asyncio.get_running_loop().create_task(link.send_all(room.news))
        try:
            await self._listen(link, room)
        finally:
            self.sockets -= 1
            room.depart(link)
            sender.cancel()

    def _make_room(self, link: Link, room: Room) -> None:
        """Refuse a socket where there are too many; places for people with a seat are kept."""
        limits, address = self.limits, link.address
        if sum(other.person == link.person for other in room.links) >= limits.sockets_of_person:
            raise Refused("busy", "too many sockets of this person")
        seated = room.state.seat_of(link.person) is not None
        if self.sockets >= (limits.sockets if seated else limits.sockets * 3 // 4):
            raise Refused("busy", "too many people are on this server")
        if seated:
            return
        strangers = [other for other in room.links if room.state.seat_of(other.person) is None]
        near = [other for other in strangers if other.address == address]
        crowded = len(near) >= limits.strangers_of_address and not is_loopback(address)
        if crowded or len(strangers) >= limits.strangers_at_table:
            raise Refused("busy", "too many people look on at this table")

    async def _listen(self, link: Link, room: Room) -> None:
        bucket = Bucket(*self.limits.frames)
        strikes = 0
        while strikes < self.limits.strikes:
            text = await _receive(link.websocket)
            order_id = None
            try:
                order = read_frame(text)
                if isinstance(order, Hello):
                    raise Refused("bad_frame", "hello is said once")
                order_id = None if isinstance(order, Ping) else order.id
                if not bucket.take():
                    raise Refused("rate", "too many frames at once; send it again a little later")
                if isinstance(order, Ping):
                    await link.reply({"type": "pong"})
                    continue
                await link.reply(await room.do(link, order))
            except Refused as error:
                strikes += error.code in ("rate", "bad_frame")
                await link.reply(_error(order_id, error))
        await link.close(4429)


async def _receive(websocket: WebSocket) -> str:
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None or len(text) > LARGEST_FRAME:
        raise Refused("bad_frame", f"frames are text of at most {LARGEST_FRAME} bytes")
    return str(text)


def _error(order_id: str | None, error: Refused) -> dict[str, object]:
    return {"type": "error", "id": order_id, "code": error.code, "message": error.message}


def lan_address() -> str:
    """This machine's address as others on its network see it; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises `DixitError` when that can't be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small frames at once (TCP_NODELAY) only on sockets that name their protocol
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise DixitError(f"can't listen on {host}, port {port}: {error}; choose another --port or --host") from error
    return listener


def open_files() -> int:
    """How many connections the system allows this process, after asking for as many as it may have."""
    try:
        import resource
    except ImportError:  # Windows: no such limit
        return sys.maxsize
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(soft - SPARE_FILES, SPARE_FILES)


def run(server: Served, listener: socket.socket) -> None:
    """Serve until Ctrl-C."""
    sys.setswitchinterval(SWITCH)
    handler = logging.StreamHandler()
    handler.addFilter(Fewer())
    logging.basicConfig(format="%(levelname)s: %(message)s", handlers=[handler])
    uvicorn.Server(configured(server)).run(sockets=[listener])


def configured(server: Served) -> uvicorn.Config:
    """How the application is served."""
    careful = partial(Careful, doors=server.doors, seconds=server.limits.request)
    return uvicorn.Config(
        server.app(),
        http=careful,  # type: ignore[arg-type]
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=LARGEST_FRAME,
        ws_ping_interval=5.0,
        ws_ping_timeout=10.0,  # a phone that fell asleep is away after 15 s at most
        ws_per_message_deflate=False,  # frames are small and mostly random ids
        timeout_graceful_shutdown=3,
        backlog=BACKLOG,
    )
