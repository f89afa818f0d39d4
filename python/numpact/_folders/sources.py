# SPDX-License-Identifier: Apache-2.0
"""The columns of an open folder: reads rows of each, and decodes the chunks that hold them only."""

from __future__ import annotations

import errno
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa

from .._codec import decompress
from .._errors import CorruptError, LimitExceededError, OutOfMemoryError
from .._file import File
from .._limits import Budget, Limits
from .._number_types import dtype_of, type_name
from .._remote.checked_file import blocks_of, source_of_file
from .._remote.chunk_index import FileIndex, read_tail, walk
from .._remote.locations import Stamp, join, named_errors
from .._remote.manifest import Column, Manifest, Other
from .._remote.null_runs import NullRuns, read_null_runs
from .._remote.parts import Described
from .._remote.table_folder import TableFile, TableFolder
from .._tables.others import BATCH_ROWS, OtherReader
from .._trailer import Trailer, read_trailer, trailer_of
from .columns import array_of, field_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    Array = npt.NDArray[Any]

# Files of a table that are mapped when it is opened, so that it stays the same if the folder is
# replaced. If there are more, each is mapped while it is read: a map takes a descriptor, of which
# processes often have 1,024.
_MAX_MAPPED_FILES = 256


class Content:
    """A file of a table: mapped if it is local, else read by ranges.

    Args:
        content: All bytes, which stay mapped; None: each use maps the file anew, or it is remote.
    """

    def __init__(self, file: TableFile, stamp: Stamp, content: Buffer | None) -> None:
        self.file = file
        self.stamp = stamp
        self.url = file.url
        self.stays = content is not None  #: results of the bytes may be cached
        self._bytes = content

    def map(self) -> Buffer | None:
        """All bytes of a local file; None for a remote one.

        Raises:
            CorruptError: It was replaced after the table was opened.
        """
        return self.file.contents() if self._bytes is None else self._bytes

    def read_all(self) -> Buffer:
        mapped = self.map()
        return self.file.read_all() if mapped is None else mapped


