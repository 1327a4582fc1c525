"""What agents are asked in the clue benchmark, each question apart from all others, so that they run in parallel."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from dixit_env.bench.clues.tables import Deal, Eye, deal
from dixit_env.decks.deck import Deck
from dixit_env.errors import IllegalMove
from dixit_env.game.engine import apply
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards
from dixit_env.game.rules import Rules
from dixit_env.game.streams import stream
from dixit_env.game.view import view
from dixit_env.jobs import run_resumed
from dixit_env.table.play import Agent
from dixit_env.version import VERSION

Line = dict[str, Any]
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Wraps answers as they come; gets their number and what they are."""


class Booth(Protocol):
    """Where agents and eyes come from. Hashable and picklable."""

    def deck(self) -> Deck:
        """The deck."""

    def agent(self, name: str) -> Agent:
        """A new agent of that name; raises `SpecError`."""

    def eye(self, name: str) -> Eye:
        """The eye of that name; raises `DixitError`."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to do in `seat` on a deal, after these moves; another attempt has other random numbers."""

    agent: str
    deal: int
    seat: int = 0
    moves: tuple[tuple[int, Move], ...] = ()  # (seat, move)
    attempt: int = 0

    @property
    def number(self) -> int:
        """The same for the same question in every run."""
        return int.from_bytes(hashlib.sha256(repr(self).encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent said, or why that counts for nothing."""

    move: Move | None
    fault: str
    seconds: float
    why: Mapping[str, Any]


def ask(agent: Agent, question: Question, dealt: Deal) -> Answer:
    """Put a question to an agent. Whatever the agent does wrong becomes a fault."""
    state = dealt.state
    for seat, move in question.moves:
        state = apply(state, seat, move)
    start = time.perf_counter()
    try:
        agent.begin(question.seat, stream(dealt.seed, f"attempt {question.attempt} seat", question.seat))
        decision = agent.act(view(state, question.seat))
        seconds = time.perf_counter() - start
        apply(state, question.seat, decision.move)
    except IllegalMove as error:
        return Answer(None, f"illegal move: {error}", time.perf_counter() - start, {})
    except Exception as error:  # one reply fails, the benchmark goes on
        return Answer(None, f"{type(error).__name__}: {error}", time.perf_counter() - start, {})
    return Answer(decision.move, "", seconds, decision.why)


@dataclass(frozen=True)
class Asking:
    """The setup of a worker."""

    booth: Booth
    rules: Rules
    players: int
    seed: int

    def __call__(self) -> Callable[[Question], Line]:
        cards = len(self.booth.deck())
        agents: dict[str, Agent] = {}

        def do(question: Question) -> Line:
            if question.agent not in agents:
                agents[question.agent] = self.booth.agent(question.agent)
            dealt = deal(self.rules, self.players, cards, self.seed, question.deal)
            answer = ask(agents[question.agent], question, dealt)
            return {**asdict(answer), "question": [question.agent, question.deal, question.seat, question.attempt]}

        return do


def answered(
    path: Path,
    asking: Asking,
    questions: Sequence[Question],
    settings: Mapping[str, Any],
    progress: Progress,
    *,
    workers: int,
    ray: str | None,
) -> dict[Question, Answer]:
    """All answers; those that `path` holds already are not asked again.

    Raises `DixitError` when `path` holds answers under other settings (of the booth) or rules.
    """
    jobs = {question.number: question for question in questions}
    about = {
        "version": VERSION,
        "rules": asdict(asking.rules),
        "players": asking.players,
        "seed": asking.seed,
        **settings,
    }
    done = run_resumed(path, about, asking, jobs, workers=workers, ray=ray)
    return {
        jobs[number]: Answer(_move(line["move"]), line["fault"], line["seconds"], line["why"])
        for number, line in progress(done, len(jobs), path.stem)
    }


def _move(values: Line | None) -> Move | None:
    """The inverse of `asdict`."""
    if values is None:
        return None
    if "clue" in values:
        return GiveClue(**values)
    return PlayCards(tuple(values["cards"])) if "cards" in values else CastVotes(tuple(values["slots"]))
