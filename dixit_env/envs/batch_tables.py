"""The constants of `BatchedGame`: what depends on the rules and the layout alone, as tensors on its device."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import torch
from torch import Tensor

from dixit_env.envs.spaces import PHASES, WAIT, Spaces
from dixit_env.game.engine import Phase


class Tables:
    """Look-up tables. P players, V = P − 1, H cards in a hand, G cards that a player gives, S slots.

    `takes` numbers the sets of hand positions that can have left a hand (none, one for the storyteller, G for the
    others), `own_sets` the sets of slots that a seat's cards can fill (one, G). Sets of G > 1 slots are in
    colexicographic order, where a set {a < b < …} has the number C(a, 1) + C(b, 2) + …
    """

    def __init__(self, spaces: Spaces, device: torch.device) -> None:
        rules = spaces.rules
        players, hand, gives, slots = rules.players, rules.hand, rules.gives, rules.slots
        self.spaces = spaces
        self._indices: dict[tuple[int, ...], Tensor] = {}
        self.device = device
        seats = range(players)

        self.clue_position = self._long([position for position, _ in spaces.clues])  # (clues,)
        self.ladder = None if spaces.clip is None else self._long(spaces.clip.ladder)  # (cards, rungs)
        self.gifts = self._long(spaces.gifts)  # (gifts, G) hand positions
        self.gift_numbers = self._long(range(gives))
        self.slot_numbers = self._long(range(slots))

        takes = [(), *[(position,) for position in range(hand)], *(spaces.gifts if gives > 1 else [])]
        self.first_gift = len(takes) - len(spaces.gifts)
        left = [[position for position in range(hand) if position not in take] for take in takes]
        self.left = self._long([rest + [hand] * (hand - len(rest)) for rest in left])  # (takes, H) H where none is left

        sets = sorted(combinations(range(slots), gives), key=lambda chosen: chosen[::-1])
        own_sets = [*[(slot,) for slot in range(slots)], *(sets if gives > 1 else [])]
        self.first_own_set = len(own_sets) - len(sets)
        self.binomial = self._long([[comb(slot, place + 1) for place in range(gives)] for slot in range(slots)])
        self.own_slots = torch.zeros((len(own_sets), slots), device=device)  # (own_sets, S) 1 where an own card lies
        votes = torch.zeros((len(spaces.votes), slots), dtype=torch.int8)
        for number, vote in enumerate(spaces.votes):
            for slot in vote:
                votes[number, slot] += 1
        for number, own in enumerate(own_sets):
            self.own_slots[number, list(own)] = 1
        legal = (self.own_slots.cpu() @ votes.T.float()) == 0  # (own_sets, votes)
        self.dials = votes.to(device)  # (votes, S) int8 dials on each slot
        self.cast = votes.sum(dim=1, dtype=torch.int16).to(device)  # (votes,) dials in all
        self.legal = legal.to(device)
        self.own_masks = torch.zeros((len(own_sets), spaces.actions), dtype=torch.bool, device=device)
        self.own_masks[:, spaces.first[Phase.VOTES] :] = self.legal
        # (own_sets, legal votes) vote numbers: equally many for all sets of G slots; the rest of another row repeats
        open_votes = [row.nonzero().squeeze(1) for row in legal]
        count = len(open_votes[-1])
        self.open_votes = torch.stack([row[:count] for row in open_votes]).to(device)

        others = [[other for other in seats if other != seat] for seat in seats]
        givers = [np.repeat(seats, [1 if other == seat else gives for other in seats]) for seat in seats]
        self.voters = [self._long(row) for row in others]  # for each storyteller (V,) seats
        self.giver = [self._long(row) for row in givers]  # for each storyteller (S,) the seat of each played card
        self.hand_start = [row * hand for row in self.giver]  # … and where its hand begins
        self.round = self._long([[(seat + step) % players for step in seats] for seat in seats])  # (P, P)
        # by phase and storyteller: (P, actions) legal actions, in the votes also those on own cards, and
        # (P, size) the part of the observations that does not depend on the game
        self.masks: dict[tuple[Phase, int], Tensor] = {}
        self.blanks: dict[tuple[Phase, int], Tensor] = {}
        for phase in PHASES:
            for storyteller in seats:
                idle = [seat for seat in seats if (seat == storyteller) != (phase is Phase.CLUE)]
                masks = torch.zeros((players, spaces.actions), dtype=torch.bool)
                masks[:, spaces.first[phase] : self._end(phase)] = True
                masks[idle] = False
                masks[idle, WAIT] = True
                blanks = np.stack([spaces.blank(phase, (storyteller - seat) % players) for seat in seats])
                self.masks[phase, storyteller] = masks.to(device)
                self.blanks[phase, storyteller] = torch.from_numpy(blanks).to(device)
        clip = spaces.clip
        if clip is not None:
            self.similarity = self._float(clip.similarity)  # (clues, cards)
            self.rung_similarity = self._float(clip.rung_similarity)  # (cards, rungs)
            self.cards = self._float(np.pad(clip.cards, ((0, 1), (0, 0))))  # (cards + 1, width) the last row is no card
            self.clues = self._float(clip.clues)  # (clues, width)

    def index(self, seats: Sequence[int]) -> Tensor:
        """The seats as a tensor, made once."""
        key = tuple(seats)
        if key not in self._indices:
            self._indices[key] = self._long(key)
        return self._indices[key]

    def _end(self, phase: Phase) -> int:
        later = [first for first in self.spaces.first.values() if first > self.spaces.first[phase]]
        return min(later, default=self.spaces.actions)

    def _long(self, values: object) -> Tensor:
        return torch.as_tensor(np.asarray(values, dtype=np.int64), device=self.device)

    def _float(self, values: np.ndarray) -> Tensor:
        return torch.as_tensor(np.ascontiguousarray(values, dtype=np.float32), device=self.device)
