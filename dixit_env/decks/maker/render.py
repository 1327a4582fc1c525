"""From a scene to a picture."""

import numpy as np
from PIL import Image

from .brush import paint
from .manner import MANNERS, borrow_colours
from .paint import Stage, full_range
from .paper import finish
from .scene import Scene
from .sources import Sources
from .templates import TEMPLATES


def compose(sources: Sources, scene: Scene, size: tuple[int, int]) -> Stage:
    """The stage with everything on it, before it's painted."""
    stage = Stage(sources, scene, size)
    TEMPLATES[scene.template].compose(stage, scene)
    stage.foreground()
    return stage


def render(sources: Sources, scene: Scene, size: tuple[int, int] = (512, 768)) -> Image.Image:
    """Paints a scene: RGB of `size` (width, height; made for 2:3). The same arguments give the same pixels."""
    stage = compose(sources, scene, size)
    rng = np.random.default_rng((scene.seed, 3))
    picture = borrow_colours(full_range(stage.canvas), sources.paintings[scene.style], 0.3)
    return finish(paint(picture, MANNERS[scene.style], stage.light, rng), rng)
