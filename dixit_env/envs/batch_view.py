"""What seats of a batch see, as tensors equal to `Spaces.features` and `Spaces.mask` of their views.

Letters in shapes as in `dixit_env.envs.batch`; C seats are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from dixit_env.envs.spaces import PHASES, WAIT

if TYPE_CHECKING:
    from dixit_env.envs.batch import BatchedGame

CLUE, CARDS, VOTES = PHASES


def masks(game: BatchedGame, seats: Sequence[int]) -> Tensor:
    """(B, C, actions) bool: which actions are legal."""
    tables, teller, at = game.tables, game.storyteller, game.tables.index(seats)
    fixed = tables.masks[game.phase, teller].index_select(0, at)
    if game.phase is VOTES:
        own = game.own.index_select(1, at)
        legal = tables.own_masks.index_select(0, own.flatten()).view(*own.shape, -1)
        if teller in seats:
            place = seats.index(teller)
            legal[:, place] = fixed[place]
        return legal
    legal = fixed.expand(game.games, -1, -1).clone()
    if game.held:
        legal &= ~game.over[:, None, None]
        legal[:, :, WAIT] |= game.over[:, None]
    return legal


def features(game: BatchedGame, seats: Sequence[int], out: Tensor | None = None) -> Tensor:
    """(B, C, size) float32: the pieces of the observation, in `out` where it is given."""
    tables, phase, teller, where = game.tables, game.phase, game.storyteller, game.where
    at = tables.index(seats)
    blank = tables.blanks[phase, teller].index_select(0, at).expand(game.games, -1, -1)
    seen = blank.clone() if out is None else out.copy_(blank)
    scores = (game.scores / game.rules.target).index_select(1, tables.round.index_select(0, at).flatten())
    seen[:, :, where["scores"]] = scores.view(game.games, len(seats), -1)
    seen[:, :, where["pile"]] = (game.pile / game.spaces.cards)[:, None, None]
    gave = phase is VOTES or (phase is CARDS and teller in seats)
    hands = (game.hands_left() if gave else game.hands).index_select(1, at)  # (B, C, H)
    seen[:, :, where["hand"]] = hands.float()
    if phase is VOTES:
        own = game.own.index_select(1, at)
        seen[:, :, where["own"]] = tables.own_slots.index_select(0, own.flatten()).view(*own.shape, -1)
        seen[:, :, where["slots"]] = game.slots[:, None].float()
    if game.spaces.clip is not None:
        _see_clip(game, seen, hands.long(), seats)
    if game.held:  # nobody tells any more in a game that is over
        for name in ("phase", "storyteller"):
            seen[:, :, where[name]] *= ~game.over[:, None, None]
    return seen


def _see_clip(game: BatchedGame, seen: Tensor, hands: Tensor, seats: Sequence[int]) -> None:
    """Put into the observations (B, C, size) what the CLIP table says; hands (B, C, H) int64."""
    tables, phase, where = game.tables, game.phase, game.where
    if phase is CLUE:
        if game.storyteller in seats:
            place = seats.index(game.storyteller)
            cards = hands[:, place].clamp(min=0)
            rungs = tables.rung_similarity.index_select(0, cards.flatten()).view(game.games, -1)
            seen[:, place, where["rung_similarity"]] = rungs * ~game.over[:, None]
    else:
        seen[:, :, where["clue"]] = game.clue[:, None, None].float()
        row = game.clue * game.spaces.cards  # where the clue's row begins in the flat table
        similarity = tables.similarity.flatten()
        of_hand = similarity.take(row[:, None, None] + hands.clamp(min=0))
        seen[:, :, where["hand_similarity"]] = of_hand.masked_fill(hands < 0, 0)
        if phase is VOTES:
            seen[:, :, where["slot_similarity"]] = similarity.take(row[:, None] + game.slots)[:, None]
    if game.spaces.embeddings:
        seen[:, :, where["hand_embedding"]] = tables.cards[hands].flatten(2)
        if phase is not CLUE:
            seen[:, :, where["clue_embedding"]] = tables.clues[game.clue][:, None]
        if phase is VOTES:
            seen[:, :, where["slot_embedding"]] = tables.cards[game.slots.long()].flatten(1)[:, None]
