"""Stage one: the text tower learns what clues mean, with perfect eyes, before it has seen a card.

It starts as the mean of what its pieces mean to the `reader`, and then learns two things at once:

- where the reader puts a text, for associations, names, tags, viewers' clues and common words of the four languages;
- what is said of what: a text is drawn to the cards (`scenes`) of which it is true, among the other cards of the batch,
  and an association to its key among all keys.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from open_clip import CustomTextCLIP
from torch import Tensor
from tqdm import tqdm

from dixit_env.models.clip import encode_tokens
from dixit_env.models.clip_training.checkpoints import restore, store, warm_cosine
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.e5 import PAD, START
from dixit_env.models.clip_training.network import Tokens
from dixit_env.models.clip_training.scenes import SceneSpace
from dixit_env.models.clip_training.talk import Counts, Talk, talk_loss

COUNTS = Counts(said=144, clues=96, descriptions=14, words=34)
RATE = 8e-4
_RATE_OF_SPACE = 2e-4
_WARM_UP = 60  # steps
_EMBEDDED = 0.05  # standard deviation of the first piece vectors
_NEAR = 3.0  # weight of the nearness to the reader
_EVERY = 50  # steps between checkpoints


def start_from_meanings(network: CustomTextCLIP, meant: Tensor, written: Tensor) -> None:
    """Start the text tower as the mean of what its pieces mean.

    The first layer attends to all pieces alike and passes them on, later layers begin almost silent, and the projection
    leaves the axes where they are.

    Args:
        network: its text tower is changed.
        meant: where the reader puts each piece, unit vectors (vocabulary, dim).
        written: what else tells the pieces apart, (vocabulary, width − dim).
    """
    tower = network.text
    width, dim = tower.token_embedding.weight.shape[1], meant.shape[1]
    with torch.no_grad():
        start = torch.cat([meant / meant.std(), written / written.std()], dim=1) * _EMBEDDED
        start[[START, PAD, len(start) - 1]] *= 0.01  # beginning and end have no meaning of their own
        tower.token_embedding.weight.copy_(start)
        tower.positional_embedding.mul_(0.1)
        for number, block in enumerate(tower.transformer.resblocks):
            block.attn.in_proj_weight[: 2 * width].mul_(0.3)  # queries and keys: attention starts nearly even
            block.attn.out_proj.weight.mul_(0.2)
            block.mlp.c_proj.weight.mul_(0.2)
            if number == 0:
                block.attn.in_proj_weight[2 * width :].copy_(torch.eye(width))
                block.attn.out_proj.weight.copy_(torch.eye(width))
        tower.text_projection.normal_(std=0.01)
        tower.text_projection[:dim] += torch.eye(dim)


def train_text(
    network: CustomTextCLIP,
    tokens: Tokens,
    space: SceneSpace,
    talk: Talk,
    meant: Tensor,
    steps: int,
    checkpoint: Path,
    curve: Curve,
) -> None:
    """Train the text tower and the space for `steps` batches; resumes from `checkpoint`.

    `meant`: where the reader puts the texts of `talk` but for the descriptions, unit vectors (`talk.spoken`, dim).
    """
    towers = list(network.text.named_parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for name, p in towers if "embedding" not in name], "lr": RATE, "weight_decay": 0.02},
            {"params": [p for name, p in towers if "embedding" in name], "lr": RATE, "weight_decay": 0.0},
            {"params": list(space.parameters()), "lr": _RATE_OF_SPACE, "weight_decay": 0.0},
        ],
        betas=(0.9, 0.98),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    parts = {"text": network.text, "space": space, "optimizer": optimizer, "schedule": schedule}
    done = restore(checkpoint, parts)
    for step in tqdm(range(done, steps), desc="text tower", initial=done, total=steps, disable=None):
        batch = talk.draw(step)
        texts = [talk.texts[row] for row in batch.texts]
        features = F.normalize(encode_by_length(network, tokens(texts)), dim=-1)  # (T, dim)
        read = torch.from_numpy(batch.texts) < talk.spoken
        near = 1 - (features[read] * meant[batch.texts[read.numpy()]]).sum(-1).mean()
        told = talk_loss(features, space, batch)
        optimizer.zero_grad()
        torch.autograd.backward(told + _NEAR * near)
        torch.nn.utils.clip_grad_norm_(network.text.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        curve.add("text", step, loss=float(told.detach()), near=float(near.detach()))
        if step % _EVERY == _EVERY - 1 or step == steps - 1:
            store(checkpoint, step + 1, parts)


def encode_by_length(network: CustomTextCLIP, tokens: Tensor) -> Tensor:
    """Text features (T, dim), words apart from sentences so that they aren't padded to the same length."""
    order = (tokens != PAD).sum(1).argsort()
    features = torch.cat([encode_tokens(network, tokens[rows]) for rows in order.chunk(6)])
    return features[order.argsort()]
