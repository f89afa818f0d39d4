# SPDX-License-Identifier: Apache-2.0
"""The pcodec package, the oracle of the Pco format, told what numpact_ctypes.Config tells us."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
from numpact_ctypes import Config
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, PagingSpec, standalone, wrapped


class Refused(Exception):
    """The reference refuses."""


def _mode(config: Config) -> ModeSpec:
    match config.mode:
        case "classic":
            return ModeSpec.classic()
        case "int_mult":
            return ModeSpec.try_int_mult(int(config.mode_value))
        case "float_mult":
            return ModeSpec.try_float_mult(float(config.mode_value))
        case "float_quant":
            return ModeSpec.try_float_quant(int(config.mode_value))
        case "dict":
            return ModeSpec.try_dict()
    return ModeSpec.auto()


def _delta(config: Config) -> DeltaSpec:
    match config.delta:
        case "none":
            return DeltaSpec.no_op()
        case "consecutive":
            return DeltaSpec.try_consecutive(config.delta_order)
        case "lookback":
            return DeltaSpec.try_lookback()
        case "conv1":
            return DeltaSpec.try_conv1(config.delta_order)
    return DeltaSpec.auto()


def _paging(config: Config) -> PagingSpec:
    if config.page_sizes is not None:
        return PagingSpec.exact_page_sizes(list(config.page_sizes))
    return PagingSpec.equal_pages_up_to(config.max_page_n or 1 << 18)


def chunk_config(config: Config) -> ChunkConfig:
    return ChunkConfig(
        compression_level=config.level,
        mode_spec=_mode(config),
        delta_spec=_delta(config),
        paging_spec=_paging(config),
        enable_8_bit=True,
    )


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Errors of the package, panics included (they are not Exceptions), as Refused."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Refused(f"{type(error).__name__}: {error}") from None


def compress(numbers: np.ndarray, config: Config = Config()) -> bytes:
    with _refusing():
        return standalone.simple_compress(numbers, chunk_config(config))


def cannot_write(config: Config) -> bool:
    """1.1.0 panics in the writer for some lengths of pages under Conv1, e.g. 513 in order 2."""
    return config.delta == "conv1"


def decompress_any(file: bytes) -> np.ndarray | None:
    """All numbers; None of a file that holds none and names no type."""
    with _refusing():
        return standalone.simple_decompress(file)


def decompress(file: bytes, dtype: np.dtype, capacity: int) -> np.ndarray | None:
    """At most `capacity` numbers; None if the file holds more."""
    out = np.zeros(capacity, dtype)
    with _refusing():
        progress = standalone.simple_decompress_into(file, out)
    return out[: progress.n_processed] if progress.finished else None


class Chunk:
    """A chunk of the wrapped format as the reference writes it."""

    def __init__(self, numbers: np.ndarray, config: Config):
        file = wrapped.FileCompressor()
        with _refusing():
            chunk = file.chunk_compressor(numbers, chunk_config(config))
            self.header = file.write_header()
            self.meta = chunk.write_meta()
            self.page_sizes = chunk.n_per_page()
            self.pages = [chunk.write_page(page) for page in range(len(self.page_sizes))]


class ChunkReader:
    """Reads a chunk of the wrapped format."""

    def __init__(self, header: bytes, meta: bytes, type_name: str, dtype: np.dtype):
        file, self.header_size = wrapped.FileDecompressor.new(header)
        self._chunk, self.meta_size = file.chunk_decompressor(meta, type_name)
        self._dtype = dtype

    def page(self, data: bytes, page_n: int) -> tuple[np.ndarray, int]:
        out = np.zeros(page_n, self._dtype)
        progress, consumed = self._chunk.read_page_into(data, page_n, out)
        return out[: progress.n_processed], consumed
