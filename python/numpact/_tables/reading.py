# SPDX-License-Identifier: Apache-2.0
"""Tables to read: Parquet and Arrow IPC by batches, text as a whole."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .columns import describe, number_type
from .errors import told
from .messages import Messages, Refused

# The most numbers of a piece, as the command has it.
_PIECE = 1 << 16
# Missing values, as Arrow has them but for NaN, which is a float.
_NULLS = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN", "N/A", "NA", "NULL",
    "null", "<NA>",
]  # fmt: skip


class Table:
    """One file. ``fields`` is set by ``open``; ``buffer`` holds or maps its bytes."""

    def __init__(self, buffer: pa.Buffer) -> None:
        self._buffer = buffer
        self.fields: list[pa.Field] = []
        # Whether lists of a fixed number of numbers are wanted too.
        self.lists = False

    def source(self) -> pa.BufferReader:
        """The file from its beginning; readers close what they are given."""
        return pa.BufferReader(self._buffer)

    def open(self, request: dict[str, Any]) -> None:
        raise NotImplementedError

    def choose(self, index: int) -> None:
        """Reads the one column that is wanted, where ``names_only`` was asked for."""
        raise Refused("this format needs no choice")

    def rows(self, index: int) -> int | None:
        """How many, if that is cheap to know."""
        return None

    def arrays(self, index: int) -> Iterator[pa.Array]:
        raise NotImplementedError


class ParquetTable(Table):
    def open(self, request: dict[str, Any]) -> None:
        import pyarrow.parquet

        self._file = pyarrow.parquet.ParquetFile(
            self.source(), pre_buffer=False, buffer_size=1 << 20
        )
        self.fields = list(self._file.schema_arrow)

    def rows(self, index: int) -> int:
        return int(self._file.metadata.num_rows)

    def arrays(self, index: int) -> Iterator[pa.Array]:
        # By name several come where names are alike, or where one is the path into a structure.
        name = self.fields[index].name
        place = sum(field.name == name for field in self.fields[:index])
        left = self.rows(index)
        size = getattr(self.fields[index].type, "list_size", 1)
        piece = max(1, _PIECE // max(1, size))
        for batch in self._file.iter_batches(piece, columns=[name], use_threads=False):
            left -= batch.num_rows
            yield batch.column(batch.schema.get_all_field_indices(name)[place])
        if left > 0:
            raise Refused("truncated: holds less rows than the file says", "corrupt")


def _only(index: int) -> pyarrow.ipc.IpcReadOptions:
    return pyarrow.ipc.IpcReadOptions(included_fields=[index], use_threads=False)


class ArrowFileTable(Table):
    def open(self, request: dict[str, Any]) -> None:
        reader = pyarrow.ipc.open_file(self.source())
        self.fields = list(reader.schema)
        self._rows = reader.count_rows() if hasattr(reader, "count_rows") else None

    def rows(self, index: int) -> int | None:
        return self._rows

    def arrays(self, index: int) -> Iterator[pa.Array]:
        reader = pyarrow.ipc.open_file(self.source(), options=_only(index))
        for batch in range(reader.num_record_batches):
            yield reader.get_batch(batch).column(0)


class ArrowStreamTable(Table):
    def open(self, request: dict[str, Any]) -> None:
        self.fields = list(pyarrow.ipc.open_stream(self.source()).schema)

    def arrays(self, index: int) -> Iterator[pa.Array]:
        for batch in pyarrow.ipc.open_stream(self.source(), options=_only(index)):
            yield batch.column(0)


class TextTable(Table):
    """Types are those that fit all rows, so all of it is read before any number is handed on."""

    def __init__(self, buffer: pa.Buffer, delimiter: str) -> None:
        super().__init__(buffer)
        self._delimiter = delimiter
        self._types: dict[str, pa.DataType] = {}
        self._wanted: list[str] = []

    def _keywords(self, wanted: list[str] | None = None) -> dict[str, Any]:
        from pyarrow import csv

        return {
            "read_options": csv.ReadOptions(autogenerate_column_names=not self._header),
            "parse_options": csv.ParseOptions(delimiter=self._delimiter),
            "convert_options": csv.ConvertOptions(
                null_values=_NULLS, column_types=self._types, include_columns=wanted
            ),
        }

    def _read(self, wanted: list[str] | None = None) -> None:
        from pyarrow import csv

        try:
            self._table = csv.read_csv(self.source(), **self._keywords(wanted))
        except pa.ArrowInvalid as error:
            # That a value is not of the type asked for does not make the file corrupt.
            if "conversion error" in str(error):
                raise Refused(str(error)) from None
            raise
        self._places = list(range(self._table.num_columns))

    def open(self, request: dict[str, Any]) -> None:
        from pyarrow import csv

        self._header = request["header"]
        self._type = None if request["dtype"] is None else number_type(request["dtype"])
        if request["names_only"]:
            if self._buffer.size == 0:
                self._read()  # fails with the right words
            schema = csv.open_csv(self.source(), **self._keywords()).schema
            self.fields = list(schema)
            return
        self._read()
        if self._type is not None:
            # Once more, with the number type for the columns that hold numbers.
            numeric = [f.name for f in self._table.schema if describe(f).get("kind") == "number"]
            self._types = dict.fromkeys(numeric, self._type)
            self._read()
        self.fields = list(self._table.schema)

    def choose(self, index: int) -> None:
        name = self.fields[index].name
        if self._type is not None:
            self._types = {name: self._type}
        # Columns of one name can only be told apart when all are read.
        unique = sum(field.name == name for field in self.fields) == 1
        self._read([name] if unique else None)
        self._places = [0 if unique else place for place in range(len(self.fields))]
        self.fields[index] = self._table.schema.field(self._places[index])

    def rows(self, index: int) -> int:
        return int(self._table.num_rows)

    def arrays(self, index: int) -> Iterator[pa.Array]:
        yield from self._table.column(self._places[index]).chunks


_FORMATS: dict[str, Any] = {
    "parquet": ParquetTable,
    "arrow": ArrowFileTable,
    "arrows": ArrowStreamTable,
    "csv": lambda buffer: TextTable(buffer, ","),
    "tsv": lambda buffer: TextTable(buffer, "\t"),
}


class Column:
    """The numbers of one column, a piece at a time, nulls dropped or refused."""

    def __init__(self, arrays: Iterator[pa.Array], drop_nulls: bool, advice: str) -> None:
        self._arrays = arrays
        self._drop_nulls = drop_nulls
        self._advice = advice  # on what to do about nulls
        self.nulls = 0
        self._pieces = self._all()

    def next(self) -> memoryview:
        """As the numbers lie in memory; empty at the end."""
        return next(self._pieces, memoryview(b""))

    def _all(self) -> Iterator[memoryview]:
        for array in self._arrays:
            array.validate()
            self._count_nulls(array)
            if pa.types.is_fixed_size_list(array.type):
                array = array.flatten()
                self._count_nulls(array)
            for at in range(0, len(array), _PIECE):
                piece = _numbers(array.slice(at, _PIECE))
                if piece:
                    yield piece

    def _count_nulls(self, array: pa.Array) -> None:
        if array.null_count and not self._drop_nulls:
            nulls = array.null_count + sum(array.null_count for array in self._arrays)
            raise Refused(f"{nulls} null{'s' * (nulls != 1)}{self._advice}")
        self.nulls += array.null_count


def _numbers(array: pa.Array) -> memoryview:
    if array.null_count:
        array = array.drop_null()
    if len(array) == 0:
        return memoryview(b"")
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    size = array.type.bit_width // 8
    first = array.offset * size
    return memoryview(array.buffers()[1])[first : first + len(array) * size]


def _content(messages: Messages, path: str | None) -> pa.Buffer:
    if path is None:
        return pa.py_buffer(b"".join(messages.receive_pieces()))
    with open(path, "rb") as file:
        return pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class _Server:
    """The answers to requests for one table."""

    def __init__(self, messages: Messages, table: Table) -> None:
        self._messages = messages
        self._table = table
        self._readers: list[Column] = []

    def answer(self, request: dict[str, Any]) -> None:
        verb = request["verb"]
        if verb == "next":
            column = self._readers[request["reader"]]
            piece = column.next()
            self._messages.send({"nulls": column.nulls})
            self._messages.send_bytes(piece)
        elif verb == "open":
            self._table.lists = request["lists"]
            self._table.open(request)
            fields = [describe(field, self._table.lists) for field in self._table.fields]
            self._messages.send({"columns": fields})
        elif verb == "choose":
            self._table.choose(request["column"])
            field = self._table.fields[request["column"]]
            self._messages.send({"columns": [describe(field)]})
        elif verb == "column":
            index = request["column"]
            advice = "" if self._table.lists else " (--nulls drop leaves them out)"
            arrays = self._table.arrays(index)
            self._readers.append(Column(arrays, request["drop_nulls"], advice))
            number = len(self._readers) - 1
            self._messages.send({"reader": number, "rows": self._table.rows(index)})
        else:
            raise RuntimeError(f"a request of unknown verb {verb!r}")


def serve(messages: Messages, format: str, path: str | None) -> None:
    """Answers requests until the other side has gone. An error is the answer to one of them."""
    server = _Server(messages, _FORMATS[format](_content(messages, path)))
    while True:
        request = messages.receive()
        with told(messages):
            server.answer(request)
