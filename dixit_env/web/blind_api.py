"""Taking part in a blind test: the tables one after another, the answers as they come, and the code at the end.

Each request reads the participant's events from the database.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.blind import BlindTable, Judgement, LastAnswers, Progress, order_for
from dixit_env.web.events import Answered, AnyEvent, Judged
from dixit_env.web.participants import Participants
from dixit_env.web.protocol import LARGEST_FRAME, Refused
from dixit_env.web.responses import NOT_KEPT
from dixit_env.web.room import MOST_EVENTS, kept
from dixit_env.web.security import Limits, json_body
from dixit_env.web.study import Study, answers_fault


class BlindApi:
    """The routes of a blind test.

    Args:
        tables: what participants are shown.
    """

    def __init__(
        self, study: Study, tables: tuple[BlindTable, ...], participants: Participants, limits: Limits
    ) -> None:
        self.study = study
        self.tables = {table.number: table for table in tables}
        self.participants = participants
        self.limits = limits
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def routes(self) -> list[Route]:
        """For the application."""
        return [
            Route("/api/study/tables", self._tell),
            Route("/api/study/tables", self._judge, methods=["POST"]),
            Route("/api/study/answers", self._answer, methods=["POST"]),
        ]

    async def _tell(self, request: Request) -> Response:
        """The tables in the participant's order, and what was answered so far."""
        participant = self.participants.of(request)
        progress = Progress.of(await self._events(participant))
        judged = {number: {"weights": one.weights, "suits": one.suits} for number, one in progress.judged.items()}
        tables = [asdict(table) for table in self._order(participant)]
        told = {"tables": tables, "judged": judged, **self._standing(progress)}
        return JSONResponse(told, headers=NOT_KEPT)

    async def _judge(self, request: Request) -> Response:
        participant = self.participants.of(request)
        told = await json_body(request, self.limits.body, Judgement)
        if (table := self.tables.get(told.number)) is None or (fault := told.fault(table)):
            raise Refused("bad_answer", f"there is no table {told.number}" if table is None else fault)
        place = self._order(participant).index(table) + 1
        return await self._add(participant, Judged(place=place, **msgspec.structs.asdict(told)))

    async def _answer(self, request: Request) -> Response:
        participant = self.participants.of(request)
        told = await json_body(request, LARGEST_FRAME, LastAnswers)
        if fault := answers_fault(self.study.end, told.answers):
            raise Refused("bad_answer", fault)
        return await self._add(participant, Answered(game=1, turn=0, answers=told.answers, seconds=told.seconds))

    async def _add(self, participant: str, event: Judged | Answered) -> Response:
        """Keep an event. Once the code is shown, nothing is changed any more."""
        async with self._locks[participant]:
            events = await self._events(participant)
            progress = Progress.of(events)
            early = isinstance(event, Answered) and not progress.through(self.tables)
            if early or self._finished(progress):
                raise Refused("stale", "the tables come before the last questions, and the code after both")
            if len(events) >= MOST_EVENTS:
                raise Refused("busy", "these are answers enough")
            with kept():
                record = self.participants.record(participant)
                await self.participants.store.append(record, len(events), [event])
        return JSONResponse(self._standing(Progress.of([*events, event])))

    async def _events(self, participant: str) -> Sequence[AnyEvent]:
        return await self.participants.events(self.participants.record(participant))

    def _order(self, participant: str) -> list[BlindTable]:
        return order_for(participant, self.study.name, self.tables.values())

    def _finished(self, progress: Progress) -> bool:
        return progress.finished(self.study, self.tables)

    def _standing(self, progress: Progress) -> dict[str, object]:
        return {"answered": progress.answered, "code": self.study.code if self._finished(progress) else ""}
