# SPDX-License-Identifier: Apache-2.0
"""The CVC fixtures: files, and the arrays that they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from archives import unpacked

FOLDER = unpacked("cvc/files.zip")
#: By the names of the files without ".cvc", those of columns with ".COLUMN".
ARRAYS = np.load(Path(__file__).resolve().parents[2] / "fixtures/cvc/arrays.npz")
WITH_ARRAY = sorted(path for path in FOLDER.glob("*.cvc") if path.stem in ARRAYS)


def array_of(name: str) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = ARRAYS[name]
    return array
