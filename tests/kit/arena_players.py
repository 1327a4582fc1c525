"""Players for tests of tournaments, in a module of their own that workers import quickly."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from dixit_env import Agent, CastVotes, Decision, Deck, GiveClue, View


class Chance:
    """Any legal move."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        return Decision(self.rng.choice(view.moves))


class Insider(Chance):
    """Says the number of its card, and knows what a number means."""

    def act(self, view: View) -> Decision:
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            return Decision(GiveClue(move.card, f"{move.card}"))
        if isinstance(move, CastVotes) and view.clue.isdecimal():
            slot = view.slots.index(int(view.clue))
            return Decision(CastVotes((slot,) * len(move.slots)))
        return Decision(move)


class First(Chance):
    """The first legal move, always."""

    def act(self, view: View) -> Decision:
        return Decision(view.moves[0])


@dataclass(frozen=True)
class Hall:
    """Insiders and others, at a table without pictures. The first game kills its worker when there is a `murder`."""

    murder: Path | None = None
    pause: float = 0.0

    def __call__(self) -> tuple[Deck, Callable[[Sequence[str]], list[Agent]]]:
        return Deck.blank(84), self._make

    def _make(self, names: Sequence[str]) -> list[Agent]:
        if self.murder is not None and not self.murder.exists():
            self.murder.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.pause)
        kinds = {"insider": Insider, "first": First}
        return [kinds.get(name.partition(":")[0], Chance)(name) for name in names]
