"""What all tables of a server share."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from dixit_env.table.play import Agent
from dixit_env.web.orders import Offer
from dixit_env.web.projection import Words
from dixit_env.web.store import Store

MakeBot = Callable[[str], Agent]


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take, in seconds."""

    pace: float = 1.0  # a bot's decision takes at least this long, so that people can follow
    grace: float = 3.0  # a stand-in leaves this long to somebody who only loads the page again
    reveal: float = 30.0  # the reveal closes by itself
    bot: float = 60.0  # a bot that takes longer is replaced for that decision


@dataclass(frozen=True, slots=True)
class Resources:
    """The deck and the bots on offer, where bots come from and think, where events are kept."""

    offer: Offer
    make_bot: MakeBot  # called in the pool
    store: Store
    pool: Executor
    timing: Timing = Timing()

    @property
    def words(self) -> Sequence[Words]:
        """By card number, what is on the picture, by language."""
        return [card.captions or card.title for card in self.offer.deck.cards]
