"""Any open_clip model behind one small interface: pictures and texts in, unit vectors out."""

import contextlib
import difflib
import hashlib
import json
import logging
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from open_clip.transformer import text_global_pool
from PIL import Image

from dixit_env.decks.pictures import open_picture
from dixit_env.errors import DixitError, SpecError
from dixit_env.models.own_files import OWN, own_fingerprint

_BATCH = 32
_TEXT_BATCH = 256
_PROBE_SECONDS = 5.0


class ClipUnavailable(DixitError):
    """A CLIP whose configuration or weights can't be had: not downloaded, not on disk, or not what they claim."""


@dataclass(frozen=True, eq=False)
class Clip:
    """A frozen CLIP.

    Similarities of its vectors become logits by `logit_scale`; a model trained with a sigmoid loss (SigLIP) also has a
    `logit_bias`, and a logit of it is the log-odds of one pair rather than a share among several pictures.
    """

    name: str
    fingerprint: str  # SHA-256 of configuration and weights: equal fingerprints, equal vectors (up to rounding)
    dim: int
    logit_scale: float
    logit_bias: float | None
    device: torch.device
    _model: Any = field(repr=False)
    _preprocess: Any = field(repr=False)
    _tokenizer: Any = field(repr=False)

    @property
    def sigmoid(self) -> bool:
        """Whether a logit is the log-odds of one pair (SigLIP) instead of a softmax score."""
        return self.logit_bias is not None

    def embed_images(self, images: Sequence[Image.Image | Path]) -> NDArray[np.float32]:
        """Unit vectors of pictures, (n, dim). A file is opened as `open_picture` does, which may raise `DeckError`."""
        vectors = np.empty((len(images), self.dim), np.float32)
        for start in range(0, len(images), _BATCH):
            rows = slice(start, start + _BATCH)
            pixels = torch.stack([self._preprocess(_opened(image)) for image in images[rows]])  # (B, 3, H, W)
            pixels = pixels.to(self.device, memory_format=torch.channels_last)
            with torch.inference_mode():
                vectors[rows] = self._model.encode_image(pixels, normalize=True).float().cpu().numpy()
        return vectors

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, (n, dim); what is longer than the model's context is cut."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # batches of like length need less padding
        for start in range(0, len(texts), _TEXT_BATCH):
            rows = order[start : start + _TEXT_BATCH]
            tokens = self._tokenizer([texts[i] for i in rows]).to(self.device)
            with torch.inference_mode():
                vectors[rows] = F.normalize(encode_tokens(self._model, tokens), dim=-1).float().cpu().numpy()
        return vectors


def load_clip(name: str = "embedded", device: str | torch.device = "cpu") -> Clip:
    """The CLIP of that name, ready to embed.

    `name` is one of
    - `embedded`: the project's own small model, always there;
    - `lite1`, `lite2`: two smaller ones, always there, that see and read otherwise;
    - `ARCH:TAG`: an open_clip architecture and pretrained tag, e.g. `ViT-B-32:laion2b_s34b_b79k`;
    - `hf-hub:OWNER/REPOSITORY`: a model on the hub in open_clip's format;
    - a folder with `open_clip_config.json` and weights;
    - `ARCH:FILE`: an open_clip architecture and a file of weights.

    Raises `SpecError` for a name that can't be understood, `ClipUnavailable` for a model that can't be had.
    """
    model_name, pretrained = _parse(name)
    tag = open_clip.get_pretrained_cfg(model_name, pretrained) if pretrained else {}
    with _quiet_and_quick():
        try:
            model, preprocess = open_clip.create_model_from_pretrained(
                model_name, pretrained, device=device, force_quick_gelu=bool(tag.get("quick_gelu"))
            )
            tokenizer = open_clip.get_tokenizer(model_name)
        except Exception as error:  # open_clip, its hub client and its checkpoints raise almost anything
            raise ClipUnavailable(_explain(name, model_name, pretrained, error)) from error
    model = model.eval().requires_grad_(False).to(memory_format=torch.channels_last)
    bias = model.logit_bias
    return Clip(
        name=name,
        fingerprint=own_fingerprint(name) if name in OWN else _fingerprint(model, model_name),
        dim=_dimension(model, tokenizer),
        logit_scale=float(model.logit_scale.exp()),
        logit_bias=None if bias is None else float(bias),
        device=torch.device(device),
        _model=model,
        _preprocess=preprocess,
        _tokenizer=tokenizer,
    )


