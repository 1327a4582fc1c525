"""All tables of a server: opening them, finding them, unloading them.

A table is in memory only while somebody is connected, and `KEEP_EMPTY` seconds longer. A table that is not in memory is
read from the database: after a crash, a restart or a night, in the same way.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping

from dixit_env.web.events import AnyEvent, Joined, Opened, Placed, restore
from dixit_env.web.export import expired
from dixit_env.web.orders import started
from dixit_env.web.protocol import Refused, Settings, changed_settings
from dixit_env.web.resources import Resources
from dixit_env.web.room import Room, kept
from dixit_env.web.study import Study

log = logging.getLogger(__name__)

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no letters that look like digits, nor I, O
CODE = 10  # characters: 49 bits, too many to guess at the rates that `Limits` allows
MOST_ROOMS = 1000  # in memory; chosen: ten times what the load benchmark plays at once
KEEP_EMPTY = 600.0  # seconds; chosen: a phone that wakes up finds its table loaded
KEEP_DAYS = 30  # until a table where nothing happens expires


class Rooms:
    """The tables of one server."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self._rooms: dict[str, asyncio.Task[Room]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def open(self, changes: dict[str, object]) -> str:
        """Open a table with these settings; its code. Raises `Refused`."""
        name, opened = _new_code(), Opened(key=secrets.token_hex(32), settings=self._settings(changes))
        with kept():
            await self.resources.store.append(name, 0, [opened])
        return name

    async def open_study(self, study: Study, lang: str, people: Mapping[str, str]) -> None:
        """Open a table for participants, in the order of its seats, and deal. Raises `Refused`.

        Nobody waits for somebody who has left, but for a participant alone with bots there is no time limit.

        Args:
            people: by person, what their events are kept under: their place is kept with the table, or neither is.
        """
        limit = Settings().limit if study.people > 1 else None
        changes = {"rules": study.rules, "seats": study.seats, "lang": lang, "limit": limit, "least": 1}
        settings = self._settings(changes)
        opened = Opened(key=secrets.token_hex(32), settings=settings, study=study.name, file=study.digest)
        events: list[AnyEvent] = [opened, *[Joined(person=person, name="", consent=True) for person in people]]
        events.append(started(restore(events), self.resources.offer))
        name = _new_code()
        with kept():
            places = [(record, 1, [Placed(table=name)]) for record in people.values()]
            await self.resources.store.append_all([(name, 0, events), *places])

    def _settings(self, changes: dict[str, object]) -> Settings:
        offer = self.resources.offer
        return changed_settings(Settings(bots=offer.bots[0]), changes, offer.bots, len(offer.deck), offer.personas)

    async def find(self, name: str) -> Room:
        """The table of that code; raises `Refused` when there is none or it can't go on here."""
        if len(name) != CODE or not set(name) <= set(ALPHABET):
            raise Refused("unknown_table", "there is no such table")
        if name not in self._rooms:
            self.sweep()
            if len(self._rooms) >= MOST_ROOMS and not self._make_place():
                raise Refused("busy", "too many tables are open on this server")
            self._rooms[name] = asyncio.get_running_loop().create_task(self._load(name))
        task = self._rooms[name]
        try:
            return await asyncio.shield(task)
        except Refused:
            if self._rooms.get(name) is task:
                del self._rooms[name]
            raise

    def listed(self) -> list[Room]:
        """The tables in memory that programs may find."""
        return [room for room in self._loaded() if room.state.settings.listed and not room.closed]

    async def _load(self, name: str) -> Room:
        with kept():
            events = await asyncio.to_thread(self.resources.store.read, name)
        if not events:
            raise Refused("unknown_table", "there is no such table")
        room = Room(name, events, self.resources, self._forget)
        study = self.resources.offer.study
        if room.state.study and (study is None or study.name != room.state.study):
            raise Refused("no_study", "this table belongs to a study that the server was not started with")
        if room.state.play is not None and room.state.cards != tuple(
            card.id for card in self.resources.offer.deck.cards
        ):
            raise Refused("other_deck", "the server was started with other cards than this game was dealt with")
        return room

    def _forget(self, room: Room) -> None:
        """Unload a room; `find` reads it from the database again."""
        if room in self._loaded():
            del self._rooms[room.name]
        task = asyncio.get_running_loop().create_task(room.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def sweep(self) -> None:
        """Unload the rooms that have been empty for `KEEP_EMPTY` seconds."""
        for room in self._loaded():
            if not room.links and time.monotonic() - room.empty_since > KEEP_EMPTY:
                self._forget(room)

    def _make_place(self) -> bool:
        """Unload the room that has been empty longest; False when there are people in all of them."""
        empty = [room for room in self._loaded() if not room.links]
        if empty:
            self._forget(min(empty, key=lambda room: room.empty_since))
        return bool(empty)

    async def look_after(self) -> None:
        """Sweep every minute and let old tables expire every hour, for ever."""
        minute = 0
        while True:
            self.sweep()
            if minute % 60 == 0:
                await asyncio.to_thread(self.expire)
            minute += 1
            await asyncio.sleep(60)

    def expire(self) -> None:
        """Close the tables where nothing has happened for `KEEP_DAYS` days."""
        store = self.resources.store
        for name in store.idle_since(time.time() - KEEP_DAYS * 86400):
            if name in self._rooms:
                continue
            kept = expired(store.read(name))
            if kept:
                store.close_table(name, kept)
            else:
                store.forget(name)

    async def close(self) -> None:
        """Close every room."""
        for room in self._loaded():
            await room.close()

    def _loaded(self) -> list[Room]:
        tasks = [task for task in self._rooms.values() if task.done() and not task.cancelled()]
        return [task.result() for task in tasks if task.exception() is None]


def _new_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE))
