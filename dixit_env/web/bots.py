"""The bots of one game. They are asked in a thread pool; where one fails, a random legal move is made in its place."""

import asyncio
import logging
import time
from secrets import choice
from typing import Any

import msgspec

from dixit_env.errors import DixitError
from dixit_env.game.engine import GameState, apply, legal_moves
from dixit_env.game.moves import plain_move, shown
from dixit_env.game.streams import stream
from dixit_env.game.view import view
from dixit_env.table.plain import fault_text, plain_why
from dixit_env.table.play import Agent, Decision
from dixit_env.web.events import Moved, move_fields
from dixit_env.web.resources import Resources
from dixit_env.web.thinking import BotFault

log = logging.getLogger(__name__)

LARGEST_WHY = 4096  # bytes of a bot's reasons; chosen: the embedded bots' take a few hundred


class Bots:
    """One bot for each seat that has needed one."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self._agents: dict[int, Agent] = {}

    async def decide(self, play: GameState, seat: int, spec: str) -> Moved:
        """A decision for a seat that may act: the bot's, or a random legal one with the fault that was the cause."""
        start = time.perf_counter()
        decision, fault = await self._ask(play, seat, spec)
        seconds = round(time.perf_counter() - start, 6)
        if decision is not None:
            try:
                decision = Decision(plain_move(decision.move), decision.why)
                apply(play, seat, decision.move)
            except DixitError as error:
                decision, fault = None, f"illegal move: {error}"
        if decision is None:
            log.warning("bot %s in seat %d: %s", spec, seat, fault)
            decision = Decision(choice(legal_moves(play, seat)))
        why = _kept(decision.why)
        return Moved(
            seat=seat, bot=spec, fault=fault_text(fault), why=why, seconds=seconds, **move_fields(decision.move)
        )

    async def _ask(self, play: GameState, seat: int, spec: str) -> tuple[Decision | None, str]:
        seen, rng = view(play, seat), stream(play.seed, "seat", seat)
        known = self._agents.pop(seat, None)  # a bot that still runs in another thread is not asked twice

        def act() -> tuple[Agent, Decision]:
            agent = known
            if agent is None:
                agent = self.resources.make_bot(spec, seat, play.seed)
                agent.begin(seat, rng)
            return agent, agent.act(seen)

        limit = self.resources.timing.bot
        try:
            thinking = asyncio.get_running_loop().run_in_executor(self.resources.pool, act)
            self._agents[seat], decision = await asyncio.wait_for(thinking, limit)
        except TimeoutError:
            return None, f"no decision within {limit:g} s"
        except BotFault as fault:
            return None, str(fault)
        except Exception as error:  # nothing that a bot raises may reach the table
            return None, f"{type(error).__name__}: {error}"
        return (
            (decision, "") if isinstance(decision, Decision) else (None, f"returned {shown(decision)}, not a Decision")
        )


def _kept(why: object) -> dict[str, Any]:
    """A bot's reasons as JSON values; {} when they are too large to keep."""
    reasons = plain_why(why)
    return reasons if len(msgspec.json.encode(reasons)) <= LARGEST_WHY else {}
