"""Protection of a public server: security headers, same origin, and limits on rates and sizes."""

import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    requests: tuple[int, float] = (600, 60.0)  # by address
    tables: tuple[int, float] = (20, 0.2)  # new ones, by address
    hellos: tuple[int, float] = (200, 10.0)  # by address: also a bound on guessing table codes
    sockets: int = 4000
    sockets_at_table: int = 64
    sockets_of_person: int = 8
    body: int = 4096  # bytes
    hello: float = 10.0  # seconds to say it in
    strikes: int = 50  # refused frames, then the socket is closed


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


def is_loopback(host: str) -> bool:
    """Does this name or address mean the machine itself?"""
    return host in ("localhost", "::1", "[::1]") or host.startswith("127.")


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


def address_of(scope: Scope) -> str:
    """The client's address, "" when it has none."""
    return str(scope["client"][0]) if scope.get("client") else ""


class Guard:
    """ASGI middleware: security headers on every response, and a limit on requests by address."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.requests = Buckets(*limits.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            await send(message)

        if self.requests.take(address_of(scope)):
            await self.app(scope, receive, guarded)
        else:
            error = {"error": {"code": "rate", "message": "too many requests from this address"}}
            await JSONResponse(error, 429)(scope, receive, guarded)
