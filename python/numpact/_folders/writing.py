# SPDX-License-Identifier: Apache-2.0
"""Writes tables with the library's writer: numbers as Pco, all else as Arrow IPC."""

from __future__ import annotations

import dataclasses
import errno
import os
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from .. import _core
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._file import contents
from .._limits import Limits
from .._lock import core_timeout
from .._lossy import Rounding, RoundingReport, roundings_of
from .._number_types import dtype_of
from .._remote.manifest import Column, LogicalType, Manifest, Other, Skipped
from .._specs import TrailerSpec, core_level, core_trailer
from .._table_arguments import Others, Path
from .._tables.coded import Texts, large_texts
from .._tables.columns import is_text_type, logical_of, why_unfit
from .._tables.others import OtherReader, OtherWriter, Sink
from .._tables.vector_reader import open_other
from .._tables.vectors import compression_for
from .._tables.writing import validity_bits
from .._threads import ALL, resolve
from .columns import field_metadata, rows_in, table_metadata, validity_of

OTHERS = ("keep", "drop", "error")

# Rows that a column passes on at a time, so that copies of them stay small: 8 MiB of numbers.
_MAX_ROWS = 1 << 20

#: Called with the name of a column and what became of it.
Report = Callable[[str, RoundingReport], object]

_In = TypeVar("_In")
_Out = TypeVar("_Out")


@contextmanager
def table_writer(
    folder: str,
    manifest: Manifest | None,
    level: int,
    trailer: TrailerSpec,
    threads: int,
    lock_timeout: float | None,
    work: Literal["create", "replace", "append", "compact"],
) -> Iterator[_core.TableWriter]:
    """A writer for a ``with`` block; what was not committed at its end is discarded.

    Args:
        folder: The table, as ``final_path`` gives it.
        manifest: The columns of a new table.
        level, trailer, lock_timeout: As for ``write_table``.
        threads: Of each column.
        work: "replace" also creates a table; "compact" joins all parts of each column.
    """
    writer = _core.TableWriter(
        os.fsencode(folder),
        None if manifest is None else astuple(manifest),
        work,
        core_level(level),
        core_trailer(trailer),
        threads,
        core_timeout(lock_timeout),
    )
    try:
        yield writer
    finally:
        writer.close()


def begin_rounding(
    writer: _core.TableWriter, entries: Sequence[Column | Other], roundings: Mapping[str, Rounding]
) -> dict[str, int]:
    """Has columns rounded, before their first row; returns their places.

    Raises:
        InvalidArgumentError: There is no such column, or several have the name.
        TypeMismatchError: It is no column of numbers.
    """
    places: dict[str, int] = {}
    for name, rounding in roundings.items():
        found = [index for index, entry in enumerate(entries) if entry.name == name]
        if len(found) != 1:
            raise InvalidArgumentError(
                f"rounding: there {'is no column' if not found else 'are several columns'} {name!r}"
            )
        entry = entries[found[0]]
        if isinstance(entry, Other) or entry.logical.kind != "number":
            raise TypeMismatchError(f"rounding of {name!r}: it is no column of numbers")
        dtype = dtype_of(entry.logical.number_type)
        rounding.check(dtype, f"rounding of {name!r}: ")
        writer.set_rounding(found[0], rounding.kind, rounding.value, rounding.fill_of(dtype))
        places[name] = found[0]
    return places


def report_rounding(
    writer: _core.TableWriter, places: Mapping[str, int], report: Report | None
) -> None:
    """Tells the caller what became of the rounded columns."""
    for name, index in places.items():
        done = writer.rounding(index)
        if report is not None and done is not None:
            report(name, RoundingReport(*done))


class ColumnWriter(Protocol):
    """Writes a column: ``write`` for each array, then ``finish``."""

    def write(self, array: pa.Array) -> None: ...
    def finish(self) -> None: ...


class NumberWriter:
    """Writes the rows of a column of numbers."""

    def __init__(self, writer: _core.TableWriter, index: int, column: Column) -> None:
        self._writer = writer
        self._index = index
        self._column = column

    def write(self, array: pa.Array) -> None:
        if array.null_count and not self._column.nullable:
            raise InvalidArgumentError(
                f"column {self._column.name!r}: {array.null_count} nulls, but its field is not "
                "nullable"
            )
        for at in range(0, len(array), _MAX_ROWS):
            numbers, valid = rows_in(array[at : at + _MAX_ROWS], self._column.logical)
            self._writer.write(self._index, numbers, valid)

    def finish(self) -> None:
        self._writer.finish(self._index)


