"""Bots that think in a process of their own.

Python runs one thread at a time: what a bot computes in the server's process is time that no socket is served. So the
bots that compute are made and asked in another process, and the server's threads only wait for their answers. All that
is waiting there when a decision is done is decided together (`BatchAgent`), so the process decides the more at once,
the more tables wait for it.
"""

import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random
from typing import Any, NamedTuple, Protocol
from weakref import finalize

from dixit_env.errors import DixitError
from dixit_env.game.view import View
from dixit_env.jobs import one_thread
from dixit_env.table.plain import plain_why
from dixit_env.table.play import FAULTS, Agent, Answer, Decision, Seat
from dixit_env.table.play_many import answers

log = logging.getLogger(__name__)

AT_ONCE = 16  # most questions that are decided together; chosen: few enough that none waits long for the others
PATIENCE = 5.0  # seconds for the last decisions when the server ends
YIELDS = 5  # how much nicer than the server: where they share a core, the sockets come first


class BotSource(Protocol):
    """Makes bots by their specs; picklable, because it is sent to the process."""

    def agent(self, name: str, seat: int, seed: int) -> Agent:
        """The bot that a spec names, for a seat in the game of a seed."""

    def check(self, names: Sequence[str]) -> None:
        """Load what these bots need; raises `DixitError` where one can't be made."""


class BotFault(DixitError):
    """A bot in the other process has not decided; the message is the fault."""


class _Question(NamedTuple):
    bot: int
    spec: str
    seat: int
    seed: int
    view: View
    gone: tuple[int, ...]  # bots that will never be asked again


class Thinker(AbstractContextManager["Thinker"]):
    """The process and the bots in it. It starts with `start` or the first question, and ends with the block.

    If it dies, the bots whose answers were awaited fail, and the next question starts it anew.

    Args:
        source: of the bots.
        specs: bots that are checked and loaded when the process starts.
    """

    def __init__(self, source: BotSource, specs: Sequence[str] = ()) -> None:
        self._source = source
        self._specs = tuple(specs)
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None  # to the process, while it can be asked
        self._waiting: dict[int, Future[Answer]] = {}  # the answers that it owes, by bot
        self._closed = False
        self._numbers = count()
        self._gone: deque[int] = deque()  # the garbage collector may add to it at any moment, so no lock guards it

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            self._closed = True
            if self._line:
                with suppress(OSError):
                    self._line.send(None)
        if self._process:
            self._process.join(PATIENCE)
            self._process.terminate()

    def start(self) -> None:
        """Start the process unless it runs, and wait until its bots are loaded; raises `DixitError`."""
        with self._lock:
            self._started()

    def bot(self, spec: str, seat: int, seed: int) -> Agent:
        """A bot that thinks in the process."""
        bot = _RemoteBot(self, next(self._numbers), spec, seat, seed)
        finalize(bot, self._gone.append, bot.number)
        return bot

    def ask(self, bot: int, spec: str, seat: int, seed: int, view: View) -> Answer:
        """Have a bot decide, and wait for it. Raises `BotFault` when the process dies, `DixitError` when it can't
        start."""
        answer: Future[Answer] = Future()
        with self._lock:
            line = self._started()
            self._waiting[bot] = answer
            gone = tuple(self._gone.popleft() for _ in range(len(self._gone)))
            with suppress(OSError):  # the process has died: then the thread that reads answers fails this one too
                line.send(_Question(bot, spec, seat, seed, view, gone))
        return answer.result()

    def _started(self) -> Connection:
        """The line to the process. Call it under the lock only."""
        if self._closed:
            raise BotFault("the server ends")
        if self._line is None:
            context = multiprocessing.get_context("spawn")
            line, far = context.Pipe()
            with one_thread():
                self._process = context.Process(target=_think, args=(far, self._source, self._specs), daemon=True)
                self._process.start()
            far.close()
            try:
                fault = line.recv()
            except EOFError as error:
                raise DixitError("the process that bots think in died as it started: give it more memory") from error
            if fault is not None:
                raise fault
            self._line = line
            threading.Thread(target=self._hand_out, args=(line,), name="answers", daemon=True).start()
        return self._line

    def _hand_out(self, line: Connection) -> None:
        """Hand out the answers until the process ends."""
        with suppress(EOFError, OSError):
            while True:
                bot, answer = line.recv()
                self._waiting.pop(bot).set_result(answer)
        with self._lock:
            self._line = None
            line.close()
            if not self._closed:
                log.error("the process that bots think in has died; the next question starts another")
            while self._waiting:
                self._waiting.popitem()[1].set_exception(BotFault("the process that it thought in died"))


class _RemoteBot:
    """Stands in the server for a bot in the process."""

    def __init__(self, thinker: Thinker, number: int, spec: str, seat: int, seed: int) -> None:
        self.name = spec
        self.number = number
        self._thinker = thinker
        self._seat = seat
        self._seed = seed

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; in the process the bot is given the same random stream."""

    def act(self, view: View) -> Decision:
        """What the bot decides; raises `BotFault`."""
        answer = self._thinker.ask(self.number, self.name, self._seat, self._seed, view)
        if answer.decision is None:
            raise BotFault(answer.fault)
        return answer.decision


def _think(line: Connection, source: BotSource, specs: Sequence[str]) -> None:
    """The process: answer questions until the server ends, in whatever way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    if hasattr(os, "nice"):
        os.nice(YIELDS)
    with suppress(EOFError, OSError):
        try:
            source.check(specs)
        except DixitError as error:
            line.send(error)
            return
        line.send(None)
        seats: dict[int, Seat] = {}
        while question := line.recv():
            questions = [question]
            while len(questions) < AT_ONCE and line.poll():
                questions.append(line.recv())
            _answer(line, source, seats, questions)


def _answer(line: Connection, source: BotSource, seats: dict[int, Seat], questions: Sequence[_Question]) -> None:
    """Answer some questions, deciding together what can be."""
    asked: dict[int, tuple[Seat, View]] = {}
    for question in questions:
        try:
            if question.bot not in seats:
                agent = source.agent(question.spec, question.seat, question.seed)
                seats[question.bot] = Seat(agent, question.seat, question.seed)
            asked[question.bot] = seats[question.bot], question.view
        except FAULTS as error:
            line.send((question.bot, Answer(None, f"{type(error).__name__}: {error}")))
        for bot in question.gone:
            seats.pop(bot, None)
    together = answers(list(asked.values()))
    for bot, (seat, seen) in asked.items():
        answer, _ = together.get(seat) or seat.ask(seen)
        if answer.decision is not None:
            answer = Answer(Decision(answer.decision.move, plain_why(answer.decision.why)))
        line.send((bot, answer))
