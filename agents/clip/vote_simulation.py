"""A turn whose votes are open, played out many times: who owns which slot, and what the others' dials will show."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.clip.voter_kinds import KINDS
from dixit_env.agents.clip.votes import VotingTable
from dixit_env.game.expectations import Ints, turn_points


def simulated_points(
    rng: np.random.Generator, table: VotingTable, ballots: Sequence[tuple[int, ...]], worlds: int
) -> Ints:
    """Points of this turn for every seat in every sampled world, for each of the voter's ballots: (ballots, worlds,
    players).

    In each world the storyteller's slot is drawn from the belief, the other slots get random owners, and the other
    voters choose among the slots that aren't theirs, as their kinds do. All ballots meet the same worlds.
    """
    rules, players = table.rules, table.rules.players
    target = rng.choice(len(table.logits), worlds, p=table.belief)  # (worlds,)
    owners = _owners(rng, table, target)
    voters = _other_voters(table)
    dials = _dials(rng, table, owners)  # (worlds, voters, dials)

    found = np.zeros((worlds, players), int)
    used = np.zeros((worlds, players), int)
    found[:, voters] = (dials == target[:, None, None]).sum(-1)
    used[:, voters] = dials.shape[-1]
    dial_owners = np.take_along_axis(owners[:, None, :], dials, axis=2)
    drawn = (dial_owners[..., None] == np.arange(players)).sum((1, 2))

    counts = []
    world = np.arange(worlds)
    for ballot in ballots:
        all_found, all_used, all_drawn = found.copy(), used.copy(), drawn.copy()
        all_used[:, table.seat] = len(ballot)
        for slot in ballot:
            all_found[:, table.seat] += slot == target
            all_drawn[world, owners[:, slot]] += 1
        counts.append((all_found, all_used, all_drawn))
    storytellers = np.full((len(ballots), worlds), table.storyteller)
    return turn_points(rules, storytellers, *(np.stack(arrays) for arrays in zip(*counts, strict=True)))


def _other_voters(table: VotingTable) -> NDArray[np.intp]:
    """Seats of the other voters, ascending."""
    return np.array([seat for seat in range(table.rules.players) if seat not in (table.seat, table.storyteller)])


def _owners(rng: np.random.Generator, table: VotingTable, target: NDArray[np.intp]) -> NDArray[np.intp]:
    """The seat that owns each slot, (worlds, slots): the slots that are not the voter's or `target` (worlds,) are dealt
    to the other voters at random."""
    worlds, slots = len(target), len(table.logits)
    foreign = np.array([slot for slot in range(slots) if slot not in table.own_slots])
    keys = rng.random((worlds, len(foreign)))
    keys[foreign == target[:, None]] = 2.0  # last in the order, so cut off
    rest = foreign[np.argsort(keys, axis=1)[:, :-1]]  # (worlds, slots of the other voters)
    owners = np.full((worlds, slots), table.seat)
    owners[np.arange(worlds)[:, None], rest] = np.repeat(_other_voters(table), table.rules.gives)
    owners[np.arange(worlds), target] = table.storyteller
    return owners


def _dials(rng: np.random.Generator, table: VotingTable, owners: NDArray[np.intp]) -> NDArray[np.intp]:
    """The slots that the other voters' dials show, (worlds, voters, dials)."""
    rules, others, worlds = table.rules, table.others, len(owners)
    voters = _other_voters(table)
    kinds = np.stack([rng.choice(KINDS, worlds, p=weights) for weights in others.kinds], axis=1)
    # The argmax of logits with Gumbel noise is a draw from the softmax; the runner-up is the second choice.
    noise = rng.gumbel(size=(worlds, len(voters), len(table.logits)))
    alike = rng.random((worlds, 1, 1)) < others.rho
    noise = np.where(alike, noise[:, :1], noise)
    logits = table.logits.T[kinds] + noise  # (worlds, voters, slots)
    logits[owners[:, None, :] == voters[:, None]] = -np.inf
    order = np.argsort(-logits, axis=-1)
    first, second = order[..., 0], order[..., 1]
    if rules.dials_most == 1:
        return first[..., None]
    stacked = (rng.random(first.shape) < others.stacks) & rules.may_stack
    return np.stack([first, np.where(stacked, first, second)], -1)
