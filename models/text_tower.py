"""The text tower of the project's own CLIPs in numpy.

A clue of three words is read in a millisecond. Importing torch and open_clip for it takes seconds and 700 MB in every
process that plays. The vectors are those of open_clip up to rounding.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import unescape
from pathlib import Path

import ftfy
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from tokenizers import Tokenizer

from dixit_env.models.own_files import CONFIG, TOKENIZER, WEIGHTS

Floats = NDArray[np.float32]
Ints = NDArray[np.integer]
Weights = Mapping[str, Floats]

_BATCH = 64  # texts
_PREFIX = "text."  # of the tower's weights in the file
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_EPSILON = 1e-5  # of the layer norms, as in torch

# The complementary error function of z > 0 is exp(-z²) times a polynomial in 1 / (1 + p z), to 1.5e-7 (Abramowitz and
# Stegun, 7.1.26).
_ERFC_P = 0.3275911
_ERFC = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)  # of the highest power first


class TextTower:
    """The text tower of a CLIP in a folder of open_clip's format, as `clip_training` writes it: a causal transformer
    whose feature is read off the end-of-text token."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["model_cfg"]["text_cfg"]
        self._folder = folder
        self._context: int = config["context_length"]
        self._heads: int = config["heads"]
        self._layers: int = config["layers"]
        self._pad: int = config["pad_id"]

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of texts, (n, dim)."""
        vectors = np.empty((len(texts), self._weights["text_projection"].shape[1]), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # batches of like length need less padding
        for start in range(0, len(texts), _BATCH):
            rows = order[start : start + _BATCH]
            vectors[rows] = self._features(self.tokens([texts[i] for i in rows]))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def tokens(self, texts: Sequence[str]) -> Ints:
        """Token ids, (n, length of the longest); what is longer than the context is cut."""
        cleaned = [" ".join(unescape(unescape(ftfy.fix_text(text))).split()) for text in texts]
        return np.array([encoding.ids for encoding in self._tokenizer.encode_batch(cleaned)], np.intp)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
        tokenizer.add_special_tokens(list(_SPECIAL))
        tokenizer.enable_truncation(self._context)
        tokenizer.enable_padding(pad_id=self._pad)
        return tokenizer

    @cached_property
    def _weights(self) -> Weights:
        """The weights in single precision. The embedding of the tokens, which is most of them, stays as stored."""
        with safe_open(self._folder / WEIGHTS, "np") as file:
            names = [name for name in file.keys() if name.startswith(_PREFIX)]  # noqa: SIM118 - the file is no dict
            weights = {name.removeprefix(_PREFIX): file.get_tensor(name) for name in names}
        embedding = weights.pop("token_embedding.weight")
        return {"token_embedding.weight": embedding} | {name: w.astype(np.float32) for name, w in weights.items()}

    def _features(self, tokens: Ints) -> Floats:
        """Token ids (n, length) → features (n, dim), not normalised."""
        weights, (n, length) = self._weights, tokens.shape
        embedded = weights["token_embedding.weight"][tokens].astype(np.float32)
        states = (embedded + weights["positional_embedding"][:length]).reshape(n * length, -1)
        for layer in range(self._layers):
            states = _block(weights, f"transformer.resblocks.{layer}", states, n, self._heads)
        end = np.arange(n) * length + tokens.argmax(1)  # the end-of-text token has the highest id
        return _layer_norm(weights, "ln_final", states[end]) @ weights["text_projection"]


def _block(weights: Weights, name: str, states: Floats, n: int, heads: int) -> Floats:
    """A layer of the transformer: states of n texts (n · length, width) → the same."""
    states = states + _attention(weights, f"{name}.attn", _layer_norm(weights, f"{name}.ln_1", states), n, heads)
    hidden = _gelu(_linear(weights, f"{name}.mlp.c_fc.", _layer_norm(weights, f"{name}.ln_2", states)))
    return states + _linear(weights, f"{name}.mlp.c_proj.", hidden)


def _attention(weights: Weights, name: str, states: Floats, n: int, heads: int) -> Floats:
    """Each token attends to itself and to those before it: (n · length, width) → the same."""
    length, width = len(states) // n, states.shape[1]
    parts = _linear(weights, f"{name}.in_proj_", states).reshape(n, length, 3, heads, width // heads)
    query, key, value = parts.transpose(2, 0, 3, 1, 4)  # (n, heads, length, width / heads) each
    later = np.triu(np.full((length, length), -np.inf, np.float32), 1)
    logits = query @ key.swapaxes(-1, -2) / np.float32(math.sqrt(width // heads)) + later
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    attended = odds / odds.sum(-1, keepdims=True) @ value
    return _linear(weights, f"{name}.out_proj.", attended.swapaxes(1, 2).reshape(states.shape))


def _linear(weights: Weights, name: str, values: Floats) -> Floats:
    return values @ weights[f"{name}weight"].T + weights[f"{name}bias"]


def _layer_norm(weights: Weights, name: str, values: Floats) -> Floats:
    centred = values - values.mean(-1, keepdims=True)
    scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(_EPSILON))
    return centred / scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(values: Floats) -> Floats:
    """x times the normal distribution function of x: max(x, 0) − |x| erfc(|x| / √2) / 2."""
    size = np.abs(values)
    step = 1 / (1 + np.float32(_ERFC_P / math.sqrt(2)) * size)
    tail = np.zeros_like(values)
    for coefficient in _ERFC:
        tail += np.float32(coefficient)
        tail *= step
    tail *= np.exp(np.float32(-0.5) * size * size)
    return np.maximum(values, 0) - np.float32(0.5) * size * tail
