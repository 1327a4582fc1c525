"""What a storyteller expects of its clue, held against voters that it doesn't see like."""

import numpy as np
import pytest

from dixit_env import ODYSSEY, play
from dixit_env.agents.source import SightAgents
from dixit_env.game.engine import Phase
from dixit_env.models.eyes import Eyes
from dixit_env.table.play import Decided, TurnEnded

SEED, GAMES = 42, 60


@pytest.mark.slow
def test_as_many_voters_of_other_kinds_find_the_card_as_the_storyteller_expects() -> None:
    """They see through CLIPs with other towers and other training cards than the storyteller's."""
    source = SightAgents(("dreams",), Eyes.parse("embedded,lite1,lite2"))
    agents = [source.agent("clip", seat, SEED) for seat in range(6)]
    kinds = len(source.eyes.clips)
    expected, found = [], []
    for game in range(GAMES):
        for event in play(agents, ODYSSEY, source.deck(), SEED + game):
            if isinstance(event, Decided) and event.phase is Phase.CLUE:
                expected.append(event.decision.why["expected"]["finders"] / 5)
            elif isinstance(event, TurnEnded):
                turn = event.turn
                strangers = [seat for seat in range(6) if seat % kinds != turn.storyteller % kinds]
                found.append(np.mean([turn.target in turn.votes[seat] for seat in strangers]))
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.05)
