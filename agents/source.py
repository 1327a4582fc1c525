"""The agents of `registry` as a source for benchmarks and tournaments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from dixit_env.agents.registry import make_agent
from dixit_env.decks.deck import Deck
from dixit_env.models.eyes import SHARED, Eyes
from dixit_env.models.sight import EYES_KEPT, Sight
from dixit_env.table.play import Agent


@dataclass(frozen=True)
class SightAgents:
    """Agents by spec, over decks that each seat sees with its own eyes (an `AgentSource`)."""

    decks: tuple[str, ...]
    eyes: Eyes = SHARED

    def sight(self, seat: int = 0, seed: int = 0) -> Sight:
        """The decks, combined, as a seat sees them in a game; agents of a process with the same eyes share one."""
        return _sight(self.decks, self.eyes, seat, seed)

    def deck(self) -> Deck:
        """The decks, combined."""
        return _deck(self.decks)

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        """The agent that a spec names, for a seat in the game `seed`; raises `SpecError`."""
        return make_agent(name, self.sight(seat, seed))

    def check(self, names: Sequence[str]) -> None:
        """Make each agent once through each CLIP; raises `SpecError` or `ClipUnavailable` where that can't be done."""
        for seat in range(len(self.eyes.clips)):
            for name in names:
                self.agent(name, seat)


@lru_cache(maxsize=2)
def _deck(decks: tuple[str, ...]) -> Deck:
    return Deck.load(*decks)


@lru_cache(maxsize=EYES_KEPT)
def _clear(decks: tuple[str, ...], clip: str) -> Sight:
    return Sight(_deck(decks), clip)


@lru_cache(maxsize=EYES_KEPT)
def _sight(decks: tuple[str, ...], eyes: Eyes, seat: int, seed: int) -> Sight:
    return eyes.sight(seat, seed, partial(_clear, decks))
