"""Pictures of training and evaluation."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from dixit_env.models.clip_training.evaluate import Answers, reliability


def draw_calibration(answered: Sequence[Answers], scale: float, path: Path) -> None:
    """How often the chosen card is right, against how sure the model says it is."""
    said, was, weight, gap = reliability(answered, scale)
    figure = Figure(figsize=(4.6, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle="--")
    axes.plot(said, was, color="#3b5b92", linewidth=1.5)
    axes.scatter(said, was, s=20 + 400 * weight, color="#3b5b92", alpha=0.6, linewidths=0)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability given to the chosen card", ylabel="share of them right")
    axes.set_title(f"Right card of six: mean gap {gap:.3f}", fontsize=11)
    axes.set_aspect("equal")
    figure.savefig(path, dpi=130)
