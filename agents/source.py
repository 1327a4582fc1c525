"""The agents of `registry` as a source for benchmarks and tournaments."""

from dataclasses import dataclass
from functools import lru_cache

from dixit_env.agents.registry import make_agent
from dixit_env.decks.deck import Deck
from dixit_env.models.sight import Sight
from dixit_env.table.play import Agent


@dataclass(frozen=True)
class SightAgents:
    """Agents by spec, over decks seen through one CLIP (an `AgentSource`)."""

    decks: tuple[str, ...]
    clip: str

    def sight(self) -> Sight:
        """The decks, combined, through the CLIP; all agents of a process share one."""
        return _sight(self.decks, self.clip)

    def deck(self) -> Deck:
        """The decks, combined."""
        return self.sight().deck

    def agent(self, name: str) -> Agent:
        """The agent that a spec names; raises `SpecError`."""
        return make_agent(name, self.sight())


@lru_cache(maxsize=2)
def _sight(decks: tuple[str, ...], clip: str) -> Sight:
    return Sight.load(decks, clip)
