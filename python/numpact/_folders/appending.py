# SPDX-License-Identifier: Apache-2.0
"""Appends rows to tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import astuple, replace
from functools import partial
from typing import Any

import pyarrow as pa

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._lossy import roundings_of
from .._remote.locations import local_place
from .._remote.manifest import Column, Manifest, Other, Part, manifest_of
from .._specs import TrailerSpec, core_level, core_trailer
from .._table_arguments import Others, Path, Schema
from .._tables.columns import OTHER_ENUM, has_enums_of, logical_of
from .._tables.joining import as_type, is_null_type
from .._tables.others import have_same_values
from .._tables.unifying import as_common, common_type
from .._tables.vectors import require_exact
from .._threads import resolve
from .columns import field_of
from .sources import Folder, not_a_table
from .writing import (
    ColumnWriter,
    NumberWriter,
    OtherColumnWriter,
    Report,
    TextWriter,
    begin_rounding,
    check_others,
    final_path,
    in_parallel,
    other_writer,
    planned,
    report_rounding,
    shared_out,
    source_of,
    table_writer,
    write_columns,
)

SCHEMAS = ("same", "extend")
# Null rows of a new column that are written at a time.
_NULL_ROWS = 1 << 20


def append_table(
    table: Any,
    path: Path,
    level: int,
    threads: int | None,
    trailer: TrailerSpec,
    others: Others,
    schema: Schema,
    rounding: Mapping[str, Mapping[str, Any]] | None,
    vectors: Mapping[str, str] | None,
    report: Report | None,
    lock_timeout: float | None,
) -> None:
    """See ``numpact.append_table``."""
    core_level(level), core_trailer(trailer)  # before anything is read
    roundings = roundings_of(rounding)
    check_others(others)
    if schema not in SCHEMAS:
        raise InvalidArgumentError(f"schema must be one of {SCHEMAS}, not {schema!r}")
    final = final_path(path)
    not_a_table(final)
    source = source_of(table)
    workers, inner = shared_out(resolve(threads), len(source.schema))
    with table_writer(final, None, level, trailer, inner, lock_timeout, "append") as writer:
        manifest = manifest_of(writer.before())
        dropped = {skipped.name for skipped in manifest.skipped} if others == "drop" else set()
        kept = [at for at, field in enumerate(source.schema) if field.name not in dropped]
        fields = [source.schema.field(at) for at in kept]
        as_before = {other.name for other in manifest.others}
        given_rows = planned(pa.schema(fields), "keep", as_before, vectors)[1]
        writer.set_rows(astuple(given_rows), schema == "extend")
        folder = _folder_of(final, manifest)
        columns: list[tuple[int | None, partial[ColumnWriter]]] = []
        entries = manifest_of(writer.after()).ordered()
        places = begin_rounding(writer, entries, roundings)
        for index, entry in enumerate(entries):
            at = writer.source(index)
            if isinstance(entry, Column) and at is None:
                continue  # the library completes it
            given = pa.field(entry.name, pa.null()) if at is None else fields[at]
            make = partial(_column_writer, writer, index, entry, given, folder, schema == "extend")
            columns.append((None if at is None else kept[at], make))
        write_columns(source, columns, workers)
        writer.commit()
        report_rounding(writer, places, report)


def compact_table(
    path: Path,
    level: int,
    threads: int | None,
    trailer: TrailerSpec,
    lock_timeout: float | None,
) -> None:
    """See ``numpact.compact_table``."""
    core_level(level), core_trailer(trailer)  # before anything is read
    final = final_path(path)
    not_a_table(final)
    total = resolve(threads)
    with table_writer(final, None, level, trailer, total, lock_timeout, "compact") as writer:
        manifest = manifest_of(writer.before())
        folder = _folder_of(final, manifest)

        def join(column: tuple[int, Column | Other]) -> None:
            index, entry = column
            if isinstance(entry, Column):
                writer.finish(index)
            elif folder is not None and len(entry.parts) > 1:
                field = folder.part_reader(entry.parts[0], entry.name).field
                _others(writer, index, entry, field, folder, False).finish()

        entries = list(enumerate(manifest.ordered()))
        in_parallel(join, entries, shared_out(total, len(entries))[0])
        writer.commit()


# ---- writing ----


class _Numbers(NumberWriter):
    """Numbers as they are given; nulls without a type become those of the column."""

    def __init__(
        self, writer: _core.TableWriter, index: int, entry: Column, given: pa.Field
    ) -> None:
        # The library converts them to the type of the column.
        super().__init__(writer, index, replace(entry, logical=logical_of(given) or entry.logical))
        self._type = field_of(entry).type

    def write(self, array: pa.Array) -> None:
        super().write(pa.nulls(len(array), self._type) if pa.types.is_null(array.type) else array)


class _Converting:
    """Passes rows on in the type of a column; ``converts``: it is another one than theirs."""

    def __init__(self, writer: ColumnWriter, to: pa.Field, converts: bool) -> None:
        self._writer, self._to, self._converts = writer, to, converts

    def write(self, array: pa.Array) -> None:
        given, to = pa.chunked_array([array]), self._to
        name = f"column {to.name!r}"
        made = as_common(given, to.type, name) if self._converts else as_type(given, to)
        for chunk in made.chunks:
            self._writer.write(chunk)

    def finish(self) -> None:
        self._writer.finish()


def _others(
    writer: _core.TableWriter,
    index: int,
    entry: Other,
    given: pa.Field,
    folder: Folder | None,
    may_extend: bool,
) -> ColumnWriter:
    """Writes values in the type of the column, after those of the parts that its new file
    replaces.

    Raises:
        TypeMismatchError: The rows are of another type.
    """
    if not entry.parts or folder is None:  # it is new
        to = given.with_nullable(given.nullable or entry.rows > 0)
        made = _Converting(OtherColumnWriter(writer, index, to, entry.vectors), to, False)
        for at in range(0, entry.rows, _NULL_ROWS):
            made.write(pa.nulls(min(_NULL_ROWS, entry.rows - at)))
        return made
    to = folder.part_reader(entry.parts[0], entry.name).field
    common = _common_of(given, to, may_extend)
    if common is not None and not have_same_values(common, to.type):
        require_exact(to, common, entry.vectors)
        writer.rewrite_other(index, str(common))
        to = to.with_type(common)
    other = OtherColumnWriter(writer, index, to, entry.vectors)
    made = _Converting(other, to, common is not None)
    copied = [Part(*part) for part in writer.copied(index)]
    for part in entry.parts[: len(entry.parts) - len(copied)]:
        if not part.ends:  # it gets checksums now, which would hide damage
            deque(folder.part_reader(part, entry.name).batches(), maxlen=0)
    for part in copied:
        reader = folder.part_reader(part, entry.name)
        if have_same_values(reader.field.type, to.type):
            other.copy(reader)
        else:
            for batch in reader.batches():
                made.write(batch)
    return made


def _texts(
    writer: _core.TableWriter, index: int, entry: Column, given: pa.Field, may_extend: bool
) -> ColumnWriter:
    """Writes texts to a column of them."""
    to = field = field_of(entry)
    common = _common_of(given, field, may_extend, keeps_type=True)
    if common is not None and not pa.types.is_dictionary(given.type):
        to = field.with_type(common)  # texts, which become categories
    return _Converting(TextWriter(writer, index, field, None), to, common is not None)


def _common_of(
    given: pa.Field, field: pa.Field, may_extend: bool, keeps_type: bool = False
) -> pa.DataType | None:
    """The type that holds the values of a column and of rows of another type; None: these are of
    its type.

    Raises:
        TypeMismatchError: There is none, or rows must be of the column's type.
    """
    if not is_null_type(given.type) and not has_enums_of(given, field):
        raise TypeMismatchError(f"column {field.name!r}: {OTHER_ENUM}")
    try:
        as_type(pa.chunked_array([], given.type), field)
    except TypeMismatchError as error:
        common = common_type([field.type, given.type])
        if common is None:
            raise
        if not may_extend:
            is_same = keeps_type or have_same_values(common, field.type)
            change = "converts the rows" if is_same else f"writes the column anew as {common}"
            raise TypeMismatchError(f"{error} (schema 'extend' {change})") from None
        return common
    return None


def _folder_of(path: str, manifest: Manifest) -> Folder | None:
    """The open folder, which follows no links, if a column is read by this module."""
    return Folder(local_place(path)) if manifest.others else None


def _column_writer(
    writer: _core.TableWriter,
    index: int,
    entry: Column | Other,
    given: pa.Field,
    folder: Folder | None,
    may_extend: bool,
) -> ColumnWriter:
    if isinstance(entry, Column):
        if entry.texts:
            return _texts(writer, index, entry, given, may_extend)
        return _Numbers(writer, index, entry, given)
    make = partial(_others, writer, index, entry, given, folder, may_extend)
    if entry.parts:
        return make()
    return other_writer(writer, index, given.with_nullable(given.nullable or entry.rows > 0), make)
