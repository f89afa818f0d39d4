# SPDX-License-Identifier: Apache-2.0
"""An open folder: its reader, which is the library's, and its columns."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa

from .. import _core
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._limits import Budget, Limits
from .._number_types import dtype_of
from .._remote.checked_file import (
    BATCH_ROWS,
    CheckedFile,
    blocks_of,
    in_memory,
)
from .._remote.dataset import FoundFolder
from .._remote.locations import Location
from .._remote.manifest import NAME, Column, Manifest, Other, Part, manifest_of
from .._remote.table_folder import FolderFiles
from .._tables.coded import Texts, coded_type, view_type
from .._tables.others import OtherReader
from .._tables.parts import PartsReader
from .._tables.sizes import bytes_of_rows
from .._tables.taking import taken
from .._tables.vector_reader import open_other
from ..cvc import Reader
from .columns import field_of, packed_array

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._types import Array
    from .other_filters import OtherCondition

Span = tuple[int, int]  #: the first row, and the row after the last one
#: Arrays of ``OtherReader.read_coded``, each with the reader that decodes it.
_Coded = list[tuple[OtherReader, pa.Array]]
#: Values of a column for the library's scans: None for those of columns that it does not read.
Buffers = tuple["Array", "Array | None"]


class Folder:
    """A folder of a table that is open: all its files belong to one version. Thread-safe.

    Args:
        place: Where it is. Local files are mapped at once, so that the table stays the same if the
            folder is replaced; of files in a store, ranges are read when they are needed.
        limits: What a column may take in memory bounds what the library needs to decode it.
        found: What is known of it already; None: nothing.

    Raises:
        CorruptError: The manifest is damaged.
        FileNotFoundError: There is no manifest.
    """

    def __init__(
        self,
        place: Location,
        limits: Limits = Limits(),  # noqa: B008 # immutable
        found: FoundFolder | None = None,
    ) -> None:
        path = place.local_path
        self.files: FolderFiles | None = None
        source: Any = os.fsencode(path) if path is not None else None
        if path is None or (found is not None and found.entry is not None):
            with (found or FoundFolder(place)).opened() as folder:
                if path is None:
                    place = folder.place
                    source = self.files = FolderFiles(folder)
                else:
                    folder.manifest_text()  # is that of the index, or an error
        self.path = place.url
        self.limits = limits
        self.reader = _core.TableReader(source, limits.decoding)
        self.manifest: Manifest = manifest_of(self.reader.manifest())

    def part_reader(self, part: Part, column: str) -> OtherReader:
        """The reader of a file of a column that Pco cannot hold."""
        url = self.url(part.file)
        reader = open_other(self._source(part, column, url), part.rows, url, column)
        reader.limits = self.limits
        return reader

    def number_files(self, entry: Column | Other) -> list[memoryview]:
        """The files of a column that holds numbers alone.

        Raises:
            TypeMismatchError: It does not.
            InvalidArgumentError: The table is in a store.
        """
        place = f"{self.url(entry.first_file)}: column {entry.name!r}"
        if not isinstance(entry, Column) or entry.texts:
            raise TypeMismatchError(f"{place} holds no numbers")
        if entry.null_count > 0:
            raise TypeMismatchError(f"{place} has nulls")
        if self.files is not None:
            raise InvalidArgumentError(f"{self.path}: only local tables can go to a GPU")
        files: list[Any] = [
            self.reader.file(part.file, entry.name) for part in entry.parts or (entry,)
        ]
        return [memoryview(file) for file in files]

    def vector_files(self, entry: Other) -> Any:
        """The files of a column of vectors, for a reader.

        Raises:
            InvalidArgumentError: There are several in a store.
            CorruptError: One is not of the size in the manifest.
        """
        if self.files is not None:
            if len(entry.parts) == 1:
                part = entry.parts[0]
                return self._source(part, entry.name, self.url(part.file))
            raise InvalidArgumentError(
                f"{self.path}: column {entry.name!r} has several files in a store: compact_table "
                "joins them"
            )
        mapped: list[Any] = [self.reader.file(part.file, entry.name) for part in entry.parts]
        files = [memoryview(file) for file in mapped]
        for part, file in zip(entry.parts, files, strict=True):
            if len(file) != part.bytes:
                raise CorruptError(
                    f"{self.url(part.file)}: has {len(file)} bytes, the manifest says {part.bytes}"
                )
        return files if len(files) > 1 else files[0]

    def _source(self, part: Part, column: str, url: str) -> CheckedFile | Buffer:
        blocks = blocks_of(part)
        if self.files is not None:
            return self.files.folder.file(part.file)[0].checked(blocks)
        mapped: Any = self.reader.file(part.file, column)
        content = memoryview(mapped)
        return content if blocks is None else in_memory(content, blocks, url)

    def url(self, file: str) -> str:
        """How messages call a file."""
        return f"{self.path.rstrip('/')}/{file}"

    def sources(self) -> list[Source]:
        """The columns, in the order of the table."""
        return [source_of(self, *at) for at in enumerate(self.manifest.ordered())]


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


# A filter picks the rows of a window before it compares them, unless more than a quarter are left.
_DENSE = 4


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
        self._size = entry.logical.bits // 8 or dtype_of(entry.logical.number_type).itemsize

    def count(self, rows: int, budget: Budget) -> None:
        """Counts rows that a call returns; LimitExceededError if they are too many bytes."""
        budget.take(rows * self._size, self._place)

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """As ``count``, for rows of arrays by their indices."""
        self.count(len(rows), budget)

    def arrays(self, buffers: Buffers, rows: int, budget: Budget) -> list[pa.Array]:
        """What the library has read, which was counted."""
        return [packed_array(self.field, rows, *buffers)]

    def read(self, first: int, count: int, threads: int, budget: Budget) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``, which count in the budget."""
        self.count(count, budget)
        return self.arrays(self._cursor(threads).read(self.index, first, count), count, budget)

    def take(self, rows: Array, threads: int, budget: Budget) -> list[pa.Array]:
        """Rows by their indices, (n,) of int64 that increase, which count in the budget."""
        self.count(len(rows), budget)
        rows = np.ascontiguousarray(rows, np.uint64)
        return self.arrays(self._cursor(threads).take(self.index, rows), len(rows), budget)

    def _cursor(self, threads: int) -> _core.TableCursor:
        return _core.TableScan(self._folder.reader, [self.index], []).cursor(threads)


