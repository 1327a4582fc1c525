"""From a scene to a picture."""

import numpy as np
from PIL import Image

from .paint import Stage, finish
from .scene import Scene
from .sources import Sources
from .style import paint_like
from .templates import TEMPLATES


def render(sources: Sources, scene: Scene, size: tuple[int, int] = (512, 768)) -> Image.Image:
    """Paints a scene: RGB of `size` (width, height; made for 2:3). The same arguments give the same pixels."""
    stage = Stage(sources, scene, size)
    TEMPLATES[scene.template].compose(stage, scene)
    stage.foreground()
    painted = paint_like(sources, stage.canvas, scene.style, scene.strength)
    return finish(painted, np.random.default_rng((scene.seed, 3)))
