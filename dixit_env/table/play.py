"""A table: agents play a game, and everything that happens is an event.

`play` drives the engine and yields events one by one; whatever wants to show, record or stop a game reads them. An
agent that raises, makes an illegal move or takes too long is replaced for that one decision by a random legal move, and
the game goes on (`strict` raises instead). Events hold plain values only: an agent's move and reasons are copied, so
nothing that it changes later changes them.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, Protocol

from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError, IllegalMove, NoAnswer
from dixit_env.game.engine import GameState, Phase, PlayedTurn, apply, legal_moves, new_game, waiting_for
from dixit_env.game.moves import Move, plain_move, shown
from dixit_env.game.rules import ODYSSEY, Rules
from dixit_env.game.streams import stream
from dixit_env.game.view import View, view
from dixit_env.table.plain import fault_text, plain_text, plain_why


@dataclass(frozen=True, slots=True)
class Decision:
    """A move, and the agent's reasons for it (beliefs, utilities, …); events hold them as JSON (`plain_why`)."""

    move: Move
    why: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """A player. One object plays one seat."""

    name: str

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; `rng` is the seat's own random stream, the only one that the agent may draw from."""

    def act(self, view: View) -> Decision:
        """Decide; called only when `view.idle` is "" """


class BatchAgent(Agent, Protocol):
    """A player of a class that can decide for many seats at once; `play_many` makes use of it.

    Only the class that defines `act_many` is asked so: a subclass may act otherwise.
    """

    @classmethod
    def act_many(cls, agents: Sequence[Any], views: Sequence[View]) -> Sequence[Decision]:
        """What each of these agents of this class would decide by `act` on its view, in their order."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The first event: all that is needed to play the game again."""

    rules: Rules
    deck: Deck
    names: tuple[str, ...]  # (players,) the agents' names by seat
    seed: int
    first: int | None
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A seat's decision, as it was made."""

    turn: int
    phase: Phase
    seat: int
    decision: Decision
    seconds: float
    fault: str  # why the agent's own move was replaced by this one, or ""
    no_answer: bool = False  # is the fault an outage (`NoAnswer`)? It says nothing of the agent


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn was scored."""

    turn: PlayedTurn
    scores: tuple[int, ...]  # (players,) after the turn


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The last event."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]


Event = GameStarted | Decided | TurnEnded | GameEnded


class AgentFault(DixitError):
    """In strict mode: an agent raised, made an illegal move, or ran past its time."""


def play(
    agents: Sequence[Agent],
    rules: Rules = ODYSSEY,
    deck: Deck | None = None,
    seed: int = 0,
    *,
    first: int | None = None,
    salt: str = "",
    time_limit: float | None = None,
    strict: bool = False,
) -> Iterator[Event]:
    """Play one game and yield its events.

    Args:
        agents: one for each seat.
        deck: by default 84 cards without pictures.
        seed: of the deals, the tables and the agents' streams.
        first: the first storyteller's seat; drawn by default.
        salt: a secret that the order on the table and the agents' streams depend on too, so that no agent can work them
            out from a seed that it has guessed. The same seed and salt give the same game.
        time_limit: seconds for one decision; None waits for ever.
        strict: raise `AgentFault` where an agent would be replaced.

    Raises:
        RulesError: before the game, when the rules don't allow the number of agents or the size of the deck.
    """
    table = Table(agents, rules, deck, seed, first=first, salt=salt)
    yield table.started
    while not table.over:
        for seat, seen in table.questions():
            decided = table.settle(seat, *seat.ask(seen, time_limit))
            if decided.fault and strict:
                raise AgentFault(
                    f"seat {decided.seat} ({table.started.names[decided.seat]}), turn {decided.turn}, {decided.phase}:"
                    f" {decided.fault}"
                )
            yield decided
        yield from table.scored()


class Table:
    """A game being played: whom to ask now, and what comes of the answers.

    All decisions of a phase are made on the views of its start. Arguments and errors as in `play`.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        rules: Rules = ODYSSEY,
        deck: Deck | None = None,
        seed: int = 0,
        *,
        first: int | None = None,
        salt: str = "",
    ) -> None:
        deck = Deck.blank(84) if deck is None else deck
        self.state = new_game(rules, len(agents), len(deck), seed, first, salt)
        seed, first = self.state.seed, None if first is None else self.state.storyteller  # exact, for the record
        self.started = GameStarted(rules, deck, tuple(map(_name, agents)), seed, first, salt)
        """the first event"""
        self.seats = [Seat(agent, seat, seed, salt) for seat, agent in enumerate(agents)]
        self.over = False

    def questions(self) -> list[tuple["Seat", View]]:
        """The seats that are to decide in this phase, and what they see."""
        return [(self.seats[seat], view(self.state, seat)) for seat in waiting_for(self.state)]

    def settle(self, seat: "Seat", answer: "Answer", seconds: float) -> Decided:
        """Apply a seat's answer, or a random move where it is none; the event that tells of it."""
        self.state, decided = seat.settle(self.state, answer, seconds)
        return decided

    def scored(self) -> Iterator[TurnEnded | GameEnded]:
        """The events that follow the decisions of a phase."""
        if self.state.phase in (Phase.CLUE, Phase.OVER):  # the votes are in
            yield TurnEnded(self.state.history[-1], self.state.scores)
        if self.state.phase is Phase.OVER:
            self.over = True
            yield GameEnded(self.state.scores, self.state.winners)

    def stop(self) -> None:
        """Break the game off."""
        self.over = True


