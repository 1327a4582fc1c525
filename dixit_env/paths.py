"""Where things lie on disk."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_dir() -> Path:
    """Where all lies that can be made again (embeddings, picture sources): `DIXIT_ENV_CACHE` or the user's cache."""
    return Path(os.environ.get("DIXIT_ENV_CACHE") or user_cache_path("dixit-env"))
