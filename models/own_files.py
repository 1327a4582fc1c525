"""Where the CLIPs lie that come with the project, in open_clip's format."""

import hashlib
from pathlib import Path

_HERE = Path(__file__).parent
OWN = {"embedded": _HERE / "embedded", "lite1": _HERE / "small" / "lite1", "lite2": _HERE / "small" / "lite2"}
"""The CLIPs that come with the project, by name."""

CONFIG, TOKENIZER, WEIGHTS = "open_clip_config.json", "tokenizer.json", "open_clip_model.safetensors"
"""The files in such a folder that vectors depend on."""


def own_fingerprint(name: str) -> str:
    """SHA-256 of these files of one of `OWN`."""
    digest = hashlib.sha256()
    for file in (CONFIG, TOKENIZER, WEIGHTS):
        digest.update((OWN[name] / file).read_bytes())
    return digest.hexdigest()
