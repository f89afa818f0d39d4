# SPDX-License-Identifier: Apache-2.0
"""The codecs that peers.py compares, behind one interface; those of other packages that need more
than a call are in peer_formats.py.

A codec is bound to one array. `writer` gives functions that compress it, `reader` one that decodes
a file. Making a codec raises ImportError or OSError where its package is missing.
"""

from __future__ import annotations

import bz2
import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpact_ctypes as numpact
import numpy as np

Action = Callable[[], object]


@dataclass(frozen=True)
class Setting:
    """The arguments of codecs."""

    level: int = 8  # of numpact and pcodec
    threads: int = 1  # for codecs that can
    fresh: bool = False


class Codec:
    """The common base of all codecs."""

    name: str
    package = ""  # and version: what is named in reports
    cache_key = ""  # the files of slow writers are kept under this; empty: made anew each time

    def writer(self, numbers: np.ndarray) -> tuple[Action | None, Callable[[], bytes]]:
        """An action that compresses, and one that compresses and gives the file."""
        raise NotImplementedError

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        """An action that decodes `file`, into `out` if the codec can write to given memory."""
        raise NotImplementedError

    def numbers(self, result: object, out: np.ndarray) -> np.ndarray:
        """The numbers after a reader gave `result`."""
        return out


class Ours(Codec):
    """numpact through its C++ API: contexts and output memory are kept unless `fresh`."""

    name = "ours"

    def __init__(self, setting: Setting):
        self._config = numpact.Config(level=setting.level)
        self._fresh = setting.fresh

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        def compress() -> bytes:
            return numpact.compress(numbers, self._config)

        if self._fresh:
            return compress, compress
        return numpact.Compressor(numbers, self._config).run, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        return numpact.Decompressor(file, out, warm=not self._fresh).run


class Pcodec(Codec):
    """The reference implementation, as the pcodec wheel has it; at the level of the setting, or at
    another."""

    def __init__(self, setting: Setting, level: int | None = None):
        from pcodec import ChunkConfig, standalone

        self.name = "pcodec" if level is None else f"pcodec-{level}"
        used = setting.level if level is None else level
        self._standalone = standalone
        self._config = ChunkConfig(compression_level=used, enable_8_bit=True)
        self.package = f"pcodec {version('pcodec')}"
        self.cache_key = f"{self.package} {used}"

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        def compress() -> bytes:
            return self._standalone.simple_compress(numbers, self._config)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        decode = self._standalone.simple_decompress_into
        return lambda: decode(file, out)


class Zstd(Codec):
    """zstd on the bytes of the array."""

    def __init__(self, level: int):
        import zstandard

        self.name = f"zstd-{level}"
        self._compressor = zstandard.ZstdCompressor(level=level)
        self._decompressor = zstandard.ZstdDecompressor()
        self.package = f"zstandard {version('zstandard')}"
        self.cache_key = f"{self.package} {level}"

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        data = numbers.view(np.uint8)

        def compress() -> bytes:
            return self._compressor.compress(data)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        target = memoryview(out.view(np.uint8))
        return lambda: self._decompressor.stream_reader(file).readinto(target)


class Bzip2(Codec):
    """bzip2 on shuffled bytes, as HDF5 files have it: slow, and small where numbers have few
    different bytes."""

    name = "bzip2-shuffle"
    package = "Python's bz2"
    cache_key = "bz2 shuffle"

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        def compress() -> bytes:
            data = numbers.view(np.uint8).reshape(-1, numbers.itemsize)
            return bz2.compress(data.T.tobytes())

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        target = out.view(np.uint8).reshape(-1, out.itemsize)

        def decompress() -> None:
            data = np.frombuffer(bz2.decompress(file), np.uint8)
            target[:] = data.reshape(out.itemsize, -1).T

        return decompress


class Lz4(Codec):
    """One LZ4 block, through the system's C library: the Python package cannot decode into memory
    that is there already."""

    name = "lz4"

    def __init__(self) -> None:
        library = ctypes.CDLL("liblz4.so.1")
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self._bound, self._compress = library.LZ4_compressBound, library.LZ4_compress_default
        self._decompress = library.LZ4_decompress_safe
        self._bound.argtypes = [number]
        for function in (self._compress, self._decompress):
            function.argtypes = [pointer, pointer, number, number]
        library.LZ4_versionString.restype = ctypes.c_char_p
        self.package = f"liblz4 {library.LZ4_versionString().decode()}"

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        out = np.empty(self._bound(numbers.nbytes), np.uint8)
        source, target = numbers.ctypes.data, out.ctypes.data

        def compress() -> int:  # names the arrays, so that they live as long as it does
            return self._compress(source, target, numbers.nbytes, out.size)

        return compress, lambda: out[: compress()].tobytes()

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        view = numpact.ByteView(file)
        arguments = (view.address, out.ctypes.data, view.size, out.nbytes)

        def decompress() -> None:
            if self._decompress(*arguments) != out.nbytes:
                raise RuntimeError(f"lz4 cannot read its block of {view.size} bytes")

        return decompress


class Memcpy(Codec):
    """Copying the numbers to memory that is mapped: no decoder can be faster. The "file" is the
    array's bytes."""

    name = "memcpy"

    def writer(self, numbers: np.ndarray) -> tuple[None, Callable[[], bytes]]:
        return None, lambda: numbers.tobytes()

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        source = np.frombuffer(file, out.dtype)
        return lambda: np.copyto(out, source)