class TextSource(NumberSource):
    """A column of texts, whose numbers are places among them. Thread-safe."""

    _form = "texts"

    def viewed(self) -> TextSource:
        """The column with views as values, if pyarrow has them."""
        if pa.types.is_dictionary(self.field.type):
            return self
        return self._formed("views", view_type(self.field.type))

    def coded(self) -> TextSource:
        """The column as a dictionary."""
        return self._formed("codes", coded_type(self.field.type, pa.int32()))

    def _formed(self, form: str, type: pa.DataType) -> TextSource:
        if type == self.field.type:
            return self
        made = TextSource(self._folder, self.entry, self.index)
        made.field = self.field.with_type(type)
        made._form = form
        return made

    @cached_property
    def _texts(self) -> Texts:
        folder = self._folder
        return Texts.of(
            folder.reader,
            self.index,
            self.logical.text_type,
            folder.limits,
            self._place,
            self._form,
        )

    def count(self, rows: int, budget: Budget) -> None:
        """Nothing: the texts count when they are known."""

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        at = 0
        for array in arrays:
            inside = rows[(rows >= at) & (rows < at + len(array))]
            budget.take(bytes_of_rows(taken(array, inside - at)), self._place)
            at += len(array)

    def arrays(self, buffers: Buffers, rows: int, budget: Budget) -> list[pa.Array]:
        return self._texts.arrays(*buffers, budget)


