"""The reliability diagram of an evaluated CLIP."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dixit_env.bench.stats import calibration_error
from dixit_env.models.clip_training.evaluate import Answers, confidences

BINS = 10  # as in `calibration_error`


def draw_calibration(answered: Sequence[Answers], scale: float, path: Path) -> None:
    """How often the chosen card is right, against the probability that the model gives to it."""
    confidence, right = confidences(answered, scale)
    bin_of = np.minimum((confidence * BINS).astype(int), BINS - 1)
    counts = np.bincount(bin_of, minlength=BINS)
    filled = counts > 0
    mean_confidence, share_right = (
        np.bincount(bin_of, values, BINS)[filled] / counts[filled] for values in (confidence, right)
    )
    figure = Figure(figsize=(4.6, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle="--")
    axes.plot(mean_confidence, share_right, color="#3b5b92", linewidth=1.5)
    sizes = 20 + 400 * counts[filled] / counts.sum()
    axes.scatter(mean_confidence, share_right, s=sizes, color="#3b5b92", alpha=0.6, linewidths=0)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability given to the chosen card", ylabel="share of them right")
    axes.set_title(f"Right card of six: mean gap {calibration_error(confidence, right, BINS):.3f}", fontsize=11)
    axes.set_aspect("equal")
    figure.savefig(path, dpi=130)
