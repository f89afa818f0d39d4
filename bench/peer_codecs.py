# SPDX-License-Identifier: Apache-2.0
"""The codecs that peers.py compares, behind one interface.

A codec is bound to one array. `compress` makes the file; the compressed bytes are taken from it
once. `reader` gives a function that decodes a file into an array that exists already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpact_ctypes as numpact
import numpy as np
import zstandard
from pcodec import ChunkConfig, standalone

Action = Callable[[], object]


class Codec(Protocol):
    name: str

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        """An action that compresses, and one that compresses and gives the file."""

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        """An action that decodes `file` into `out`."""


class Ours:
    """numpact through its C++ API: contexts and output memory are kept unless `fresh`."""

    name = "ours"

    def __init__(self, level: int, fresh: bool = False):
        self._config = numpact.Config(level=level)
        self._fresh = fresh

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        def compress() -> bytes:
            return numpact.compress(numbers, self._config)

        if self._fresh:
            return compress, compress
        return numpact.Compressor(numbers, self._config).run, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        return numpact.Decompressor(file, out, warm=not self._fresh).run


class Pcodec:
    """The reference implementation, as the pcodec wheel has it."""

    name = "pcodec"

    def __init__(self, level: int):
        self._config = ChunkConfig(compression_level=level, enable_8_bit=True)

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        def compress() -> bytes:
            return standalone.simple_compress(numbers, self._config)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        return lambda: standalone.simple_decompress_into(file, out)


class Zstd:
    """zstd on the bytes of the array."""

    name = "zstd"

    def __init__(self, level: int = 3):
        self._compressor = zstandard.ZstdCompressor(level=level)
        self._decompressor = zstandard.ZstdDecompressor()

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        data = numbers.view(np.uint8)

        def compress() -> bytes:
            return self._compressor.compress(data)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        target = memoryview(out.view(np.uint8))
        return lambda: self._decompressor.stream_reader(file).readinto(target)
