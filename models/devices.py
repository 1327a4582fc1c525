"""Where tensors live."""

import os

import torch

from dixit_env.errors import DixitError


def device_for(name: str) -> torch.device:
    """The device for `cpu`, `cuda` or `auto` (a GPU where there is one); under torchrun each process has its own GPU.

    Raises `DixitError` for `cuda` without a GPU.
    """
    if name == "cpu" or (name == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise DixitError("torch finds no GPU here: take --device cpu")
    local = int(os.environ.get("LOCAL_RANK", "0"))
    torch.cuda.set_device(local)
    return torch.device("cuda", local)
