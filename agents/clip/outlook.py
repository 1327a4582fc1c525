"""What a card is worth on a table that is not laid yet: for the storyteller's clue and for a decoy.

Hidden hands are drawn from the cards that can be in them; sharp players give their best match, blunt ones any card; the
voters choose as their kinds say. Expectations over the votes are exact in each drawn world, so that a few dozen worlds
are enough.

Arrays over worlds and candidates have single precision, which is far finer than the sampling. These are their last
axes, because the arithmetic runs along them; the first are tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.storyteller import Storyteller
from dixit_env.agents.clip.voter_kinds import KINDS, Floats, choice_logits
from dixit_env.agents.clip.votes import Voters, card_hits
from dixit_env.game.expectations import TurnExpectation, expected_bonus, expected_dials, expected_turn, of_others
from dixit_env.game.rules import TableRules

# The giver of a decoy votes too, and this is the kind of voter that it counts itself as: the sharpest that weighs how
# likely each card is the storyteller's, as the CLIP agent does. It always stacks.
OWN_KIND = KINDS - 1

Cards = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class UnseenTables:
    """What players know of N tables of the same rules before the cards are laid."""

    rules: TableRules
    pools: Sequence[Cards]  # N times the cards that may be in other hands
    storyteller: Storyteller  # (N, …)
    voters: Voters  # (N, …) all of them to the storyteller, the other ones to a giver of decoys


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """Expectations for each candidate, all (N, candidates)."""

    some: Floats  # chance that some, not all, find the storyteller's card
    everybody: Floats
    nobody: Floats
    finders: Floats  # other voters whose first choice is the storyteller's card
    drawn: Floats  # dials on the own decoys (0 for the storyteller)
    points: Floats  # own points
    margin: Floats  # own points less the mean of the others'


@dataclass(frozen=True, slots=True, eq=False)
class _Worlds:
    """Expectations in every sampled world. x and y are worlds and candidates, in any order."""

    turn: TurnExpectation  # (…, x, y)
    found: Floats  # (…, voters, x, y) chance of each voter's first choice to be the storyteller's card
    on_card: Floats  # (…, x, y) dials on the storyteller's card
    odds: Floats  # (…, K, owners, x, y) of an owner's cards against the storyteller's
    chance: Floats  # (…, K, voters, x, y) to be of this kind and find the card

    def drawn(self, owner: int) -> Floats:
        """Chance of each voter's first choice to be one of an owner's decoys, (…, voters, x, y)."""
        by_voter = (self.odds[..., owner, None, :, :] * self.chance).sum(-4)
        by_voter[..., owner, :, :] = 0
        return np.asarray(by_voter)


def clue_outlook(
    rngs: Sequence[np.random.Generator], tables: UnseenTables, z: Floats, target: Floats, worlds: int
) -> tuple[Outlook, Floats]:
    """For storytellers: candidate clues, z-scores (N, candidates, cards), each for a card with z-score `target` (N,
    candidates).

    Also returns how likely each voter finds the card in each world, (N, voters, worlds, candidates).
    """
    rules, voters = tables.rules, tables.voters.kinds.shape[-2]
    target = target.astype(np.float32)[:, None, None, None]
    given = np.empty((len(z), voters, rules.gives, worlds, z.shape[1]), np.float32)
    for table, (rng, pool) in enumerate(zip(rngs, tables.pools, strict=True)):
        by_card = z[table].astype(np.float32).T  # (cards, candidates)
        given[table] = _decoys(rng, rules, pool, tables.voters.gives_best[table], by_card, worlds)
    expected = _expect(rules, _odds(given, target, tables.storyteller), tables.voters)  # (N, …, worlds, candidates)
    turn = expected.turn
    theirs = turn.voters.sum(-1) + _bonus_of_all(rules, expected, tables.voters)
    outlook = Outlook(
        some=turn.some.mean(-2),
        everybody=turn.everybody.mean(-2),
        nobody=turn.nobody.mean(-2),
        finders=expected.found.sum(-3).mean(-2),
        drawn=np.zeros(z.shape[:2]),
        points=turn.storyteller.mean(-2),
        margin=(turn.storyteller - theirs / voters).mean(-2),
    )
    return outlook, expected.found


def decoy_outlook(
    rngs: Sequence[np.random.Generator], tables: UnseenTables, z: Floats, choices: Cards, worlds: int
) -> Outlook:
    """For givers of decoys: candidates `choices` (N, candidates, gives) of cards, z-scores (N, cards)."""
    rules, others, storyteller = tables.rules, tables.voters, tables.storyteller
    voters = others.kinds.shape[-2] + 1  # the giver is the last
    likely = storyteller.likelihood_ratio(z)
    z = z.astype(np.float32)
    target = np.empty((len(z), 1, 1, 1, worlds), np.float32)
    given = np.empty((len(z), voters - 1, rules.gives, 1, worlds), np.float32)
    for table, (rng, pool) in enumerate(zip(rngs, tables.pools, strict=True)):
        upto = np.cumsum(likely[table, pool])
        target[table] = z[table, pool[np.searchsorted(upto / upto[-1], rng.random(worlds))]]
        decoys = _decoys(rng, rules, pool, others.gives_best[table], z[table, :, None], worlds)
        given[table] = np.swapaxes(decoys, -1, -2)
    mine = np.take_along_axis(z[:, None], choices, axis=2).swapaxes(1, 2)  # (N, gives, candidates)
    mine_odds = _odds(mine[:, None, :, :, None], target, storyteller)  # (N, K, 1, candidates, worlds)
    given_odds = _odds(given, target, storyteller)  # (N, K, voters - 1, 1, worlds)
    given_odds = np.broadcast_to(given_odds, (*given_odds.shape[:3], *mine_odds.shape[3:]))
    own = np.ones((len(z), 1))
    everyone = Voters(
        kinds=np.concatenate([others.kinds, own[..., None] * np.eye(KINDS)[OWN_KIND]], axis=1),
        stacks=np.concatenate([others.stacks, own], axis=1),
        gives_best=np.concatenate([others.gives_best, own], axis=1),
        rho=others.rho,
    )
    expected = _expect(rules, np.concatenate([given_odds, mine_odds], axis=2), everyone)  # (N, …, candidates, worlds)
    turn, drawn = expected.turn, expected.drawn(voters - 1)
    bonus = _bonus(rules, drawn, everyone)
    points = turn.voters[..., -1] + bonus
    theirs = turn.storyteller + turn.voters[..., :-1].sum(-1) + _bonus_of_all(rules, expected, everyone) - bonus
    return Outlook(
        some=turn.some.mean(-1),
        everybody=turn.everybody.mean(-1),
        nobody=turn.nobody.mean(-1),
        finders=expected.found[:, :-1].sum(1).mean(-1),
        drawn=rules.dials_most * drawn.sum(1).mean(-1),
        points=points.mean(-1),
        margin=(points - theirs / voters).mean(-1),
    )


def _decoys(
    rng: np.random.Generator, rules: TableRules, pool: Cards, gives_best: Floats, z: Floats, worlds: int
) -> Floats:
    """z-scores of the cards that the voters give in sampled worlds: z-scores (cards, clues) → (voters, gives, worlds,
    clues). `gives_best` (voters,)."""
    voters = len(gives_best)
    hand = min(rules.hand, len(pool) // voters)
    dealt = rng.permuted(np.broadcast_to(pool, (worlds, len(pool))), axis=1)[:, : voters * hand]
    hands = z[dealt.T.reshape(voters, hand, worlds)]  # (voters, hand, worlds, clues)
    gives = rules.gives
    best = hands.max(1, keepdims=True) if gives == 1 else np.sort(hands, axis=1)[:, -gives:]
    picks_best = rng.random((voters, worlds)) < gives_best[:, None]
    return np.where(picks_best[:, None, :, None], best, hands[:, :gives])


def _odds(z: Floats, target: Floats, storyteller: Storyteller) -> Floats:
    """Odds of being chosen against the target's 1, summed over an owner's cards: z-scores (…, owners, gives, x, y),
    target (…, 1, 1, x, y) → (…, K, owners, x, y)."""
    more_odds = storyteller.log_odds(z) - storyteller.log_odds(target)
    logits = choice_logits(z - target, more_odds, axis=-5)
    odds = np.exp(np.clip(logits, -40, 40, out=logits), out=logits)
    return odds[..., 0, :, :] if odds.shape[-3] == 1 else np.asarray(odds.sum(-3))


def _expect(rules: TableRules, odds: Floats, voters: Voters) -> _Worlds:
    """Expectations from the odds of each voter's cards, (…, K, voters, x, y)."""
    others = of_others(np.add, np.moveaxis(odds, -3, 0))  # of all cards but the voter's own and the storyteller's
    choosable = 1 + np.moveaxis(others, 0, -3)
    kinds = np.swapaxes(voters.kinds, -1, -2)[..., None, None].astype(odds.dtype)  # (…, K, voters, 1, 1)
    chance = np.divide(kinds, choosable, out=choosable)
    found = chance.sum(-4)  # (…, voters, x, y)
    hits = _hits(rules, found, voters)
    return _Worlds(expected_turn(rules, hits, voters.rho), found, expected_dials(hits), odds, chance)


