"""Loading CLIPs: every kind of name, several architectures, one code path."""

import json
import time
from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.torch import save_file

from dixit_env.errors import DixitError, SpecError
from dixit_env.models.clip import ClipUnavailable, encode_tokens, load_clip
from dixit_env.models.own_files import OWN

TEXT = {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
VIT = {"image_size": 32, "layers": 2, "width": 64, "head_width": 32, "patch_size": 8}
ARCHITECTURES = {
    "vit": {"embed_dim": 24, "vision_cfg": VIT, "text_cfg": TEXT},
    "resnet": {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 64, "layers": [1, 1, 1, 1], "width": 8},
        "text_cfg": {**TEXT, "context_length": 12},
    },
    "timm": {
        "embed_dim": 20,
        "vision_cfg": {"timm_model_name": "test_efficientnet", "timm_pool": "avg", "image_size": [48, 32]},
        "text_cfg": TEXT,
        "custom_text": True,
    },
    "siglip": {
        "embed_dim": 32,
        "init_logit_bias": -10.0,
        "vision_cfg": VIT,
        "text_cfg": {**TEXT, "no_causal_mask": True, "pool_type": "last", "proj_bias": True},
        "custom_text": True,
    },
}
PREPROCESS = {"mean": [0.5, 0.4, 0.3], "std": [0.3, 0.3, 0.3], "resize_mode": "squash"}
CLUES = ["the sea", "infância", "a very long way home " * 20, "", "hjemve på månen"]


def save_checkpoint(folder: Path, architecture: str, seed: int = 0) -> Path:
    """A randomly initialised CLIP in open_clip's own format."""
    torch.manual_seed(seed)
    config = json.loads(json.dumps(ARCHITECTURES[architecture]))  # open_clip changes what it is given
    model = (open_clip.CustomTextCLIP if config.pop("custom_text", False) else open_clip.CLIP)(**config)
    folder.mkdir(parents=True, exist_ok=True)
    described = {"model_cfg": ARCHITECTURES[architecture], "preprocess_cfg": PREPROCESS}
    (folder / "open_clip_config.json").write_text(json.dumps(described))
    weights = {key: value.contiguous() for key, value in model.state_dict().items()}
    save_file(weights, folder / "open_clip_model.safetensors")
    return folder


@pytest.fixture(scope="module", params=ARCHITECTURES)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_checkpoint(tmp_path_factory.mktemp("clip") / request.param, request.param)


@pytest.fixture
def pictures() -> list[Image.Image]:
    rng = np.random.default_rng(0)
    return [Image.fromarray(rng.integers(0, 256, (90, 60, 3), np.uint8)) for _ in range(5)]


def test_vectors_are_what_open_clip_computes(checkpoint: Path, pictures: list[Image.Image]) -> None:
    clip = load_clip(str(checkpoint))
    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{checkpoint}")
    model.eval()
    tokens = open_clip.get_tokenizer(f"local-dir:{checkpoint}")(CLUES)
    with torch.inference_mode():
        images = F.normalize(model.encode_image(torch.stack([preprocess(picture) for picture in pictures])), dim=-1)
        texts = F.normalize(model.encode_text(tokens), dim=-1)
    np.testing.assert_allclose(clip.embed_images(pictures), images.numpy(), atol=1e-5)
    np.testing.assert_allclose(clip.embed_texts(CLUES), texts.numpy(), atol=1e-5)


def test_vectors_have_unit_length_and_the_models_width(checkpoint: Path, pictures: list[Image.Image]) -> None:
    clip = load_clip(str(checkpoint))
    assert clip.dim == ARCHITECTURES[checkpoint.name]["embed_dim"]
    for vectors in (clip.embed_images(pictures), clip.embed_texts(CLUES)):
        assert vectors.shape == (5, clip.dim)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert clip.embed_images([]).shape == clip.embed_texts([]).shape == (0, clip.dim)


def test_only_a_model_with_a_bias_is_sigmoid(checkpoint: Path) -> None:
    clip = load_clip(str(checkpoint))
    assert clip.sigmoid == (checkpoint.name == "siglip")
    assert clip.logit_bias == (-10.0 if clip.sigmoid else None)
    assert clip.logit_scale == pytest.approx(1 / 0.07)


