"""All scene templates, by name."""

from . import (  # noqa: F401 (importing a module registers its templates)
    cities,
    hearts,
    heights,
    inside,
    journeys,
    letters,
    life,
    pairs,
    portraits,
    rooms,
    scale,
    shadows,
    sky,
    stages,
    tabletop,
    ways,
    worlds,
)
from .base import PROPS, TEMPLATES

__all__ = ["PROPS", "TEMPLATES"]
