"""The way into a study: its texts, and a table for each participant, or the tables that they judge."""

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.blind_api import BlindApi
from dixit_env.web.protocol import Refused
from dixit_env.web.rooms import Rooms
from dixit_env.web.security import Buckets, Limits, address_of, json_body
from dixit_env.web.study import PARTICIPANT, Study, public


class Begin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant who agrees."""

    participant: str
    lang: str


class StudyApi:
    """The routes of a study; without one they say that there is none.

    Args:
        newcomers: what limits how many tables an address may open in a while.
    """

    def __init__(self, study: Study | None, rooms: Rooms, limits: Limits, newcomers: Buckets) -> None:
        self.study = study
        self.rooms = rooms
        self.limits = limits
        self.newcomers = newcomers
        openings = rooms.resources.store.openings() if study else []
        store, tables = rooms.resources.store, rooms.resources.offer.tables
        self.blind = BlindApi(study, tables, store, limits) if study and study.tables else None
        self._begun = {opened.participant for opened in openings if study and opened.study == study.name}

    def routes(self) -> list[Route]:
        """For the application."""
        own = [Route("/api/study", self._tell), Route("/api/study", self._begin, methods=["POST"])]
        return own + (self.blind.routes() if self.blind else [])

    async def _tell(self, _: Request) -> Response:
        return JSONResponse({**public(self._present()), "tables": len(self.rooms.resources.offer.tables)})

    async def _begin(self, request: Request) -> Response:
        """A table of the participant's own, or of a blind test their token; each id begins once."""
        study = self._present()
        asked = await json_body(request, self.limits.body, Begin)
        if not PARTICIPANT.fullmatch(asked.participant) or asked.lang not in study.languages:
            raise Refused("bad_frame", f"a participant has an id, and one of the languages {list(study.languages)}")
        if not self.newcomers.take(address_of(request.scope)):
            raise Refused("rate", "too many new tables from this address; wait a minute")
        if asked.participant in self._begun:
            raise Refused("begun", "this participant has begun already")
        self._begun.add(asked.participant)
        try:
            if self.blind is not None:
                return JSONResponse({"token": await self.blind.begin(asked.participant, asked.lang)}, 201)
            return JSONResponse({"table": await self.rooms.open_study(study, asked.participant, asked.lang)}, 201)
        except Refused:
            self._begun.discard(asked.participant)
            raise

    def _present(self) -> Study:
        if self.study is None:
            raise Refused("no_study", "this server has no study")
        return self.study
