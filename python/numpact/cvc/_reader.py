# SPDX-License-Identifier: Apache-2.0
"""Reading CVC files."""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._errors import InvalidArgumentError
from .._file import contents
from .._progress import ProgressLike, core_progress
from .._threads import resolve
from ._info import Info, make_info
from ._values import as_core, check_out, result_dtype, shape_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from .._file import Source

    Array = npt.NDArray[Any]


_CODE_TYPES = {
    "fp16": "float16",
    "bfloat16": "uint16",
    "int8": "uint8",
    "int8_row": "uint8",
    "int8_dim": "uint8",
    "int4": "uint8",
}


class CorruptionWarning(UserWarning):
    """Rows were filled or left out, because the checksum of their chunk does not match."""


class CorruptRows(NamedTuple):
    """Rows whose chunk is damaged."""

    chunk: int
    first_row: int
    rows: int


class CodeRun(NamedTuple):
    """Rows of one chunk, and what their codes mean: min + code * scale where there are ranges.

    ``mins`` and ``scales`` (float32) hold one number for all (int8), one for each of the rows
    (int8_row), one for each dimension (int8_dim, int4), or nothing.
    """

    rows: int
    compression: str
    mins: Array
    scales: Array


class Damage(NamedTuple):
    """A chunk that ``Reader.verify`` found damaged."""

    chunk: int
    first_row: int
    rows: int
    reason: str


