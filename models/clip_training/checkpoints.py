"""What the training stages share: the learning rate's course, and checkpoints that a kill can't spoil."""

from pathlib import Path
from typing import Any

import numpy as np
import torch


def warm_cosine(step: int, steps: int, warm_up: int) -> float:
    """The learning rate's factor: a linear rise, then half a cosine down to a hundredth."""
    if step < warm_up:
        return (step + 1) / warm_up
    progress = (step - warm_up) / max(1, steps - warm_up)
    return 0.01 + 0.99 * 0.5 * (1 + float(np.cos(np.pi * min(1.0, progress))))


def restore(checkpoint: Path, parts: dict[str, Any]) -> int:
    """Load what an interrupted run left; returns the steps it had done."""
    if not checkpoint.exists():
        return 0
    saved = torch.load(checkpoint, map_location="cpu", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(saved[name])
    return int(saved["step"])


def store(checkpoint: Path, step: int, parts: dict[str, Any]) -> None:
    """Write a checkpoint that `restore` reads; a kill leaves the last one whole."""
    unfinished = checkpoint.with_suffix(".part")
    torch.save({"step": step, **{name: part.state_dict() for name, part in parts.items()}}, unfinished)
    unfinished.replace(checkpoint)