def _hits(rules: TableRules, found: Floats, voters: Voters) -> Floats:
    """Hits on a card that is the voters' first choice with chances `found` (…, voters, x, y): (…, x, y, voters, 4)."""
    stacks = voters.stacks[..., None, None, :].astype(found.dtype)
    return card_hits(rules, np.moveaxis(found, -3, -1), stacks)


def _bonus(rules: TableRules, drawn: Floats, voters: Voters) -> Floats:
    """Expected decoy bonus, (…, x, y), of an owner whose cards are the voters' first choices with chances `drawn` (…,
    voters, x, y)."""
    if _linear(rules):
        return np.asarray(rules.decoy_points * rules.dials_most * drawn.sum(-3))
    return expected_bonus(rules, _hits(rules, drawn, voters), voters.rho)


def _bonus_of_all(rules: TableRules, expected: _Worlds, voters: Voters) -> Floats:
    """Expected decoy bonus of all owners together, (…, x, y)."""
    owners = expected.found.shape[-3]
    if _linear(rules):  # every dial that is not on the storyteller's card is worth the same
        return np.asarray(rules.decoy_points * (rules.dials_most * owners - expected.on_card))
    return np.asarray(sum(_bonus(rules, expected.drawn(owner), voters) for owner in range(owners)))


def _linear(rules: TableRules) -> bool:
    """Is the decoy bonus in proportion to the dials?"""
    return rules.decoy_cap is None and not rules.decoy_once
