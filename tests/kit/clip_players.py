"""Made-up players for tests of the CLIP agent's thinking."""

import numpy as np

from dixit_env.agents.clip.player_models import HABITS
from dixit_env.agents.clip.storyteller import Storyteller
from dixit_env.agents.clip.voter_kinds import KINDS, SHARPNESS, Floats, choice_logits
from dixit_env.agents.clip.votes import Voters, VotingTables
from dixit_env.game.expectations import Ints
from dixit_env.game.rules import ODYSSEY, TableRules

STORYTELLER = Storyteller(HABITS.plainness, 0.6, 6.0)
SIX = ODYSSEY.seated(6)


def only(sharpness: float) -> Floats:
    """All weight on one kind of voter."""
    return np.eye(KINDS)[int(np.flatnonzero(sharpness == SHARPNESS)[0])]


def logits(z: Floats) -> Floats:
    """How cards draw each kind of voter: z-scores (slots,) → (slots, K)."""
    return choice_logits(z, STORYTELLER.log_odds(z))


def voters(count: int, sharpness: float = 1.5, stacks: float = 1.0, rho: float = 0.0) -> Voters:
    """So many voters of one kind, who all give their best match as decoy."""
    return Voters(np.tile(only(sharpness), (count, 1)), np.full(count, stacks), np.ones(count), rho)


def voting_table(
    rules: TableRules, z: Floats, others: Voters, own: tuple[int, ...] = (0,), belief: Floats | None = None
) -> VotingTables:
    """One table: seat 1 votes on cards with these z-scores, seat 0 tells; by default all foreign slots are alike."""
    if belief is None:
        belief = np.array([slot not in own for slot in range(len(z))]) / (len(z) - len(own))
    return VotingTables(
        rules=rules,
        seat=np.array([1]),
        storyteller=np.array([0]),
        own=np.isin(np.arange(len(z)), own)[None],
        logits=logits(z)[None],
        belief=belief[None],
        others=Voters(others.kinds[None], others.stacks[None], others.gives_best[None], others.rho),
    )


def dials_on(rules: TableRules, *ballots: tuple[int, ...]) -> Ints:
    """The dials of ballots on each slot, (ballots, slots)."""
    return np.array([[ballot.count(slot) for slot in range(rules.slots)] for ballot in ballots])
