#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that Zarr finds the codec of an installed numpact, in stores of both versions."""

import sys
import tempfile
from pathlib import Path

import numcodecs
import numpy as np
import zarr

from numpact.zarr import PCodec, PcoCodec


def main():
    numbers = np.round(np.random.default_rng(1).normal(20, 5, (200, 300)), 1)
    with tempfile.TemporaryDirectory() as folder:
        three = zarr.create_array(Path(folder, "three"), shape=numbers.shape, chunks=(100, 100),
                                  dtype=numbers.dtype, serializer=PcoCodec(), compressors=None)
        two = zarr.create_array(Path(folder, "two"), shape=numbers.shape, chunks=(100, 100),
                                dtype=numbers.dtype, compressors=PCodec(), zarr_format=2)
        for name, array in (("three", three), ("two", two)):
            array[:] = numbers
            back = zarr.open_array(Path(folder, name), mode="r")[:]
            assert back.tobytes() == numbers.tobytes(), name
    print(f"python {sys.version.split()[0]}, zarr {zarr.__version__}, "
          f"numcodecs {numcodecs.__version__}: both formats come back")


if __name__ == "__main__":
    main()
