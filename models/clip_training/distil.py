"""Stage one: the text tower learns the teachers' meaning of words, before it has seen a card."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from open_clip import CustomTextCLIP
from tqdm import tqdm

from dixit_env.models.clip import encode_tokens
from dixit_env.models.clip_training.corpus import Text
from dixit_env.models.clip_training.curve import Curve
from dixit_env.models.clip_training.network import tokenizer
from dixit_env.models.sentences import Vectors

BATCH = 384
LEARNING_RATE = 1e-3
_WARM_UP = 200  # steps
_SCALE = 20.0  # of the cosines in the batch's cross-entropy


def start_text_tower(network: CustomTextCLIP, corpus: Sequence[Text], targets: Vectors) -> None:
    """Start the text tower as the mean of what its tokens mean.

    A token that is a text of the corpus starts as that text's target (its leading axes), other tokens near nothing. The
    first layer attends to all tokens alike and passes them on, later layers begin almost silent, and the projection
    leaves the axes where they are.
    """
    tower, words = network.text, tokenizer()
    width = tower.token_embedding.weight.shape[1]
    known = {text.text.lower(): row for row, text in reversed(list(enumerate(corpus)))}
    tokens = torch.randn(words.vocab_size, targets.shape[1]) * 0.02
    for token in range(words.vocab_size):
        if (row := known.get(words.decode([token]).strip())) is not None:
            tokens[token] = torch.from_numpy(targets[row].astype(np.float32))
    with torch.no_grad():
        start = tokens[:, :width] * (0.05 / tokens[:, :width].std())
        start[words.all_special_ids] *= 0.01  # the end of the text has no meaning of its own
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
        tower.text_projection[:, :width] += torch.eye(width)


def distil(
    network: CustomTextCLIP, corpus: Sequence[Text], targets: Vectors, epochs: float, checkpoint: Path, curve: Curve
) -> None:
    """Train the text tower until texts lie where the teachers put them; resumes from `checkpoint`.

    The loss of a batch is one minus the mean cosine to the target, plus a cross-entropy that asks for each text's own
    target among the batch's, without which near meanings blur.
    """
    batches = TextBatches(corpus, targets, BATCH, seed=0)
    steps = int(epochs * len(corpus) / BATCH)
    optimizer = torch.optim.AdamW(network.text.parameters(), lr=LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warm_cosine(step, steps, _WARM_UP))
    parts = {"network": network.text, "optimizer": optimizer, "schedule": schedule}
    done = restore(checkpoint, parts)
    for step in tqdm(range(done, steps), desc="text tower", initial=done, total=steps, disable=None):
        tokens, wanted = batches.draw(step)
        loss, cosine = text_loss(network, tokens, wanted)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(network.text.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        curve.add("text", step, loss=float(loss.detach()), cosine=cosine)
        if step % 200 == 199 or step == steps - 1:
            store(checkpoint, step + 1, parts)


def text_loss(network: CustomTextCLIP, tokens: torch.Tensor, wanted: torch.Tensor) -> tuple[torch.Tensor, float]:
    """The loss of a batch of texts and its mean cosine to `wanted` (B, dim), the teachers' unit vectors."""
    features = F.normalize(encode_by_length(network, tokens), dim=-1)  # (B, dim)
    cosine = (features * wanted).sum(-1).mean()
    own = torch.arange(len(tokens))
    among = F.cross_entropy(_SCALE * features @ wanted.T, own, label_smoothing=0.05)
    return 1 - cosine + 0.1 * among, float(cosine.detach())


def encode_by_length(network: CustomTextCLIP, tokens: torch.Tensor) -> torch.Tensor:
    """Text features (T, dim), names apart from sentences so that they aren't padded to the same length."""
    order = tokens.argmax(1).argsort()
    features = torch.cat([encode_tokens(network, tokens[rows]) for rows in order.chunk(6)])
    return features[order.argsort()]


class TextBatches:
    """Batches of tokens and targets, drawn by step so that a resumed run goes on where it was.

    A third of each batch are texts whose English meaning the corpus gives, a third other English and a third other
    foreign texts: the first are few, and the only ones that say surely what a foreign word means.
    """

    def __init__(self, corpus: Sequence[Text], targets: Vectors, size: int, seed: int) -> None:
        self._tokens = tokenizer()([text.text for text in corpus]).to(torch.int32)  # (N, context)
        self._targets: NDArray[np.float32] = targets
        kinds = np.array([0 if text.english else 1 if text.language == "en" else 2 for text in corpus])
        self._kinds = [rows for kind in range(3) if len(rows := np.flatnonzero(kinds == kind))]
        self._size, self._seed = size, seed

    def draw(self, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens (B, context) and unit targets (B, dim)."""
        rng = np.random.default_rng((self._seed, step))
        rows = np.concatenate([rng.choice(rows, self._size // len(self._kinds)) for rows in self._kinds])
        return self._tokens[rows].long(), torch.from_numpy(self._targets[rows].astype(np.float32))


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
