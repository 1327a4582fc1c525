"""The reader: what multilingual-e5-small's vectors say of what people see, by a small network over them.

It is the text tower's teacher. E5 knows four languages but not what people associate; the associations and viewers'
clues know that, but few words. The reader is trained on E5's fixed vectors in minutes, with perfect eyes, and carries
what was said of things over to words that nobody said.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from dixit_env.models.clip_training.checkpoints import warm_cosine
from dixit_env.models.clip_training.scenes import SceneSpace
from dixit_env.models.clip_training.talk import Counts, Talk, talk_loss

COUNTS = Counts(said=308, clues=204)

_HIDDEN = 512
_DROPPED = 0.3  # share of the inputs and of the hidden units that a step leaves out
_RATE = 2e-3
_WARM_UP = 50  # steps


class Reader(nn.Module):
    """E5's centred unit vectors (n, width) → unit vectors in the space of scenes (n, dim)."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.straight = nn.Linear(width, dim)
        self.bent = nn.Sequential(nn.Linear(width, _HIDDEN), nn.GELU(), nn.Dropout(_DROPPED), nn.Linear(_HIDDEN, dim))
        self.dropout = nn.Dropout(_DROPPED)

    def forward(self, vectors: Tensor) -> Tensor:
        """Unit vectors, (n, dim)."""
        kept = self.dropout(vectors)
        return F.normalize(self.straight(kept) + self.bent(kept), dim=-1)


def train_reader(space: SceneSpace, talk: Talk, vectors: Tensor, steps: int) -> Reader:
    """A reader, trained together with the space on what `talk` says; `vectors`: E5's of its texts, (texts, width)."""
    reader = Reader(vectors.shape[1], space.directions.shape[1])
    optimizer = torch.optim.AdamW([*reader.parameters(), *space.parameters()], lr=_RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    for step in tqdm(range(steps), desc="reader", disable=None):
        batch = talk.draw(step)
        optimizer.zero_grad()
        torch.autograd.backward(talk_loss(reader(vectors[batch.texts]), space, batch))
        optimizer.step()
        schedule.step()
    return reader.eval()
