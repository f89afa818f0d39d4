# SPDX-License-Identifier: Apache-2.0
"""Tables to write: rows in, the file's bytes out."""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.ipc
from pyarrow import compute

from .._limits import Budget, Limits
from .._remote.checked_file import blocks_of, in_memory
from .._remote.manifest import Part
from .errors import Refused, about
from .others import OtherReader, Sink, holds_dictionary
from .vector_reader import MAGIC, open_other
from .vectors import ENDING

# Rows of a row group of Parquet, and the maximum bytes that are kept for one.
_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 1 << 28


def sink_to(write: Callable[[bytes], None]) -> Sink:
    """A file for a function of the command, which takes no other objects than bytes."""
    return Sink(lambda data: write(bytes(data)))


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


def open_reader(file: dict[str, Any]) -> OtherReader:
    """Opens a file that the command gives by its bytes or a descriptor."""
    buffer = file["content"]
    if isinstance(buffer, int):
        is_empty = os.fstat(buffer).st_size == 0
        buffer = b"" if is_empty else mmap.mmap(buffer, 0, access=mmap.ACCESS_READ)
    if not len(buffer):
        raise Refused("corrupt: the file is empty", "corrupt")
    source: Any = pa.py_buffer(buffer)
    if file["part"] is not None:
        name = ENDING if buffer[: len(MAGIC)] == MAGIC else ""
        part = Part(name, file["rows"], *file["part"])
        blocks = blocks_of(part)
        assert blocks is not None
        source = in_memory(source, blocks, "corrupt")
    return open_other(source, file["rows"], "corrupt", file["name"])


def _mask(kept: bytes) -> pa.Array | None:
    """The mask of rows that are kept, from a byte for each; None: all."""
    if not kept:
        return None
    return pa.Array.from_buffers(pa.uint8(), len(kept), [None, pa.py_buffer(kept)]).cast(pa.bool_())


class _Parts:
    """A column in several files, whose rows follow each other."""

    def __init__(self, files: list[dict[str, Any]]) -> None:
        self._readers: list[tuple[str, OtherReader]] = []
        for file in files:
            place = file["place"]
            with about(place):
                reader = open_reader(file)
                if not self._readers:
                    self.field = reader.field
                elif holds_dictionary(reader.field.type) or not reader.field.equals(
                    self.field, check_metadata=True
                ):
                    why = "corrupt: parts of the column are of another type, or have dictionaries"
                    raise Refused(why, "corrupt", place)
                self._readers.append((place, reader))

    def array(
        self, first: int, count: int, kept: pa.Array | None, budget: Budget, limits: Limits
    ) -> pa.Array:
        """``count`` rows from ``first`` on, or those of a longer range that are kept."""
        rows = self._read(first, count if kept is None else len(kept), kept, budget, limits)
        # Not combine_chunks for one chunk, since it copies; and it cannot join some types.
        return rows[0] if len(rows) == 1 else pa.concat_arrays(rows)

    def _read(
        self, first: int, left: int, kept: pa.Array | None, budget: Budget, limits: Limits
    ) -> list[pa.Array]:
        arrays: list[pa.Array] = []
        done = 0
        for place, reader in self._readers:
            reader.limits = limits
            count = min(left, reader.rows - first)
            if count > 0:
                with about(place):
                    rows = reader.read(first, count, budget if kept is None else None)
                    if kept is not None:
                        rows = rows.filter(kept[done : done + count])
                        for array in rows.chunks if budget else ():
                            reader.count(array, budget)
                arrays += rows.chunks
                done, left = done + count, left - count
            first = max(0, first - reader.rows)
        return arrays or [pa.nulls(0, self.field.type)]


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
        self._sources = [_Parts(column) if isinstance(column, list) else None for column in columns]
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
