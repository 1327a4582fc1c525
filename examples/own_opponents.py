"""An own pool of opponents: a short training among players of your own.

    python examples/own_opponents.py            (pip install 'dixit-env[train]')

From the command line, with a function in any module that Python finds:
`python scripts/train.py --opponent my_players:stubborn --no-scripted --out runs/mine`
"""

import tempfile
from pathlib import Path

import torch
from torch import Tensor

from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.run import Training, train
from dixit_env.game.engine import Phase
from dixit_env.models.sight import Sight


def stubborn(batch: DecisionBatch) -> Tensor:
    """Always the first legal choice: int64 (N,) for the N decisions of a batch."""
    return batch.legal.float().argmax(1)


def contrary(batch: DecisionBatch) -> Tensor:
    """Gives the decoy that fits the clue least; clues and votes at random: int64 (N,)."""
    if batch.phase is Phase.CARDS:
        return batch.best(-batch.choices.total(batch.z))
    return batch.best(batch.noise())


def main() -> None:
    """Train for a few updates, and say how the policy does against the scripted agents."""
    torch.set_num_threads(1)  # the network is too small for more to help
    settings = Training(
        players=4,
        envs=64,
        minibatches=4,
        updates=3,
        evaluation_deals=8,
        no_scripted=True,
        opponent=("own_opponents:stubborn", "own_opponents:contrary"),
        eyes="noise:0.67",
        device="cpu",
    )
    with tempfile.TemporaryDirectory() as folder:
        results = train(settings, Sight.load(["dreams"], clip="embedded"), Path(folder))
    for name, share in results["evaluation"].items():
        print(f"against {name}: {share['win_share']:.0%} of the victories")


if __name__ == "__main__":
    main()
