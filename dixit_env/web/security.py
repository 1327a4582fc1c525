"""Protection of a public server: security headers, same origin, and limits on rates and sizes."""

import logging
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dixit_env.web.protocol import Refused

T = TypeVar("T")

HEADERS = {
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "manifest", "media")),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on clients. Rates are (burst, each second). Chosen: several times what a table of twelve needs."""

    frames: tuple[int, float] = (20, 10.0)  # by socket
    requests: tuple[int, float] = (3000, 200.0)  # by address: a class behind one address loads page and cards at once
    tables: tuple[int, float] = (20, 0.2)  # new ones, by address
    hellos: tuple[int, float] = (200, 10.0)  # by address: also a bound on guessing table codes
    sockets: int = 4000  # after hello; the last quarter is kept for people with a seat
    strangers_at_table: int = 64  # sockets of people without a seat; who has one finds place
    strangers_of_address: int = 48  # … at one table
    sockets_of_person: int = 8
    waiting: int = 1000  # connections that have not said hello, HTTP among them
    waiting_of_address: int = 300
    request: float = 15.0  # seconds for a whole request, and for a client that does not read
    body: int = 4096  # bytes
    hello: float = 10.0  # seconds to say it in
    strikes: int = 50  # refused frames, then the socket is closed

    def within(self, files: int) -> "Limits":
        """The same with fewer connections, where the system allows that many open files only."""
        return replace(self, sockets=min(self.sockets, files // 2), waiting=min(self.waiting, files // 4))


class Bucket:
    """A token bucket: so many at once, so many each second."""

    __slots__ = ("level", "most", "rate", "when")

    def __init__(self, most: int, rate: float) -> None:
        self.most, self.rate = most, rate
        self.level = float(most)
        self.when = time.monotonic()

    def take(self) -> bool:
        """May one more pass?"""
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self.when) * self.rate)
        self.when = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Buckets:
    """A bucket for each address. Loopback is not counted: it is this machine, or a proxy that counts itself."""

    MOST = 10_000  # addresses that are remembered

    def __init__(self, most: int, rate: float) -> None:
        self.most, self.rate = most, rate
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """May one more from this address pass?"""
        if is_loopback(address):
            return True
        bucket = self._buckets.pop(address, None) or Bucket(self.most, self.rate)
        self._buckets[address] = bucket
        if len(self._buckets) > self.MOST:
            self._buckets.popitem(last=False)
        return bucket.take()


class Fewer(logging.Filter):
    """Lets through a few log records of a kind, so that nobody can fill a disk: an attack repeats itself."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[str, str], Bucket] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """May it be written?"""
        kind = (record.name, str(record.msg)[:60])
        if len(self._kinds) >= 1000:
            self._kinds.clear()
        return self._kinds.setdefault(kind, Bucket(10, 0.1)).take()


def is_loopback(host: str) -> bool:
    """Does this name or address mean the machine itself?"""
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


def known_host(host: str, names: frozenset[str]) -> bool:
    """May a request be for this `Host`: an address, this machine itself, or one of the names?

    A page elsewhere can have its own name lead to this machine, but it can't make a browser send another name.
    """
    name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    try:
        return bool(ip_address(name)) and int(port or 0) < 65536
    except ValueError:
        return name.casefold() in {"localhost", *names}


def same_origin(headers: Headers) -> bool:
    """Does the request come from a page of this server, or from no page at all?

    A browser always names the page's origin on a socket and on a POST; another site's page can't hide behind it.
    """
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:  # no address at all
        return False


async def json_body(request: Request, most: int, kind: type[T], fault: str = "bad_frame") -> T:
    """The body of a request that changes something: JSON of at most `most` bytes, not from another site's page.

    Raises `Refused`; with the code `fault` where the body is no JSON of that kind.
    """
    if not same_origin(request.headers):
        raise Refused("origin", "another site's page may not ask for this")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("bad_frame", "send the body as application/json")
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise Refused("bad_frame", f"the body has at most {most} bytes")
    except ClientDisconnect as error:
        raise Refused("bad_frame", "the request was broken off") from error
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(fault, str(error)) from error


def address_of(scope: Scope) -> str:
    """The client's address, "" when it has none."""
    return str(scope["client"][0]) if scope.get("client") else ""


class Guard:
    """ASGI middleware: known hosts only, security headers on every response, a limit on requests by address."""

    def __init__(self, app: ASGIApp, limits: Limits, names: frozenset[str]) -> None:
        self.app = app
        self.names = names
        self.requests = Buckets(*limits.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = scope["type"] == "lifespan" or known_host(Headers(scope=scope).get("host", ""), self.names)
        if scope["type"] != "http":
            await (self.app(scope, receive, send) if known else send({"type": "websocket.close"}))
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            await send(message)

        answer = self.app
        if not known:
            answer = _fault(421, "host", "this server does not go by that name: start it with --site NAME")
        elif not self.requests.take(address_of(scope)):
            answer = _fault(429, "rate", "too many requests from this address")
        await answer(scope, receive, guarded)


def _fault(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status)
