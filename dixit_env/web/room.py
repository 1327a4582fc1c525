"""A table in memory: sockets come and go, bots decide, clocks run, events are stored.

Everything here runs on one event loop. Whatever changes the table goes through `_commit` under the table's lock: the
engine accepts it, the database has it, and only then is it sent to anybody. `RoomState` is what survives a crash;
presence, clocks and running bots do not, and start again.
"""

import asyncio
import logging
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from typing import Any

import msgspec

from dixit_env.game.engine import waiting_for
from dixit_env.web.bots import Bots
from dixit_env.web.events import AnyEvent, Moved, Shown, Stage, advance, restore
from dixit_env.web.link import Link, Presence
from dixit_env.web.orders import plan
from dixit_env.web.pace import pause
from dixit_env.web.projection import (
    Frame,
    Live,
    awaited_seats,
    paused,
    pictures,
    state_frame,
    turns_frame,
    view_frame,
)
from dixit_env.web.protocol import AnyCommand, Join, Leave, React, Refused, Seen, encode
from dixit_env.web.reactions import Reactions
from dixit_env.web.replay import table_replay
from dixit_env.web.resources import Resources
from dixit_env.web.security import Bucket
from dixit_env.web.store import StoreError

log = logging.getLogger(__name__)

REMEMBERED = 256  # ids of a table's last commands, so that one sent twice is done once
NAMES = (6, 1 / 20)  # that a person may take: at once, and each second
MOST_REPLAYS = 16  # of a table that are kept ready: together about a megabyte
MOST_EVENTS = 20_000  # of a table: about a hundred games; a bound on its memory and on the database


@contextmanager
def kept() -> Iterator[None]:
    """Log a database error and raise `Refused` in its place."""
    try:
        yield
    except StoreError as error:
        log.error("the database failed: %s", error)
        raise Refused("server", "the database did not answer; try again") from error


