"""Small learners, without any run around them."""

from dataclasses import replace
from typing import Any

import torch

from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.eyes import ReadDeck
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.run import Training, make_learner
from dixit_env.envs.clip_table import ClipTable

CPU = torch.device("cpu")
SMALL = Training(
    players=4, envs=16, turns=3, minibatches=2, evaluation_deals=8, device="cpu", width=16, eyes="noise:0.67"
)


def learner(table: ClipTable, **changes: Any) -> Learner:
    """A learner of `SMALL`, or of its changes, before the first update."""
    return make_learner(replace(SMALL, **changes), ReadDeck.of(table), CPU)


def first_legal(batch: DecisionBatch) -> torch.Tensor:
    """An opponent for tests."""
    return batch.legal.float().argmax(1)
