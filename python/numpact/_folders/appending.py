# SPDX-License-Identifier: Apache-2.0
"""Appends rows to tables."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from .. import _core
from .._errors import TypeMismatchError
from .._remote.locations import local_place
from .._remote.manifest import Column, Manifest, Other, Part, manifest_of
from .._specs import DEFAULT_LEVEL, TABLE_TRAILER, TrailerSpec
from .._tables.columns import OTHER_ENUM, has_enums_of
from .._tables.joining import as_type, is_null_type
from .._threads import resolve
from .columns import field_of, logical_of
from .sources import Folder, not_a_table
from .writing import (
    ColumnWriter,
    NumberWriter,
    Options,
    OtherColumnWriter,
    Others,
    Path,
    check_others,
    final_path,
    in_parallel,
    shared_out,
    source_of,
    table_writer,
    write_columns,
)


def append_table(
    table: Any,
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    others: Others = "keep",
    lock_timeout: float | None = None,
) -> None:
    """See ``numpact.append_table``."""
    options = Options(level, trailer)
    options.check()
    check_others(others)
    final = final_path(path)
    not_a_table(final)
    source = source_of(table)
    workers, inner = shared_out(resolve(threads), len(source.schema))
    with table_writer(final, None, options, inner, lock_timeout, "append") as writer:
        manifest = manifest_of(writer.before())
        matched = _matched(source.schema, manifest, others)
        fields = list(source.schema)
        folder = _folder_of(final, manifest)
        columns = [
            (place, partial(_column_writer, writer, index, entry, fields[place], folder))
            for index, (entry, place) in enumerate(zip(manifest.ordered(), matched, strict=True))
        ]
        write_columns(source, columns, workers)
        writer.commit()


def compact_table(
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    lock_timeout: float | None = None,
) -> None:
    """See ``numpact.compact_table``."""
    options = Options(level, trailer)
    options.check()
    final = final_path(path)
    not_a_table(final)
    with table_writer(final, None, options, 1, lock_timeout, "compact") as writer:
        manifest = manifest_of(writer.before())
        folder = _folder_of(final, manifest)

        def join(column: tuple[int, Column | Other]) -> None:
            index, entry = column
            if isinstance(entry, Column):
                writer.finish(index)
            elif folder is not None and len(entry.parts) > 1:
                field = folder.part_reader(entry.parts[0], entry.name).field
                _Others(writer, index, entry, field, folder).finish()

        entries = list(enumerate(manifest.ordered()))
        in_parallel(join, entries, shared_out(resolve(threads), len(entries))[0])
        writer.commit()


# ---- which column of the source belongs to which of the folder ----


def _matched(schema: pa.Schema, manifest: Manifest, others: Others) -> list[int]:
    """The columns of a source, by their index in it, in the order of the folder.

    Raises:
        TypeMismatchError: They do not match.
    """
    fields = list(schema)
    given = names = [field.name for field in fields]
    if others == "drop":
        dropped = {skipped.name for skipped in manifest.skipped}
        names = [name for name in given if name not in dropped]
    entries = manifest.ordered()
    requested = [entry.name for entry in entries]
    if sorted(names) != sorted(requested):
        missing, extra = _difference(requested, names), _difference(names, requested)
        said = [f"columns are missing: {missing}"] if missing else []
        said += [f"the folder does not have the columns {extra}"] if extra else []
        raise TypeMismatchError("; ".join(said))
    if len(set(names)) < len(names) and names != requested:
        raise TypeMismatchError(
            f"columns of the same name must be in the order of the folder: {requested}, not {names}"
        )
    # Where names repeat, they are in the order of the folder.
    known = set(requested)
    kept = [index for index, name in enumerate(given) if name in known]
    places = {given[index]: index for index in kept}
    is_named = len(places) == len(names)
    matched = [places[entry.name] if is_named else kept[at] for at, entry in enumerate(entries)]
    for entry, place in zip(entries, matched, strict=True):
        _check(fields[place], entry)
    return matched


def _difference(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return sorted((Counter(one) - Counter(other)).elements())


def _check(field: pa.Field, entry: Column | Other) -> None:
    if isinstance(entry, Other) or pa.types.is_null(field.type):
        return  # the type of another column is checked when its file is read
    if logical_of(field) != entry.logical:
        raise TypeMismatchError(
            f"column {entry.name!r}: values of type {field.type}, the folder has {_text_of(entry)}"
        )


def _text_of(entry: Column) -> str:
    logical = entry.logical
    if logical.kind == "number":
        return logical.number_type
    details = ", ".join(filter(None, (logical.unit, logical.timezone)))
    return f"{logical.kind}[{details}]" if details else logical.kind


# ---- writing ----


class _Numbers(NumberWriter):
    """Nulls without a type become those of the column."""

    def __init__(self, writer: _core.TableWriter, index: int, entry: Column) -> None:
        super().__init__(writer, index, entry)
        self._type = field_of(entry).type

    def write(self, array: pa.Array) -> None:
        super().write(pa.nulls(len(array), self._type) if pa.types.is_null(array.type) else array)


class _Others(OtherColumnWriter):
    """Values in the type of the column; after those of the parts that its new file replaces."""

    def __init__(
        self, writer: _core.TableWriter, index: int, entry: Other, given: pa.Field, folder: Folder
    ) -> None:
        copied = [Part(*part) for part in writer.copied(index)]
        first = folder.part_reader((*copied, *entry.parts)[0], entry.name)
        if not is_null_type(given.type) and not has_enums_of(given, first.field):
            raise TypeMismatchError(f"column {entry.name!r}: {OTHER_ENUM}")
        self._to = first.field
        as_type(pa.chunked_array([], given.type), self._to)
        super().__init__(writer, index, self._to)
        for part in entry.parts[: len(entry.parts) - len(copied)]:
            if not part.ends:  # it gets checksums now, which would hide damage
                deque(folder.part_reader(part, entry.name).batches(), maxlen=0)
        for part in copied:
            for batch in folder.part_reader(part, entry.name).batches():
                super().write(batch)

    def write(self, array: pa.Array) -> None:
        for made in as_type(pa.chunked_array([array]), self._to).chunks:
            super().write(made)


def _folder_of(path: str, manifest: Manifest) -> Folder | None:
    """The open folder, which follows no links, if a column is read by this module."""
    return Folder(local_place(path)) if manifest.others else None


def _column_writer(
    writer: _core.TableWriter,
    index: int,
    entry: Column | Other,
    given: pa.Field,
    folder: Folder | None,
) -> ColumnWriter:
    if isinstance(entry, Column):
        return _Numbers(writer, index, entry)
    assert folder is not None
    return _Others(writer, index, entry, given, folder)
