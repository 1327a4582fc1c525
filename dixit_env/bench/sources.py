"""Where a benchmark gets its deck and agents from, in each of its worker processes."""

from typing import Protocol

from dixit_env.decks.deck import Deck
from dixit_env.table.play import Agent


class AgentSource(Protocol):
    """Makes agents by name. Hashable and picklable, for it is sent to the workers (`dixit_env.jobs`)."""

    def deck(self) -> Deck:
        """The deck that is played with."""

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        """A new agent for a seat in the game `seed`, which decide what eyes it has; raises `SpecError`."""
