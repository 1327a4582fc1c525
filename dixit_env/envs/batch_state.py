"""The state of a batch of games: one row of each tensor is one game.

Letters in shapes: B games, P players, H cards in a hand, S slots.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from dixit_env.envs.batch_tables import Tables
from dixit_env.envs.spaces import NO_CARD, Spaces
from dixit_env.game.engine import Phase


class BatchState:
    """B games at the same phase of a turn, with the same storyteller. `BatchedGame` plays them.

    Args:
        games: B.
        spaces: the layout of actions and observations; it holds the rules at the table.
        device: where the tensors live.
    """

    def __init__(self, games: int, spaces: Spaces, device: torch.device) -> None:
        self.games = games
        self.spaces = spaces
        self.rules = spaces.rules
        self.players = spaces.rules.players
        self.device = device
        self.tables = Tables(spaces, device)
        self.where = {name: piece.where for name, piece in spaces.pieces.items()}
        self.held = False  # may games that are over be waiting for a reset?
        self.clear(0)

    def clear(self, first: int) -> None:
        """Empty tables, before the cards are dealt; the seat `first` is the storyteller."""
        games, players, hand, slots = self.games, self.players, self.rules.hand, self.rules.slots

        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=self.device)

        self.phase = Phase.CLUE
        self.storyteller = first
        self.turn = zeros(games, dtype=torch.int16)  # (B,) from 1
        self.scores = zeros(games, players, dtype=torch.int16)
        self.over = zeros(games, dtype=torch.bool)  # ended, and not begun anew yet
        self.hands = zeros(games, players, hand, dtype=torch.int16)  # what was given stays in place until the refill
        self.stock = zeros(games, self.spaces.cards - players * hand, dtype=torch.int16)  # the pile, then the discard
        self.pile = zeros(games, dtype=torch.int64)  # (B,) how many cards of the stock are the pile
        self.clue = zeros(games, dtype=torch.int64)  # (B,) clue number, of the open turn
        self.given = zeros(games, players, dtype=torch.int64)  # (B, P) which positions were given: `Tables.takes`
        self.played = zeros(games, slots, dtype=torch.int64)  # (B, S) index in the flat hands of each played card
        self.slots = zeros(games, slots, dtype=torch.int16)  # (B, S) the card in each slot
        self.slot_of = zeros(games, slots, dtype=torch.int64)  # (B, S) the slot of each played card, by seat
        self.own = zeros(games, players, dtype=torch.int64)  # (B, P) which slots hold own cards: `Tables.own_sets`
        self.votes = zeros(games, players - 1, dtype=torch.int64)  # (B, V) the last, indices of `Spaces.votes`

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that decide now, ascending: the order of A in observations, masks and actions."""
        if self.phase is Phase.CLUE:
            return (self.storyteller,)
        return tuple(seat for seat in range(self.players) if seat != self.storyteller)

    def hands_left(self) -> Tensor:
        """(B, P, H) int16: the hands without what was given this turn, -1 at their end."""
        left = self.tables.left.index_select(0, self.given.flatten()).view_as(self.hands)
        return pad(self.hands, (0, 1), value=NO_CARD).gather(2, left)
