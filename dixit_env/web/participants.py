"""A study's participants: each id begins once, and its participant is known afterwards by a secret token.

The token comes in the `Authorization` header, never in a URL. What happens to a participant outside a table is kept
under a name that is no table's code, so that no room can be opened for it.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence

from starlette.requests import Request

from dixit_env.web.events import AnyEvent, Opened
from dixit_env.web.link import person_of
from dixit_env.web.protocol import Refused, Settings
from dixit_env.web.room import kept
from dixit_env.web.seat_api import BEARER
from dixit_env.web.store import Store
from dixit_env.web.study import Study


class Participants:
    """Those of one study."""

    def __init__(self, study: Study, store: Store) -> None:
        self.study = study
        self.store = store
        self._known = {
            opened.by: opened.participant
            for opened in store.openings()
            if opened.study == study.name and opened.participant
        }
        self._begun = set(self._known.values())

    async def begin(self, participant: str, lang: str) -> str:
        """Let a participant in; their secret token. Raises `Refused`, also when they have begun before."""
        if participant in self._begun:
            raise Refused("begun", "this participant has begun already")
        self._begun.add(participant)
        token = secrets.token_urlsafe(24)
        about = {"study": self.study.name, "file": self.study.digest, "participant": participant}
        opened = Opened(key="", by=person_of(token), settings=Settings(lang=lang), **about)
        try:
            with kept():
                await self.store.append(self.record(participant), 0, [opened])
        except Refused:
            self._begun.discard(participant)
            raise
        self._known[opened.by] = participant
        return token

    def person(self, request: Request) -> str:
        """Who asks, as tables know them; raises `Refused`."""
        found = BEARER.fullmatch(request.headers.get("authorization", ""))
        if found is None:
            raise Refused("no_token", "send the participant's token in the header Authorization: Bearer TOKEN")
        person = person_of(found[1])
        if person not in self._known:
            raise Refused("not_seated", "no participant has this token")
        return person

    def of(self, request: Request) -> str:
        """The id of the participant who asks; raises `Refused`."""
        return self._known[self.person(request)]

    def record_of(self, person: str) -> str:
        """What a person's events are kept under."""
        return self.record(self._known[person])

    def record(self, participant: str) -> str:
        """What a participant's events are kept under: the same name wherever they begin, so they begin once."""
        about = f"{self.study.name} {participant}"
        return f"study {hashlib.sha256(about.encode()).hexdigest()[:24]}"

    async def events(self, record: str) -> Sequence[AnyEvent]:
        """What is kept there; raises `Refused` when there is nothing any more."""
        with kept():
            events = await asyncio.to_thread(self.store.read, record)
        if not events:
            raise Refused("no_study", "this participant was away for too long")
        return events
