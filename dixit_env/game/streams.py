"""Random streams: one seed, many independent sources, none of which can disturb another.

A stream is named by what it is for (`"deal"`, `"table"`, `"seat"`) and a number, so that the engine needs no
generator inside its state: the n-th shuffle is the same whenever it is asked for, on any machine. No stream and no
seed is ever part of a view; a bot that draws numbers can't change the deals.

A small seed can be found by trying seeds until one explains a hand, or the numbers of an own generator. Where that
matters, a secret `salt` goes into the streams: without it no number of tries leads from one stream to another.
"""

from collections.abc import Iterable
from random import Random


def stream(seed: int, name: str, index: int = 0, salt: str = "") -> Random:
    """A fresh generator for the stream `name`, number `index`, of the game `seed`, with a secret `salt` or none.

    `random.Random` hashes a text with SHA-512, so the streams of different texts have nothing in common.
    """
    return Random(f"{seed}/{name}/{index}/{salt}" if salt else f"{seed}/{name}/{index}")


def shuffled(seed: int, name: str, index: int, items: Iterable[int], salt: str = "") -> tuple[int, ...]:
    """`items` in the order that the stream gives them."""
    order = list(items)
    stream(seed, name, index, salt).shuffle(order)
    return tuple(order)