class Answer(NamedTuple):
    """What came of asking an agent."""

    decision: Decision | None
    fault: str = ""
    why: Mapping[str, Any] = {}  # what is known of a failed attempt, such as a language model's reply
    no_answer: bool = False


class Seat:
    """An agent in its seat: keeps its time, and its faults away from the game."""

    def __init__(self, agent: Agent, seat: int, seed: int, salt: str = "") -> None:
        self.agent = agent
        self.seat = seat
        self.fallback = stream(seed, "fallback", seat, salt)
        self.late: threading.Thread | None = None  # still busy with a decision that it was too late for
        self.broken = ""  # why the agent could not begin; then it is never asked
        try:
            agent.begin(seat, stream(seed, "seat", seat, salt))
        except FAULTS as error:
            self.broken = f"begin raised {_named(error)}"

    @property
    def can_share(self) -> bool:
        """Can the agent be asked together with others of its class (`BatchAgent`)?"""
        return not self.broken and "act_many" in vars(type(self.agent))

    def decide(self, state: GameState, time_limit: float | None) -> tuple[GameState, Decided]:
        """The state after this seat's decision, and the event that tells of it."""
        return self.settle(state, *self.ask(view(state, self.seat), time_limit))

    def ask(self, seen: View, time_limit: float | None = None) -> tuple[Answer, float]:
        """Ask the agent; its answer and the seconds that it took."""
        start = time.perf_counter()
        answer = self._ask(seen, time_limit)
        return answer, time.perf_counter() - start

    def settle(self, state: GameState, answer: Answer, seconds: float) -> tuple[GameState, Decided]:
        """The state after this answer, or after a random move where it is none, and the event that tells of it."""
        decision, fault, why, no_answer = answer
        after = None
        if decision is not None:
            try:
                decision = Decision(plain_move(decision.move), plain_why(decision.why))
                after = apply(state, self.seat, decision.move)
            except IllegalMove as error:
                fault, why = f"illegal move: {error}", decision.why
        if decision is None or after is None:
            decision = Decision(self.fallback.choice(legal_moves(state, self.seat)), plain_why(why))
            after = apply(state, self.seat, decision.move)
        return after, Decided(state.turn, state.phase, self.seat, decision, seconds, fault_text(fault), no_answer)

    def _ask(self, seen: View, time_limit: float | None) -> Answer:
        if self.broken:
            return Answer(None, self.broken)
        if time_limit is None:
            return self._act(seen)
        if self.late is not None and self.late.is_alive():
            return Answer(None, "still busy with an earlier decision")
        answers: list[Answer | KeyboardInterrupt] = []

        def act() -> None:
            try:
                answers.append(self._act(seen))
            except KeyboardInterrupt as stop:  # a person at the terminal ends the game: hand it to the main thread
                answers.append(stop)

        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        thread.join(time_limit)
        if not answers:
            self.late = thread
            return Answer(None, f"no decision within {time_limit:g} s")
        if isinstance(answers[0], KeyboardInterrupt):
            raise answers[0]
        return answers[0]

    def _act(self, seen: View) -> Answer:
        try:
            return answer_of(self.agent.act(seen))
        except FAULTS as error:
            why = getattr(error, "why", None)
            return Answer(
                None, _named(error), why if isinstance(why, Mapping) else {}, no_answer=isinstance(error, NoAnswer)
            )


def answer_of(decision: object) -> Answer:
    """What an agent returned, as an answer."""
    if not isinstance(decision, Decision):
        return Answer(None, f"returned {shown(decision)}, not a Decision")
    return Answer(Decision(decision.move, decision.why))  # read here, for a subclass may raise


FAULTS = (Exception, SystemExit)
"""What an agent may raise without ending the others' game. `KeyboardInterrupt` passes: it is the user's."""


def _named(error: BaseException) -> str:
    """An error by its type and message."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an agent's own exception may raise when it is printed
        return type(error).__name__


def _name(agent: Agent) -> str:
    """The agent's name; its type's where it has none."""
    try:
        name = agent.name
    except FAULTS:
        name = ""
    return plain_text(name) if isinstance(name, str) and name else type(agent).__name__