def test_fingerprint_follows_weights_and_preprocessing(tmp_path: Path) -> None:
    first = load_clip(str(save_checkpoint(tmp_path / "a", "vit")))
    assert load_clip(str(save_checkpoint(tmp_path / "moved", "vit"))).fingerprint == first.fingerprint
    assert load_clip(str(save_checkpoint(tmp_path / "b", "vit", seed=1))).fingerprint != first.fingerprint
    config = tmp_path / "moved" / "open_clip_config.json"
    config.write_text(config.read_text().replace("squash", "longest"))
    assert load_clip(str(tmp_path / "moved")).fingerprint != first.fingerprint


def test_architecture_with_a_file_of_weights(tmp_path: Path, pictures: list[Image.Image]) -> None:
    folder = save_checkpoint(tmp_path / "vit", "vit")
    registered = tmp_path / "tiny-test-vit.json"
    registered.write_text(json.dumps(ARCHITECTURES["vit"]))
    open_clip.add_model_config(registered)
    clip = load_clip(f"tiny-test-vit:{folder / 'open_clip_model.safetensors'}")
    np.testing.assert_allclose(clip.embed_texts(CLUES), load_clip(str(folder)).embed_texts(CLUES), atol=1e-6)
    with pytest.raises(SpecError, match=r"no tag or file '/gone\.pt'"):
        load_clip("tiny-test-vit:/gone.pt")


def test_padding_is_skipped_without_a_trace(checkpoint: Path) -> None:
    model = open_clip.create_model_from_pretrained(f"local-dir:{checkpoint}", return_transform=False).eval()
    tokens = open_clip.get_tokenizer(f"local-dir:{checkpoint}")(["sea", "a house by the sea"])
    with torch.inference_mode():
        torch.testing.assert_close(encode_tokens(model, tokens), model.encode_text(tokens), atol=1e-5, rtol=1e-5)


def test_a_photograph_on_its_side_is_seen_upright(tmp_path: Path, checkpoint: Path) -> None:
    upright = Image.fromarray(np.random.default_rng(1).integers(0, 256, (64, 40, 3), np.uint8))
    turned = upright.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6  # "turn it a quarter clockwise"
    turned.save(tmp_path / "turned.png", exif=exif)
    clip = load_clip(str(checkpoint))
    seen = clip.embed_images([tmp_path / "turned.png", upright])
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("embeded", "did you mean embedded"),
        ("ViT-B-33:openai", "did you mean ViT-B-32"),
        ("ViT-B-32", "ViT-B-32 needs weights; its tags: openai"),
        ("ViT-B-32:laion2b", "did you mean laion2b_e16"),
        ("", "unknown CLIP"),
    ],
)
def test_an_unknown_name_is_told_its_neighbours(name: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        load_clip(name)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A hub that nobody answers for, and nothing downloaded before."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["ViT-B-32:laion2b_s34b_b79k", "ViT-B-16-SigLIP:webli", "hf-hub:someone/some-clip"])
def test_without_network_one_line_says_what_to_do(name: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ClipUnavailable) as error:
        load_clip(name)
    message = str(error.value)
    assert time.perf_counter() - start < 10
    assert "\n" not in message
    assert name.split(":")[0] in message
    assert "--clip" in message


def test_a_broken_checkpoint_is_one_line(tmp_path: Path) -> None:
    folder = save_checkpoint(tmp_path / "vit", "vit")
    (folder / "open_clip_model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ClipUnavailable, match="can't load the CLIP") as error:
        load_clip(str(folder))
    assert "\n" not in str(error.value)
    with pytest.raises(DixitError, match=r"open_clip_config\.json"):
        load_clip(str(tmp_path))


@pytest.mark.parametrize("name", OWN)
def test_the_projects_own_clips_load_with_open_clip_alone(name: str) -> None:
    clip = load_clip(name)
    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{OWN[name]}")
    tokens = open_clip.get_tokenizer(f"local-dir:{OWN[name]}")(["saudade", "hjem igen"])
    card = Image.new("RGB", (512, 768), "teal")
    with torch.inference_mode():
        picture = F.normalize(model.eval().encode_image(preprocess(card)[None]), dim=-1).numpy()
        texts = F.normalize(model.encode_text(tokens), dim=-1).numpy()
    np.testing.assert_allclose(clip.embed_images([card]), picture, atol=1e-4)
    np.testing.assert_allclose(clip.embed_texts(["saudade", "hjem igen"]), texts, atol=1e-4)


def test_the_projects_own_clips_are_small() -> None:
    sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in OWN.items()}
    assert sizes.pop("embedded") < 40_000_000
    assert sum(sizes.values()) < 40_000_000
