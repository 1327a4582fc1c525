"""Random streams: one seed, many independent sources, none of which can disturb another.

A stream is named by what it is for (`"deal"`, `"table"`, `"seat"`) and a number, so that the engine needs no
generator inside its state: the n-th shuffle is the same whenever it is asked for, on any machine. No stream and no
seed is ever part of a view; a bot that draws numbers can't change the deals.
"""

from collections.abc import Iterable
from random import Random


def stream(seed: int, name: str, index: int = 0) -> Random:
    """A fresh generator for the stream `name`, number `index`, of the game `seed`."""
    return Random(f"{seed}/{name}/{index}")


def shuffled(seed: int, name: str, index: int, items: Iterable[int]) -> tuple[int, ...]:
    """`items` in the order that the stream gives them."""
    order = list(items)
    stream(seed, name, index).shuffle(order)
    return tuple(order)
