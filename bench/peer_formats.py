# SPDX-License-Identifier: Apache-2.0
"""File formats and compressors for arrays, as peers. Parquet, Vortex and OpenZL decode into memory
of their own and give that; no copy to the caller's memory is added to their time."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from peer_codecs import Action, Codec

ZSTD_LEVEL = 3
TMPFS = Path("/dev/shm")


class Blosc2(Codec):
    """Bytes shuffled within blocks, then zstd or LZ4. `filters`: "bits" shuffles bits instead,
    "delta" takes differences of the shuffled bytes."""

    LEVEL = 5  # of 9, the package's default

    def __init__(self, codec: str, threads: int, level: int = LEVEL, filters: str = ""):
        import blosc2

        self.name = "-".join(["blosc2", codec, *([str(level)] if level != self.LEVEL else []),
                              *filter(None, [filters])])
        self._blosc2 = blosc2
        self._codec = {"zstd": blosc2.Codec.ZSTD, "lz4": blosc2.Codec.LZ4}[codec]
        kinds = blosc2.Filter
        self._filters = {"": [kinds.SHUFFLE], "bits": [kinds.BITSHUFFLE],
                         "delta": [kinds.SHUFFLE, kinds.BYTEDELTA]}[filters]
        self._level, self._threads = level, threads
        self.package = f"blosc2 {version('blosc2')}"
        self.cache_key = f"{self.package} {self.name}" if level > self.LEVEL else ""

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        metas = [numbers.itemsize if kind == self._blosc2.Filter.BYTEDELTA else 0
                 for kind in self._filters]
        parameters = self._blosc2.CParams(
            codec=self._codec, clevel=self._level, typesize=numbers.itemsize,
            nthreads=self._threads, filters=self._filters, filters_meta=metas,
        )  # fmt: skip
        data = numbers.view(np.uint8)

        def compress() -> bytes:
            return self._blosc2.compress2(data, cparams=parameters)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        parameters = self._blosc2.DParams(nthreads=self._threads)
        return lambda: self._blosc2.decompress2(file, dst=out, dparams=parameters)


class Parquet(Codec):
    """A file of one column in memory, pages compressed by zstd. `plain`, `dict` and `split` (bytes
    of equal weight together) say how numbers are encoded before; `delta` is DELTA_BINARY_PACKED for
    integers, BYTE_STREAM_SPLIT for floats. `best` is the smallest file of all these."""

    ENCODINGS = ("plain", "dict", "delta", "split")

    def __init__(self, encoding: str, level: int = ZSTD_LEVEL):
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.name = f"parquet-{encoding}"
        self._encodings = self.ENCODINGS if encoding == "best" else (encoding,)
        self._level = level
        self._pa, self._pq = pa, pq
        self.package = f"pyarrow {version('pyarrow')}"
        slow = encoding == "best"
        self.cache_key = f"{self.package} {self.name} {level}" if slow else ""

    def _options(self, encoding: str, numbers: np.ndarray) -> dict[str, object]:
        options: dict[str, object] = {"compression": "zstd", "compression_level": self._level,
                                      "use_dictionary": encoding == "dict"}
        is_split = encoding == "split" or numbers.dtype.kind == "f"
        if encoding in ("delta", "split"):
            options["column_encoding"] = {
                "x": "BYTE_STREAM_SPLIT" if is_split else "DELTA_BINARY_PACKED"}
        return options

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        table = self._pa.table({"x": self._pa.array(numbers)})

        def written(encoding: str) -> bytes:
            sink = io.BytesIO()
            self._pq.write_table(table, sink, **self._options(encoding, numbers))
            return sink.getvalue()

        def compress() -> bytes:
            return min(map(written, self._encodings), key=len)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        buffer = self._pa.py_buffer(file)

        def read() -> object:
            source = self._pq.ParquetFile(self._pa.BufferReader(buffer), pre_buffer=False)
            return source.read(use_threads=False)

        return read

    def numbers(self, result: object, out: np.ndarray) -> np.ndarray:
        return result.column("x").to_numpy()


class Vortex(Codec):
    """A Vortex file of one column on a file system in memory, mapped and kept open. ALP is among
    the encodings that it chooses from."""

    def __init__(self, strategy: str, threads: int):
        import pyarrow as pa
        import vortex
        import vortex.io

        if not TMPFS.is_dir():
            raise OSError(f"{TMPFS} is missing")
        self.name = "vortex" if strategy == "default" else f"vortex-{strategy}"
        self._pa, self._vortex = pa, vortex
        self._options = getattr(vortex.io.VortexWriteOptions, strategy)()
        vortex.set_worker_threads(threads - 1)  # in addition to the caller's own
        self._folder = tempfile.TemporaryDirectory(prefix="numpact-bench-", dir=TMPFS)
        self.package = f"vortex-data {version('vortex-data')}"
        self.cache_key = f"{self.package} {self.name}" if strategy == "compact" else ""

    def _path(self, name: str) -> str:
        return str(Path(self._folder.name, name))

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        table = self._pa.table({"x": self._pa.array(numbers)})
        path = self._path("written.vortex")

        def compress() -> None:
            self._options.write(table, path)

        def file() -> bytes:
            compress()
            return Path(path).read_bytes()

        return compress, file

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        path = Path(self._path("read.vortex"))
        path.unlink(missing_ok=True)  # readers of it may still have it mapped
        path.write_bytes(file)
        opened = self._vortex.open(str(path), memory_map=True)
        return lambda: opened.to_arrow().read_all()

    def numbers(self, result: object, out: np.ndarray) -> np.ndarray:
        return result.column("x").to_numpy()


class OpenZl(Codec):
    """OpenZL's graph for numbers of any kind. From level 7 on it chooses among graphs for each
    input; neither that nor its default level is the smaller on all columns."""

    def __init__(self, level: int | None = None) -> None:
        import openzl.ext as zl

        self.name = "openzl" if level is None else f"openzl-{level}"
        self._zl = zl
        self._compressor = zl.Compressor()
        self._compressor.set_parameter(zl.CParam.FormatVersion, zl.MAX_FORMAT_VERSION)
        if level is not None:
            self._compressor.set_parameter(zl.CParam.CompressionLevel, level)
        self._compressor.select_starting_graph(zl.graphs.Compress()(self._compressor))
        self._encoder, self._decoder = zl.CCtx(), zl.DCtx()
        self._encoder.ref_compressor(self._compressor)
        self._encoder.set_parameter(zl.CParam.StickyParameters, 1)
        self.package = f"openzl {version('openzl')}"
        self.cache_key = f"{self.package} {self.name}"

    def writer(self, numbers: np.ndarray) -> tuple[Action, Callable[[], bytes]]:
        words = numbers.view(f"u{numbers.itemsize}")
        inputs = [self._zl.Input(self._zl.Type.Numeric, words)]

        def compress() -> bytes:
            return self._encoder.compress(inputs)

        return compress, compress

    def reader(self, file: bytes, out: np.ndarray) -> Action:
        return lambda: self._decoder.decompress(file)

    def numbers(self, result: object, out: np.ndarray) -> np.ndarray:
        return np.asarray(result[0].content.as_nparray()).reshape(-1).view(out.dtype)
