# SPDX-License-Identifier: Apache-2.0
"""Writes arrays, reads them in spawned processes, says what decoded there: FOLDER [--...]."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np
import zarr

warnings.simplefilter("ignore")
NUMBERS = np.arange(10_000, dtype=np.float32).reshape(100, 100)


def write(path: str, version: Literal[2, 3]) -> None:
    if version == 2:
        codec: dict[str, Any] = {"compressors": {"id": "pcodec"}, "filters": None}
    else:
        serializer = {"name": "numcodecs.pcodec", "configuration": {}}
        codec = {"serializer": serializer, "compressors": None}
    array = zarr.create_array(
        path, shape=NUMBERS.shape, chunks=(30, 30), dtype="f4", zarr_format=version, **codec
    )
    array[...] = NUMBERS


def read(path: str) -> tuple[str, bool]:
    """The codec that decodes the array in this process, and whether the numbers are right."""
    array = zarr.open_array(path, mode="r")
    is_right = bool(np.array_equal(array[...], NUMBERS))
    if array.metadata.zarr_format == 2:
        codec: Any = array.metadata.compressor
    else:
        codec = array.metadata.codecs[0]
        codec = getattr(codec, "_codec", codec)  # what is inside zarr's wrapper
    return f"{type(codec).__module__}.{type(codec).__qualname__}", is_right


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--register", action="store_true", help="for children, in the parent")
    parser.add_argument("--initialize", action="store_true", help="register in each child")
    options = parser.parse_args()
    initializer = None
    if options.register or options.initialize:
        from numpact.zarr import register

        if options.register:
            register(children=True)
        if options.initialize:
            initializer = register
    paths = [str(options.folder / name) for name in ("v2", "v3")]
    write(paths[0], 2)
    write(paths[1], 3)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer) as pool:
        found = list(pool.map(read, paths))
    json.dump(
        {f"v{version}": what for version, what in zip((2, 3), found, strict=True)}, sys.stdout
    )


if __name__ == "__main__":
    main()
