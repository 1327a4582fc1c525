"""What a card on a table still unseen is worth: for the storyteller's clue and for a decoy.

Hidden hands are drawn from the cards that can be in them; sharp players give their best match, blunt ones any card; the
voters choose as their sharpness says. Expectations over the votes are exact in each drawn world, so that a few dozen
worlds are enough.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.sharpness import KINDS, Floats, appeal
from dixit_env.agents.clip.telling import Teller
from dixit_env.agents.clip.votes import Others
from dixit_env.game.rules import TableRules

OWN_KIND = KINDS - 1  # the giver's own vote, for what a decoy does to the outcome: a sharp reader's

Cards = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Outlook:
    """Expectations for each candidate, all (candidates,)."""

    some: Floats  # chance that some, not all, find the storyteller's card
    everybody: Floats
    nobody: Floats
    finders: Floats  # voters whose first choice is the storyteller's card
    drawn: Floats  # dials on the own decoys (0 for the storyteller)
    points: Floats  # own points
    margin: Floats  # own points less the mean of the others'


def clue_outlook(
    rng: np.random.Generator,
    rules: TableRules,
    z: Floats,
    target: Floats,
    pool: Cards,
    me: Teller,
    others: Others,
    worlds: int,
) -> Outlook:
    """For the storyteller: candidate clues, z (candidates, cards), each for a card with the z `target` (candidates,).

    `pool` are the cards that may be in the others' hands; `me` is how the table knows this storyteller; `others` are
    all voters.
    """
    decoys = _decoys(rng, rules, z, pool, others, worlds)  # (candidates, worlds, voters, gives)
    odds = _odds(decoys, target[:, None, None, None], me)  # (candidates, worlds, voters, K), against the target's 1
    found = _chance(1 / (1 + _without_own(odds)), others)
    everybody, nobody, dials = _outcomes(rules, found, others.stacks, others.rho)
    voters = len(others.weights)
    some = 1 - everybody - nobody
    points = rules.storyteller_points * some
    theirs = _finders_points(rules, dials, everybody, nobody, voters)
    theirs = theirs + rules.decoy_points * (voters * rules.dials_most - dials)
    return Outlook(
        some=some.mean(1),
        everybody=everybody.mean(1),
        nobody=nobody.mean(1),
        finders=found.sum(-1).mean(1),
        drawn=np.zeros(len(z)),
        points=points.mean(1),
        margin=(points - theirs / voters).mean(1),
    )


def decoy_outlook(
    rng: np.random.Generator,
    rules: TableRules,
    z: Floats,
    choices: Cards,
    pool: Cards,
    teller: Teller,
    others: Others,
    worlds: int,
) -> Outlook:
    """For a giver of decoys: candidates `choices` (candidates, gives) of cards, z (cards,).

    `pool` are the cards that may be the storyteller's or in the others' hands; `others` are the other voters.
    """
    likely = teller.lead(z[pool])
    target = z[rng.choice(pool, worlds, p=likely / likely.sum())]  # (worlds,)
    decoys = _decoys(rng, rules, z[None], pool, others, worlds)[0]
    given = _odds(decoys, target[:, None, None], teller)  # (worlds, voters, K), against the target's 1
    mine = _odds(z[choices][:, None, None, :], target[:, None, None], teller)  # (candidates, worlds, 1, K)
    total = 1 + _without_own(given) + mine  # (candidates, worlds, voters, K)
    found = _chance(1 / total, others)
    drawn = rules.dials_most * _chance(mine / total, others).sum(-1)  # (candidates, worlds)
    own_hit = 1 / (1 + given.sum(1)[:, OWN_KIND])  # (worlds,)
    own_hit = np.broadcast_to(own_hit, drawn.shape)

    everybody, nobody, dials = _outcomes(
        rules, np.concatenate([found, own_hit[..., None]], -1), np.append(others.stacks, 1.0), others.rho
    )
    voters, used = len(others.weights), rules.dials_most
    some = 1 - everybody - nobody
    own_dials = used * own_hit
    points = _finders_points(rules, own_dials, everybody, nobody, 1) + rules.decoy_points * drawn
    theirs = rules.storyteller_points * some + _finders_points(rules, dials - own_dials, everybody, nobody, voters)
    theirs = theirs + rules.decoy_points * ((voters + 1) * used - dials - drawn)
    return Outlook(
        some=some.mean(1),
        everybody=everybody.mean(1),
        nobody=nobody.mean(1),
        finders=found.sum(-1).mean(1),
        drawn=drawn.mean(1),
        points=points.mean(1),
        margin=(points - theirs / (voters + 1)).mean(1),
    )


def _decoys(rng: np.random.Generator, rules: TableRules, z: Floats, pool: Cards, others: Others, worlds: int) -> Floats:
    """z of the cards that the others give in sampled worlds: (candidates, worlds, voters, gives)."""
    voters = len(others.weights)
    hand = min(rules.hand, len(pool) // voters)
    order = np.argsort(rng.random((worlds, len(pool))), axis=1)[:, : voters * hand]
    dealt = z[:, pool[order]].reshape(len(z), worlds, voters, hand)
    best = -np.sort(-dealt, axis=-1)[..., : rules.gives]
    picks_best = rng.random((worlds, voters)) < others.gives_best
    return np.where(picks_best[..., None], best, dealt[..., : rules.gives])


def _odds(z: Floats, target: Floats, teller: Teller) -> Floats:
    """Odds against the target's 1, summed over a voter's cards: z (…, voters, gives), target (…, 1, 1) → (…, voters,
    K)."""
    gap = appeal(z, teller.log_odds(z)) - appeal(target, teller.log_odds(target))
    return np.exp(np.clip(gap, -40, 40)).sum(-2)


def _without_own(odds: Floats) -> Floats:
    """The sum of all voters' cards but the voter's own: (…, voters, K) → (…, voters, K)."""
    return (1 - np.eye(odds.shape[-2])) @ odds


def _chance(by_kind: Floats, others: Others) -> Floats:
    """(…, voters, K) → (…, voters), the mean over what is known of each voter."""
    return np.einsum("...vk,vk->...v", by_kind, others.weights)


def _outcomes(rules: TableRules, found: Floats, stacks: Floats, rho: float) -> tuple[Floats, Floats, Floats]:
    """From the voters' chances to find (…, voters): chance of all, of none, expected dials on the card, each (…).

    With probability `rho` the voters act as one.
    """
    two = rules.dials_most == 2
    share = stacks if two and rules.may_stack else np.ones_like(stacks) if not two else np.zeros_like(stacks)
    either = 1 - (1 - found) ** 2  # a spread vote touches the card
    full = share * found + (1 - share) * (either if rules.all_means == "voters" else 0.0)
    empty = 1 - share * found - (1 - share) * either
    dials = share * found * rules.dials_most + (1 - share) * either
    everybody = rho * full.mean(-1) + (1 - rho) * full.prod(-1)
    nobody = rho * empty.mean(-1) + (1 - rho) * empty.prod(-1)
    return everybody, nobody, dials.sum(-1)


def _finders_points(rules: TableRules, dials: Floats, everybody: Floats, nobody: Floats, voters: int) -> Floats:
    """Expected points, together, of `voters` from the outcome, without decoys; `dials` is their expected sum."""
    some = rules.dial_points * (dials - everybody * voters * rules.dials_most)
    return some + voters * (rules.all_points * everybody + rules.none_points * nobody)
