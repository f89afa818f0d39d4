# SPDX-License-Identifier: Apache-2.0
"""Writing CVC files."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._lock import core_timeout
from .._threads import resolve
from ._values import vectors_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

_NOTHING: Any = object()  # stands for an argument that was not given


class WriteReport(NamedTuple):
    """What was written."""

    rows: int
    chunks: int
    bytes: int
    overflows: int  #: finite values that became infinite in fp16 or bfloat16


def json_text(value: Any) -> str:
    """Metadata as JSON; TypeError for what JSON does not have."""
    return json.dumps(value)


class Writer:
    """Writes a CVC file from rows as they come, in the memory of a few chunks a thread.

    Until ``close()``, and after an error, what had the name before stays as it was. Leaving the
    ``with`` block by an exception throws the unfinished file away. One thread at a time may use a
    Writer; others wait.

    Args:
        path: The file; None: it is kept in memory, see ``contents``.
        columns: For a columnar file (version 2.0): for each column its name and (dimension, dtype),
            dimension 1 for scalars; dtype float32, float16, int32, int64, int8 or uint8.
        compression: "fp16", "int8", "lossless", "bfloat16", "int8_row", "int8_dim", "int4" or
            "pco"; for columns a mapping from names, where a column that is left out takes fp16 for
            floats and "none" for integers.
        chunk_size: Rows in a chunk.
        version: "1.0" or "0.1" for one array, "2.0" for columns; None: what fits.
        mmap_optimized: Records start on pages of 4096 bytes, and the header says where.
        dimension: Values in a row, where no rows may come.
        expected_rows: If the first ``append`` brings just so many, the file is written in one go.
        allow_nonfinite: int8 and its kin: take NaN and infinities; their chunk (row, dimension)
            then decodes to NaN.
        rounding: Of int8_row, int8_dim and int4. "search": so that the errors of a row make up for
            each other where rows lie: searches lose about half as much, at d * d / 2
            multiplications for a row of d values. "nearest": each value by itself.
        metadata: Any JSON value for the file.
        threads: Chunks that are compressed at the same time, as for ``numpact.Writer``.
        sync: Ask the system to put the file on the disk before it gets its name.
        lock_timeout: Seconds that ``close()`` waits for others that are writing the file which it
            replaces (``LockTimeoutError``); None: without end.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        columns: Mapping[str, tuple[int, str]] | None = None,
        compression: str | Mapping[str, str | None] | None = None,
        chunk_size: int = 100_000,
        version: str | None = None,
        mmap_optimized: bool = False,
        dimension: int | None = None,
        expected_rows: int | None = None,
        allow_nonfinite: bool = False,
        rounding: str = "search",
        metadata: Any = None,
        threads: int | None = None,
        sync: bool = True,
        lock_timeout: float | None = None,
    ) -> None:
        if chunk_size < 1:
            raise InvalidArgumentError("chunk_size must be at least 1")
        self._names = None if columns is None else list(columns)
        schema = []
        if columns is not None:
            chosen = compression if isinstance(compression, Mapping) else {}
            unknown = [name for name in chosen if name not in columns]
            if unknown:
                raise InvalidArgumentError(f"compression of unknown columns: {unknown}")
            everywhere = compression if isinstance(compression, str) else None
            for name, (width, dtype) in columns.items():
                schema.append((name, width, dtype, chosen.get(name, everywhere)))
        elif isinstance(compression, Mapping):
            raise InvalidArgumentError("a compression for each column needs columns")
        if path is not None:
            os.stat(os.path.dirname(os.path.abspath(path)))  # Python's own error for no folder
        self._writer = _core.CvcWriter(
            None if path is None else os.fspath(path),
            version or ("1.0" if columns is None else "2.0"),
            "fp16" if columns is not None or compression is None else str(compression),
            chunk_size,
            mmap_optimized,
            schema,
            dimension,
            expected_rows,
            allow_nonfinite,
            rounding,
            "" if metadata is None else json_text(metadata),
            resolve(threads),
            sync,
            core_timeout(lock_timeout),
        )
        self._report: WriteReport | None = None
        self._is_open = True

    def append(self, rows: Any) -> None:
        """Takes rows: a 2-D array; for columns a mapping from names to arrays of equal length."""
        if self._names is None:
            array = vectors_of(rows)
            if array.ndim != 2:
                raise InvalidArgumentError(f"expected rows of two dimensions, not {array.ndim}")
            self._guarded(lambda: self._writer.append([array]))
            return
        if not isinstance(rows, Mapping):
            raise TypeMismatchError("a columnar file takes a mapping from names to arrays")
        if set(rows) != set(self._names):
            raise InvalidArgumentError(f"expected the columns {self._names}, not {list(rows)}")
        arrays = [vectors_of(rows[name]) for name in self._names]
        self._guarded(lambda: self._writer.append(arrays))

    @contextmanager
    def section(self, metadata: Any) -> Iterator[None]:
        """Rows appended inside the ``with`` block belong to a section with this metadata."""
        self._guarded(lambda: self._writer.begin_section(json_text(metadata)))
        yield
        self._guarded(self._writer.end_section)

    def end_chunk(self) -> None:
        """The rows at hand become a chunk, however few they are."""
        self._guarded(self._writer.end_chunk)

    def set_chunk(
        self, chunk: int, *, compression: str | None = None, metadata: Any = _NOTHING
    ) -> None:
        """Options of one chunk, before it is full.

        Args:
            chunk: Its index.
            compression: Instead of the file's; not for columns.
            metadata: Any JSON value, None among them.
        """
        text = None if metadata is _NOTHING else json_text(metadata)
        self._guarded(lambda: self._writer.set_chunk(chunk, compression, text))

    def close(self) -> WriteReport:
        """Writes what is left, and the header; the file gets its name.

        Warns (RuntimeWarning) of finite values that became infinite in fp16 or bfloat16.
        """
        if self._report is None:
            if not self._is_open:
                raise ValueError("the writer is closed")
            report: list[WriteReport] = []
            self._guarded(lambda: report.append(WriteReport(*self._writer.finish())))
            self._report = report[0]
            self._is_open = False
            if self._report.overflows > 0:
                text = f"{self._report.overflows} finite values became infinite"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
        return self._report

    def abort(self) -> None:
        """Throws the file away; one that was there before stays."""
        if self._is_open:
            self._is_open = False
            self._writer.abort()

    @property
    def contents(self) -> bytes:
        """The file, where there is no path, once it is closed."""
        return self._writer.contents()

    def _guarded(self, work: Any) -> None:
        if not self._is_open:
            raise ValueError("the writer is closed")
        try:
            work()
        except BaseException:
            self.abort()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()
