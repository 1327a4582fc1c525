"""Surreal picture cards without end: `sample_scene` says what is on a card, `render` paints it.

sources = load_sources()
scene = sample_scene(sources, seed=7)
print(scene.title("en"), "-", scene.description("en"))
render(sources, scene, size=(512, 768)).save("card.webp")
"""

from dixit_env.packages import MissingSource, source_folder

from .render import compose, render
from .sampling import sample_scene
from .scene import Scene
from .sources import Sources, load_sources
from .things import Landscape, Thing

__all__ = [
    "Landscape",
    "MissingSource",
    "Scene",
    "Sources",
    "Thing",
    "compose",
    "load_sources",
    "render",
    "sample_scene",
    "source_folder",
]
