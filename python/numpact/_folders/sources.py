# SPDX-License-Identifier: Apache-2.0
"""An open folder: its reader, which is the library's, and its columns."""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa

from .. import _core
from .._limits import MIN_DECODED_BYTES, Budget, Limits
from .._number_types import dtype_of
from .._remote.checked_file import (
    BATCH_ROWS,
    CheckedFile,
    blocks_of,
    in_memory,
    source_of_file,
)
from .._remote.locations import Location, join
from .._remote.manifest import NAME, Column, Manifest, Other, Part, manifest_of
from .._remote.table_folder import FolderFiles, opened
from .._tables.others import OtherReader
from .._tables.parts import PartsReader
from .columns import field_of, packed_array

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    Array = npt.NDArray[Any]

#: Values of a column for the library's scans: None for those of columns that it does not read.
Buffers = tuple["Array", "Array | None"]


class Folder:
    """A folder of a table that is open: all its files belong to one version. Thread-safe.

    Args:
        place: Where it is. Local files are mapped at once, so that the table stays the same if the
            folder is replaced; of files in a store, ranges are read when they are needed.
        limits: What a column may take in memory bounds what the library needs to decode it.

    Raises:
        CorruptError: The manifest is damaged.
        FileNotFoundError: There is no manifest.
    """

    def __init__(
        self,
        place: Location,
        limits: Limits = Limits(),  # noqa: B008 # immutable
    ) -> None:
        memory = limits.max_memory
        if memory is None and limits.max_output is not None:
            memory = max(limits.max_output, MIN_DECODED_BYTES)
        path = place.local_path
        self.files: FolderFiles | None = None
        source: Any = os.fsencode(path) if path is not None else None
        if path is None:
            with opened(place) as folder:
                place = folder.place
                source = self.files = FolderFiles(folder)
        self.place = place
        self.limits = limits
        self.reader = _core.TableReader(source, memory)
        self.manifest: Manifest = manifest_of(self.reader.manifest())

    def part_reader(self, part: Part, column: str) -> OtherReader:
        """The reader of a file of a column that Pco cannot hold."""
        url = self.url(part.file)
        reader = OtherReader(self._source(part, column, url), part.rows, url, column)
        reader.limits = self.limits
        return reader

    def _source(self, part: Part, column: str, url: str) -> CheckedFile | Buffer:
        blocks = blocks_of(part)
        if self.files is not None:
            file, stamp = self.files.folder.file(part.file)
            return source_of_file(file, stamp.size, None, blocks)
        mapped: Any = self.reader.file(part.file, column)
        content = memoryview(mapped)
        return content if blocks is None else in_memory(content, blocks, url)

    def url(self, file: str) -> str:
        """How messages call a file."""
        return join(self.place, file).url

    def sources(self) -> list[Source]:
        """The columns, in the order of the table."""
        return [
            OtherSource(self, entry, index)
            if isinstance(entry, Other)
            else NumberSource(self, entry, index)
            for index, entry in enumerate(self.manifest.ordered())
        ]


def not_a_table(path: str) -> None:
    """Raises if a local path is certainly not a table; the message names the right function."""
    if os.path.isfile(path):
        raise NotADirectoryError(
            errno.ENOTDIR, f"is a file, and a table is a folder: {_function_for(path)}", path
        )
    if os.path.isdir(path) and not os.path.lexists(f"{path}/{NAME}"):
        raise FileNotFoundError(errno.ENOENT, f"is not a table of numpact: it has no {NAME}", path)


def _function_for(path: str) -> str:
    """Returns the function that reads a file."""
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic == b"npac":
        return "numpact.decompress_arrow reads its bytes"
    if magic[:3] == b"CVC":
        return "numpact.cvc.open reads it"
    return "numpact.open reads a file of numbers"