class OtherSource:
    """A column of Arrow IPC. Thread-safe."""

    def __init__(self, folder: Folder, entry: Other, index: int, begin: int = 0) -> None:
        self.entry = entry
        self.index = index  #: in the table
        self.rows = entry.rows
        self._begin = begin  # the row with which the first file of the entry begins
        self._folder = folder
        self._reader: PartsReader | None = None
        self._lock = threading.Lock()
        # What was read last, of text that repeats: a filter and its result read the same rows.
        self._last: tuple[Span, _Coded] | None = None

    def _opened(self) -> PartsReader:
        with self._lock:
            if self._reader is None:
                name = self.entry.name
                self._reader = PartsReader(
                    self.entry.parts,
                    lambda part: self._folder.part_reader(part, name),
                    self._begin,
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

    def take(self, rows: Array, threads: int, budget: Budget) -> list[pa.Array]:
        """Rows by their indices, which count in the budget, as for numbers; decodes the batches
        that hold them."""
        out: list[pa.Array] = []
        for reader, array, picked in self._coded_runs(rows):
            if not isinstance(array, pa.DictionaryArray):
                reader.check_spread(array)
            out.append(reader.decoded(taken(array, picked)))
            reader.count(out[-1], budget)
        return out

    def narrow(self, first: int, kept: Array, condition: OtherCondition) -> None:
        """Sets ``kept``, (n,) of uint8 from the row ``first`` on, to 0 where rows do not match."""
        rows = np.flatnonzero(kept.view(np.bool_))
        if len(rows) * _DENSE > len(kept):
            _, arrays = self._coded(first, first + len(kept), is_exact=True)
            found = [self._mask(condition, reader, array) for reader, array in arrays]
            kept &= np.concatenate(found).view(np.uint8)
            return
        found = [
            self._mask(condition, reader, array, picked)
            for reader, array, picked in self._coded_runs(rows + first)
        ]
        kept[rows[~np.concatenate([np.empty(0, np.bool_), *found])]] = 0

    def _mask(
        self,
        condition: OtherCondition,
        reader: OtherReader,
        array: pa.Array,
        picked: Array | None = None,
    ) -> Array:
        # Values are copied to be compared; those of a dictionary once.
        reader.check_spread(array.dictionary if isinstance(array, pa.DictionaryArray) else array)
        return condition.mask(array if picked is None else taken(array, picked))

    def _coded_runs(self, rows: Array) -> Iterator[tuple[OtherReader, pa.Array, Array]]:
        """The arrays that hold rows, (n,) that increase, with the indices of these in them."""
        for first, stop, picked in _runs_of(rows):
            begin, arrays = self._coded(first, stop)
            ends = np.cumsum([begin, *(len(array) for _, array in arrays)])
            places = np.searchsorted(picked, ends)
            for (reader, array), at, a, b in zip(arrays, ends, places, places[1:], strict=False):
                if a < b:
                    yield reader, array, picked[a:b] - at

    def _coded(self, first: int, stop: int, is_exact: bool = False) -> tuple[int, _Coded]:
        """Arrays that hold the rows of a span, or these alone, and the first row of the arrays."""
        opened = self._opened()
        with self._lock:
            if self._last is not None:
                (begin, end), arrays = self._last
                is_inside = begin <= first and stop <= end and not is_exact
                if is_inside or (begin, end) == (first, stop):
                    return begin, arrays
            arrays = opened.read_coded(first, stop - first)
            is_small = all(isinstance(array, pa.DictionaryArray) for _, array in arrays)
            self._last = ((first, stop), arrays) if is_small else None
            return first, arrays

    def vectors(self, **options: Any) -> Reader:
        """See ``OpenTable.vectors``."""
        place = self._opened().first.place
        if not all(part.has_vectors for part in self.entry.parts):
            raise TypeMismatchError(f"{place}: has rows in a file of Arrow, which has no vectors")
        return Reader(self._folder.vector_files(self.entry), **options)

    def check_spread(self, array: pa.Array) -> None:
        """To be called before values that a call returns are copied out of dictionaries."""
        self._opened().first.check_spread(array, is_output=True)

    def count_rows(self, arrays: list[pa.Array], rows: Array, budget: Budget) -> None:
        """Counts rows of arrays by their indices, which a call returns."""
        reader, at = self._opened().first, 0
        for array in arrays:
            inside = rows[(rows >= at) & (rows < at + len(array))]
            if not isinstance(array, pa.DictionaryArray):
                reader.check_spread(array)
            reader.count(taken(array, inside - at), budget)
            at += len(array)


Source = Union[NumberSource, OtherSource]


def source_of(folder: Folder, index: int, entry: Column | Other) -> Source:
    """A column of a table by its position."""
    if isinstance(entry, Other):
        return OtherSource(folder, entry, index)
    return (TextSource if entry.texts else NumberSource)(folder, entry, index)


def _runs_of(rows: Array) -> list[tuple[int, int, Array]]:
    """Ranges that cover rows, (n,) that increase, without batches between them that hold none.

    Returns:
        For each range its first row, the one after its last, and the rows in it.
    """
    if not len(rows):
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(rows // BATCH_ROWS) > 1) + 1)
    return [(int(part[0]), int(part[-1]) + 1, part) for part in parts]
