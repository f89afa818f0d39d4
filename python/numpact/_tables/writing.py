# SPDX-License-Identifier: Apache-2.0
"""Tables to write: rows in, the file's bytes out."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .columns import arrow_field, metadata_from_json
from .messages import Messages

# Rows of a row group of Parquet, and the most bytes that are kept for one.
_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 1 << 28


class Sink(io.RawIOBase):
    """Returns the bytes written since the last call."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(self._pieces[-1])

    def take(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


class ParquetOutput:
    """Collects rows to groups of a good size."""

    def __init__(self, sink: Sink, schema: pa.Schema) -> None:
        from pyarrow import parquet

        self._schema = schema
        # The schema is kept as Arrow has it, since Parquet knows no seconds and no durations.
        self._writer = parquet.ParquetWriter(sink, schema, compression="zstd", store_schema=True)
        self._batches: list[pa.RecordBatch] = []

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        rows = sum(batch.num_rows for batch in self._batches)
        if rows >= _GROUP_ROWS or sum(batch.nbytes for batch in self._batches) >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches, self._schema)
            self._writer.write_table(table, row_group_size=table.num_rows)
            self._batches = []

    def close(self) -> None:
        self._flush()
        self._writer.close()


_FORMATS: dict[str, Any] = {
    "parquet": ParquetOutput,
    "arrow": pyarrow.ipc.new_file,
    "arrows": pyarrow.ipc.new_stream,
}


def _validity(valid: bytes) -> pa.Buffer | None:
    """Bits from bytes, of which 0 is a null; None where there are no nulls."""
    if not valid:
        return None
    flags = pa.Array.from_buffers(pa.uint8(), len(valid), [None, pa.py_buffer(valid)])
    return flags.cast(pa.bool_()).buffers()[1]


def _array(type: pa.DataType, rows: int, numbers: bytes, valid: bytes) -> pa.Array:
    nulls = _validity(valid)
    if pa.types.is_boolean(type):
        return pa.Array.from_buffers(pa.uint8(), rows, [nulls, pa.py_buffer(numbers)]).cast(type)
    if pa.types.is_fixed_size_list(type):
        inner = _array(type.value_type, rows * type.list_size, numbers, b"")
        return pa.Array.from_buffers(type, rows, [None], children=[inner])
    return pa.Array.from_buffers(type, rows, [nulls, pa.py_buffer(numbers)])


def serve(messages: Messages, format: str) -> None:
    """Takes rows until the table is finished."""
    request = messages.receive()
    fields = [arrow_field(column) for column in request["columns"]]
    schema = pa.schema(fields, metadata_from_json(request["metadata"]))
    sink = Sink()
    output = _FORMATS[format](sink, schema)
    messages.send_pieces(sink.take())
    while (request := messages.receive())["verb"] == "rows":
        arrays = [
            _array(field.type, request["count"], messages.receive_bytes(), messages.receive_bytes())
            for field in schema
        ]
        output.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        messages.send_pieces(sink.take())
    output.close()
    messages.send_pieces(sink.take())
