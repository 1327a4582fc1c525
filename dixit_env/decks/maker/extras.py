"""The packages of the extra `deck`, imported when they are first used."""

import importlib
from typing import Any

from dixit_env.errors import DixitError


class Extra:
    """Stands for a module: reading the texts of cards needs none of these packages."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        """An attribute of the module. Raises `DixitError` with the command to run when it isn't installed."""
        try:
            return getattr(importlib.import_module(self.module), name)
        except ImportError as error:
            raise DixitError(f"painting cards needs {self.module}: run  pip install -e '.[deck]'") from error


cv2: Any = Extra("cv2")
resvg: Any = Extra("resvg_py")
