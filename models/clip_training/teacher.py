"""The vectors that the text tower learns from: two sentence encoders (`models.sentences`) in one space.

Texts with an English meaning are embedded by all-MiniLM-L6-v2. The others are embedded by multilingual-e5-small,
centred per language, and mapped into MiniLM's space by a ridge regression on English texts that both encoders read.
The common space is spanned by MiniLM's first principal axes.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dixit_env.models.clip_training.corpus import Text
from dixit_env.models.sentences import Vectors, sentence_encoder

_MAP_TEXTS = 4_000  # English texts that fit the ridge map: chosen, ten times the 384 dimensions
_MAP_LENGTH = 60  # characters at most, like the words and sayings that are mapped
_RIDGE = 0.3  # penalty as a share of the mean eigenvalue of the inputs' Gram matrix: chosen


def teach(corpus: Sequence[Text], dim: int) -> Vectors:
    """A target (n, dim) for every text of the corpus, in a space whose axes are MiniLM's first principal ones."""
    minilm, e5 = sentence_encoder("minilm"), sentence_encoder("e5")
    meanings = [text.english or (text.text if text.language == "en" else "") for text in corpus]
    direct = [i for i, meaning in enumerate(meanings) if meaning]
    targets = np.empty((len(corpus), dim), np.float32)
    targets[direct] = _leading(minilm.embed_texts([meanings[i] for i in direct]), dim)

    short = [i for i in direct if len(meanings[i]) < _MAP_LENGTH]
    shared = [short[k] for k in np.random.default_rng(0).permutation(len(short))[:_MAP_TEXTS]]
    ridge = _fit_ridge(_centred(e5.embed_texts([meanings[i] for i in shared])), targets[shared])
    for language in sorted({text.language for text in corpus} - {"en"}):
        rows = [i for i, meaning in enumerate(meanings) if not meaning and corpus[i].language == language]
        if rows:
            targets[rows] = _unit(_centred(e5.embed_texts([corpus[i].text for i in rows])) @ ridge)
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
