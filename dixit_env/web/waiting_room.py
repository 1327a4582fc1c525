"""The waiting room of a study: its participants wait there until as many are here as a table has.

Only those who are here count. A participant's page asks for their place again and again, and each answer is held back
for a few seconds unless there is news. Those who speak one language play together, because clues are words. Where
somebody waited, and where that led, are events of the participant, so that everybody keeps their place when the server
is started again.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.events import Opened, Placed
from dixit_env.web.participants import Participants
from dixit_env.web.projection import Frame
from dixit_env.web.responses import NOT_KEPT
from dixit_env.web.room import kept
from dixit_env.web.rooms import Rooms
from dixit_env.web.study import Study

HELD = 5.0  # seconds for which an answer without news is held back
HERE = HELD + 3.0  # seconds after its last question in which a page may ask again
MISSED = 60.0  # seconds of absence after which a participant waits from the beginning


@dataclass(slots=True)
class Waiter:
    """A participant without a table. Moments are in seconds since 1970."""

    person: str
    record: str  # what their events are kept under
    lang: str
    since: float
    seen: float  # when their page last asked


class WaitingRoom:
    """Where participants get their tables; with one participant at a table, at once."""

    def __init__(self, study: Study, participants: Participants, rooms: Rooms) -> None:
        self.study = study
        self.participants = participants
        self.rooms = rooms
        self._waiters: dict[str, Waiter] = {}
        self._begun = time.time()
        self._lock = asyncio.Lock()
        self._news = asyncio.Event()

    def routes(self) -> list[Route]:
        """For the application."""
        return [Route("/api/study/place", self._tell)]

    async def _tell(self, request: Request) -> Response:
        """The asker's table, or how many are `missing` until there is one, or the `code` of who has waited in vain.

        With `missing` in the query the answer is held back while it says just that.
        """
        person = self.participants.person(request)
        known = request.query_params.get("missing")
        end = time.monotonic() + HELD
        place = await self._place(person)
        while str(place["missing"]) == known and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)
            if await request.is_disconnected():
                break
            place = await self._place(person)
        return JSONResponse(place, headers=NOT_KEPT)

    async def _place(self, person: str) -> Frame:
        """Where a participant stands, after whatever their being here brings about."""
        async with self._lock:
            waiter = self._waiters.get(person) or await self._come(person)
            if isinstance(waiter, Placed):
                return _told(table=waiter.table, code="" if waiter.table else self.study.code)
            now = time.time()
            here = self._here(waiter, now)[: self.study.people]
            if len(here) == self.study.people:
                await self.rooms.open_study(self.study, waiter.lang, {one.person: one.record for one in here})
            elif now - waiter.since >= 60 * self.study.wait:
                here = [waiter]
                with kept():
                    await self.rooms.resources.store.append(waiter.record, 1, [Placed()])
            else:
                return _told(missing=self.study.people - len(here))
            for one in here:
                del self._waiters[one.person]
            self._tell_all()
        return await self._place(person)

    async def _come(self, person: str) -> Waiter | Placed:
        """A participant who is not among those that wait: they have a place already, or wait from now on."""
        record = self.participants.record_of(person)
        opened, *placed = await self.participants.events(record)
        if placed and isinstance(placed[0], Placed):
            return placed[0]
        assert isinstance(opened, Opened)
        since, *_ = await asyncio.to_thread(self.rooms.resources.store.moments, record)
        waiter = Waiter(person, record, opened.settings.lang, since, max(since, self._begun))
        self._waiters[person] = waiter
        self._tell_all()
        return waiter

    def _here(self, asker: Waiter, now: float) -> list[Waiter]:
        """Those who are here and speak the asker's language, in the order in which they came."""
        if now - asker.seen > HERE:
            self._tell_all()
        if now - asker.seen > MISSED:
            asker.since = now
        asker.seen = now
        there = [one for one in self._waiters.values() if one.lang == asker.lang and now - one.seen <= HERE]
        return sorted(there, key=lambda one: one.since)

    def _tell_all(self) -> None:
        """Answer the requests that are held back."""
        self._news.set()
        self._news = asyncio.Event()


def _told(missing: int = 0, table: str = "", code: str = "") -> Frame:
    return {"missing": missing, "table": table, "code": code}