class NumberSource:
    """A column of a Pco file. Thread-safe."""

    def __init__(
        self,
        entry: Column,
        content: Content,
        nulls: Content | None,
        limits: Limits = Limits(),  # noqa: B008 # immutable
    ) -> None:
        self.entry = entry
        self._limits = limits
        self._place = f"{content.url}: column {entry.name!r}"
        self.logical = entry.logical
        self.field = field_of(entry)
        self.rows = entry.rows
        self._content = content
        self._nulls_content = nulls
        self._nulls: NullRuns | None = None
        self._file: File | None = None
        self._described: Described | None = None
        self._lock = threading.RLock()
        self._holders = threading.local()  #: the file that a thread keeps open
        self._dtype = dtype_of(entry.logical.number_type)

    # ---- rows ----

    def nulls(self) -> NullRuns | None:
        """The null rows; None if there are none."""
        if self._nulls_content is None:
            return None
        with self._lock:
            if self._nulls is None:
                place = self._nulls_content
                self._nulls = read_null_runs(
                    place.read_all(),
                    place.url,
                    self.rows,
                    self.entry.null_count,
                    self._limits,
                )
            return self._nulls

    def decode(self, first: int, count: int, threads: int) -> tuple[Array, Array | None]:
        """The numbers of rows that are not null, and which are not; None: all are not."""
        nulls = self.nulls()
        if nulls is None:
            return self._numbers(first, count, threads), None
        part = nulls.part(first, count)
        numbers = self._numbers(nulls.part(0, first).numbers, part.numbers, threads)
        return numbers, part.validity()

    def count(self, rows: int, budget: Budget) -> None:
        """Counts rows that a call returns; LimitExceededError if they are too many bytes."""
        budget.take(rows * self._dtype.itemsize, self._place)

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """As ``count``, for rows of arrays by their indices."""
        self.count(len(rows), budget)

    def read(self, first: int, count: int, threads: int, budget: Budget) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``, which count in the budget."""
        self.count(count, budget)
        numbers, validity = self.decode(first, count, threads)
        return [self.spread(numbers, validity)]

    def spread(self, numbers: Array, validity: Array | None) -> pa.Array:
        """Numbers as an array with nulls where ``validity`` is False."""
        if validity is not None:
            try:
                spread = np.zeros(validity.size, numbers.dtype)
            except MemoryError:
                raise OutOfMemoryError(f"{self._content.url}: {validity.size} rows") from None
            spread[validity] = numbers
            numbers = spread
        if self.logical.kind == "bool" and numbers.size and numbers.max() > 1:
            raise CorruptError(f"{self._content.url}: its booleans are not all 0 or 1")
        return array_of(numbers, validity, self.field)

    def take(self, rows: Array, threads: int, budget: Budget) -> list[pa.Array]:
        """Rows by their indices, (n,) of int64 that increase; decodes the chunks that hold them.

        They count in the budget.
        """
        self.count(len(rows), budget)
        nulls = self.nulls()
        validity = None
        indices = rows
        if nulls is not None:
            indices, validity = nulls.numbers_of_rows(rows)
            indices = indices[validity]
        return [self.spread(self._take(indices, threads), validity)]

    def _take(self, indices: Array, threads: int) -> Array:
        parts: list[Array] = [np.empty(0, self._dtype)]
        with self._held():
            for first, stop, picked in _runs_of(indices, self._chunk_firsts()):
                parts.append(self._numbers(first, stop - first, threads)[picked - first])
        return np.concatenate(parts) if len(parts) != 2 else parts[1]

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keeps the local file open in a ``with`` block, in which it is read several times."""
        if self._content.map() is None:
            yield
            return
        with named_errors(self._content.url):
            self._holders.file = self._opened()
        try:
            yield
        finally:
            self._holders.file = None

    def copy(self, path: str) -> None:
        """Copies the file, as it was when the table was opened, to a new one."""
        with open(path, "xb") as file:
            file.write(memoryview(self._content.read_all()))

    # ---- numbers ----

    def _numbers(self, first: int, count: int, threads: int) -> Array:
        if count == 0:
            return np.empty(0, self._dtype)
        mapped = self._content.map()
        is_whole = first == 0 and count == self.entry.count
        if mapped is None:
            part = self._known(is_indexed=not is_whole).numbers(first, count)
            if not is_whole:
                self._limits.check_decoded(part.held * self._dtype.itemsize, self._place)
            return part.load()
        with named_errors(self._content.url):
            if is_whole:
                return self._whole(mapped, threads)
            return self._opened().read(first, count, threads=threads)

    def _whole(self, mapped: Buffer, threads: int) -> Array:
        count = self.entry.count
        try:
            numbers: Array = decompress(mapped, None, threads, count * self._dtype.itemsize)
        except LimitExceededError:
            raise CorruptError(f"holds more than the {count} numbers of the manifest") from None
        self._check(type_name(numbers.dtype), numbers.size)
        return numbers

    def _check(self, type: str | None, count: int) -> None:
        if type not in (None, self.logical.number_type) or count != self.entry.count:
            raise CorruptError(
                f"holds {count} {type} numbers, the manifest says {self.entry.count} "
                f"{self.logical.number_type}"
            )

    def _opened(self) -> File:
        """The local file, whose chunks are known."""
        held: File | None = getattr(self._holders, "file", None)
        if held is not None:
            return held
        with self._lock:
            if self._file is None:
                mapped = self._content.map()
                assert mapped is not None
                file = File(mapped, threads=1)
                self._check(file._header["number_type"], len(file))
                if not self._content.stays:
                    return file
                self._file = file
            return self._file

    def _known(self, is_indexed: bool) -> Described:
        """The remote file; its chunks are determined if ``is_indexed``."""
        place, stamp = self._content.file, self._content.stamp
        with self._lock:
            if not is_indexed and self._described is None:
                logical, count = self.logical, self.entry.count
                return Described(place, stamp, logical.number_type, count, None)
            if self._described is None:
                index: FileIndex = walk(place, stamp)
                self._check(index.type, index.count)
                self._described = Described(place, stamp, index.type, index.count, index)
            return self._described

    def _chunk_firsts(self) -> Array:
        if self._content.map() is not None:
            with named_errors(self._content.url):
                chunks = self._opened().chunks
        else:
            index = self._known(is_indexed=True).index
            chunks = [] if index is None else list(index.chunks)
        return np.array([chunk.first for chunk in chunks], np.int64)

    # ---- ranges of chunks ----

    def trailer(self) -> Trailer | None:
        """The trailer if it belongs to the file; None also if it is damaged."""
        mapped = self._content.map()
        if mapped is None:
            size = self._content.stamp.size
            raw = None if size is None else read_tail(self._content.file, size)
            trailer = None if raw is None else trailer_of(raw)
        else:
            with named_errors(self._content.url):
                is_used = self._opened()._opened().has_trailer
            trailer = read_trailer(mapped) if is_used else None
        if trailer is None or trailer.count != self.entry.count:
            return None
        return trailer if trailer.type == self.logical.number_type else None

    def rows_of_numbers(self, first: int, count: int) -> tuple[int, int]:
        """The first row and the row after the last one of a range of numbers."""
        nulls = self.nulls()
        if nulls is None:
            return first, first + count
        rows = nulls.rows_of_numbers(np.array([first, first + count - 1]))
        return int(rows[0]), int(rows[1]) + 1


