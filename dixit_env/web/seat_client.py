"""A seat at a table of some server, by the requests of the seat API; nothing but the standard library."""

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from dixit_env.errors import DixitError

Answer = dict[str, Any]

PATIENCE = 60.0  # seconds for an answer; requests for news take up to 25


class SeatRefused(DixitError):
    """The server refused a request, or can't be reached."""


class Tables:
    """A server's tables.

    Args:
        server: its address, such as http://127.0.0.1:8000; raises `DixitError` for what is none.
    """

    def __init__(self, server: str) -> None:
        if urlsplit(server).scheme not in ("http", "https") or not urlsplit(server).netloc:
            raise DixitError(f"{server!r} is no address of a server: give one such as http://127.0.0.1:8000")
        self.server = server.rstrip("/")

    def get(self, path: str) -> Any:
        """The answer to a GET, decoded; raises `SeatRefused`."""
        return json.loads(_answer(Request(self.server + path)))

    def listed(self) -> list[Answer]:
        """The tables that say that programs may find them."""
        return list(self.get("/api/tables")["tables"])

    def sit(self, table: str, name: str, consent: bool) -> "Seat":
        """Take a seat; raises `SeatRefused`."""
        seat = Seat(f"{self.server}/api/tables/{quote(table, safe='')}")
        taken = seat.ask("POST", "/seats", {"name": name, "consent": consent})
        seat.token, seat.number = str(taken["token"]), int(taken["seat"])
        return seat


class Seat:
    """One seat; its methods raise `SeatRefused`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.token = ""
        self.number = -1

    def view(self, after: int | None = None, wait: int = 0) -> Answer:
        """The view; with `after` and `wait` (seconds) as soon as there is a newer one than of that revision."""
        query = "" if after is None else "?" + urlencode({"after": after, "wait": wait})
        return self.ask("GET", f"/view{query}")

    def move(self, seen: Answer, move: Answer) -> None:
        """Send a move, for the moment that a view is of."""
        self.ask("POST", "/moves", {"game": seen["game"], "turn": seen["turn"], "phase": seen["phase"], "move": move})

    def picture(self, card: str, size: str = "full") -> bytes:
        """A card's picture, as WebP."""
        return _answer(Request(f"{self.address}/cards/{quote(card, safe='')}/{size}.webp", headers=self._headers()))

    def ask(self, method: str, path: str, body: Answer | None = None) -> Answer:
        """Any request of the seat."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **self._headers()}
        return dict(json.loads(_answer(Request(self.address + path, data, headers, method=method))))

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def _answer(request: Request) -> bytes:
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return bytes(answer.read())
    except HTTPError as error:
        try:
            said = json.load(error)["error"]["message"]
        except (ValueError, KeyError, TypeError):
            said = f"the server answered {error.code}"
        raise SeatRefused(said) from error
    except (URLError, OSError) as error:
        raise SeatRefused(f"the server can't be reached: {getattr(error, 'reason', error)}") from error
