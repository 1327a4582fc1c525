"""The race to the target: what points are worth in chances to win.

The rest of a game is played out many times by a simple model of turns (who finds, who falls for a decoy), scored by the
real rules. The same futures are used for every alternative, so that differences between them carry little noise.
"""

from collections.abc import Sequence

import numpy as np

from dixit_env.agents.clip.voter_kinds import LOG_ODDS_WEIGHTS, SHARPNESS, Floats
from dixit_env.game.expectations import Ints, turn_points
from dixit_env.game.rules import TableRules

SHARPEST_HIT_RATE = 0.5  # chosen: storytellers who aim at few finders let even the sharpest voter find half


def turns_left(rules: TableRules, scores: Sequence[int]) -> int:
    """More turns than a game with these scores will have, nearly always: the leader gains two points in each."""
    return 2 + max(0, rules.target - max(scores)) // 2


def hit_rates(voting: Floats, slots: int) -> Floats:
    """How often seats find a typical storyteller's card: probabilities of kinds (players, K) → (players,).

    From one in `slots` - 1 for a blind voter to `SHARPEST_HIT_RATE` for the sharpest. The share β / (β + 1) of that way
    for a sharpness β is chosen, not fitted; kinds that weigh log odds count as the sharpest.
    """
    blind = 1 / (slots - 1)
    share = np.concatenate([SHARPNESS / (SHARPNESS + 1), np.ones(len(LOG_ODDS_WEIGHTS))])
    return voting @ (blind + (SHARPEST_HIT_RATE - blind) * share)


def futures(
    rng: np.random.Generator, rules: TableRules, storyteller: int, hits: Floats, worlds: int, turns: int
) -> Ints:
    """Points gained by the end of each coming turn, (turns, worlds, players), when `storyteller` tells first.

    `hits` (players,): how often each seat's first choice is the storyteller's card. All dials go on one slot.
    """
    tellers = np.broadcast_to(((storyteller + np.arange(turns)) % rules.players)[:, None], (turns, worlds))
    return np.cumsum(drawn_turns(rng, rules, tellers, hits), axis=0)


def drawn_turns(rng: np.random.Generator, rules: TableRules, tellers: Ints, hits: Floats) -> Ints:
    """Points of turns that `tellers` (…) tell, (…, players), when seats find the card with chances `hits` (…, players).

    `hits` may have further axes in front: luck is the same along them, so that they can be compared.
    """
    players = rules.players
    seats = np.arange(players)
    voters = tellers[..., None] != seats
    used = rules.dials_most if rules.may_stack else 1
    hit = (rng.random((*tellers.shape, players)) < hits) & voters
    victims = decoy_votes(rng, players, tellers)
    missed = voters & ~hit
    drawn = np.stack([(missed & (victims == seat)).sum(-1) for seat in seats], -1) * used
    tellers = np.broadcast_to(tellers, hit.shape[:-1])
    return turn_points(rules, tellers, hit * used, np.broadcast_to(voters * used, hit.shape), drawn)


def decoy_votes(rng: np.random.Generator, players: int, tellers: Ints) -> Ints:
    """Whose card each seat votes for when it misses the storyteller's: any other voter's, all equally likely.

    `tellers` (…) → seats (…, players). What stands at the storyteller's own place means nothing.
    """
    seats, tellers = np.arange(players), tellers[..., None]
    others = rng.integers(0, players - 2, np.broadcast_shapes(tellers.shape, seats.shape))
    others += others >= np.minimum(seats, tellers)  # step over the two seats that are left out, the lower one first
    others += others >= np.maximum(seats, tellers)
    return others


def win_share(rules: TableRules, scores: Ints, coming: Ints, seat: int) -> Floats:
    """A seat's mean share of the victory: scores (…, worlds, players) before `coming` (turns, worlds, players) → (…).

    Scores that reach the target already end the game at once; a tie is shared.
    """
    path = np.concatenate([np.zeros_like(coming[:1]), coming])  # (turns + 1, worlds, players)
    totals = scores[..., None, :, :] + path  # (…, turns + 1, worlds, players)
    over = totals.max(-1) >= rules.target
    over[..., -1, :] = True
    last = over.argmax(-2)  # (…, worlds) the turn that ends the game
    final = np.take_along_axis(totals, last[..., None, :, None], axis=-3)[..., 0, :, :]
    best = final.max(-1)
    return np.where(final[..., seat] == best, 1 / (final == best[..., None]).sum(-1), 0.0).mean(-1)
