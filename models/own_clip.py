"""The project's own CLIPs, without torch as far as that goes: it is loaded with the first picture.

The vectors of a deck's cards are kept on disk (`embeddings`), so a process that plays meets new texts alone.
"""

import json
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from dixit_env.models.own_files import CONFIG, OWN, WEIGHTS, own_fingerprint
from dixit_env.models.text_tower import TextTower

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from dixit_env.models.clip import Clip


class OwnClip:
    """One of `OWN`, with the vectors that `clip.Clip` gives, up to rounding."""

    def __init__(self, name: str) -> None:
        folder = OWN[name]
        self.name = name
        self.fingerprint = own_fingerprint(name)
        self.dim: int = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["model_cfg"]["embed_dim"]
        with safe_open(folder / WEIGHTS, "np") as file:
            self.logit_scale = math.exp(file.get_tensor("logit_scale"))
        self._text_tower = TextTower(folder)

    @cached_property
    def _whole(self) -> "Clip":
        from dixit_env.models.clip import load_clip  # imports torch and open_clip, which takes seconds and 700 MB

        return load_clip(self.name)

    def embed_images(self, images: Sequence["Image.Image | Path"]) -> NDArray[np.float32]:
        """Unit vectors of pictures, (n, dim), as from `Clip.embed_images`."""
        return self._whole.embed_images(images)

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, (n, dim); what is longer than the model's context is cut."""
        return self._text_tower(texts)
