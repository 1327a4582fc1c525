"""The bots of one game: they think in the pool, and whatever they do wrong, the people's game goes on."""

import asyncio
import logging
import time
from secrets import choice
from typing import Any

import msgspec

from dixit_env.errors import DixitError
from dixit_env.game.engine import GameState, apply, legal_moves
from dixit_env.game.streams import stream
from dixit_env.game.view import view
from dixit_env.table.play import Agent, Decision
from dixit_env.web.events import Decided, move_fields
from dixit_env.web.house import House

log = logging.getLogger(__name__)

LARGEST_WHY = 4096  # bytes of a bot's reasons


class Bots:
    """One bot for each seat that has needed one."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._agents: dict[int, Agent] = {}

    async def decide(self, play: GameState, seat: int, spec: str) -> Decided:
        """A decision for a seat that may act: the bot's, or a random legal one with the fault that was the cause."""
        start = time.perf_counter()
        decision, fault = await self._ask(play, seat, spec)
        seconds = round(time.perf_counter() - start, 6)
        if decision is not None:
            try:
                apply(play, seat, decision.move)
            except DixitError as error:
                decision, fault = None, f"illegal move: {error}"
        if decision is None:
            log.warning("bot %s in seat %d: %s", spec, seat, fault)
            decision = Decision(choice(legal_moves(play, seat)))
        why = _plain(decision.why)
        return Decided(seat=seat, bot=spec, fault=fault, why=why, seconds=seconds, **move_fields(decision.move))

    async def _ask(self, play: GameState, seat: int, spec: str) -> tuple[Decision | None, str]:
        seen, rng = view(play, seat), stream(play.seed, "seat", seat)
        known = self._agents.pop(seat, None)  # one thread has it, or nobody: a bot that hangs is not asked again

        def act() -> tuple[Agent, Decision]:
            agent = known
            if agent is None:
                agent = self.house.make_bot(spec)
                agent.begin(seat, rng)
            return agent, agent.act(seen)

        limit = self.house.timing.bot
        try:
            thinking = asyncio.get_running_loop().run_in_executor(self.house.pool, act)
            self._agents[seat], decision = await asyncio.wait_for(thinking, limit)
        except TimeoutError:
            return None, f"no decision within {limit:g} s"
        except Exception as error:  # nothing that a bot raises may reach the table
            return None, f"{type(error).__name__}: {error}"
        return (decision, "") if isinstance(decision, Decision) else (None, f"returned {decision!r}, not a Decision")


def _plain(why: object) -> dict[str, Any]:
    """A bot's reasons as JSON values; {} when they are none, or too many."""
    try:
        text = msgspec.json.encode(why)
        reasons = msgspec.json.decode(text)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return {}
    return reasons if isinstance(reasons, dict) and len(text) <= LARGEST_WHY else {}
