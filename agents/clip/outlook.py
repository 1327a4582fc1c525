"""What a card is worth on a table that is not laid yet: for the storyteller's clue and for a decoy.

Hidden hands are drawn from the cards that can be in them; sharp players give their best match, blunt ones any card; the
voters choose as their kinds say. Expectations over the votes are exact in each drawn world, so that a few dozen worlds
are enough.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.storyteller import Storyteller
from dixit_env.agents.clip.voter_kinds import KINDS, Floats, choice_logits
from dixit_env.agents.clip.votes import Voters, card_hits
from dixit_env.game.expectations import HIT_DIALS, TurnExpectation, expected_bonus, expected_turn
from dixit_env.game.rules import TableRules

# The giver of a decoy votes too, and this is the kind of voter that it counts itself as: the sharpest that weighs how
# likely each card is the storyteller's, as the CLIP agent does. It always stacks.
OWN_KIND = KINDS - 1

Cards = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class UnseenTable:
    """What is known of a table before its cards are laid."""

    rules: TableRules
    pool: Cards  # (n,) cards that may be in other hands
    storyteller: Storyteller
    voters: Voters  # all voters, for the storyteller; the other voters, for a giver of decoys


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """Expectations for each candidate, all (candidates,)."""

    some: Floats  # chance that some, not all, find the storyteller's card
    everybody: Floats
    nobody: Floats
    finders: Floats  # other voters whose first choice is the storyteller's card
    drawn: Floats  # dials on the own decoys (0 for the storyteller)
    points: Floats  # own points
    margin: Floats  # own points less the mean of the others'


@dataclass(frozen=True, slots=True, eq=False)
class _Worlds:
    """Expectations in every sampled world."""

    turn: TurnExpectation
    found: Floats  # (…, voters) chance of each voter's first choice to be the storyteller's card
    drawn: Floats  # (…, owners, voters) chance of each voter's first choice to be one of an owner's decoys
    hits: Floats  # (…, voters, 4) on the storyteller's card


def clue_outlook(
    rng: np.random.Generator, table: UnseenTable, z: Floats, target: Floats, worlds: int
) -> tuple[Outlook, Floats]:
    """For the storyteller: candidate clues, z-scores (candidates, cards), each for a card with z-score `target`
    (candidates,).

    Also returns how likely each voter finds the card in each world, (candidates, worlds, voters).
    """
    rules, voters = table.rules, len(table.voters.kinds)
    decoys = _decoys(rng, table, z, worlds)  # (candidates, worlds, voters, gives)
    odds = _odds(decoys, target[:, None, None, None], table.storyteller)  # (candidates, worlds, voters, K)
    expected = _expect(rules, odds, table.voters)
    turn = expected.turn
    theirs = turn.voters.sum(-1) + _bonus_of_all(rules, expected, table.voters)
    outlook = Outlook(
        some=turn.some.mean(1),
        everybody=turn.everybody.mean(1),
        nobody=turn.nobody.mean(1),
        finders=expected.found.sum(-1).mean(1),
        drawn=np.zeros(len(z)),
        points=turn.storyteller.mean(1),
        margin=(turn.storyteller - theirs / voters).mean(1),
    )
    return outlook, expected.found


def decoy_outlook(rng: np.random.Generator, table: UnseenTable, z: Floats, choices: Cards, worlds: int) -> Outlook:
    """For a giver of decoys: candidates `choices` (candidates, gives) of cards, z-scores (cards,)."""
    rules, others = table.rules, table.voters
    voters = len(others.kinds) + 1  # the giver is the last
    likely = table.storyteller.likelihood_ratio(z[table.pool])
    target = z[rng.choice(table.pool, worlds, p=likely / likely.sum())][:, None, None]  # (worlds, 1, 1)
    given = _odds(_decoys(rng, table, z[None], worlds)[0], target, table.storyteller)  # (worlds, voters - 1, K)
    mine = _odds(z[choices][:, None, None, :], target, table.storyteller)  # (candidates, worlds, 1, K)
    odds = np.concatenate([np.broadcast_to(given, (len(mine), *given.shape)), mine], -2)
    everyone = Voters(
        kinds=np.vstack([others.kinds, np.eye(KINDS)[OWN_KIND]]),
        stacks=np.append(others.stacks, 1.0),
        gives_best=np.append(others.gives_best, 1.0),
        rho=others.rho,
    )
    expected = _expect(rules, odds, everyone)
    turn, mine_drawn = expected.turn, rules.dials_most * expected.drawn[..., -1, :].sum(-1)
    bonus = _bonus(rules, expected.drawn[..., -1, :], everyone)
    points = turn.voters[..., -1] + bonus
    theirs = turn.storyteller + turn.voters[..., :-1].sum(-1) + _bonus_of_all(rules, expected, everyone) - bonus
    return Outlook(
        some=turn.some.mean(1),
        everybody=turn.everybody.mean(1),
        nobody=turn.nobody.mean(1),
        finders=expected.found[..., :-1].sum(-1).mean(1),
        drawn=mine_drawn.mean(1),
        points=points.mean(1),
        margin=(points - theirs / voters).mean(1),
    )


def _decoys(rng: np.random.Generator, table: UnseenTable, z: Floats, worlds: int) -> Floats:
    """z-scores of the cards that the voters give in sampled worlds: (candidates, worlds, voters, gives)."""
    rules, pool, voters = table.rules, table.pool, len(table.voters.kinds)
    hand = min(rules.hand, len(pool) // voters)
    order = np.argsort(rng.random((worlds, len(pool))), axis=1)[:, : voters * hand]
    dealt = z[:, pool[order]].reshape(len(z), worlds, voters, hand)
    best = -np.sort(-dealt, axis=-1)[..., : rules.gives]
    picks_best = rng.random((worlds, voters)) < table.voters.gives_best
    return np.where(picks_best[..., None], best, dealt[..., : rules.gives])


def _odds(z: Floats, target: Floats, storyteller: Storyteller) -> Floats:
    """Odds of being chosen against the target's 1, summed over an owner's cards: z-scores (…, owners, gives), target
    (…, 1, 1) → (…, owners, K)."""
    logits = choice_logits(z, storyteller.log_odds(z)) - choice_logits(target, storyteller.log_odds(target))
    return np.exp(np.clip(logits, -40, 40)).sum(-2)


def _expect(rules: TableRules, odds: Floats, voters: Voters) -> _Worlds:
    """Expectations from the odds of each voter's cards, (…, voters, K)."""
    choosable = 1 + (1 - np.eye(odds.shape[-2])) @ odds  # (…, voters, K) over all cards but the voter's own
    found = np.einsum("...vk,vk->...v", 1 / choosable, voters.kinds)
    drawn = odds @ (voters.kinds / choosable).swapaxes(-1, -2)  # (…, owners, voters)
    drawn *= 1 - np.eye(odds.shape[-2])
    hits = card_hits(rules, found, voters.stacks)
    return _Worlds(expected_turn(rules, hits, voters.rho), found, drawn, hits)


def _bonus(rules: TableRules, drawn: Floats, voters: Voters) -> Floats:
    """Expected decoy bonus of owners whose cards are the voters' first choices with chances `drawn` (…, voters)."""
    if _linear(rules):
        return rules.decoy_points * rules.dials_most * drawn.sum(-1)
    return expected_bonus(rules, card_hits(rules, drawn, voters.stacks), voters.rho)


def _bonus_of_all(rules: TableRules, expected: _Worlds, voters: Voters) -> Floats:
    """Expected decoy bonus of all owners together, (…)."""
    if _linear(rules):  # every dial that is not on the storyteller's card is worth the same
        dials = rules.dials_most * len(voters.kinds) - (expected.hits @ HIT_DIALS).sum(-1)
        return rules.decoy_points * dials
    return _bonus(rules, expected.drawn, voters).sum(-1)


def _linear(rules: TableRules) -> bool:
    """Is the decoy bonus in proportion to the dials?"""
    return rules.decoy_cap is None and not rules.decoy_once
