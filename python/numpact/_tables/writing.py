# SPDX-License-Identifier: Apache-2.0
"""Tables to write: rows in, the file's bytes out."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.ipc
from pyarrow import compute

from .._limits import Limits
from .other_files import OtherColumn
from .others import Sink, sink_to

# Rows of a row group of Parquet, and the maximum bytes that are kept for one.
_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 1 << 28


def _with_nan(table: pa.Table) -> set[str]:
    """The names of the columns of floats that hold NaN."""
    found = set()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type):
            wide = column.cast(pa.float32()) if pa.types.is_float16(column.type) else column
            if compute.any(compute.is_nan(wide)).as_py():
                found.add(name)
    return found


def _statistics_of(schema: pa.Schema, all_rows: pa.Table | None) -> bool | list[str]:
    """The paths of the columns that get a minimum and a maximum.

    Arrow computes them without NaN. Engines for which NaN is greater than every number (DuckDB,
    DataFusion) then leave out the rows with NaN. So floats get them only where all rows are known,
    and none of these is NaN.
    """
    from pyarrow import parquet

    empty = io.BytesIO()
    parquet.write_metadata(schema, empty)
    empty.seek(0)
    leaves = [column for column in parquet.ParquetFile(empty).schema]
    floats = [leaf.path for leaf in leaves if _is_float(leaf)]
    if not floats:
        return True
    known = set() if all_rows is None else set(all_rows.column_names) - _with_nan(all_rows)
    refused = {path for path in floats if path not in known}
    return True if not refused else [leaf.path for leaf in leaves if leaf.path not in refused]


def _is_float(leaf: Any) -> bool:
    """Whether a column of Parquet holds floats."""
    return leaf.physical_type in ("FLOAT", "DOUBLE") or leaf.logical_type.type == "FLOAT16"


class ParquetOutput:
    """Collects rows to groups of a good size."""

    def __init__(self, sink: Sink, schema: pa.Schema) -> None:
        self._sink = sink
        self._schema = schema
        self._writer: Any = None
        self._batches: list[pa.RecordBatch] = []

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        rows = sum(batch.num_rows for batch in self._batches)
        if rows >= _GROUP_ROWS or sum(batch.nbytes for batch in self._batches) >= _GROUP_BYTES:
            self._flush(is_last=False)

    def _flush(self, *, is_last: bool) -> None:
        table = pa.Table.from_batches(self._batches, self._schema)
        if self._writer is None:
            self._writer = self._open(table if is_last else None)
        if self._batches:
            self._writer.write_table(table, row_group_size=table.num_rows)
            self._batches = []

    def _open(self, all_rows: pa.Table | None) -> Any:
        from pyarrow import parquet

        # The schema is kept as Arrow has it, since Parquet knows no seconds and no durations.
        return parquet.ParquetWriter(
            self._sink,
            self._schema,
            compression="zstd",
            store_schema=True,
            write_statistics=_statistics_of(self._schema, all_rows),
        )

    def close(self) -> None:
        self._flush(is_last=True)
        self._writer.close()


_FORMATS: dict[str, Any] = {
    "parquet": ParquetOutput,
    "arrow": pyarrow.ipc.new_file,
    "arrows": pyarrow.ipc.new_stream,
}


def validity_bits(valid: bytes) -> pa.Buffer | None:
    """Bits from bytes, of which 0 is a null; None where there are no nulls."""
    if not valid:
        return None
    flags = pa.Array.from_buffers(pa.uint8(), len(valid), [None, pa.py_buffer(valid)])
    return flags.cast(pa.bool_()).buffers()[1]


def _mask(kept: bytes) -> pa.Array | None:
    """The mask of rows that are kept, from a byte for each; None: all."""
    if not kept:
        return None
    return pa.Array.from_buffers(pa.uint8(), len(kept), [None, pa.py_buffer(kept)]).cast(pa.bool_())


def _metadata(pairs: list[tuple[bytes, bytes]]) -> Any:
    return pa.KeyValueMetadata(pairs) if pairs else None


def _field(name: str, address: int, nullable: bool, metadata: list[Any]) -> pa.Field:
    type = pa.DataType._import_from_c(address)
    return pa.field(name, type, nullable, _metadata(metadata))


class Output:
    """A table that the command writes.

    Args:
        columns: Of each column its name, the address of its exported type, whether it may have
            nulls, and its metadata; of one in files of Arrow a list of these.
        metadata: Pairs of bytes.
    """

    def __init__(
        self, format: str, columns: list[Any], metadata: list[Any], write: Callable[[bytes], None]
    ) -> None:
        self._sources = [
            OtherColumn(column) if isinstance(column, list) else None for column in columns
        ]
        fields = [
            _field(*column) if source is None else source.field
            for column, source in zip(columns, self._sources, strict=True)
        ]
        self._schema = pa.schema(fields, _metadata(metadata))
        self._output = _FORMATS[format](sink_to(write), self._schema)
        self._budget = Limits().budget()

    def write(self, rows: int, blocks: list[Any], limits: Limits) -> int:
        """Writes rows; the bytes of those in files of Arrow, which count in the limits.

        Args:
            blocks: Of each column the address of an exported array; of one in files of Arrow its
                first row, and a byte for each row from there on, 0: left out, or none if ``rows``
                are taken.
        """
        self._budget.renew(limits)
        arrays = []
        for field, source, block in zip(self._schema, self._sources, blocks, strict=True):
            if source is None:
                arrays.append(pa.Array._import_from_c(block, field.type))
                continue
            first, kept = block
            arrays.append(source.array(first, rows, _mask(kept), self._budget, limits))
        self._output.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        return self._budget.total

    def close(self) -> None:
        self._output.close()