class Reader:
    """Rows of a CVC file of any version: collections of vectors, in chunks.

    A path is mapped and must keep its length meanwhile; a file opened in binary mode is read whole;
    bytes are used in place. Immutable: threads may share one. ``reader[a:b]`` reads rows. Files
    opened by path can be pickled.

    Args:
        source: A path, a file, or the bytes.
        threads: How many decode at the same time; None: as many as the machine runs at once, but
            one in Zarr and Dask tasks.

    Raises:
        CorruptError, TruncatedError, UnsupportedVersionError: of the header or the chunks' places.
    """

    def __init__(self, source: Source, *, threads: int | None = None) -> None:
        self._path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        self._threads = threads
        self._reader = _core.CvcReader(contents(source))
        self._info = make_info(self._reader.info())

    @property
    def info(self) -> Info:
        """What the header says."""
        return self._info

    def __len__(self) -> int:
        return self._info.rows

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and values in a row of the only column."""
        if len(self._info.columns) == 1:
            return shape_of(self._info.columns[0], self._info.is_columnar, len(self))
        return (len(self),)

    # ---- reading ----

    def read(
        self,
        first: int = 0,
        count: int | None = None,
        *,
        column: str | int | None = None,
        dtype: npt.DTypeLike | str | None = None,
        out: Array | None = None,
        verify: bool = False,
        on_corruption: str = "raise",
        fill_value: float = 0.0,
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> Array:
        """Rows from ``first`` on.

        Args:
            first: The first row.
            count: How many; None: all that follow.
            column: Name or index, where the file has several.
            dtype: float32, float16 or "bfloat16" (as ml_dtypes has it, else as its bits in uint16).
                None: float32, but integers that are stored as they are keep their type.
            out: Array to read into, of the right shape and type; its rows may lie apart.
            verify: Check the checksum also of chunks of which only a part is read.
            on_corruption: What to do about a chunk whose checksum does not match: "raise", "fill"
                its rows with ``fill_value``, or "drop" them. The last two warn.
            fill_value: As said.
            threads, progress: As for ``numpact.decompress``.

        Returns:
            A new array, or the filled part of ``out``: of shape (rows, values), or (rows,) for a
            scalar column.
        """
        stop = len(self) if count is None else first + count
        if first < 0 or stop < first or stop > len(self):
            raise InvalidArgumentError(f"rows {first} to {stop} of {len(self)}")
        arrays = self.read_ranges(
            [(first, stop - first)],
            [self._info.find_column(column)],
            dtype=dtype,
            outs=None if out is None else [out],
            verify=verify,
            on_corruption=on_corruption,
            fill_value=fill_value,
            threads=threads,
            progress=progress,
        )
        return arrays[0]

    def read_ranges(
        self,
        ranges: Sequence[tuple[int, int]],
        columns: Sequence[str | int] | None = None,
        *,
        dtype: npt.DTypeLike | str | None = None,
        outs: Sequence[Array] | None = None,
        verify: bool = False,
        on_corruption: str = "raise",
        fill_value: float = 0.0,
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> list[Array]:
        """Rows of several ranges, (first, count) each, one after the other; an array a column."""
        import numpy as np

        indices = self._columns(columns)
        total = sum(count for _, count in ranges)
        made, targets = [], []
        for position, index in enumerate(indices):
            column = self._info.columns[index]
            found, is_bfloat16 = result_dtype(column, dtype)
            shape = shape_of(column, self._info.is_columnar, total)
            if outs is None:
                array: Array = np.empty(shape, found)
            else:
                array = outs[position]
                check_out(array, shape, found)
            made.append(array)
            targets.append((index, as_core(array, is_bfloat16), is_bfloat16))
        with core_progress(progress, total) as callback:
            rows, corrupt = self._reader.read(
                list(ranges),
                targets,
                self._resolve(threads),
                verify,
                on_corruption,
                fill_value,
                callback,
            )
        for bad in corrupt:
            what = CorruptRows(*bad)
            warnings.warn(f"chunk {what.chunk} is damaged: {what}", CorruptionWarning, 2)
        return [array if rows == total else array[:rows] for array in made]

    def read_chunk(self, chunk: int, **options: Any) -> Array:
        """The rows of a chunk; options as for ``read``."""
        found = self._info.chunks[chunk]
        return self.read(found.first_row, found.rows, **options)

    def gather(
        self,
        rows: npt.ArrayLike,
        *,
        column: str | int | None = None,
        dtype: npt.DTypeLike | str | None = None,
        out: Array | None = None,
        verify: bool = False,
        threads: int | None = None,
    ) -> Array:
        """The given rows, in any order and as often as asked for; only they are decoded."""
        import numpy as np

        wanted = np.asarray(rows)
        if wanted.ndim != 1 or (wanted.dtype.kind not in "iu" and wanted.size > 0):
            raise InvalidArgumentError("rows must be a sequence of row numbers")
        if wanted.size > 0 and int(wanted.min()) < 0:
            raise InvalidArgumentError("row numbers must not be negative")
        index = self._info.find_column(column)
        found, is_bfloat16 = result_dtype(self._info.columns[index], dtype)
        shape = shape_of(self._info.columns[index], self._info.is_columnar, wanted.size)
        if out is None:
            out = np.empty(shape, found)
        else:
            check_out(out, shape, found)
        self._reader.gather(
            np.ascontiguousarray(wanted, np.uint64),
            [(index, as_core(out, is_bfloat16), is_bfloat16)],
            self._resolve(threads),
            verify,
        )
        return out

    def read_codes(
        self,
        first: int = 0,
        count: int | None = None,
        *,
        column: str | int | None = None,
        verify: bool = False,
        threads: int | None = None,
    ) -> tuple[Array, list[CodeRun]]:
        """The stored codes of rows, for engines that compute on them, and what they mean.

        Returns:
            Codes, (rows, values) of uint8 for int8, int8_row and int8_dim, of float16 for fp16, of
            uint16 for bfloat16, of the column's type for none; for int4 (rows, bytes) of uint8,
            two codes each, the low half first. And what they mean, for each chunk's rows.
        """
        import numpy as np

        stop = len(self) if count is None else first + count
        if first < 0 or stop < first or stop > len(self):
            raise InvalidArgumentError(f"rows {first} to {stop} of {len(self)}")
        index = self._info.find_column(column)
        described = self._info.columns[index]
        types = {**_CODE_TYPES, "none": described.dtype}
        stored = {c.slices[index].compression for c in self._info.chunks} or {described.compression}
        kinds = {(types.get(name), name == "int4") for name in stored}
        kind, are_halves = kinds.pop()
        if kinds or kind is None:
            raise InvalidArgumentError(f"codes of {', '.join(sorted(stored))} are of no one type")
        shape = shape_of(described, self._info.is_columnar, stop - first)
        if are_halves:
            shape = (stop - first, (described.dimension + 1) // 2)
        codes = np.empty(shape, kind)
        flat = codes.reshape(-1).view(np.uint8)
        runs = self._reader.read_codes(
            first, stop - first, index, flat, self._resolve(threads), verify
        )
        return codes, [
            CodeRun(rows, name, np.array(mins, np.float32), np.array(scales, np.float32))
            for rows, name, mins, scales in runs
        ]

    def __getitem__(self, key: Any) -> Array:
        """Rows of the only column: one for an integer, several for a slice."""
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self.read(start, max(0, stop - start))
            return self.gather(list(range(start, stop, step)))
        try:
            index = operator.index(key)
        except TypeError:
            return self.gather(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        row: Array = self.read(index % len(self), 1)[0]
        return row

    # ---- finding ----

    def find_sections(self, key: str, value: Any) -> list[tuple[int, int]]:
        """(first, count) of the sections whose metadata has this value under the key."""
        return self._reader.find_sections(key, json.dumps(value))

    def find_chunks(self, key: str, value: Any) -> list[int]:
        """Chunks whose metadata has this value under the key."""
        return self._reader.find_chunks(key, json.dumps(value))

    def verify(self, *, threads: int | None = None, progress: ProgressLike = None) -> list[Damage]:
        """Reads everything and gives the chunks that are damaged."""
        with core_progress(progress, len(self)) as callback:
            bad = self._reader.verify(self._resolve(threads), callback)
        return [Damage(chunk, first, rows, words) for chunk, first, rows, _, words in bad]

    # ---- the rest ----

    def _columns(self, columns: Sequence[str | int] | None) -> list[int]:
        if columns is None:
            return list(range(len(self._info.columns)))
        return [self._info.find_column(name) for name in columns]

    def _resolve(self, threads: int | None) -> int:
        return resolve(self._threads if threads is None else threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def __reduce__(self) -> tuple[Any, ...]:
        if self._path is None:
            raise TypeError("only files that were opened by path can be pickled")
        return _reopen, (self._path, self._threads)

    def __repr__(self) -> str:
        major, minor = self._info.version
        name = repr(self._path) if self._path is not None else "bytes"
        columns = ", ".join(
            f"{c.name + ': ' if c.name else ''}{c.dimension} x {c.compression}"
            for c in self._info.columns
        )
        return f"<numpact.cvc.Reader {name}: v{major}.{minor}, {len(self)} rows, {columns}>"


def _reopen(path: str, threads: int | None) -> Reader:
    return Reader(path, threads=threads)
