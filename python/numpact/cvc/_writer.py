# SPDX-License-Identifier: Apache-2.0
"""Writing CVC files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._lock import core_timeout
from .._threads import resolve
from .._turns import Turns
from ._json import LEVELS_ABOVE_CHUNK, LEVELS_ABOVE_SECTION, check_text, json_text
from ._values import vectors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

_NOTHING: Any = object()  # stands for an argument that was not given


class _Counts(NamedTuple):
    rows: int
    chunks: int
    bytes: int
    overflows: int  #: finite values that became infinite in fp16 or bfloat16


class WriteReport(_Counts):
    """What was written.

    Attributes:
        rows, chunks, bytes: Of the file; these and the next are the items of the tuple.
        overflows: Finite values that became infinite in fp16 or bfloat16.
        lost: Finite values that read as NaN: they share a range with one that is not finite.
    """

    lost: int

    def __new__(cls, rows: int, chunks: int, bytes: int, overflows: int, lost: int = 0) -> Self:
        self = super().__new__(cls, rows, chunks, bytes, overflows)
        self.lost = lost
        return self


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeMismatchError(f"a column's name is a string, not {name!r}")
    check_text(name, "a column's name")
    if not name.strip(" \t\n\v\f\r"):
        raise InvalidArgumentError(f"a column's name is blank: {name!r}")


def _row_shape(name: str, dimension: int | tuple[int]) -> tuple[int, bool]:
    """Values in a row, and whether a row of one is a vector."""
    if not isinstance(dimension, tuple):
        return dimension, False
    if len(dimension) != 1:
        raise InvalidArgumentError(f"column {name!r}: rows have one dimension, not {dimension}")
    return dimension[0], True


class Writer:
    """Writes a CVC file from rows as they come, in the memory of a few chunks a thread.

    Until ``close()``, and after an error, what had the name before stays as it was. Leaving the
    ``with`` block by an exception throws the unfinished file away. One thread at a time may use a
    Writer; others wait. A call inside of another one, by a signal handler say, is an error
    (``InvalidArgumentError``), and so is any in a forked process, which leaves the file alone.

    Args:
        path: The file; None: it is kept in memory, see ``contents``.
        columns: For a columnar file (version 2.0): for each column its name and (dimension, dtype),
            dimension 1 for scalars, (1,) for vectors of one value, arrays (rows, 1); dtype
            float32, float16, int32, int64, int8 or uint8.
        compression: "fp16", "int8", "lossless", "bfloat16", "int8_row", "int8_dim", "int4" or
            "pco"; for columns a mapping from names, where a column that is left out takes fp16 for
            floats and "none" for integers.
        chunk_size: Rows in a chunk.
        version: "1.0" or "0.1" for one array, "2.0" for columns; None: what fits.
        mmap_optimized: Records start on pages of 4096 bytes, and the header says where.
        dimension: Values in a row, where no rows may come.
        expected_rows: If the first ``append`` brings exactly these, the file is written at once.
        allow_nonfinite: int8 and its kin: take NaN and infinities; their chunk (int8_row: row;
            int8_dim, int4: dimension of the chunk) then decodes to NaN. ``WriteReport.lost``
            counts the finite values among these.
        rounding: Of int8_row, int8_dim and int4. "search": so that the errors of a row make up for
            each other where rows lie: searches lose about half as much, at d * d / 2
            multiplications for a row of d values. "nearest": each value by itself.
        metadata: Any JSON value for the file; NaN and infinities are none. Lists and objects lie
            at most 511 deep in each other, in metadata of chunks 509, of sections 507.
        threads: Chunks that are compressed at the same time, as for ``numpact.Writer``.
        sync: Ask the system to put the file on the disk before it gets its name.
        lock_timeout: Seconds that ``close()`` waits for others that are writing the file which it
            replaces (``LockTimeoutError``); None: without end.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        columns: Mapping[str, tuple[int | tuple[int], str]] | None = None,
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
        chunk_size = index_of(chunk_size, "chunk_size")
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
            for name, (row, dtype) in columns.items():
                _check_name(name)
                width, is_vector = _row_shape(name, row)
                schema.append((name, width, dtype, chosen.get(name, everywhere), is_vector))
        elif isinstance(compression, Mapping):
            raise InvalidArgumentError("a compression for each column needs columns")
        if path is not None:
            os.stat(os.path.dirname(os.path.abspath(path)))  # Python's own error for no folder
        self._writer = _core.CvcWriter(
            None if path is None else os.fspath(path),
            version=version or ("1.0" if columns is None else "2.0"),
            compression="fp16" if columns is not None or compression is None else str(compression),
            chunk_rows=chunk_size,
            paged=mmap_optimized,
            columns=schema,
            dimension=dimension,
            expected_rows=expected_rows,
            allow_nonfinite=allow_nonfinite,
            rounding=rounding,
            metadata="" if metadata is None else json_text(metadata),
            threads=resolve(threads),
            sync=sync,
            timeout_ms=core_timeout(lock_timeout),
        )
        self._turns = Turns("the writer", is_bound=True)
        self._report: WriteReport | None = None
        self._in_section = False
        self._is_open = True

    def append(self, rows: Any) -> None:
        """Takes rows: a 2-D array; for columns a mapping from names to arrays of equal length."""
        self._check_open()
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
        """Rows appended inside the ``with`` block belong to a section with this metadata.

        The section ends with the block, also where an exception leaves that. There are no sections
        in sections: InvalidArgumentError, and the writer goes on.
        """
        text = json_text(metadata, "section metadata", LEVELS_ABOVE_SECTION)
        with self._turns:
            self._check_open()
            if self._in_section:
                raise InvalidArgumentError("a section cannot begin inside of another one")
            self._run(lambda: self._writer.begin_section(text))
            self._in_section = True
        try:
            yield
        finally:
            self._end_section()

    def _end_section(self) -> None:
        if self._turns.is_foreign:
            return
        with self._turns:
            self._in_section = False
            if self._is_open:  # else the file, or what there was of it, has ended with all in it
                self._run(self._writer.end_section)

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
        chunk = index_of(chunk, "chunk")
        text = None
        if metadata is not _NOTHING:
            text = json_text(metadata, f"metadata of chunk {chunk}", LEVELS_ABOVE_CHUNK)
        self._guarded(lambda: self._writer.set_chunk(chunk, compression, text))

    def close(self) -> WriteReport:
        """Writes what is left, and the header; the file gets its name.

        Warns (RuntimeWarning) of finite values that became infinite in fp16 or bfloat16, and of
        those that are lost beside values that are not finite.
        """
        if self._report is not None:
            return self._report
        with self._turns:
            if self._report is not None:
                return self._report
            self._check_open()
            report: list[WriteReport] = []
            self._run(lambda: report.append(WriteReport(*self._writer.finish())))
            self._report = report[0]
            self._is_open = False
        if report[0].overflows > 0:
            text = f"{report[0].overflows} finite values became infinite"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        if report[0].lost > 0:
            text = (
                f"{report[0].lost} finite values are lost: they read as NaN, as they share a range "
                "with what is not finite"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return report[0]

    def abort(self) -> None:
        """Throws the file away; one that was there before stays."""
        if self._turns.is_foreign:
            self._is_open = False
            return
        with self._turns:
            self._throw_away()

    def _throw_away(self) -> None:
        if self._is_open:
            self._is_open = False
            self._writer.abort()

    @property
    def contents(self) -> bytes:
        """The file, where there is no path, once it is closed."""
        if self._report is not None:
            return self._writer.contents()
        with self._turns:
            return self._writer.contents()

    def _guarded(self, work: Callable[[], object]) -> None:
        with self._turns:
            self._check_open()
            self._run(work)

    def _check_open(self) -> None:
        self._turns.check_process()
        if not self._is_open:
            raise ValueError("the writer is closed")

    def _run(self, work: Callable[[], object]) -> None:
        """In turn; after an error nothing is left to go on with."""
        try:
            work()
        except BaseException:
            self._throw_away()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()