class Room:
    """One table.

    Args:
        name: its code in links.
        events: all that it remembers, from the first event on.
        on_stale: called when memory and database may differ, so the table must be read from the database again.
    """

    def __init__(
        self, name: str, events: Sequence[AnyEvent], resources: Resources, on_stale: Callable[["Room"], None]
    ) -> None:
        self.name = name
        self.resources = resources
        self.state = restore(list(events))
        self.count = len(events)
        self.revision = 0
        self.links: set[Presence] = set()
        self.empty_since = time.monotonic()
        self.closed = False
        self._on_stale = on_stale
        self._words = resources.words
        self._lock = asyncio.Lock()
        self._done: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._remember(events)
        self._asleep: set[str] = set()
        self._left: set[str] = set()
        self._came: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)  # by person: they need not be expected
        self._seen: set[str] = set()
        self._names: dict[str, Bucket] = {}
        self._reactions = Reactions(self._changed)
        self._bots = Bots(resources)
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._moment = self._where()
        self._opened = time.monotonic()  # when the open phase began
        self._clock: asyncio.TimerHandle | None = None
        self._clock_key: tuple[object, ...] = ()
        self._deadline: float | None = None
        self._texts: dict[str, str] = {}  # this revision's state frames, by viewer
        self._looking_back = asyncio.Lock()
        self._replays: dict[int, str] = {}  # finished games as JSON
        self._ids: dict[str, int] = {}  # pictures that somebody may have been sent
        self._ids_at = -1  # as of this many events

    # people ----------------------------------------------------------------------------------------------------

    def arrive(self, link: Presence) -> None:
        """Add a socket, or a program that comes with requests."""
        self.links.add(link)
        if not link.watch:
            if self.state.seat_of(link.person) is not None:
                self._came[link.person].set()
            self._present(link.person)
        self._changed()

    def depart(self, link: Presence) -> None:
        """Remove it."""
        self.links.discard(link)
        self.empty_since = time.monotonic()
        self._changed()

    def show_up(self, person: str) -> None:
        """Somebody who was asleep or had left shows that they are here."""
        before = self._status(person)
        self._present(person)
        if self._status(person) != before:
            self._changed()

    async def do(self, link: Presence, order: AnyCommand) -> Frame:
        """Carry out a command; the answer for its sender. Raises `Refused`."""
        person = link.person
        if order.table != self.name:
            raise Refused("bad_frame", "this socket is at another table")
        if link.watch:
            raise Refused("not_seated", "this socket only looks on")
        async with self._lock:
            if self.closed:
                raise Refused("server", "the table is being read again; come back")
            if self.count >= MOST_EVENTS:
                raise Refused("busy", "this table has seen enough: open a new one")
            if (person, order.id) not in self._done:
                before = (self._status(person), person in self._seen)
                self._present(person)
                events = plan(self.state, self._live(), person, order, self.resources.offer)
                if isinstance(order, Join) and events and not self._may_rename(person):
                    raise Refused("renames", "too many names at once; wait a minute")
                if any(isinstance(event, Moved) for event in events):
                    seconds = round(time.monotonic() - self._opened, 3)
                    events = [msgspec.structs.replace(event, seconds=seconds) for event in events]
                await self._commit([msgspec.structs.replace(event, by=person, command=order.id) for event in events])
                if isinstance(order, Leave) and self.state.seat_of(person) is not None:
                    self._left.add(person)
                if isinstance(order, Seen) and (order.game, order.turn) == (self.state.game, self.state.turn):
                    self._seen.add(person)
                self._remember_one(person, order.id)
                if isinstance(order, React):
                    self._reactions.show(person, order.face)
                if isinstance(order, React) or (self._status(person), person in self._seen) != before:
                    self._changed()
        return {"type": "done", "id": order.id, "revision": self.revision}

    def _may_rename(self, person: str) -> bool:
        """Every name is an event for good and a frame for all, so a person gets a few, and then one now and then."""
        here = {link.person for link in self.links}
        self._names = {one: bucket for one, bucket in self._names.items() if one in here}
        return self._names.setdefault(person, Bucket(*NAMES)).take()

    def _present(self, person: str) -> None:
        self._asleep.discard(person)
        self._left.discard(person)

    def _status(self, person: str) -> str:
        if person in self._left:
            return "left"
        if not any(link.person == person and not link.watch for link in self.links):
            return "away"
        return "asleep" if person in self._asleep else "here"

    def _live(self) -> Live:
        people = [person.person for person in self.state.people]
        watchers = sum(self.state.seat_of(link.viewer) is None for link in self.links)
        left = None if self._deadline is None else max(0.0, round(self._deadline - time.monotonic(), 1))
        status = {person: self._status(person) for person in people}
        return Live(status, frozenset(self._seen), watchers, self._reactions.shown, self.revision, left)

    # frames ----------------------------------------------------------------------------------------------------

    def view(self, person: str) -> Frame:
        """The table as a program in this person's seat sees it."""
        return view_frame(self.name, self.state, self._live(), person, self._words)

    def news(self, link: Link) -> list[str]:
        """The frames that a socket has not been sent yet: finished turns, then the newest state; or the view."""
        if link.revision == self.revision:
            return []
        texts = []
        link.revision = self.revision
        if link.views:
            return [encode(self.view(link.viewer))]
        played = len(self.state.play.history) if self.state.play is not None else 0
        if link.game != self.state.game:
            link.game, link.turns = self.state.game, -1
        if link.turns < played:
            texts.append(encode(turns_frame(self.state, max(link.turns, 0), self._words)))
            link.turns = played
        known = self.state.seat_of(link.viewer) is not None or link.viewer in self.state.removed
        viewer = link.viewer if known else ""
        if viewer not in self._texts:
            self._texts[viewer] = encode(
                state_frame(self.name, self.state, self._live(), viewer, self._words, self.resources.offer.study)
            )
        return [*texts, self._texts[viewer]]

    def picture(self, card_id: str) -> int | None:
        """The number of the card that an id shows in the game that is on."""
        if card_id not in self._ids and self._ids_at != self.count:
            self._ids |= pictures(self.state)
            self._ids_at = self.count
        return self._ids.get(card_id)

    async def replay(self, number: int) -> str:
        """A game that is over, turn by turn, as JSON. Raises `Refused` for any other number."""
        done = next((game for game in self.state.finished if game.number == number), None)
        if done is None:
            raise Refused("unknown_game", "this table has finished no game of that number")
        async with self._looking_back:  # one at a time: it takes as long as the table's history
            if number not in self._replays:
                with kept():
                    events = await asyncio.to_thread(self.resources.store.read, self.name)
                if len(self._replays) >= MOST_REPLAYS:
                    self._replays.clear()
                personas = {key: persona.name for key, persona in self.resources.offer.personas.items()}
                frame = await asyncio.to_thread(table_replay, events, done, personas)
                known = {card.id for card in self.resources.offer.deck.cards}
                if any(card["id"] not in known for turn in frame["turns"] for card in turn["slots"]):
                    raise Refused("other_deck", "the server was started with other cards than that game had")
                self._replays[number] = encode(frame)
            return self._replays[number]

    # events ----------------------------------------------------------------------------------------------------

    async def _commit(self, events: Sequence[AnyEvent]) -> None:
        """Apply events, store them, and tell everybody. Call it under the lock only."""
        if not events:
            return
        after = reduce(advance, events, self.state)
        try:
            with kept():
                await self.resources.store.append(self.name, self.count, events)
        except Refused:  # memory and database may differ now, and the database counts
            self.closed = True
            self._on_stale(self)
            raise
        self.count += len(events)
        self.state = after
        self._remember(events)
        self._changed()

    def _remember(self, events: Sequence[AnyEvent]) -> None:
        for event in events[-REMEMBERED:]:
            if event.command:
                self._remember_one(event.by, event.command)

    def _remember_one(self, person: str, command: str) -> None:
        self._done[person, command] = None
        while len(self._done) > REMEMBERED:
            self._done.popitem(last=False)

    def _where(self) -> tuple[int, int, Stage]:
        return (self.state.game, self.state.turn, self.state.stage)

    def _changed(self) -> None:
        """After any change: send the new state to everybody, and start what comes next."""
        if self._where() != self._moment:
            if self._where()[0] != self._moment[0]:
                self._bots = Bots(self.resources)
                self._ids.clear()
            self._moment = self._where()
            self._opened = time.monotonic()
            self._seen.clear()
        self._run_clock()
        self.revision += 1
        self._texts.clear()
        for link in self.links:
            link.wake()
        self._go_on()

    def _go_on(self) -> None:
        """Start what the table waits for and no person has to do: bots' decisions, and closing the reveal."""
        live = self._live()
        if self.closed or paused(self.state, live) or self.state.stage in (Stage.LOBBY, Stage.OVER):
            return
        if self.state.stage is Stage.REVEAL:
            if not awaited_seats(self.state, live):
                self._spawn(self._close_reveal(self._moment))
            return
        for seat in awaited_seats(self.state, live):
            if seat not in self._thinking and not live.here(self.state.seats[seat]):
                self._thinking[seat] = self._spawn(self._bot_turn(seat, self._moment))

    async def _close_reveal(self, moment: tuple[int, int, Stage]) -> None:
        async with self._lock:
            if self._where() == moment and not self.closed:
                await self._commit([Shown()])

    # clocks ----------------------------------------------------------------------------------------------------

    def _run_clock(self) -> None:
        """Run one clock for all people awaited (one for each would show who has decided); it stops while paused."""
        live = self._live()
        stopped = paused(self.state, live)
        key = (*self._moment, stopped)
        if key != self._clock_key:
            self._clock_key = key
            self._stop_clock()
        if self._clock is not None or stopped or self.closed:
            return
        reveal = self.state.stage is Stage.REVEAL
        short = reveal and not self.state.study  # a study asks questions then
        seconds = self.resources.timing.reveal if short else self.state.settings.limit
        if seconds is not None and any(live.here(self.state.seats[seat]) for seat in awaited_seats(self.state, live)):
            self._deadline = time.monotonic() + seconds
            self._clock = asyncio.get_running_loop().call_later(seconds, self._time_is_up)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock = self._deadline = None

    def _time_is_up(self) -> None:
        self._stop_clock()
        if self.state.stage is Stage.REVEAL:
            self._spawn(self._close_reveal(self._moment))
            return
        live = self._live()
        sitters = [self.state.seats[seat] for seat in awaited_seats(self.state, live)]
        self._asleep |= {person for person in sitters if live.here(person)}
        self._changed()

    # bots ------------------------------------------------------------------------------------------------------

    def _bot_is_due(self, seat: int, moment: tuple[int, int, Stage]) -> bool:
        """Is it still that moment, with a decision of this seat missing and no person there to make it?"""
        play, live = self.state.play, self._live()
        if self.closed or self._where() != moment or play is None or paused(self.state, live):
            return False
        return seat in waiting_for(play) and not live.here(self.state.seats[seat])

    async def _expect(self, person: str) -> None:
        """Give a study's participant time to load the page of the table, once."""
        if self.state.study:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._came[person].wait(), self.resources.timing.arrival)

    def _followed(self) -> bool:
        """Does a person look on? Programs among themselves need no time to follow."""
        return any(link.viewer not in self.state.programs for link in self.links)

    async def _bot_turn(self, seat: int, moment: tuple[int, int, Stage]) -> None:
        try:
            status = self._status(self.state.seats[seat]) if self.state.seats[seat] else ""
            timing, play = self.resources.timing, self.state.play
            assert play is not None
            wait = timing.pace * pause(play, seat) if self._followed() else 0.0
            if status == "away":
                await self._expect(self.state.seats[seat])
            await asyncio.sleep(timing.grace if status == "away" else wait)
            if not self._bot_is_due(seat, moment):
                return
            play = self.state.play
            assert play is not None
            decided = await self._bots.decide(play, seat, self.state.specs[seat])
            person = self.state.seats[seat]
            if person:
                decided = decided.for_person(self._status(person))
            async with self._lock:
                if self._bot_is_due(seat, moment):
                    self._came[person].set()
                    await self._commit([decided])
        finally:
            self._thinking.pop(seat, None)
            self._go_on()

    # the end ---------------------------------------------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, Refused):
            log.error("a table's task failed", exc_info=error)

    async def close(self) -> None:
        """Stop everything and close all sockets; their pages connect again."""
        self.closed = True
        self._stop_clock()
        self._reactions.close()
        for task in self._tasks:
            task.cancel()
        for link in list(self.links):
            await link.close()
