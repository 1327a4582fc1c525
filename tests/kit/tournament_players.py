"""Players for tests of tournaments, in a module of their own that workers import quickly."""

import os
import signal
import time
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


class Seer(Chance):
    """What it does depends on its eyes: on the seat and the seed that it was made for."""

    def __init__(self, name: str, seat: int, seed: int) -> None:
        super().__init__(name)
        self.eye = Random(f"{seat}/{seed}")

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = self.eye


@dataclass(frozen=True)
class Players:
    """Insiders and others, with a deck without pictures.

    Where there is a `murder`, the first agent to be made kills its worker; `pause` seconds pass before each agent.
    """

    murder: Path | None = None
    pause: float = 0.0

    def deck(self) -> Deck:
        return Deck.blank(84)

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        if self.murder is not None and not self.murder.exists():
            self.murder.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.pause)
        if name.startswith("first"):
            return First(name)
        if name.startswith("seer"):
            return Seer(name, seat, seed)
        return Insider(name) if name.startswith("insider") else Chance(name)
