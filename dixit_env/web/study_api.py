"""The way into a study: its texts, consent, and then the waiting room, or the tables of a blind test."""

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.blind_api import BlindApi
from dixit_env.web.participants import Participants
from dixit_env.web.protocol import Refused
from dixit_env.web.rooms import Rooms
from dixit_env.web.security import Buckets, Limits, address_of, json_body
from dixit_env.web.study import PARTICIPANT, Study, public
from dixit_env.web.waiting_room import WaitingRoom


class Begin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A participant who agrees."""

    participant: str
    lang: str


class StudyApi:
    """The routes of a study; without one they say that there is none.

    Args:
        newcomers: what limits how many participants an address may bring in a while.
    """

    def __init__(self, study: Study | None, rooms: Rooms, limits: Limits, newcomers: Buckets) -> None:
        self.study = study
        self.rooms = rooms
        self.limits = limits
        self.newcomers = newcomers
        self.participants = Participants(study, rooms.resources.store) if study else None
        self._routes: list[Route] = []
        if study and self.participants:
            tables = rooms.resources.offer.tables
            blind = BlindApi(study, tables, self.participants, limits) if study.tables else None
            self._routes = (blind or WaitingRoom(study, self.participants, rooms)).routes()

    def routes(self) -> list[Route]:
        """For the application."""
        return [Route("/api/study", self._tell), Route("/api/study", self._begin, methods=["POST"]), *self._routes]

    async def _tell(self, _: Request) -> Response:
        return JSONResponse({**public(self._present()), "tables": len(self.rooms.resources.offer.tables)})

    async def _begin(self, request: Request) -> Response:
        """The token of a participant who agrees; each id begins once."""
        study = self._present()
        asked = await json_body(request, self.limits.body, Begin)
        if not PARTICIPANT.fullmatch(asked.participant) or asked.lang not in study.languages:
            raise Refused("bad_frame", f"a participant has an id, and one of the languages {list(study.languages)}")
        if not self.newcomers.take(address_of(request.scope)):
            raise Refused("rate", "too many new participants from this address; wait a minute")
        assert self.participants is not None
        return JSONResponse({"token": await self.participants.begin(asked.participant, asked.lang)}, 201)

    def _present(self) -> Study:
        if self.study is None:
            raise Refused("no_study", "this server has no study")
        return self.study
