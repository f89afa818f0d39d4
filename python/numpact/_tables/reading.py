# SPDX-License-Identifier: Apache-2.0
"""Tables to read: Parquet and Arrow IPC, by batches."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .columns import (
    all_number_bytes,
    describe,
    is_list_of_numbers,
    metadata_of,
    metadata_pairs,
    storage_array,
    storage_of,
)
from .errors import Refused
from .int96 import choose_unit
from .joining import text_family

# Maximum rows of a block, as in the command.
_BLOCK = 1 << 16


class Table:
    """One file. ``fields`` and ``metadata`` are set by ``open``; ``buffer`` holds its bytes."""

    def __init__(self, buffer: pa.Buffer) -> None:
        self._buffer = buffer
        self.fields: list[pa.Field] = []
        self.metadata: Any = None

    def source(self) -> pa.BufferReader:
        """The file from its beginning, which the reader closes."""
        return pa.BufferReader(self._buffer)

    def open(self) -> None:
        raise NotImplementedError

    def rows(self) -> int | None:
        """How many, if that is cheap to know."""
        return None

    def unit(self, index: int) -> str:
        """The unit of a column of times that is opened; may look at all of it."""
        return getattr(storage_of(self.fields[index].type), "unit", "s")

    def arrays(self, index: int) -> Iterator[pa.Array]:
        raise NotImplementedError


class ParquetTable(Table):
    def open(self) -> None:
        self._files = {"ns": self._open("ns")}
        self._units: dict[int, str] = {}  # of columns of 96 bits
        schema = self._files["ns"].schema_arrow
        self.fields, self.metadata = list(schema), schema.metadata

    def _open(self, int96_unit: str) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.ParquetFile(
            self.source(),
            pre_buffer=False,
            buffer_size=1 << 20,
            coerce_int96_timestamp_unit=int96_unit,
        )

    def rows(self) -> int:
        return int(self._files["ns"].metadata.num_rows)

    def unit(self, index: int) -> str:
        if not self._is_int96(index):
            return super().unit(index)
        for unit in ("us", "ms"):
            if unit not in self._files:
                self._files[unit] = self._open(unit)
        units = [self._arrays(index, unit) for unit in ("ns", "us", "ms")]
        self._units[index] = choose_unit(zip(*units, strict=True))
        return self._units[index]

    def _is_int96(self, index: int) -> bool:
        if not pa.types.is_timestamp(storage_of(self.fields[index].type)):
            return False
        name = self.fields[index].name
        leaves = self._files["ns"].schema
        return any(
            leaf.path == name and leaf.physical_type == "INT96"
            for leaf in (leaves.column(i) for i in range(len(leaves)))
        )

    def arrays(self, index: int) -> Iterator[pa.Array]:
        return self._arrays(index, self._units.get(index, "ns"))

    def _arrays(self, index: int, int96_unit: str) -> Iterator[pa.Array]:
        # A name names all fields that have it, and leaves whose path looks like it: the field is
        # the one of its name that has as many of that name before it.
        name = self.fields[index].name
        place = sum(field.name == name for field in self.fields[:index])
        left = self.rows()
        size = getattr(storage_of(self.fields[index].type), "list_size", 1)
        block = max(1, _BLOCK // max(1, size))
        file = self._files[int96_unit]
        for batch in file.iter_batches(block, columns=[name], use_threads=False):
            left -= batch.num_rows
            yield batch.column(batch.schema.get_all_field_indices(name)[place])
        if left > 0:
            raise Refused("truncated: holds fewer rows than the file says", "corrupt")


def _only(index: int) -> pyarrow.ipc.IpcReadOptions:
    return pyarrow.ipc.IpcReadOptions(included_fields=[index], use_threads=False)


class ArrowFileTable(Table):
    def open(self) -> None:
        reader = pyarrow.ipc.open_file(self.source())
        self.fields, self.metadata = list(reader.schema), reader.schema.metadata
        self._rows = reader.count_rows() if hasattr(reader, "count_rows") else None

    def rows(self) -> int | None:
        return self._rows

    def arrays(self, index: int) -> Iterator[pa.Array]:
        reader = pyarrow.ipc.open_file(self.source(), options=_only(index))
        for batch in range(reader.num_record_batches):
            yield reader.get_batch(batch).column(0)


class ArrowStreamTable(Table):
    def open(self) -> None:
        schema = pyarrow.ipc.open_stream(self.source()).schema
        self.fields, self.metadata = list(schema), schema.metadata

    def arrays(self, index: int) -> Iterator[pa.Array]:
        for batch in pyarrow.ipc.open_stream(self.source(), options=_only(index)):
            yield batch.column(0)


_FORMATS: dict[str, Any] = {
    "parquet": ParquetTable,
    "arrow": ArrowFileTable,
    "arrows": ArrowStreamTable,
}


def first_list_size(arrays: Iterator[pa.Array]) -> int:
    """The numbers in the first list of a column; 0 if there is none, or it is null."""
    for array in map(storage_array, arrays):
        if len(array):
            return len(array[0].values) if array[0].is_valid else 0
    return 0


class Column:
    """The numbers of one column, a block at a time.

    ``nulls``: "error" refuses them, otherwise they are left out, and each block says where they
    were. Lists have ``list_size`` numbers each, and no nulls.
    """

    def __init__(self, arrays: Iterator[pa.Array], nulls: str, list_size: int) -> None:
        self._arrays = map(storage_array, arrays)
        self._nulls = nulls
        self._list_size = list_size
        self._row = 0  # of the array that comes next
        self._blocks = self._all()

    def next(self) -> tuple[int, memoryview, memoryview]:
        """Rows, numbers and validity of the next block; no rows at the end."""
        return next(self._blocks, (0, memoryview(b""), memoryview(b"")))

    def _all(self) -> Iterator[tuple[int, memoryview, memoryview]]:
        for array in self._arrays:
            self._check_nulls(array, 1)
            rows = max(1, _BLOCK // max(1, self._list_size))
            if self._list_size:
                self._check_lengths(array)
            for at in range(0, len(array), rows):
                yield self._block(array.slice(at, rows))
            self._row += len(array)

    def _block(self, array: pa.Array) -> tuple[int, memoryview, memoryview]:
        rows = len(array)
        if self._list_size:
            array = array.flatten()
            self._check_nulls(array, self._list_size)
        valid = all_number_bytes(array.is_valid().cast(pa.uint8())) if array.null_count else b""
        return rows, number_bytes(array), memoryview(valid)

    def _check_nulls(self, array: pa.Array, numbers_in_row: int) -> None:
        if not array.null_count or self._nulls != "error":
            return
        row = self._row + array.is_valid().index(False).as_py() // numbers_in_row
        nulls = array.null_count + sum(array.null_count for array in self._arrays)
        advice = "" if self._list_size else _NULL_ADVICE
        raise Refused(f"{nulls} null{'s' * (nulls != 1)}, the first in row {row}{advice}")

    def _check_lengths(self, array: pa.Array) -> None:
        # Here, since its import takes long; and its functions are made then, so that type checkers
        # do not see them.
        import pyarrow.compute

        compute: Any = pyarrow.compute
        lengths = compute.list_value_length(array)
        other = compute.not_equal(lengths, self._list_size)
        at = other.index(True).as_py()
        if at >= 0:
            raise Refused(
                f"row {self._row + at} has {lengths[at].as_py()} numbers, row 0 has "
                f"{self._list_size}: vectors have one length"
            )


class Texts:
    """The texts or bytes of one column, a block at a time."""

    def __init__(self, arrays: Iterator[pa.Array]) -> None:
        self._blocks = self._in_blocks(arrays)
        self.are_categories = False  #: the last block, whose rows are those of the next ones

    def _in_blocks(self, arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for array in arrays:
            if isinstance(array, pa.DictionaryArray) and len(array.dictionary):
                self.are_categories = True
                yield array.dictionary
                self.are_categories = False
            for at in _starts(array):
                yield array[at : at + _BLOCK]

    def next(self) -> tuple[memoryview, memoryview, memoryview, bool]:
        """Texts, the end of each, and validity of the next block; no rows at the end.

        And whether they are the categories of the rows that follow.
        """
        array = next(self._blocks, None)
        if array is None:
            return memoryview(b""), memoryview(b""), memoryview(b""), False
        from .coded import text_rows

        return (*text_rows(array), self.are_categories)


def _starts(array: pa.Array) -> range:
    return range(0, len(array), _BLOCK)


# As the command has it.
_NULL_ADVICE = " (a folder keeps them: -o FOLDER; --nulls drop leaves them out)"


def number_bytes(array: pa.Array) -> memoryview:
    """The numbers of the rows that are not null."""
    return all_number_bytes(array.drop_null() if array.null_count else array)


class OpenTable:
    """A table for the command.

    Args:
        lists: Lists of numbers are read, too.
    """

    def __init__(self, table: Table, lists: bool) -> None:
        self._table = table
        table.open()
        self._list_sizes = [
            self._list_size(index, storage_of(field.type)) if lists else None
            for index, field in enumerate(table.fields)
        ]
        self.columns = [
            {**describe(field, size), "metadata": list(metadata_pairs(metadata_of(field)))}
            for field, size in zip(table.fields, self._list_sizes, strict=True)
        ]
        self.metadata = list(metadata_pairs(table.metadata))

    def numbers(self, index: int, nulls: str) -> tuple[Column, int | None, str]:
        """The numbers of a column, its rows if they are known, and the unit of times."""
        unit = self._table.unit(index)
        column = Column(self._table.arrays(index), nulls, self._list_sizes[index] or 0)
        return column, self._table.rows(), unit

    def texts(self, index: int) -> Texts | None:
        """The texts or bytes of a column, also of categories; None: it has others."""
        type = self._table.fields[index].type
        if pa.types.is_dictionary(type):
            type = type.value_type
        return Texts(self._table.arrays(index)) if text_family(type) else None

    def write_other(
        self, index: int, write: Callable[[bytes], None], vectors: str | None
    ) -> tuple[int, str]:
        """Writes the column's own file; its rows and its type. ``vectors`` as of ``write_file``."""
        from .other_files import write_file

        return write_file(write, self._table.fields[index], self._table.arrays(index), vectors)

    def _list_size(self, index: int, type: pa.DataType) -> int | None:
        if not is_list_of_numbers(type):
            return None
        if pa.types.is_fixed_size_list(type):
            return int(type.list_size)
        return first_list_size(self._table.arrays(index))


def open_table(format: str, source: int | bytes, lists: bool) -> OpenTable:
    """Opens a table; ``source``: a descriptor of its file, or its bytes."""
    content: Any = source
    if isinstance(source, int):
        content = mmap.mmap(source, 0, access=mmap.ACCESS_READ)
    return OpenTable(_FORMATS[format](pa.py_buffer(content)), lists)
