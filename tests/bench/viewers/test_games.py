"""Games played for viewers' tables: how often each agent's clues come, and which clues are its own."""

from collections import Counter
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from dixit_env.bench.viewers.folder import ViewersError
from dixit_env.bench.viewers.games import played
from dixit_env.bench.viewers.guesses import Table, evenly
from dixit_env.decks.deck import Deck
from dixit_env.errors import NoAnswer
from dixit_env.game.engine import Phase
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import ODYSSEY
from dixit_env.game.view import View
from dixit_env.table.play import Agent, Decision


@dataclass
class Teller:
    """Says its name and its card when it gives a clue. A mute one raises, an absent one can't be asked."""

    name: str

    def begin(self, seat: int, rng: Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        if view.phase is not Phase.CLUE:
            return Decision(self.rng.choice(view.moves))
        if self.name == "mute":
            raise ValueError("no words")
        if self.name == "absent":
            raise NoAnswer("no connection")
        card = view.hand[0]
        return Decision(GiveClue(card, f"{self.name} {card}"))


class Tellers:
    """A source of tellers over a deck without pictures."""

    def deck(self) -> Deck:
        return Deck.blank(84)

    def agent(self, name: str, seat: int = 0, seed: int = 0) -> Agent:
        return Teller(name)


@pytest.mark.parametrize(("names", "players"), [(("a", "b", "c"), 6), (("a", "b", "b", "c"), 5), (("a", "b"), 3)])
def test_every_agent_gives_clues_for_as_many_tables(names: tuple[str, ...], players: int) -> None:
    told = played(names, Tellers(), ODYSSEY, players, 12, 1)
    assert all(count >= 12 for count in Counter(table.source for table in told).values())
    drawn = evenly(told, 12 * len(set(names)), np.random.default_rng(0))
    assert Counter(table.source for table in drawn) == dict.fromkeys(names, 12)
    assert len(set(drawn)) == len(drawn), "every game has another deal"


def test_a_table_shows_the_clue_of_its_source_and_where_the_card_lies() -> None:
    names = [card.name for card in Deck.blank(84).cards]
    for table in played(("a", "b"), Tellers(), ODYSSEY, 4, 6, 2):
        giver, card = table.clue.split()
        assert giver == table.source
        assert table.cards[table.target] == names[int(card)]
        assert len(set(table.cards)) == len(table.cards)


def test_the_same_seed_plays_the_same_games() -> None:
    one, again, other = (played(("a", "b"), Tellers(), ODYSSEY, 4, 4, seed) for seed in (5, 5, 6))
    assert one == again != other


def test_a_clue_that_was_given_in_an_agents_place_is_not_shown() -> None:
    with pytest.raises(ViewersError, match=r"mute gave only 0 clues of its own in \d+ games \(ValueError: no words\)"):
        played(("a", "mute"), Tellers(), ODYSSEY, 4, 2, 0)


def test_an_outage_makes_no_tables() -> None:
    with pytest.raises(ViewersError, match=r"absent: NoAnswer: no connection; run again"):
        played(("a", "absent"), Tellers(), ODYSSEY, 4, 2, 0)


def test_what_can_not_be_drawn_evenly_is_drawn_as_evenly_as_it_goes() -> None:
    tables = [Table(f"{n}", source, ("x", "y"), 0) for source, many in (("a", 2), ("b", 9)) for n in range(many)]
    drawn = evenly(tables, 7, np.random.default_rng(0))
    assert Counter(table.source for table in drawn) == {"a": 2, "b": 5}
    assert len(evenly(tables, 99, np.random.default_rng(0))) == 11
