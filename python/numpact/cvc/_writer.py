# SPDX-License-Identifier: Apache-2.0
"""Writes CVC files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._lock import core_timeout
from .._shown import few
from .._threads import resolve
from .._turns import Turns
from ._json import LEVELS_ABOVE_CHUNK, LEVELS_ABOVE_SECTION, check_text, json_text
from ._values import vectors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    from ._reader import Reader

    Columns = Mapping[str, tuple[int | tuple[int], str]]

_NOTHING: Any = object()  # stands for an argument that was not given


class _Counts(NamedTuple):
    rows: int
    chunks: int
    bytes: int
    overflows: int  #: finite values that became infinite in fp16 or bfloat16


class WriteReport(_Counts):
    """Statistics of a file that was written; a tuple of (rows, chunks, bytes, overflows).

    Attributes:
        rows, chunks, bytes: Counts of rows and chunks, and the size of the file.
        overflows: Finite values that became infinite in fp16 or bfloat16.
        lost: Finite values that read as NaN, because they share a range with a value that is not
            finite.
        underflows: Values that are not 0, but became so in fp16 or bfloat16; and quantized values
            that became the least one of their range, since they or its steps are too small for
            float32.
    """

    lost: int
    underflows: int

    def __new__(
        cls,
        rows: int,
        chunks: int,
        bytes: int,
        overflows: int,
        lost: int = 0,
        underflows: int = 0,
    ) -> Self:
        self = super().__new__(cls, rows, chunks, bytes, overflows)
        self.lost = lost
        self.underflows = underflows
        return self


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeMismatchError(f"a column's name is a string, not {few(name)}")
    check_text(name, "a column's name")
    if not name.strip(" \t\n\v\f\r"):
        raise InvalidArgumentError(f"a column's name is blank: {name!r}")


def _row_shape(name: str, dimension: int | tuple[int]) -> tuple[int, bool]:
    """Values in a row, and whether a row is a vector even if it has one value."""
    if not isinstance(dimension, tuple):
        return dimension, False
    if len(dimension) != 1:
        raise InvalidArgumentError(f"column {name!r}: rows have one dimension, not {dimension}")
    return dimension[0], True


def _schema(
    columns: Columns | None,
    compression: str | Mapping[str, str | None] | None,
    is_growing: bool,
) -> list[tuple[str, int, str, str | None, bool]]:
    """The columns for ``_core``; none for a file of one array.

    A single column without a name is the only one of a collection that grows.
    """
    if columns is None:
        if isinstance(compression, Mapping) or (is_growing and compression is not None):
            raise InvalidArgumentError("a compression for each column needs columns")
        return []
    chosen = compression if isinstance(compression, Mapping) else {}
    unknown = [name for name in chosen if name not in columns]
    if unknown:
        raise InvalidArgumentError(
            f"compression of unknown columns {few(unknown)}: the columns are {few(list(columns))}"
        )
    everywhere = compression if isinstance(compression, str) else None
    schema = []
    for name, (row, dtype) in columns.items():
        if name or not is_growing or len(columns) > 1:
            _check_name(name)
        width, is_vector = _row_shape(name, row)
        schema.append((name, width, dtype, chosen.get(name, everywhere), is_vector))
    return schema


def core_reader(rows: object) -> _core.CvcReader | None:
    """That of a ``Reader``; None of anything else."""
    core = getattr(rows, "_reader", None)
    return core if isinstance(core, _core.CvcReader) else None


class Writer:
    """Writes a CVC file from several arrays of rows, with memory for a few chunks per thread.

    Until ``close()``, and after an error, an existing file of that name stays unchanged. If the
    ``with`` block ends with an exception, the unfinished file is deleted.

    Thread-safe: calls of several threads are executed one after the other. A reentrant call, for
    example from a signal handler, raises ``InvalidArgumentError``, and so does every call in a
    forked process; the file belongs to its parent.

    With ``append`` the rows are added to a collection that grows, which is a folder
    (``numpact.cvc.append``). Other processes that append wait until ``close()``, which adds all
    rows at once.

    Args:
        path: The file; None: keep it in memory, see ``contents``. With ``append`` the folder.
        append: Add rows to a folder. ``columns`` may be left out if it has rows already, and a
            single column also takes arrays instead of mappings. Chunks count from the one that
            the first new row goes to. ``metadata`` is for new folders; ``version``,
            ``mmap_optimized`` and ``dimension`` do not apply.
        columns: For a columnar file (version 2.0): a mapping from names to (dimension, dtype).
            Dimension 1 means scalars, arrays (rows,); (1,) means vectors of one value, arrays
            (rows, 1). The dtype is float32, float16, int32, int64, int8 or uint8. With ``append``
            also a ``Reader``: its columns, with their compressions and its metadata if the folder
            is new.
        compression: "fp16", "int8", "lossless", "bfloat16", "int8_row", "int8_dim", "int4",
            "pco", "rot1", "rot2", "rot3" or "rot4". For columns also a mapping from names; the
            default of a column is "fp16" for floats and "none" for integers.
        chunk_size: Rows in a chunk.
        version: "1.0" or "0.1" for one array, "2.0" for columns; None: "1.0" or "2.0".
        mmap_optimized: Align records to pages of 4096 bytes, and store their positions in the
            header.
        dimension: Values in a row, for a file that may get no rows.
        expected_rows: If the first ``append`` has exactly this count of rows, they are written
            without buffering.
        allow_nonfinite: For int8, int8_row, int8_dim and int4: accept NaN and infinities. Their
            chunk (int8_row: their row; int8_dim, int4: their dimension of the chunk) decodes to
            NaN. ``WriteReport.lost`` counts the finite values among these.
        rounding: For int8_row, int8_dim and int4. "search": choose the codes of a row so that their
            errors compensate in inner products; searches lose about half as much accuracy, at the
            cost of d / 2 multiplications, but at most 512, for each of d values of a row.
            "nearest": round each value. "auto": "search" for int4, "nearest" for the others.
        metadata: A JSON value for the file, without NaN and infinities. Lists and objects may be
            nested 511 deep, in metadata of chunks 509 and of sections 507.
        threads: Number of chunks that are compressed at the same time, as for ``numpact.Writer``.
        sync: Sync the file to the disk before it is renamed.
        lock_timeout: Seconds that ``close()`` waits for other writers of the file that it replaces
            (``LockTimeoutError``); None: no limit.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        append: bool = False,
        columns: Columns | Reader | None = None,
        compression: str | Mapping[str, str | None] | None = None,
        chunk_size: int = 100_000,
        version: str | None = None,
        mmap_optimized: bool = False,
        dimension: int | None = None,
        expected_rows: int | None = None,
        allow_nonfinite: bool = False,
        rounding: str = "auto",
        metadata: Any = None,
        threads: int | None = None,
        sync: bool = True,
        lock_timeout: float | None = None,
    ) -> None:
        chunk_size = index_of(chunk_size, "chunk_size")
        if chunk_size < 1:
            raise InvalidArgumentError("chunk_size must be at least 1")
        like = core_reader(columns) if append else None
        if like is not None:
            columns = None
            if compression is not None:
                raise InvalidArgumentError(
                    "compression is not for the rows of a Reader, which are copied as they are"
                )
        self._names = None if columns is None else list(columns)
        self._is_growing = append
        if append:
            if path is None or version is not None or mmap_optimized or dimension is not None:
                raise InvalidArgumentError(
                    "append takes a folder, and no version, mmap_optimized or dimension"
                )
            version = "2.0"
        schema = _schema(cast("Columns | None", columns), compression, append)
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
            appends=append,
            like=like,
        )
        if append:
            self._names = [name for name, _, _ in self._writer.columns()]
        self._turns = Turns("the writer", is_bound=True)
        self._report: WriteReport | None = None
        self._in_section = False
        self._is_open = True

    def append(self, rows: Any) -> None:
        """Appends rows.

        Args:
            rows: An array or tensor, (rows, values), also of bfloat16; for columns a mapping from
                names to arrays of equal length. To a folder also a ``Reader``, whose chunks are
                copied as they are stored, with sections and their metadata.

        Raises:
            InvalidArgumentError, TypeMismatchError: Other shapes, columns or types.
            ValueError: The writer is closed.
        """
        self._check_open()
        if self._names is None:
            array = vectors_of(rows)
            if array.ndim != 2:
                raise InvalidArgumentError(f"expected rows of two dimensions, not {array.ndim}")
            self._guarded(lambda: self._writer.append([array]))
            return
        core = core_reader(rows) if self._is_growing else None
        if core is not None:
            self._guarded(lambda: rows._copy_to(self._writer))
            return
        if not isinstance(rows, Mapping) and self._is_growing and len(self._names) == 1:
            rows = {self._names[0]: rows}
        if not isinstance(rows, Mapping):
            raise TypeMismatchError("a columnar file takes a mapping from names to arrays")
        if set(rows) != set(self._names):
            raise InvalidArgumentError(
                f"expected the columns {few(list(self._names))}, not {few(list(rows))}"
            )
        arrays = [vectors_of(rows[name]) for name in self._names]
        self._guarded(lambda: self._writer.append(arrays))

    @contextmanager
    def section(self, metadata: Any) -> Iterator[None]:
        """Makes the rows that are appended inside the ``with`` block a section with this metadata.

        The section ends with the block, also by an exception. Sections cannot be nested:
        InvalidArgumentError, after which the writer is still usable.
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
            if self._is_open:  # otherwise the file is complete
                self._run(self._writer.end_section)

    def end_chunk(self) -> None:
        """Ends the current chunk early."""
        self._guarded(self._writer.end_chunk)

    def set_chunk(
        self, chunk: int, *, compression: str | None = None, metadata: Any = _NOTHING
    ) -> None:
        """Sets options of a chunk that is not complete yet.

        Args:
            chunk: Its index.
            compression: Replaces that of the file; not for columns.
            metadata: Any JSON value, also None.
        """
        chunk = index_of(chunk, "chunk")
        text = None
        if metadata is not _NOTHING:
            text = json_text(metadata, f"metadata of chunk {chunk}", LEVELS_ABOVE_CHUNK)
        self._guarded(lambda: self._writer.set_chunk(chunk, compression, text))

    def close(self) -> WriteReport:
        """Writes the buffered rows and the header, and renames the file.

        Issues a RuntimeWarning for finite values that became infinite in fp16 or bfloat16, for
        those that are too small, and for those that are lost (see ``WriteReport``).

        Raises:
            LockTimeoutError: Another process is writing the file.
            ValueError: The writer was aborted.
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
        if report[0].underflows > 0:
            text = (
                f"{report[0].underflows} values became 0 or the least of their range: they are too "
                "small for the compression"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        if report[0].lost > 0:
            text = (
                f"{report[0].lost} finite values are lost: they read as NaN, as they share a range "
                "with what is not finite"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return report[0]

    def abort(self) -> None:
        """Deletes the unfinished file; an existing file of that name stays unchanged."""
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
        """The bytes of a closed file without a path."""
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
        """Runs a step; after an error the unfinished file is deleted."""
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
