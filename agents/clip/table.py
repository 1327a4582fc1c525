"""A turn that isn't finished, played out many times: who owns which slot, and what the others' dials will show."""

from collections.abc import Sequence

import numpy as np

from dixit_env.agents.clip.race import Ints, turn_points
from dixit_env.agents.clip.sharpness import KINDS, Floats
from dixit_env.agents.clip.votes import Others
from dixit_env.game.rules import TableRules


def turn_gains(
    rng: np.random.Generator,
    rules: TableRules,
    seat: int,
    storyteller: int,
    own: Sequence[int],
    logits: Floats,
    belief: Floats,
    others: Others,
    ballots: Sequence[tuple[int, ...]],
    worlds: int,
) -> Ints:
    """Points of this turn for every seat in every sampled world, for each ballot of `seat`: (ballots, worlds, players).

    In each world the storyteller's slot is drawn from `belief` (slots,), the other slots get random owners, and the
    other voters (seats ascending, as in `others`) choose among the slots that aren't theirs, drawn by the `appeal` of
    the cards, logits (slots, K).
    """
    slots, players = len(logits), rules.players
    row = np.arange(worlds)[:, None]
    target = rng.choice(slots, worlds, p=belief)  # (worlds,)
    voters = np.array([s for s in range(players) if s not in (seat, storyteller)])

    # Owners: the rest of the slots in random order, `gives` for each voter.
    foreign = np.array([slot for slot in range(slots) if slot not in own])
    keys = rng.random((worlds, len(foreign)))
    keys[foreign == target[:, None]] = 2.0  # last, so cut off
    rest = foreign[np.argsort(keys, axis=1)[:, :-1]]  # (worlds, slots of the other voters)
    owners = np.full((worlds, slots), seat)
    owners[row, rest] = np.repeat(voters, rules.gives)
    owners[row[:, 0], target] = storyteller

    # Their votes: a softmax is an argmax with Gumbel noise; the runner-up is the second choice.
    count = len(voters)
    kinds = np.stack([rng.choice(KINDS, worlds, p=weights) for weights in others.weights], axis=1)
    noise = rng.gumbel(size=(worlds, count, slots))
    alike = rng.random((worlds, 1, 1)) < others.rho
    noise = np.where(alike, noise[:, :1], noise)
    drawn_to = logits.T[kinds] + noise  # (worlds, voters, slots)
    drawn_to[owners[:, None, :] == voters[:, None]] = -np.inf
    order = np.argsort(-drawn_to, axis=-1)
    first, second = order[..., 0], order[..., 1]
    dials = [first]
    if rules.dials_most == 2:
        stacked = (rng.random((worlds, count)) < others.stacks) & rules.may_stack
        dials.append(np.where(stacked, first, second))
    shown = np.stack(dials, -1)  # (worlds, voters, dials)

    found = np.zeros((worlds, players), int)
    used = np.zeros((worlds, players), int)
    drawn = np.zeros((worlds, players), int)
    found[:, voters] = (shown == target[:, None, None]).sum(-1)
    used[:, voters] = shown.shape[-1]
    victims = np.take_along_axis(owners[:, None, :], shown, axis=2)
    drawn += (victims[..., None] == np.arange(players)).sum((1, 2))

    gains = []
    for ballot in ballots:
        mine_found, mine_used, mine_drawn = found.copy(), used.copy(), drawn.copy()
        mine_used[:, seat] = len(ballot)
        for slot in ballot:
            mine_found[:, seat] += slot == target
            np.add.at(mine_drawn, (row[:, 0], owners[:, slot]), 1)
        gains.append((mine_found, mine_used, mine_drawn))
    stacked_arrays = [np.stack(arrays) for arrays in zip(*gains, strict=True)]
    tellers = np.full((len(ballots), worlds), storyteller)
    return turn_points(rules, tellers, *stacked_arrays)
