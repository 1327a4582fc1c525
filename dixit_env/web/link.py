"""One open socket: whose it is, and what it still has to be sent.

A link keeps no queue of states. It knows which revision it sent last, and sends the newest one when the socket is free
again. So a slow client skips states, needs no buffer, and does not delay the others.
"""

import asyncio
import contextlib
import hashlib
from collections import deque
from collections.abc import Callable

from starlette.websockets import WebSocket, WebSocketDisconnect

from dixit_env.web.projection import Frame
from dixit_env.web.protocol import encode
from dixit_env.web.security import address_of

MOST_REPLIES = 64  # queued for one client; a client that reads nothing is cut off here


def person_of(token: str) -> str:
    """What a person is known by: a hash of the secret, which is itself kept nowhere."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


class Presence:
    """Somebody at a table, by a socket or by requests.

    Args:
        person: the hash of the token that they came with.
        address: where they are.
        watch: they look on, even if the person has a seat.
    """

    def __init__(self, person: str, address: str, watch: bool = False) -> None:
        self.person = person
        self.address = address
        self.watch = watch

    @property
    def viewer(self) -> str:
        """The person whose projection is sent; "" is a spectator."""
        return "" if self.watch else self.person

    def wake(self) -> None:
        """There is news at the table."""

    async def close(self) -> None:
        """The table is closed."""


class Link(Presence):
    """A socket at a table.

    Args:
        views: it is a program's, which gets views in the form of records.
    """

    def __init__(self, websocket: WebSocket, person: str, watch: bool, views: bool = False) -> None:
        super().__init__(person, address_of(websocket.scope), watch)
        self.websocket = websocket
        self.views = views
        self.game = -1  # whose turns were sent …
        self.turns = 0  # … and how many
        self.revision = -1
        self._replies: deque[Frame] = deque()
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Let `send_all` look for news."""
        self._wake.set()

    async def reply(self, frame: Frame) -> None:
        """Send a frame to this socket alone."""
        if len(self._replies) >= MOST_REPLIES:
            await self.close(4429)
        self._replies.append(frame)
        self._wake.set()

    async def send_all(self, news: Callable[["Link"], list[str]]) -> None:
        """Send replies and news until the socket closes; `news(link)` are the frames that it has not been sent yet."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._replies:
                    await self.websocket.send_text(encode(self._replies.popleft()))
                for text in news(self):
                    await self.websocket.send_text(text)

    async def close(self, code: int = 1012) -> None:
        """Close the socket; 1012 asks the page to come again."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.websocket.close(code)
