"""All scene templates, by name."""

from . import (  # noqa: F401 (importing a module registers its templates)
    cities,
    inside,
    life,
    pairs,
    portraits,
    rooms,
    scale,
    sky,
    stages,
    tabletop,
    ways,
    worlds,
)
from .base import PROPS, TEMPLATES

__all__ = ["PROPS", "TEMPLATES"]
