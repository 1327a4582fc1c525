"""All scene templates, by name."""

from . import inside, life, scale, sky, ways, worlds  # noqa: F401 (importing a module registers its templates)
from .base import PROPS, TEMPLATES

__all__ = ["PROPS", "TEMPLATES"]
