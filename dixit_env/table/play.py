"""A table: agents play a game, and everything that happens is an event.

`play` drives the engine and yields events one by one; whatever wants to show, record or stop a game reads them. An
agent that raises, makes an illegal move or takes too long is replaced for that one decision by a legal fallback, and
the game goes on (`strict` raises instead).
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError, IllegalMove
from dixit_env.game.engine import GameState, Phase, PlayedTurn, apply, legal_moves, new_game, waiting_for
from dixit_env.game.moves import Move
from dixit_env.game.rules import ODYSSEY, Rules
from dixit_env.game.streams import stream
from dixit_env.game.view import View, view


@dataclass(frozen=True, slots=True)
class Decision:
    """A move, and what the agent has to say about it: beliefs, utilities, …, as JSON values."""

    move: Move
    why: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """A player. One object plays one seat."""

    name: str

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; `rng` is the seat's own random stream, the only one that the agent may draw from."""

    def act(self, view: View) -> Decision:
        """Decide; called only when `view.idle` is "" """


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The first event: all that is needed to play the game again."""

    rules: Rules
    deck: Deck
    names: tuple[str, ...]  # (players,) the agents' names by seat
    seed: int
    first: int | None


@dataclass(frozen=True, slots=True)
class Decided:
    """A seat's decision, as it was made."""

    turn: int
    phase: Phase
    seat: int
    decision: Decision
    seconds: float
    fault: str  # why the agent's own move was replaced by this one, or ""


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
    time_limit: float | None = None,
    strict: bool = False,
) -> Iterator[Event]:
    """Play one game and yield its events.

    Args:
        agents: one for each seat.
        deck: by default 84 cards without pictures.
        seed: of the deals, the tables and the agents' streams.
        first: the first storyteller's seat; drawn by default.
        time_limit: seconds for one decision; None waits for ever.
        strict: raise `AgentFault` where an agent would be replaced.

    Raises:
        RulesError: before the game, when the rules don't allow the number of agents or the size of the deck.
    """
    deck = Deck.blank(84) if deck is None else deck
    state = new_game(rules, len(agents), len(deck), seed, first)
    seats = [Seat(agent, seat, seed) for seat, agent in enumerate(agents)]
    yield GameStarted(rules, deck, tuple(agent.name for agent in agents), seed, first)
    while state.phase is not Phase.OVER:
        turn, phase = state.turn, state.phase
        for seat in waiting_for(state):
            state, decided = seats[seat].decide(state, time_limit)
            if decided.fault and strict:
                raise AgentFault(f"seat {seat} ({agents[seat].name}), turn {turn}, {phase}: {decided.fault}")
            yield decided
        if phase is Phase.VOTES:
            yield TurnEnded(state.history[-1], state.scores)
    yield GameEnded(state.scores, state.winners)


class Seat:
    """An agent in its seat: keeps its time, and its faults away from the game."""

    def __init__(self, agent: Agent, seat: int, seed: int) -> None:
        self.agent = agent
        self.seat = seat
        self.fallback = stream(seed, "fallback", seat)
        self.late: threading.Thread | None = None  # still busy with a decision that it was too late for
        agent.begin(seat, stream(seed, "seat", seat))

    def decide(self, state: GameState, time_limit: float | None) -> tuple[GameState, Decided]:
        """The state after this seat's decision, and the event that tells of it."""
        start = time.perf_counter()
        decision, fault = self._ask(view(state, self.seat), time_limit)
        seconds = time.perf_counter() - start
        after = None
        if decision is not None:
            try:
                after = apply(state, self.seat, decision.move)
            except IllegalMove as error:
                fault = f"illegal move: {error}"
        if decision is None or after is None:
            decision = Decision(self.fallback.choice(legal_moves(state, self.seat)))
            after = apply(state, self.seat, decision.move)
        return after, Decided(state.turn, state.phase, self.seat, decision, seconds, fault)

    def _ask(self, seen: View, time_limit: float | None) -> tuple[Decision | None, str]:
        if time_limit is None:
            return self._act(seen)
        if self.late is not None and self.late.is_alive():
            return None, "still busy with an earlier decision"
        answer: list[tuple[Decision | None, str]] = []
        thread = threading.Thread(target=lambda: answer.append(self._act(seen)), daemon=True)
        thread.start()
        thread.join(time_limit)
        if answer:
            return answer[0]
        self.late = thread
        return None, f"no decision within {time_limit:g} s"

    def _act(self, seen: View) -> tuple[Decision | None, str]:
        try:
            decision = self.agent.act(seen)
            if not isinstance(decision, Decision):
                return None, f"returned {decision!r}, not a Decision"
            return decision, ""
        except Exception as error:  # whatever an agent does wrong, the others' game goes on
            return None, f"{type(error).__name__}: {error}"
