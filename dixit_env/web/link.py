"""One open socket: whose it is, and what it still has to be sent.

A link keeps no queue of states. It knows which revision it sent last and, when it gets to send again, sends the newest:
a slow phone skips frames, costs no memory, and delays nobody.
"""

import asyncio
import contextlib
import hashlib
from collections import deque
from typing import TYPE_CHECKING

from starlette.websockets import WebSocket, WebSocketDisconnect

from dixit_env.web.projection import Frame
from dixit_env.web.protocol import encode

if TYPE_CHECKING:
    from dixit_env.web.room import Room

MOST_REPLIES = 64  # that wait for a client which doesn't read


def person_of(token: str) -> str:
    """What a person is known by: a hash of the secret, which is itself kept nowhere."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


class Link:
    """A socket at a table.

    Args:
        person: the hash of the token that it came with.
        watch: it looks on, even if the person has a seat.
    """

    def __init__(self, websocket: WebSocket, person: str, watch: bool) -> None:
        self.websocket = websocket
        self.person = person
        self.watch = watch
        self.game = -1  # whose turns were sent …
        self.turns = 0  # … and how many
        self.revision = -1
        self._replies: deque[Frame] = deque()
        self._wake = asyncio.Event()

    @property
    def viewer(self) -> str:
        """The person whose projection it is sent; "" is a spectator."""
        return "" if self.watch else self.person

    def wake(self) -> None:
        """There is something new."""
        self._wake.set()

    async def reply(self, frame: Frame) -> None:
        """Send a frame to this socket alone."""
        if len(self._replies) >= MOST_REPLIES:
            await self.close(4429)
        self._replies.append(frame)
        self._wake.set()

    async def send_all(self, room: "Room") -> None:
        """Send what there is, for as long as the socket lives."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._replies:
                    await self.websocket.send_text(encode(self._replies.popleft()))
                for text in room.news(self):
                    await self.websocket.send_text(text)

    async def close(self, code: int = 1012) -> None:
        """Close the socket; 1012 asks the page to come again."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.websocket.close(code)
