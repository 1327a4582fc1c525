"""What seats of a batch see: as tensors equal to `Spaces.features` and `Spaces.mask` of their views, and as views.

Letters in shapes as in `dixit_env.envs.batch`; C seats are looked at.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from dixit_env.envs.batch_state import BatchState
from dixit_env.envs.spaces import NO_CARD, PHASES, SILENT, WAIT
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.view import View

CLUE, CARDS, VOTES = PHASES


def masks(game: BatchState, seats: Sequence[int]) -> Tensor:
    """(B, C, actions) bool: which actions are legal."""
    tables, storyteller, at = game.tables, game.storyteller, game.tables.index(seats)
    fixed = tables.masks[game.phase, storyteller].index_select(0, at)
    if game.phase is VOTES:
        own = game.own.index_select(1, at)
        legal = tables.own_masks.index_select(0, own.flatten()).view(*own.shape, -1)
        if storyteller in seats:
            place = seats.index(storyteller)
            legal[:, place] = fixed[place]
        return legal
    legal = fixed.expand(game.games, -1, -1).clone()
    if game.held:
        legal &= ~game.over[:, None, None]
        legal[:, :, WAIT] |= game.over[:, None]
    return legal


def features(game: BatchState, seats: Sequence[int], out: Tensor | None = None) -> Tensor:
    """(B, C, size) float32: the pieces of the observation, in `out` where it is given."""
    tables, phase, storyteller, where = game.tables, game.phase, game.storyteller, game.where
    at = tables.index(seats)
    blank = tables.blanks[phase, storyteller].index_select(0, at).expand(game.games, -1, -1)
    observation = blank.clone() if out is None else out.copy_(blank)
    scores = (game.scores / game.rules.target).index_select(1, tables.round.index_select(0, at).flatten())
    observation[:, :, where["scores"]] = scores.view(game.games, len(seats), -1)
    observation[:, :, where["pile"]] = (game.pile / game.spaces.cards)[:, None, None]
    gave = phase is VOTES or (phase is CARDS and storyteller in seats)
    hands = (game.hands_left() if gave else game.hands).index_select(1, at)  # (B, C, H)
    observation[:, :, where["hand"]] = hands.float()
    if phase is VOTES:
        own = game.own.index_select(1, at)
        observation[:, :, where["own"]] = tables.own_slots.index_select(0, own.flatten()).view(*own.shape, -1)
        observation[:, :, where["slots"]] = game.slots[:, None].float()
    if game.spaces.clip is not None:
        _fill_clip(game, observation, hands.long(), seats)
    if game.held:  # a game that is over has no phase and no storyteller
        for name in ("phase", "storyteller"):
            observation[:, :, where[name]] *= ~game.over[:, None, None]
    return observation


def views(
    game: BatchState, rows: Sequence[int], seats: Sequence[int], histories: Sequence[tuple[PlayedTurn, ...]]
) -> list[View]:
    """What a seat of each of these games sees that is to decide now: views equal to those of the turn engine.

    Args:
        game: the games; a clue is the text of its number in their CLIP table.
        rows: (N,) of the games.
        seats: (N,) one in each of them.
        histories: (N,) the finished turns of each of them.
    """
    phase, teller, players = game.phase, game.storyteller, game.players
    texts = game.spaces.clip.texts if game.spaces.clip else None
    at, who = (torch.tensor(values, dtype=torch.int64, device=game.device) for values in (rows, seats))
    dealt = game.hands[at, who].tolist()
    left = game.hands_left()[at, who].tolist() if phase is VOTES else dealt
    table = game.slots[at].tolist() if phase is VOTES else [()] * len(rows)
    clues = game.clue[at].tolist()
    stock, piles = game.stock[at].tolist(), game.pile[at].tolist()
    scores, turns = game.scores[at].tolist(), game.turn[at].tolist()
    acted = tuple(phase is CARDS and seat == teller for seat in range(players))
    seen = []
    for row, seat in enumerate(seats):
        hand = tuple(card for card in left[row] if card != NO_CARD)
        given = tuple(card for card in dealt[row] if card not in hand)
        clue = "" if phase is CLUE else texts[clues[row]] if texts else SILENT
        own = tuple(slot for slot, card in enumerate(table[row]) if card in given)
        seen.append(
            View(
                rules=game.rules,
                seat=seat,
                phase=phase,
                turn=turns[row],
                storyteller=teller,
                scores=tuple(scores[row]),
                hand=hand,
                given=given,
                clue=clue,
                slots=tuple(table[row]),
                own_slots=own,
                dials=(),
                acted=acted,
                pile=piles[row],
                discard=tuple(stock[row][piles[row] :]),
                idle="",
                history=histories[row],
                winners=(),
            )
        )
    return seen


def _fill_clip(game: BatchState, observation: Tensor, hands: Tensor, seats: Sequence[int]) -> None:
    """Put into the observations (B, C, size) what the CLIP table says; hands (B, C, H) int64."""
    tables, phase, where = game.tables, game.phase, game.where
    if phase is CLUE:
        if game.storyteller in seats:
            place = seats.index(game.storyteller)
            cards = hands[:, place].clamp(min=0)
            rungs = tables.rung_similarity.index_select(0, cards.flatten()).view(game.games, -1)
            observation[:, place, where["rung_similarity"]] = rungs * ~game.over[:, None]
    else:
        observation[:, :, where["clue"]] = game.clue[:, None, None].float()
        row = game.clue * game.spaces.cards  # where the clue's row begins in the flat table
        similarity = tables.similarity.flatten()
        of_hand = similarity.take(row[:, None, None] + hands.clamp(min=0))
        observation[:, :, where["hand_similarity"]] = of_hand.masked_fill(hands < 0, 0)
        if phase is VOTES:
            observation[:, :, where["slot_similarity"]] = similarity.take(row[:, None] + game.slots)[:, None]
    if game.spaces.embeddings:
        observation[:, :, where["hand_embedding"]] = tables.cards[hands].flatten(2)
        if phase is not CLUE:
            observation[:, :, where["clue_embedding"]] = tables.clues[game.clue][:, None]
        if phase is VOTES:
            observation[:, :, where["slot_embedding"]] = tables.cards[game.slots.long()].flatten(1)[:, None]