class OtherColumnWriter:
    """Writes a column that Pco cannot hold, and reads it back."""

    def __init__(
        self, writer: _core.TableWriter, index: int, field: pa.Field, vectors: str
    ) -> None:
        self._table = writer
        self._index = index
        writer.begin_other(index)
        sink = Sink(partial(writer.write_bytes, index))
        self._writer = OtherWriter(sink, field, vectors)

    def write(self, array: pa.Array) -> None:
        self._writer.write(array)

    def copy(self, reader: OtherReader) -> None:
        self._writer.copy(reader)

    def finish(self) -> None:
        writer = self._writer
        writer.close()
        name = writer.field.name
        content = contents(os.fsdecode(self._table.path(self._index)))
        reader = open_other(content, writer.rows, f"column {name!r}", name)
        is_same = reader.field.equals(writer.field, check_metadata=True)
        if not is_same or not writer.reads_as(reader):
            raise CorruptError(f"column {name!r}: does not read as what was written")
        # Indices of a dictionary may have become wider.
        self._table.finish_other(self._index, writer.rows, str(writer.field.type))


class TextWriter:
    """Writes texts as places among the different ones, if they repeat, and categories of texts.

    Args:
        writer: The table.
        index: The column in it.
        field: The field of the column.
        otherwise: Makes a writer for texts that do not; None: it is a column of texts already.
    """

    def __init__(
        self,
        writer: _core.TableWriter,
        index: int,
        field: pa.Field,
        otherwise: Callable[[], ColumnWriter] | None,
    ) -> None:
        self._table = writer
        self._index = index
        self._field = field
        self._otherwise = otherwise
        self._other: ColumnWriter | None = None
        if otherwise is None:
            return
        logical = LogicalType("text", "u8", text_type=str(field.type))
        nullable, described = field.nullable, field_metadata(field)
        like = Column(field.name, "", logical, 0, nullable=nullable, metadata=described)
        writer.begin_texts(index, astuple(like))

    def write(self, array: pa.Array) -> None:
        for at in range(0, len(array), _MAX_ROWS):
            if self._other is None:
                if self._is_taken(array[at : at + _MAX_ROWS]):
                    continue
                self._other = self._given_up()
            self._other.write(array[at:])
            return

    def _is_taken(self, array: pa.Array) -> bool:
        """Adds rows, unless there are too many different texts."""
        is_coded = isinstance(array, pa.DictionaryArray) and pa.types.is_dictionary(
            self._field.type
        )
        texts = large_texts(array.dictionary if is_coded else array)
        has_nulls = texts[2] is not None or (is_coded and array.null_count > 0)
        if has_nulls and not self._field.nullable:
            raise InvalidArgumentError(
                f"column {self._field.name!r}: {array.null_count} nulls, but its field is not "
                "nullable"
            )
        if not is_coded:
            return self._table.add_texts(self._index, *texts)
        valid = validity_of(array)
        flags = None if valid is None else valid.view(np.uint8)
        places = array.indices.fill_null(0).cast(pa.uint32()).to_numpy()
        return self._table.add_categories(self._index, *texts, places, flags)

    def finish(self) -> None:
        if self._other is None:
            if self._table.finish_texts(self._index):
                return
            self._other = self._given_up()
        self._other.finish()

    def _given_up(self) -> ColumnWriter:
        """Another writer, with the rows so far."""
        offsets, content, codes, valid = self._table.take_texts(self._index)
        texts = Texts(offsets, content, str(self._field.type), Limits(), "")
        bits = validity_bits(valid.tobytes())
        assert self._otherwise is not None
        writer = self._otherwise()
        for array in texts.arrays(codes, bits, Limits().budget()):
            writer.write(array)
        return writer


def write_columns(
    source: Source, columns: Sequence[tuple[int | None, Callable[[], ColumnWriter]]], workers: int
) -> None:
    """Writes columns of a source, which are given by their index in it and what makes a writer.

    Without an index they are null. A table in memory is written column by column, so that memory is
    needed for a few writers only.
    """
    if source.table is not None:

        def work(column: tuple[int | None, Callable[[], ColumnWriter]]) -> None:
            writer = column[1]()
            for array in source.arrays(column[0]):
                writer.write(array)
            writer.finish()

        in_parallel(work, columns, workers)
        return
    writers = [make() for _, make in columns]
    with ThreadPoolExecutor(workers) as pool:
        for batch in source.batches:
            arrays = [
                pa.nulls(batch.num_rows) if index is None else batch.column(index)
                for index, _ in columns
            ]
            list(pool.map(lambda writer, array: writer.write(array), writers, arrays))
        list(pool.map(lambda writer: writer.finish(), writers))