def encode_tokens(model: Any, tokens: torch.Tensor) -> Any:
    """Token ids (n, context) → text features (n, dim), not normalised.

    Same as `model.encode_text`, but a causal tower that reads its feature off the end-of-text token isn't run over
    the padding behind it, which is most of the work for a clue of three words.
    """
    tower = getattr(model, "text", model)
    pool = getattr(tower, "pool_type", getattr(tower, "text_pool_type", None))
    mask = getattr(tower, "attn_mask", None)
    if pool != "argmax" or mask is None or not isinstance(tower.text_projection, torch.nn.Parameter):
        return model.encode_text(tokens)
    length = int(tokens.argmax(dim=-1).max()) + 1  # the end-of-text token has the highest id
    tokens = tokens[:, :length]
    states = tower.token_embedding(tokens) + tower.positional_embedding[:length]  # (n, length, width)
    states = tower.ln_final(tower.transformer(states, attn_mask=mask[:length, :length]))
    return text_global_pool(states, tokens, pool) @ tower.text_projection


def _parse(name: str) -> tuple[str, str | None]:
    """The `model_name` and `pretrained` that open_clip's factory wants."""
    if name in OWN:
        return f"local-dir:{OWN[name]}", None
    if name.startswith("hf-hub:"):
        return name, None
    if name and Path(name).is_dir():
        if (Path(name) / "open_clip_config.json").is_file():
            return f"local-dir:{name}", None
        raise SpecError(f"{name} holds no open_clip_config.json: give a folder that does, or ARCH:FILE_OF_WEIGHTS")
    architecture, _, pretrained = name.partition(":")
    architectures = open_clip.list_models()
    if architecture not in architectures:
        near = _nearest(architecture, [*OWN, *architectures])
        own = ", ".join(OWN)
        raise SpecError(f"unknown CLIP {name!r}{near}; give {own}, ARCH:TAG, ARCH:FILE, hf-hub:NAME or a folder")
    tags = open_clip.list_pretrained_tags_by_model(architecture)
    if open_clip.get_pretrained_cfg(architecture, pretrained) or Path(pretrained).is_file():
        return architecture, pretrained
    problem = f"no tag or file {pretrained!r} for {architecture}" if pretrained else f"{architecture} needs weights"
    known = f"its tags: {', '.join(tags)}" if tags else "open_clip knows no tags for it"
    raise SpecError(f"{problem}{_nearest(pretrained, tags)}; {known}; or give {architecture}:FILE")


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


@contextlib.contextmanager
def _quiet_and_quick() -> Iterator[None]:
    """No log lines from open_clip, and its cache alone instead of a minute of retries when the hub can't be reached."""
    import huggingface_hub.constants as hub

    before = hub.HF_HUB_OFFLINE, socket.getdefaulttimeout(), logging.root.manager.disable
    hub.HF_HUB_OFFLINE = before[0] or not _reachable(hub.ENDPOINT)
    socket.setdefaulttimeout(_PROBE_SECONDS * 4)
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        hub.HF_HUB_OFFLINE = before[0]
        socket.setdefaulttimeout(before[1])
        logging.disable(before[2])


def _reachable(url: str) -> bool:
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=_PROBE_SECONDS).close()
    except urllib.error.HTTPError:
        return True  # it answered
    except OSError:
        return False
    return True


def _explain(name: str, model_name: str, pretrained: str | None, error: Exception) -> str:
    reason = " ".join(str(error).split())
    local = model_name.startswith("local-dir:") or (pretrained is not None and Path(pretrained).is_file())
    if local:
        return f"can't load the CLIP {name}: {reason}"
    what = open_clip.get_pretrained_cfg(model_name, pretrained).get("hf_hub") if pretrained else model_name
    example = f"{model_name}:FILE" if pretrained else "FOLDER (with open_clip_config.json and the weights)"
    return (
        f"can't fetch {what or name} for the CLIP {name}: no network, or no such model ({reason[:120]}); "
        f"download it elsewhere and give --clip {example}, or use --clip embedded"
    )


def _opened(image: Image.Image | Path) -> Image.Image:
    if isinstance(image, Image.Image):
        return image.convert("RGB")
    return open_picture(image)


def _dimension(model: Any, tokenizer: Any) -> int:
    with torch.inference_mode():
        tokens = tokenizer(["a"]).to(next(model.parameters()).device)
        return int(encode_tokens(model, tokens).shape[1])


def _fingerprint(model: Any, model_name: str) -> str:
    about = [open_clip.get_model_config(model_name), model.visual.preprocess_cfg]
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
