# SPDX-License-Identifier: Apache-2.0
"""What the reference makes of a column, kept between runs under build/bench-cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpact_ctypes import ROOT


class ReferenceCache:
    def __init__(self, folder: Path = ROOT / "build" / "bench-cache"):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def file(self, numbers: np.ndarray, package: str, level: int, make: Callable[[], bytes]
             ) -> bytes:
        """The compressed file that `make` gives, made once for these numbers and this package."""
        digest = hashlib.blake2b(numbers.view(np.uint8), digest_size=16)
        digest.update(f"{numbers.dtype} {package} {version(package)} {level}".encode())
        path = self._folder / f"{digest.hexdigest()}.{package}"
        if not path.exists():
            beside = path.with_suffix(f".{os.getpid()}")
            beside.write_bytes(make())
            beside.replace(path)
        return path.read_bytes()
