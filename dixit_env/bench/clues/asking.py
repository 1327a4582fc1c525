"""Asking agents for decisions on the benchmark's deals. Each question stands alone, so they run in parallel."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from dixit_env.bench.clues.deals import Deal, deal
from dixit_env.bench.clues.panels import Eye
from dixit_env.bench.sources import AgentSource
from dixit_env.errors import DixitError, IllegalMove, NoAnswer
from dixit_env.game.engine import apply
from dixit_env.game.moves import Move, move_from_json, move_to_json
from dixit_env.game.rules import Rules
from dixit_env.game.streams import stream
from dixit_env.game.view import view
from dixit_env.jobs import Workers, run_resumed
from dixit_env.table.play import Agent
from dixit_env.version import VERSION

Line = dict[str, Any]
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Wraps an iterator of answers, given their number and a label, such as tqdm does."""


class EyeSource(AgentSource, Protocol):
    """Makes the eyes of listeners too."""

    def eye(self, name: str) -> Eye:
        """The eye of that name; raises `DixitError`."""


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How questions are run; answers don't depend on it."""

    progress: Progress = lambda items, total, label: items
    workers: int = 1  # agents that think at once
    ray: str | None = None  # address of a Ray cluster


@dataclass(frozen=True, slots=True)
class Question:
    """What does the agent do in `seat` on this deal, after these moves? Another attempt has other random numbers."""

    agent: str
    deal: int
    seat: int = 0
    moves: tuple[tuple[int, Move], ...] = ()  # (seat, move)
    attempt: int = 0

    @property
    def number(self) -> int:
        """A key of the question; the same in every run."""
        return int.from_bytes(hashlib.sha256(repr(self).encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's decision, or why there is none."""

    move: Move | None  # None: the agent failed, its move was illegal, or there was no answer
    fault: str  # why there is no move, or ""
    seconds: float
    why: Mapping[str, Any]  # as in `Decision.why`
    no_answer: bool = False  # was there an outage (`NoAnswer`)? It says nothing of the agent


def ask(agent: Agent, question: Question, dealt: Deal) -> Answer:
    """Put a question to an agent. Any exception it raises and any illegal move becomes a fault of the answer."""
    state = dealt.state
    for seat, move in question.moves:
        state = apply(state, seat, move)
    start = time.perf_counter()
    try:
        agent.begin(question.seat, stream(dealt.seed, f"attempt {question.attempt} seat", question.seat))
        decision = agent.act(view(state, question.seat))
        seconds = time.perf_counter() - start
        apply(state, question.seat, decision.move)
    except NoAnswer as error:
        return Answer(None, str(error), time.perf_counter() - start, {}, no_answer=True)
    except IllegalMove as error:
        return Answer(None, f"illegal move: {error}", time.perf_counter() - start, {})
    except Exception as error:  # whatever an agent raises, the benchmark goes on
        return Answer(None, f"{type(error).__name__}: {error}", time.perf_counter() - start, {})
    return Answer(decision.move, "", seconds, decision.why)


@dataclass(frozen=True)
class Asking:
    """Where questions are asked: the setup of a worker (`dixit_env.jobs.Setup`)."""

    source: EyeSource
    rules: Rules
    players: int
    seed: int

    def __call__(self) -> Callable[[Question], Line]:
        ids = [card.id for card in self.source.deck().cards]
        agents: dict[str, Agent] = {}

        def do(question: Question) -> Line:
            if question.agent not in agents:
                agents[question.agent] = self.source.agent(question.agent)
            dealt = deal(self.rules, self.players, len(ids), self.seed, question.deal)
            answer = ask(agents[question.agent], question, dealt)
            move = move_to_json(answer.move, ids) if answer.move else None
            asked = [question.agent, question.deal, question.seat, question.attempt]
            return {**asdict(answer), "move": move, "question": asked}

        return do


def answered(
    path: Path,
    asking: Asking,
    questions: Sequence[Question],
    *,
    settings: Mapping[str, Any],
    crew: Workers,
    progress: Progress,
) -> dict[Question, Answer]:
    """All answers, from agents in the workers of `crew`. Those that `path` holds already are not asked for again;
    outages are not kept there.

    Raises `DixitError` when `path` holds answers under other settings (of the source) or rules, and when there is an
    agent that could not be asked a single question.
    """
    jobs = {question.number: question for question in questions}
    about = {
        "version": VERSION,
        "rules": asdict(asking.rules),
        "players": asking.players,
        "seed": asking.seed,
        **settings,
    }
    done = run_resumed(path, about, asking, jobs, keep=_is_answered, crew=crew)
    numbers = {card.id: number for number, card in enumerate(asking.source.deck().cards)}
    answers = {
        jobs[number]: Answer(**{field.name: line[field.name] for field in fields(Answer)} | {"move": move})
        for number, line in progress(done, len(jobs), path.stem)
        for move in [move_from_json(line["move"], numbers) if line["move"] else None]
    }
    reached = {question.agent for question, answer in answers.items() if not answer.no_answer}
    for question, answer in answers.items():
        if question.agent not in reached:
            raise DixitError(
                f"{question.agent} could not be asked a single question ({answer.fault}): run again when it can;"
                f" the answers of the others are kept in {path}"
            )
    return answers


def _is_answered(line: Line) -> bool:
    return not line["no_answer"]
