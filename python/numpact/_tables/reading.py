# SPDX-License-Identifier: Apache-2.0
"""Tables that the command reads: Parquet and Arrow IPC, by arrays."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .errors import Refused
from .taking import RowTaker

# Maximum rows of an array, as in the command.
_ROWS = 1 << 16


class Table:
    """One file: ``ArrowSource`` of cli/formats/arrow/arrow_table.hpp. ``_open`` sets ``_schema``.

    Args:
        source: A descriptor of the file, or its bytes.
    """

    _schema: pa.Schema

    def __init__(self, source: int | bytes) -> None:
        content: Any = source
        if isinstance(source, int):
            content = mmap.mmap(source, 0, access=mmap.ACCESS_READ)
        self._buffer = pa.py_buffer(content)
        self._open()

    def _source(self) -> pa.BufferReader:
        """The file from its beginning, which the reader closes."""
        return pa.BufferReader(self._buffer)

    def _open(self) -> None:
        raise NotImplementedError

    def fields(self, address: int) -> list[tuple[str, str, bool]]:
        """Exports the schema; name, type and whether it is an extension type for each field."""
        self._schema._export_to_c(address)
        return [
            (field.name, str(field.type), isinstance(field.type, pa.BaseExtensionType))
            for field in self._schema
        ]

    def rows(self) -> int | None:
        """How many, if that is cheap to know."""
        return None

    def is_int96(self, index: int) -> bool:
        """Whether timestamps are Parquet's old ones of 96 bits."""
        return False

    def arrays(self, index: int, rows: int = _ROWS, int96_unit: str = "ns") -> Iterator[pa.Array]:
        """The arrays of a column, with ``rows`` at most where the format does not state them."""
        raise NotImplementedError

    def write_other(
        self, index: int, write: Callable[[bytes], None], vectors: str | None
    ) -> tuple[int, str]:
        """Writes the column's own file; its rows and its type. ``vectors`` as of ``write_file``."""
        from .other_files import write_file

        return write_file(write, self._schema.field(index), self.arrays(index), vectors)


class ParquetTable(Table):
    def _open(self) -> None:
        self._files: dict[str, Any] = {}  # by the unit of timestamps of 96 bits
        self._schema = self._file("ns").schema_arrow

    def _file(self, int96_unit: str) -> Any:
        import pyarrow.parquet

        if int96_unit not in self._files:
            self._files[int96_unit] = pyarrow.parquet.ParquetFile(
                self._source(),
                pre_buffer=False,
                buffer_size=1 << 20,
                coerce_int96_timestamp_unit=int96_unit,
            )
        return self._files[int96_unit]

    def rows(self) -> int:
        return int(self._file("ns").metadata.num_rows)

    def is_int96(self, index: int) -> bool:
        name = self._schema.field(index).name
        leaves = self._file("ns").schema
        return any(
            leaf.path == name and leaf.physical_type == "INT96"
            for leaf in (leaves.column(i) for i in range(len(leaves)))
        )

    def arrays(self, index: int, rows: int = _ROWS, int96_unit: str = "ns") -> Iterator[pa.Array]:
        # A name names all fields that have it, and leaves whose path looks like it: the field is
        # the one of its name that has as many of that name before it.
        name = self._schema.field(index).name
        place = self._schema.names[:index].count(name)
        left = self.rows()
        file = self._file(int96_unit)
        for batch in file.iter_batches(rows, columns=[name], use_threads=False):
            left -= batch.num_rows
            yield batch.column(batch.schema.get_all_field_indices(name)[place])
        if left > 0:
            raise Refused("truncated: holds fewer rows than the file says", "corrupt")


def _only(index: int) -> pyarrow.ipc.IpcReadOptions:
    return pyarrow.ipc.IpcReadOptions(included_fields=[index], use_threads=False)


class ArrowFileTable(Table):
    _all: RowTaker | None = None
    _selected: pa.Table | None = None

    def _open(self) -> None:
        reader = pyarrow.ipc.open_file(self._source())
        self._schema = reader.schema
        self._rows = reader.count_rows() if hasattr(reader, "count_rows") else None

    def rows(self) -> int | None:
        return self._rows

    def select(self, rows: bytes) -> None:
        """Keeps the file in memory; these rows are read from now on, given as uint64."""
        if self._all is None:
            self._all = RowTaker(pyarrow.ipc.open_file(self._source()).read_all())
        self._rows = len(rows) // 8
        order = pa.Array.from_buffers(pa.uint64(), self._rows, [None, pa.py_buffer(rows)])
        self._selected = self._all.take(order)

    def arrays(self, index: int, rows: int = _ROWS, int96_unit: str = "ns") -> Iterator[pa.Array]:
        if self._selected is not None:
            yield from self._selected.column(index).chunks
            return
        reader = pyarrow.ipc.open_file(self._source(), options=_only(index))
        for batch in range(reader.num_record_batches):
            yield reader.get_batch(batch).column(0)


class ArrowStreamTable(Table):
    def _open(self) -> None:
        self._schema = pyarrow.ipc.open_stream(self._source()).schema

    def arrays(self, index: int, rows: int = _ROWS, int96_unit: str = "ns") -> Iterator[pa.Array]:
        for batch in pyarrow.ipc.open_stream(self._source(), options=_only(index)):
            yield batch.column(0)


def export_next(arrays: Iterator[pa.Array], address: int, checks_values: bool) -> None:
    """Exports the next array; none at the end. What the command relies on is checked before."""
    for array in arrays:
        array.validate(full=checks_values)
        array._export_to_c(address)
        return


open_parquet, open_arrow_file, open_arrow_stream = ParquetTable, ArrowFileTable, ArrowStreamTable