class NumberSource:
    """A column of numbers. Thread-safe."""

    def __init__(self, folder: Folder, entry: Column, index: int) -> None:
        self.entry = entry
        self.index = index  #: in the table
        self.logical = entry.logical
        self.field = field_of(entry)
        self.rows = entry.rows
        self._folder = folder
        self._place = f"{folder.url(entry.first_file)}: column {entry.name!r}"
        self._size = dtype_of(entry.logical.number_type).itemsize

    def count(self, rows: int, budget: Budget) -> None:
        """Counts rows that a call returns; LimitExceededError if they are too many bytes."""
        budget.take(rows * self._size, self._place)

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """As ``count``, for rows of arrays by their indices."""
        self.count(len(rows), budget)

    def array(self, buffers: Buffers, rows: int) -> pa.Array:
        """What the library has read, as an array."""
        return packed_array(self.field, rows, *buffers)

    def read(self, first: int, count: int, threads: int, budget: Budget) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``, which count in the budget."""
        self.count(count, budget)
        return [self.array(self._cursor(threads).read(self.index, first, count), count)]

    def take(self, rows: Array, threads: int, budget: Budget) -> list[pa.Array]:
        """Rows by their indices, (n,) of int64 that increase, which count in the budget."""
        self.count(len(rows), budget)
        rows = np.ascontiguousarray(rows, np.uint64)
        return [self.array(self._cursor(threads).take(self.index, rows), len(rows))]

    def _cursor(self, threads: int) -> _core.TableCursor:
        return _core.TableScan(self._folder.reader, [self.index], []).cursor(threads)


class OtherSource:
    """A column of Arrow IPC. Thread-safe."""

    def __init__(self, folder: Folder, entry: Other, index: int) -> None:
        self.entry = entry
        self.index = index  #: in the table
        self.rows = entry.rows
        self._folder = folder
        self._reader: PartsReader | None = None
        self._lock = threading.Lock()

    def _opened(self) -> PartsReader:
        with self._lock:
            if self._reader is None:
                name = self.entry.name
                self._reader = PartsReader(
                    self.entry.parts, lambda part: self._folder.part_reader(part, name)
                )
            return self._reader

    @property
    def field(self) -> pa.Field:
        return self._opened().field

    def read(self, first: int, count: int, threads: int, budget: Budget | None) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``, which count in the budget."""
        reader = self._opened()
        with self._lock:  # pyarrow's reader keeps state
            return reader.read(first, count, budget)

    def take(self, rows: Array, threads: int, budget: Budget | None) -> list[pa.Array]:
        """Rows by their indices, as for numbers; decodes the batches that hold them.

        Without a budget they are only searched, so that their values may be copied.
        """
        out: list[pa.Array] = []
        for first, stop, picked in _runs_of(rows):
            arrays = self.read(first, stop - first, threads, None)
            out += self._picked(arrays, picked - first, budget)
        return out

    def _picked(self, arrays: list[pa.Array], rows: Array, budget: Budget | None) -> list[pa.Array]:
        """Some rows of arrays, which count in the budget."""
        reader, out, at = self._opened().first, [], 0
        for array in arrays:
            inside = rows[(rows >= at) & (rows < at + len(array))]
            if budget is None or not isinstance(array, pa.DictionaryArray):
                reader.check_spread(array)
            out.append(taken(array, inside - at))
            if budget:
                reader.count(out[-1], budget)
            at += len(array)
        return out

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """Counts rows of arrays by their indices, which a call returns."""
        self._picked(arrays, rows, budget)


def taken(array: pa.Array, indices: Array) -> pa.Array:
    """Some rows of an array of any type."""
    if not len(indices):
        return array[:0]
    for kind in ("string", "binary"):
        is_view = getattr(pa.types, f"is_{kind}_view", None)  # not in pyarrow 14
        if is_view is not None and is_view(array.type):
            large = pa.large_string() if kind == "string" else pa.large_binary()
            return array.cast(large).take(pa.array(indices)).cast(array.type)
    try:
        return array.take(pa.array(indices))
    except NotImplementedError:  # pyarrow's for some types
        runs = np.split(indices, np.flatnonzero(np.diff(indices) != 1) + 1)
        return pa.concat_arrays([array[int(run[0]) : int(run[-1]) + 1] for run in runs])


Source = Union[NumberSource, OtherSource]


def _runs_of(rows: Array) -> list[tuple[int, int, Array]]:
    """Ranges that cover rows, (n,) that increase, without batches between them that hold none.

    Returns:
        For each range its first row, the one after its last, and the rows in it.
    """
    if not len(rows):
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(rows // BATCH_ROWS) > 1) + 1)
    return [(int(part[0]), int(part[-1]) + 1, part) for part in parts]