def in_parallel(work: Callable[[_In], _Out], items: Sequence[_In], workers: int) -> list[_Out]:
    """The results of a function for each item."""
    if workers == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, items))


def shared_out(threads: int, columns: int) -> tuple[int, int]:
    """How many columns are worked on at the same time, and the threads of each."""
    count = os.cpu_count() or 1 if threads == ALL else threads
    workers = max(1, min(count, columns))
    return workers, max(1, count // workers)


# ---- sources ----


@dataclass
class Source:
    """A table to write: in memory, or a stream of batches that is read once."""

    schema: pa.Schema
    table: pa.Table | None
    batches: Iterable[pa.RecordBatch] = dataclasses.field(default_factory=list)

    def arrays(self, index: int | None) -> list[pa.Array]:
        """The arrays of a column of a table in memory; without an index nulls."""
        assert self.table is not None
        if index is None:
            return [pa.nulls(self.table.num_rows)]
        chunks: list[pa.Array] = self.table.column(index).chunks
        return chunks


def source_of(table: Any) -> Source:
    """A table of any library.

    Raises:
        TypeMismatchError: It is not a table.
    """
    library = type(table).__module__.partition(".")[0]
    if isinstance(table, Mapping):
        table = _table_of(dict(table), "the mapping")
    elif isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif library in ("pandas", "polars") and type(table).__name__ == "DataFrame":
        _refuse_unfit(table)
        table = _table_of(table, f"the data frame of {library}")
    if isinstance(table, pa.Table):
        return Source(table.schema, table)
    if isinstance(table, pa.RecordBatchReader):
        return Source(table.schema, None, table)
    is_column = isinstance(table, pa.ChunkedArray) or type(table).__name__ == "Series"
    if is_column or not hasattr(table, "__arrow_c_stream__"):
        raise TypeMismatchError(
            "expected a table: a data frame of pandas or polars, a table or stream of pyarrow, a "
            f"relation of DuckDB, or a mapping of names to columns, not {type(table).__name__}"
        )
    reader = pa.RecordBatchReader.from_stream(table)
    return Source(reader.schema, None, reader)


def _refuse_unfit(frame: Any) -> None:
    """Refuses columns that polars cannot pass on: objects leave as addresses, Int128 unreadable."""
    types = list(zip(frame.columns, frame.dtypes, strict=True))
    objects = [name for name, dtype in types if str(dtype) == "Object"]
    if objects:
        raise TypeMismatchError(f"columns {objects} hold Python objects, which have no type")
    wide = [name for name, dtype in types if "Int128" in str(dtype)]
    if wide:
        raise TypeMismatchError(
            f"columns {wide} hold integers of 128 bits, which Arrow does not have: cast them to "
            "Int64, UInt64, Decimal or Float64 of polars"
        )


def _table_of(source: Any, what: str) -> pa.Table:
    try:
        return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        text = ": ".join(str(argument) for argument in error.args)
        raise TypeMismatchError(f"{what} is not a table of Arrow: {text}") from error


# ---- new tables ----


def final_path(path: Path) -> str:
    """The absolute path of a folder to write, without links."""
    text = os.fsdecode(path)
    return os.path.realpath(text.rstrip("/") or text)


def write_table(
    table: Any,
    path: Path,
    level: int,
    threads: int | None,
    trailer: TrailerSpec,
    others: Others,
    overwrite: bool,
    rounding: Mapping[str, Mapping[str, Any]] | None,
    vectors: Mapping[str, str] | None,
    report: Report | None,
    lock_timeout: float | None,
) -> None:
    """See ``numpact.write_table``."""
    core_level(level), core_trailer(trailer)  # before anything is read
    roundings = roundings_of(rounding)
    check_others(others)
    final = final_path(path)
    if os.path.lexists(final) and not overwrite:
        raise FileExistsError(
            errno.EEXIST, "exists already (overwrite=True replaces a table)", final
        )
    source = source_of(table)
    kept, manifest = planned(source.schema, others, vectors=vectors)
    os.makedirs(os.path.dirname(final), exist_ok=True)
    workers, inner = shared_out(resolve(threads), len(kept))
    work: Literal["create", "replace"] = "replace" if overwrite else "create"
    with table_writer(final, manifest, level, trailer, inner, lock_timeout, work) as writer:
        places = begin_rounding(writer, manifest.ordered(), roundings)
        fields = list(source.schema)
        columns = [
            (place, partial(_column_writer, writer, index, entry, fields[place]))
            for index, (place, entry) in enumerate(zip(kept, manifest.ordered(), strict=True))
        ]
        write_columns(source, columns, workers)
        warn_of_kept(final, writer.commit())
        report_rounding(writer, places, report)


def move_table(made: str, path: Path) -> None:
    """Gives a finished folder of a table its name in the same file system; replaces a table there.

    Raises:
        FileExistsError: The path exists and is not a table.
    """
    final = final_path(path)
    os.makedirs(os.path.dirname(final), exist_ok=True)
    warn_of_kept(final, _core.move_table(os.fsencode(made), os.fsencode(final)))


def warn_of_kept(path: str, kept: bytes) -> None:
    """Warns if files of a replaced folder stay."""
    if kept:
        warnings.warn(
            f"{path}: files came meanwhile that are not part of the table; they stay in "
            f"{os.fsdecode(kept)}",
            stacklevel=4,
        )


def check_others(others: str) -> None:
    if others not in OTHERS:
        raise InvalidArgumentError(f"others must be one of {OTHERS}, not {others!r}")


def planned(
    schema: pa.Schema,
    others: Others,
    kept_decimals: Container[str] = (),
    vectors: Mapping[str, str] | None = None,
) -> tuple[list[int], Manifest]:
    """The columns that are written, by their index in the schema, and the new table's manifest.

    Args:
        schema: Of the rows.
        others: What becomes of columns that Pco cannot hold.
        kept_decimals: Names of columns whose decimals stay in Arrow.
        vectors: The compressions of columns of vectors, by their names.

    Raises:
        InvalidArgumentError, TypeMismatchError: There is no such column or compression.
    """
    compressions = _compressions_of(schema, vectors or {})
    fits = [
        None
        if field.name in kept_decimals and pa.types.is_decimal(field.type)
        else logical_of(field)
        for field in schema
    ]
    unfit = [field for field, logical in zip(schema, fits, strict=True) if logical is None]
    if unfit and others == "error":
        raise TypeMismatchError(
            f"column {unfit[0].name!r}: {why_unfit(unfit[0])} (others='keep' keeps it as Arrow IPC)"
        )
    if unfit and others == "drop":
        names = ", ".join(repr(field.name) for field in unfit)
        warnings.warn(f"columns that Pco cannot hold are left out: {names}", stacklevel=4)
    kept: list[int] = []
    columns: list[Column] = []
    kept_others: list[Other] = []
    skipped: list[Skipped] = []
    for index, (field, logical) in enumerate(zip(schema, fits, strict=True)):
        if logical is None and others == "drop":
            skipped.append(Skipped(field.name, str(field.type), why_unfit(field)))
            continue
        kept.append(index)
        if logical is None:
            kept_others.append(
                Other(field.name, index, str(field.type), 0, (), compressions.get(field.name, ""))
            )
            continue
        described = field_metadata(field)
        columns.append(
            Column(field.name, "", logical, 0, nullable=field.nullable, metadata=described)
        )
    return kept, Manifest(columns, kept_others, skipped, table_metadata(schema))


def _compressions_of(schema: pa.Schema, vectors: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(vectors, Mapping):
        raise InvalidArgumentError("vectors must map names of columns to compressions")
    for name in vectors:
        if schema.names.count(name) != 1:
            found = "are several columns" if name in schema.names else "is no column"
            raise InvalidArgumentError(f"vectors: there {found} {name!r}")
    return {name: compression_for(schema.field(name), given) for name, given in vectors.items()}


def other_writer(
    writer: _core.TableWriter,
    index: int,
    field: pa.Field,
    otherwise: Callable[[], ColumnWriter],
) -> ColumnWriter:
    """The writer of a new column that Pco cannot hold."""
    if is_text_type(field.type):
        return TextWriter(writer, index, field, otherwise)
    return otherwise()


def _column_writer(
    writer: _core.TableWriter, index: int, entry: Column | Other, field: pa.Field
) -> ColumnWriter:
    if isinstance(entry, Other):
        return other_writer(
            writer, index, field, partial(OtherColumnWriter, writer, index, field, entry.vectors)
        )
    return NumberWriter(writer, index, entry)
