# SPDX-License-Identifier: Apache-2.0
"""Appends rows to tables."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .. import _core
from .._append import append
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._file import File
from .._number_types import dtype_of
from .._remote.locations import local_place
from .._remote.manifest import (
    NAME,
    Column,
    Manifest,
    Other,
    manifest_text,
)
from .._remote.null_runs import RunsBuilder
from .._specs import DEFAULT_LEVEL, TABLE_TRAILER, TrailerSpec
from .._tables.columns import OTHER_ENUM, has_enums_of
from .._tables.joining import as_type, is_null_type
from .._tables.others import OtherWriter
from .._threads import resolve
from .._trailer import read_trailer
from .columns import field_of, logical_of, numbers_in, validity_of
from .replacing import NewFolder, final_path, locked_table, new_folder, table_files
from .sources import Folder, NumberSource, OtherSource
from .tables import not_a_table
from .writing import (
    Options,
    Others,
    Path,
    Source,
    check_others,
    compressed_runs,
    shared_out,
    source_of,
    verified_part,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


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
    if source.table is None:
        source = Source(source.schema, pa.Table.from_batches(source.batches, source.schema))
    with locked_table(final, lock_timeout) as is_table:
        if not is_table:
            raise FileNotFoundError(errno.ENOENT, f"was removed, or has no {NAME}", final)
        names = table_files(final)
        old = Folder(local_place(final))
        with new_folder(final, like=True) as folder:
            picked = _matched(source, old.manifest, others)
            _append(picked, old, folder, options, resolve(threads))
            folder.replace(names)


# ---- which column of the source belongs to which of the folder ----


#: A column of the source, and its field.
_Given = tuple[pa.ChunkedArray, pa.Field]


def _matched(source: Source, manifest: Manifest, others: Others) -> list[_Given]:
    """The columns of a source in the order of the folder, in its types.

    Raises:
        TypeMismatchError: They do not match.
    """
    assert source.table is not None
    names = [field.name for field in source.schema]
    if others == "drop":
        dropped = {skipped.name for skipped in manifest.skipped}
        names = [name for name in names if name not in dropped]
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
    fields = list(source.schema)
    kept = [index for index, field in enumerate(fields) if field.name in known]
    places = {fields[index].name: index for index in kept}
    is_named = len(places) == len(names)
    columns = []
    for at, entry in enumerate(entries):
        if isinstance(entry, Column) and entry.nulls_dropped:
            raise InvalidArgumentError(
                f"column {entry.name!r}: its nulls were left out, so its rows do not match others"
            )
        index = places[entry.name] if is_named else kept[at]
        column, field = source.table.column(index), fields[index]
        if pa.types.is_null(field.type) and isinstance(entry, Column):
            field = field_of(entry)
            column = pa.chunked_array([pa.nulls(len(column), field.type)])
        _check(column, field, entry)
        columns.append((column, field))
    return columns


def _difference(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return sorted((Counter(one) - Counter(other)).elements())


def _check(column: pa.ChunkedArray, field: pa.Field, entry: Column | Other) -> None:
    if isinstance(entry, Other):
        return  # its type is checked when the file is read
    logical = logical_of(field)
    if logical != entry.logical:
        raise TypeMismatchError(
            f"column {entry.name!r}: values of type {field.type}, the folder has {_text_of(entry)}"
        )
    if column.null_count and not entry.nullable:
        raise InvalidArgumentError(
            f"column {entry.name!r}: {column.null_count} nulls, but its field is not nullable"
        )


def _text_of(entry: Column) -> str:
    logical = entry.logical
    if logical.kind == "number":
        return logical.number_type
    details = ", ".join(filter(None, (logical.unit, logical.timezone)))
    return f"{logical.kind}[{details}]" if details else logical.kind


# ---- writing ----


@dataclass(frozen=True)
class _Task:
    """A column to append to."""

    values: pa.ChunkedArray
    field: pa.Field  #: of the values
    source: NumberSource | OtherSource
    file: str
    folder: NewFolder
    options: Options
    threads: int

    def run(self) -> Column | Other:
        if isinstance(self.source, OtherSource):
            return self._append_other(self.source)
        return self._append_numbers(self.source)

    def _append_numbers(self, source: NumberSource) -> Column:
        path = self.folder.file(self.file)
        arrays = self.values.chunks
        parts = [numbers_in(array, source.logical) for array in arrays]
        numbers = np.concatenate([np.empty(0, dtype_of(source.logical.number_type)), *parts])
        content = source.content()
        with open(path, "xb") as file:
            file.write(memoryview(content))
        if numbers.size:
            append(
                path,
                numbers,
                self.options.level,
                threads=self.threads,
                trailer=self.options.trailer if read_trailer(content) is None else False,
            )
        count = source.entry.count + numbers.size
        self._verify(path, numbers, source.entry.count)
        nulls = source.entry.null_count + self.values.null_count
        null_file = _core.null_file_name(self.file) if nulls else ""
        if nulls:
            runs = RunsBuilder()
            if source.entry.null_file:
                runs.begin(source.null_runs())
            else:
                runs.add(None, source.rows)
            for array in arrays:
                runs.add(validity_of(array), len(array))
            with open(self.folder.file(null_file), "xb") as file:
                file.write(compressed_runs(runs, self.options, self.threads))
        return replace(
            source.entry, file=self.file, count=count, null_file=null_file, null_count=nulls
        )

    def _verify(self, path: str, numbers: Array, before: int) -> None:
        with File(path, threads=self.threads) as file:
            total = len(file)
            read = file.read(before, numbers.size) if total == before + numbers.size else None
        if read is None or not np.array_equal(read.view(np.uint8), numbers.view(np.uint8)):
            name = self.source.entry.name
            raise CorruptError(f"column {name!r}: does not decode to what was written")

    def _append_other(self, source: OtherSource) -> Other:
        field = source.field
        values = as_type(self.values, field)
        if not is_null_type(self.field.type) and not has_enums_of(self.field, field):
            raise TypeMismatchError(f"column {field.name!r}: {OTHER_ENUM}")
        path = self.folder.file(self.file)
        with open(path, "xb") as sink:
            writer = OtherWriter(sink, field)
            for batch in source.reader().batches():
                writer.write(batch)
            writer.write(values)
            writer.close()
        part = verified_part(self.folder, self.file, writer, f"column {field.name!r}")
        type = str(writer.field.type)  # indices of a dictionary may have become wider
        return replace(source.entry, type=type, rows=writer.rows, parts=(part,))


def _append(
    columns: Sequence[_Given],
    old: Folder,
    folder: NewFolder,
    options: Options,
    threads: int,
) -> None:
    sources = old.sources()
    workers, inner = shared_out(threads, len(sources))
    files = _core.FileNames()
    tasks = [
        _Task(
            values,
            field,
            source,
            files.add(source.entry.name, ".arrow" if isinstance(source, OtherSource) else ".pco"),
            folder,
            options,
            inner,
        )
        for (values, field), source in zip(columns, sources, strict=True)
    ]
    with ThreadPoolExecutor(workers) as pool:
        entries = list(pool.map(_Task.run, tasks))
    made = replace(
        old.manifest,
        columns=[entry for entry in entries if isinstance(entry, Column)],
        others=[entry for entry in entries if isinstance(entry, Other)],
    )
    with open(folder.file(NAME), "xb") as file:
        file.write(manifest_text(made))
