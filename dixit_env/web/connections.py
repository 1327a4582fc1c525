"""Connections that have not said yet who they are: how many there may be, and how long they may take.

uvicorn waits for a request as long as the client likes. `Careful` is its HTTP protocol with time limits and a `Doors`
that counts: a connection goes through the doors when it is accepted, and again as a socket until it has said hello.
"""

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dixit_env.web.security import is_loopback


class Doors:
    """Counts who is waiting to be known, in all and by address. Loopback is counted in all only: it may be a proxy.

    Args:
        most: in all.
        most_of_address: of one address.
    """

    def __init__(self, most: int, most_of_address: int) -> None:
        self.most, self.most_of_address = most, most_of_address
        self._waiting: Counter[str] = Counter()
        self._total = 0

    def enter(self, address: str) -> bool:
        """One more from this address, if there is room."""
        crowded = self._waiting[address] >= self.most_of_address and not is_loopback(address)
        if crowded or self._total >= self.most:
            return False
        self._waiting[address] += 1
        self._total += 1
        return True

    def leave(self, address: str) -> None:
        """One fewer: it is gone, or it is known now."""
        self._total -= 1
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]

    def __len__(self) -> int:
        return self._total


class Careful(H11Protocol):
    """HTTP with limits on slow clients.

    Args:
        doors: where connections are counted until they are sockets or closed.
        seconds: in which a request must be there, head and body, and in which a stuck client must read on.
    """

    def __init__(self, *args: Any, doors: Doors, seconds: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.doors, self.seconds = doors, seconds
        self._counted: str | None = None  # the address that it is counted under
        self._coming: asyncio.TimerHandle | None = None  # while a request is coming in
        self._stuck: asyncio.TimerHandle | None = None  # while the client does not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if not self.doors.enter(address):
            transport.abort()
            return
        self._counted = address
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        super().connection_lost(exc)
        self._leave()

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """The next request may come."""
        super().on_response_complete()
        self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From here on it is a socket, with limits of its own."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """The client reads too slowly."""
        super().pause_writing()
        self._stuck = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stuck = _stop(self._stuck)

    def _watch(self) -> None:
        if self._counted is None or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._coming = _stop(self._coming)
        elif self._coming is None:
            self._coming = self.loop.call_later(self.seconds, self.transport.abort)

    def _leave(self) -> None:
        self._coming, self._stuck = _stop(self._coming), _stop(self._stuck)
        if self._counted is not None:
            self.doors.leave(self._counted)
            self._counted = None


def _stop(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, if there is one; always None, to put in its place."""
    if timer is not None:
        timer.cancel()
    return None
