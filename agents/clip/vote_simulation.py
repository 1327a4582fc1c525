"""A turn whose votes are open, played out many times: who owns which slot, and what the others' dials will show.

The simulated worlds are the last axis of all arrays here, because the arithmetic runs along them; the first are tables.
"""

import numpy as np

from dixit_env.agents.clip.storyteller import Bools
from dixit_env.agents.clip.voter_kinds import Floats, Luck
from dixit_env.agents.clip.votes import VotingTables
from dixit_env.game.expectations import Ints, turn_points
from dixit_env.game.rules import TableRules


def luck_needed(rules: TableRules) -> int:
    """Random numbers that `simulated_points` needs for a world."""
    return sum(_luck_parts(rules))


def _luck_parts(rules: TableRules) -> tuple[int, ...]:
    """Numbers for the storyteller's slot, whether all vote alike, the owners, and each other voter's kind, choice among
    the slots, and whether it stacks."""
    voters = rules.players - 2
    return 1, 1, rules.slots, voters, voters * rules.slots, voters


def simulated_points(tables: VotingTables, dials: Ints, luck: Luck) -> Ints:
    """Points of this turn for every seat in every sampled world, for some ballots of each voter: (N, ballots, players,
    worlds).

    In each world the storyteller's slot is drawn from the belief, the other slots get random owners, and the other
    voters choose among the slots that aren't theirs, as their kinds do. All ballots of a voter meet the same worlds.

    Args:
        tables: N tables.
        dials: (N, ballots, slots) the dials of each ballot on each slot.
        luck: numbers from 0 to 1, (N, `luck_needed`, worlds).
    """
    rules = tables.rules
    seats, slots = np.arange(rules.players), np.arange(rules.slots)
    to_target, to_alike, to_owners, *to_dials = np.split(luck, np.cumsum(_luck_parts(rules))[:-1], axis=1)
    voters = _other_voters(tables)
    target = _drawn(tables.belief, to_target[:, 0])  # (N, worlds)
    owners = _owners(tables, voters, target, to_owners)  # (N, slots, worlds)
    laid = _dials(tables, voters, owners, to_alike < tables.others.rho, *to_dials)  # (N, voters, slots, worlds)

    # The dials of other voters, then for each ballot with those of the own one.
    is_target = target[:, None] == slots[:, None]  # (N, slots, worlds)
    owned = (owners[:, :, None] == seats[:, None]).astype(np.float32)  # (N, slots, players, worlds)
    found = np.zeros((len(luck), 1, rules.players, luck.shape[-1]), np.int8)
    np.put_along_axis(found[:, 0], voters[..., None], (laid * is_target[:, None]).sum(2, dtype=np.int8), axis=1)
    drawn = (laid.sum(1, dtype=np.int8)[:, :, None] * owned).sum(1)  # (N, players, worlds)

    mine = (tables.seat[:, None] == seats)[:, None, :, None]  # (N, 1, players, 1)
    own_found = np.take_along_axis(dials.astype(np.int8), target[:, None], axis=2)  # (N, ballots, worlds)
    found = np.where(mine, own_found[:, :, None], found)
    own_drawn = dials.astype(np.float32) @ owned.reshape(*owned.shape[:2], -1)
    drawn = drawn[:, None] + own_drawn.reshape(*own_found.shape[:2], *drawn.shape[1:])
    used = np.full((len(luck), 1, rules.players, 1), rules.dials_most, np.int8)
    used = np.where(mine, dials.sum(-1)[..., None, None], used)
    used = np.where((tables.storyteller[:, None] == seats)[:, None, :, None], 0, used)
    return turn_points(rules, tables.storyteller[:, None, None], found, used, drawn)


def _other_voters(tables: VotingTables) -> Ints:
    """Seats of the other voters, (N, voters), ascending."""
    seats = np.arange(tables.rules.players)
    others = (seats != tables.seat[:, None]) & (seats != tables.storyteller[:, None])
    return np.nonzero(others)[1].reshape(len(others), -1)


def _drawn(chances: Floats, luck: Luck) -> Ints:
    """Draws from distributions (…, n) by numbers from 0 to 1 (…, worlds): (…, worlds)."""
    upto = np.cumsum(chances, axis=-1)[..., :-1, None].astype(luck.dtype)
    return (luck[..., None, :] >= upto).sum(-2)


def _owners(tables: VotingTables, voters: Ints, target: Ints, luck: Luck) -> Ints:
    """The seat that owns each slot, (N, slots, worlds): the slots that are neither the voter's nor `target` (N, worlds)
    are dealt to the other voters at random, by `luck` (N, slots, worlds)."""
    rules = tables.rules
    order = luck + 2 * tables.own[..., None]
    np.put_along_axis(order, target[:, None], 1.5, axis=1)  # after the slots of the others, before the own ones
    order = np.argsort(order, axis=1)
    others, mine = np.repeat(voters, rules.gives, axis=1), np.repeat(tables.seat[:, None], rules.gives, axis=1)
    by_order = [others, tables.storyteller[:, None], mine]
    owners = np.empty(order.shape, np.int8)
    np.put_along_axis(owners, order, np.concatenate(by_order, axis=1)[..., None].astype(np.int8), axis=1)
    return owners


def _dials(
    tables: VotingTables, voters: Ints, owners: Ints, alike: Bools, kinds: Luck, choices: Luck, stacks: Luck
) -> Ints:
    """The other voters' dials on each slot, (N, voters, slots, worlds), int8.

    `owners` (N, slots, worlds), `alike` (N, 1, worlds) says where all choose by the luck of the first; `kinds` and
    `stacks` (N, voters, worlds) and `choices` (N, voters · slots, worlds) are luck.
    """
    rules = tables.rules
    choices = choices.reshape(*voters.shape, rules.slots, -1)
    choices = np.where(alike[:, None], choices[:, :1], choices)
    # The argmax of logits with Gumbel noise is a draw from the softmax; the runner-up is the second choice.
    noise = -np.log(-np.log(np.maximum(choices, 1e-7)))
    kind = _drawn(tables.others.kinds, kinds)  # (N, voters, worlds)
    by_kind = np.swapaxes(tables.logits, 1, 2).astype(np.float32)  # (N, K, slots)
    logits = noise + np.moveaxis(by_kind[np.arange(len(kind))[:, None, None], kind], -1, 2)
    logits[owners[:, None] == voters[:, :, None, None]] = -np.inf
    first = _best(logits)
    if rules.dials_most == 1:
        return first.astype(np.int8)
    logits[first] = -np.inf
    again = (stacks < tables.others.stacks[..., None]) & rules.may_stack
    return first.astype(np.int8) + np.where(again[:, :, None], first, _best(logits))


def _best(logits: Floats) -> Bools:
    """Where the highest of logits (…, slots, worlds) lies."""
    return np.arange(logits.shape[-2])[:, None] == logits.argmax(-2)[..., None, :]
