# SPDX-License-Identifier: Apache-2.0
"""Results of slow peers for a column, kept between runs under build/bench-cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpact_ctypes import ROOT


class ReferenceCache:
    def __init__(self, folder: Path = ROOT / "build" / "bench-cache"):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, numbers: np.ndarray) -> ColumnCache:
        digest = hashlib.blake2b(numbers.view(np.uint8), digest_size=16)
        digest.update(f"{numbers.dtype} ".encode())
        return ColumnCache(self._folder, digest)


class ColumnCache:
    """The files of one column."""

    def __init__(self, folder: Path, digest: hashlib.blake2b):
        self._folder = folder
        self._digest = digest

    def file(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The file that `make` gives, made once for these numbers and this key, which begins with
        the name of a package."""
        digest = self._digest.copy()
        digest.update(key.encode())
        path = self._folder / f"{digest.hexdigest()}.{key.split()[0]}"
        if not path.exists():
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(make())
            temporary.replace(path)
        return path.read_bytes()
