# SPDX-License-Identifier: Apache-2.0
"""The class of ``decompressed`` that reads chunks of a mapped file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError
from .._integers import index_of
from ._backends import is_gpu
from ._frames import Payloads

if TYPE_CHECKING:
    from typing_extensions import Self

    from .._types import Array


class MMapCVCLoader:
    """Reads a file of one array, which is mapped while it is open; a context manager.

    Supports every version and compression, and checks checksums.

    Args:
        path: The file.
        mode: "r".
        max_output, max_memory: As for ``Reader``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mode: str = "r",
        *,
        max_output: int | None = None,
        max_memory: int | None = None,
    ) -> None:
        if mode != "r":
            raise InvalidArgumentError("mode must be 'r'")
        self.path = os.fspath(path)
        self.mode = mode
        self._limits = (max_output, max_memory)
        self._payloads: Payloads | None = None

    def open(self) -> Self:
        if self._payloads is None:
            payloads = Payloads(self.path, *self._limits)
            if len(payloads.info.columns) != 1:
                raise InvalidArgumentError("a columnar file: load_cvc_columns reads it")
            self._payloads = payloads
        return self

    def close(self) -> None:
        self._payloads = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self) -> Payloads:
        if self._payloads is None:
            raise RuntimeError("the file is not open: call open() first")
        return self._payloads

    def _checked(self, chunk_idx: int) -> int:
        count = len(self._opened().info.chunks)
        index = index_of(chunk_idx, "chunk_idx")
        if not 0 <= index < count:
            raise IndexError(f"there is no chunk {index}: the file has {count}")
        return index

    def get_chunk_view(self, chunk_idx: int) -> memoryview:
        """The compressed bytes of a chunk, without a copy."""
        index = self._checked(chunk_idx)
        return self._opened()[index]

    def load_chunk(self, chunk_idx: int, device: str = "cpu", framework: str = "torch") -> Array:
        """The vectors of a chunk as float32; device and framework as for ``load_cvc``."""
        index = self._checked(chunk_idx)
        chosen = framework if is_gpu(device) else None
        reader = self._opened().reader
        return reader.read_chunk(index, dtype="float32", device=device, framework=chosen)

    def load(self, device: str = "cpu", framework: str = "torch") -> Array:
        """All vectors as float32; device and framework as for ``load_cvc``."""
        chosen = framework if is_gpu(device) else None
        return self._opened().reader.read(dtype="float32", device=device, framework=chosen)

    def get_info(self) -> dict[str, Any]:
        info = self._opened().info
        return {
            "num_vectors": info.rows,
            "dimension": info.columns[0].dimension,
            "compression": info.columns[0].compression,
            "num_chunks": len(info.chunks),
            "mmap_optimized": info.is_paged,
            "file_size": os.path.getsize(self.path),
        }
