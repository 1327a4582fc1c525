"""Independent random streams of a run, derived from its seed by name, as the games do it (`dixit_env.game.streams`)."""

import torch

from dixit_env.game.streams import stream


def derived_seed(seed: int, name: str) -> int:
    """The seed of the stream `name`, 63 bits: two generators of one run must not draw the same numbers."""
    return stream(seed, name).getrandbits(63)


def generator(device: torch.device, seed: int, name: str) -> torch.Generator:
    """A generator at the beginning of the stream `name`."""
    return torch.Generator(device).manual_seed(derived_seed(seed, name))