class OtherSource:
    """A column of Arrow IPC. Thread-safe."""

    def __init__(
        self,
        entry: Other,
        content: Content,
        limits: Limits = Limits(),  # noqa: B008 # immutable
    ) -> None:
        self.entry = entry
        self.rows = entry.rows
        self._limits = limits
        self._content = content
        self._reader: OtherReader | None = None
        self._lock = threading.Lock()

    def reader(self) -> OtherReader:
        with self._lock:
            if self._reader is None:
                content, mapped = self._content, self._content.map()
                blocks = blocks_of(self.entry.parts[0])
                source = source_of_file(content.file, content.stamp.size, mapped, blocks)
                reader = OtherReader(source, self.rows, content.url, self.entry.name)
                reader.limits = self._limits
                # A reader of a store's file with checksums keeps its first and last block only.
                is_small = mapped is None and blocks is not None
                if not content.stays and not is_small:
                    return reader
                self._reader = reader
            return self._reader

    @property
    def field(self) -> pa.Field:
        return self.reader().field

    def read(self, first: int, count: int, threads: int, budget: Budget) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``, which count in the budget."""
        return self._read(self.reader(), first, count, budget)

    def _read(
        self, reader: OtherReader, first: int, count: int, budget: Budget | None = None
    ) -> list[pa.Array]:
        with self._lock:  # pyarrow's reader keeps state
            chunks: list[pa.Array] = reader.read(first, count, budget).chunks
        return chunks

    def take(self, rows: Array, threads: int, budget: Budget | None) -> list[pa.Array]:
        """Rows by their indices, as for numbers; decodes the batches that hold them.

        Without a budget they are only searched, so that their values may be copied.
        """
        out: list[pa.Array] = []
        firsts = np.arange(0, max(self.rows, 1), BATCH_ROWS)
        for first, stop, picked in _runs_of(rows, firsts):
            arrays = self._read(self.reader(), first, stop - first)
            out += self._picked(arrays, picked - first, budget)
        return out

    def _picked(self, arrays: list[pa.Array], rows: Array, budget: Budget | None) -> list[pa.Array]:
        """Some rows of arrays, which count in the budget."""
        reader, out, at = self.reader(), [], 0
        for array in arrays:
            inside = rows[(rows >= at) & (rows < at + len(array))]
            if budget is None or not isinstance(array, pa.DictionaryArray):
                reader.check_spread(array)
            out.append(_taken(array, inside - at))
            if budget:
                reader.count(out[-1], budget)
            at += len(array)
        return out

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """Counts rows of arrays by their indices, which a call returns."""
        self._picked(arrays, rows, budget)


def _taken(array: pa.Array, indices: Array) -> pa.Array:
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


def _runs_of(indices: Array, firsts: Array) -> list[tuple[int, int, Array]]:
    """Ranges that cover indices, without chunks between them that hold none.

    Args:
        indices: (n,) that increase.
        firsts: The first index of each chunk.

    Returns:
        For each range its first index, the one after its last, and the indices in it.
    """
    if not len(indices):
        return []
    chunks = np.searchsorted(firsts, indices, "right")
    breaks = np.flatnonzero(np.diff(chunks) > 1) + 1
    parts = np.split(indices, breaks)
    return [(int(part[0]), int(part[-1]) + 1, part) for part in parts]


def open_sources(
    table: TableFolder,
    manifest: Manifest,
    names: Collection[str] | None = None,
    limits: Limits = Limits(),  # noqa: B008 # immutable
) -> list[Source]:
    """The columns of an open folder, in the order of the table; only those of ``names`` if given.

    Each file costs some system calls: a table may have thousands, of which one is read.
    """
    entries = [e for e in manifest.ordered() if names is None or e.name in names]
    nulls_too = sum(isinstance(entry, Column) and bool(entry.null_file) for entry in entries)
    is_mapped = len(entries) + nulls_too <= _MAX_MAPPED_FILES

    def content(name: str, column: str) -> Content:
        try:
            if is_mapped:
                return Content(*table.mapped_file(name))
            return Content(*table.file(name), None)
        except FileNotFoundError:
            url = join(table.place, name).url
            raise FileNotFoundError(
                errno.ENOENT, f"the file of column {column!r} is missing", url
            ) from None

    def source(entry: Column | Other) -> Source:
        if isinstance(entry, Other):
            return OtherSource(entry, content(entry.file, entry.name), limits)
        nulls = content(entry.null_file, entry.name) if entry.null_file else None
        return NumberSource(entry, content(entry.file, entry.name), nulls, limits)

    return [source(entry) for entry in entries]
