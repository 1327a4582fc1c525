"""Made-up players for tests of the CLIP agent's thinking."""

from dataclasses import fields

import numpy as np

from dixit_env.agents.clip.outlook import Cards, Outlook, UnseenTables, clue_outlook, decoy_outlook
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


def one(others: Voters) -> Voters:
    """The voters of one table as those of a batch of tables."""
    return Voters(others.kinds[None], others.stacks[None], others.gives_best[None], others.rho)


def unseen(rules: TableRules, pool: Cards, others: Voters) -> UnseenTables:
    """One table before its cards are laid."""
    teller = Storyteller(STORYTELLER.plainness[None], np.array([STORYTELLER.best_decoys]), STORYTELLER.choice)
    return UnseenTables(rules, [pool], teller, one(others))


def clues(
    rules: TableRules, pool: Cards, others: Voters, z: Floats, target: Floats, worlds: int, seed: int = 1
) -> Outlook:
    """The outlook of clues at one table: z-scores (candidates, cards), of their cards (candidates,)."""
    rngs = [np.random.default_rng(seed)]
    return at(clue_outlook(rngs, unseen(rules, pool, others), z[None], target[None], worlds)[0])


def decoys(rules: TableRules, pool: Cards, others: Voters, z: Floats, choices: Cards, worlds: int) -> Outlook:
    """The outlook of decoys at one table: z-scores (cards,), `choices` (candidates, gives) of cards."""
    rngs = [np.random.default_rng(7)]
    return at(decoy_outlook(rngs, unseen(rules, pool, others), z[None], choices[None], worlds))


def at(outlook: Outlook, table: int = 0) -> Outlook:
    """That of one table."""
    return Outlook(*(getattr(outlook, field.name)[table] for field in fields(outlook)))


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
        others=one(others),
    )


def dials_on(rules: TableRules, *ballots: tuple[int, ...]) -> Ints:
    """The dials of ballots on each slot, (ballots, slots)."""
    return np.array([[ballot.count(slot) for slot in range(rules.slots)] for ballot in ballots])
