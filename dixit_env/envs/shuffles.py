"""Where the batched games get their shuffles from."""

from typing import Protocol

import torch
from torch import Tensor


class Shuffles(Protocol):
    """The source of chance of a batch. Orders are int64; element k of a row says what comes k-th."""

    def deal(self, games: Tensor) -> Tensor:
        """(batch, cards) the order of the deck in those games that begin; `games` is bool (batch,), the other rows
        may hold anything."""

    def table(self) -> Tensor:
        """(batch, slots) which of the played cards lies in each slot; the cards in order of the seats that gave them,
        then of their position in the hand."""

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        """(batch, pile and discard) the new order of pile and discard in those games where the pile runs out.

        `keep`, int64 (batch,): so many cards from the top stay where they are. The other rows may hold anything.
        """


class RandomShuffles:
    """Independent, uniformly random orders from one generator.

    On a CPU only the rows that are needed are drawn. On a GPU all are: to count the needed ones would make the CPU wait
    for the GPU, which shuffles faster than that.
    """

    def __init__(self, batch: int, cards: int, stock: int, slots: int, generator: torch.Generator) -> None:
        self.generator = generator
        self.batch = batch
        self.slots = slots
        self._deck = torch.zeros((batch, cards), dtype=torch.int64, device=generator.device)
        self._stock = torch.zeros((batch, stock), dtype=torch.int64, device=generator.device)

    def deal(self, games: Tensor) -> Tensor:
        return self._filled(self._deck, games, None)

    def table(self) -> Tensor:
        return _orders(self.batch, self.slots, None, self.generator)

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        return self._filled(self._stock, games, keep)

    def _filled(self, rows: Tensor, games: Tensor, keep: Tensor | None) -> Tensor:
        if rows.device.type != "cpu":
            return _orders(self.batch, rows.shape[1], keep, self.generator)
        needed = games.nonzero().squeeze(1)
        kept = None if keep is None else keep[needed]
        rows[needed] = _orders(len(needed), rows.shape[1], kept, self.generator)
        return rows


def _orders(rows: int, size: int, keep: Tensor | None, generator: torch.Generator) -> Tensor:
    """(rows, size) int64: sort random keys that carry their number in the low bits, which also breaks ties."""
    device = generator.device
    bits = size.bit_length()
    number = torch.arange(size, device=device)
    keys = torch.empty((rows, size), dtype=torch.int64, device=device).random_(generator=generator)
    keys = (keys >> bits << bits) + number
    if keep is not None:
        keys = torch.where(number < keep[:, None], number, keys | 1 << 62)
    if device.type == "cpu":
        keys.numpy().sort(axis=1)  # in place, and many times faster than torch sorts short rows
    else:
        keys = keys.sort(dim=1).values
    return keys & (1 << bits) - 1
