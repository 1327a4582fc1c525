"""The race to the target: what points are worth in chances to win.

The rest of a game is played out many times by a simple model of turns (who finds, who falls for a decoy), scored by the
real rules. The same futures are used for every alternative, so that differences between them carry little noise.

The simulated turns are the last axes of all arrays here, because the arithmetic runs along them; axes before the
players' are a batch of games.
"""

from collections.abc import Sequence

import numpy as np

from dixit_env.agents.clip.voter_kinds import LOG_ODDS_WEIGHTS, SHARPNESS, Floats, Luck
from dixit_env.game.expectations import Ints, turn_points
from dixit_env.game.rules import TableRules

SHARPEST_HIT_RATE = 0.5  # chosen: storytellers who aim at few finders let even the sharpest voter find half


def turns_left(rules: TableRules, scores: Sequence[int], turn: int) -> int:
    """The turns after this one. Where points end the game, more than it will have, nearly always: the leader gains two
    points in each."""
    if rules.last_turn is not None:
        return rules.last_turn - turn
    return 2 + max(0, rules.target - max(scores)) // 2


def hit_rates(voting: Floats, slots: int) -> Floats:
    """How often seats find a typical storyteller's card: probabilities of kinds (…, K) → (…).

    From one in `slots` - 1 for a blind voter to `SHARPEST_HIT_RATE` for the sharpest. The share β / (β + 1) of that way
    for a sharpness β is chosen, not fitted; kinds that weigh log odds count as the sharpest.
    """
    blind = 1 / (slots - 1)
    share = np.concatenate([SHARPNESS / (SHARPNESS + 1), np.ones(len(LOG_ODDS_WEIGHTS))])
    return (voting * (blind + (SHARPEST_HIT_RATE - blind) * share)).sum(-1)


def futures(rules: TableRules, storyteller: Ints, hits: Floats, luck: Luck) -> Ints:
    """Points gained by the end of each coming turn, (…, players, turns, worlds), when `storyteller` (…) tells first.

    `hits` (…, players): how often each seat's first choice is the storyteller's card. All dials go on one slot.
    `luck`: numbers from 0 to 1, (…, players, turns, worlds).
    """
    *batch, players, turns, worlds = luck.shape
    flat = (*batch, players, turns * worlds)
    tellers = (np.asarray(storyteller)[..., None] + np.repeat(np.arange(turns), worlds)) % players
    points = drawn_turns(rules, tellers, hits[..., None].astype(luck.dtype), luck.reshape(flat))
    return np.cumsum(points.reshape(luck.shape), axis=-2, dtype=points.dtype)


def drawn_turns(rules: TableRules, tellers: Ints, hits: Floats, luck: Luck) -> Ints:
    """Points of turns that `tellers` (…, turns) tell, (…, players, turns).

    `luck` (…, players, turns) are numbers from 0 to 1. Below `hits` (…, players, turns) a seat finds the card; else
    where in the rest they lie says whose decoy it falls for.
    """
    players = rules.players
    voters = tellers[..., None, :] != np.arange(players)[:, None]
    used = voters * np.int8(rules.dials_most if rules.may_stack else 1)
    hit = (luck < hits) & voters
    victims = decoy_votes(players, tellers, (luck - hits) / np.maximum(1 - hits, 1e-6))
    victims[hit | ~voters] = -1
    drawn = np.stack([(victims == seat).sum(-2, dtype=np.int8) for seat in range(players)], -2)
    return turn_points(rules, tellers, hit * used, used, drawn * used)


def decoy_votes(players: int, tellers: Ints, luck: Floats) -> Ints:
    """Whose card each seat votes for when it misses the storyteller's: any other voter's, all equally likely.

    `tellers` (…, turns) and numbers from 0 to 1 `luck` (…, players, turns) → seats (…, players, turns), int8. What
    stands at the storyteller's own place means nothing.
    """
    seats, tellers = np.arange(players, dtype=np.int8)[:, None], tellers[..., None, :].astype(np.int8)
    others = (np.clip(luck, 0, 1 - 1e-6) * (players - 2)).astype(np.int8)
    others += others >= np.minimum(seats, tellers)  # step over the two seats that are left out, the lower one first
    others += others >= np.maximum(seats, tellers)
    return others


def win_shares(rules: TableRules, scores: Ints, coming: Ints) -> Floats:
    """Each seat's mean share of the victory, (…, players), from scores (…, players, worlds) before `coming` (…,
    players, turns, worlds).

    Scores that reach the target already end the game at once, unless it goes by rounds; a tie is shared.
    """
    path = np.insert(coming, 0, 0, axis=-2)  # (…, players, turns + 1, worlds)
    totals = scores[..., None, :].astype(path.dtype) + path
    over = (totals.max(-3) >= rules.target) & (rules.last_turn is None)
    over[..., -1, :] = True
    last = over.argmax(-2)  # (…, worlds) the turn that ends the game
    final = np.take_along_axis(totals, last[..., None, None, :], axis=-2)[..., 0, :]  # (…, players, worlds)
    first = final == final.max(-2, keepdims=True)
    return (first / first.sum(-2, keepdims=True)).mean(-1)
