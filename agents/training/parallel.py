"""Synchronous data parallel under torchrun: every process plays its own games, gradients are averaged at every step.

In a process that torchrun did not start, all of this does nothing.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import nn

from dixit_env.errors import DixitError


@contextmanager
def group(device: torch.device) -> Iterator[None]:
    """Join the processes that torchrun started; gloo on CPUs, nccl on GPUs.

    Raises `DixitError` when another process of the group is gone.
    """
    if "WORLD_SIZE" not in os.environ:
        yield
        return
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield
    except (dist.DistError, RuntimeError) as error:
        if isinstance(error, DixitError) or not _lost(error):
            raise
        raise DixitError(
            f"process {rank()} lost another process of this run ({str(error).splitlines()[0]}): "
            "see what that one said last, then go on with --resume"
        ) from error
    finally:
        dist.destroy_process_group()


def _lost(error: Exception) -> bool:
    said = str(error).lower()
    return any(word in said for word in ("connection", "peer", "gloo", "nccl", "timed out"))


def rank() -> int:
    """The number of this process, 0 when it is the only one."""
    return dist.get_rank() if dist.is_initialized() else 0


def size() -> int:
    """How many processes there are."""
    return dist.get_world_size() if dist.is_initialized() else 1


def average_gradients(module: nn.Module) -> None:
    """Replace every gradient by its mean over the processes, in one message."""
    if size() == 1:
        return
    grads = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
    flat = torch.cat([grad.flatten() for grad in grads])
    dist.all_reduce(flat)
    flat /= size()
    start = 0
    for grad in grads:
        grad.copy_(flat[start : start + grad.numel()].view_as(grad))
        start += grad.numel()


def share(module: nn.Module) -> None:
    """Give every process the weights of the first."""
    if size() > 1:
        for parameter in module.parameters():
            dist.broadcast(parameter.data, 0)


def mean(value: float) -> float:
    """The mean of a number over the processes: the same in all of them, so that they decide alike."""
    if size() == 1:
        return value
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    shared = torch.tensor(value, dtype=torch.float64, device=device)
    dist.all_reduce(shared)
    return float(shared) / size()
