"""What all tables of a server share."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from dixit_env.table.play import Agent
from dixit_env.web.orders import Offer
from dixit_env.web.projection import Words
from dixit_env.web.store import Store

MakeBot = Callable[[str, int, int], Agent]
"""Makes the bot that a spec names, for a seat in the game of a seed."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Delays and limits, in seconds but for `pace`; chosen by playing with it."""

    pace: float = 1.0  # how long bots take: 1 as people do, 0 no longer than they need
    grace: float = 3.0  # until a bot decides for a person without a socket, who may only be loading the page again
    arrival: float = 30.0  # most time before that for a study's participant whose page has not come to the table yet
    reveal: float = 30.0  # until a reveal closes by itself
    bot: float = 60.0  # most time of a bot's decision; then a random legal move is made


@dataclass(frozen=True, slots=True)
class Resources:
    """Deck and bots on offer, the factory and the thread pool that asks them, the store of events, and timing."""

    offer: Offer
    make_bot: MakeBot  # called in the pool
    store: Store
    pool: Executor
    timing: Timing = Timing()

    @property
    def words(self) -> Sequence[Words]:
        """By card number, what is on the picture, by language."""
        return [card.captions or card.title for card in self.offer.deck.cards]
