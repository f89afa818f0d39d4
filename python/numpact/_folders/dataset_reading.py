# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of a dataset as one."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from .._errors import InvalidArgumentError, TypeMismatchError
from .._limits import Limits
from .._remote.dataset import FoundFolder, folders_in, partition_columns
from .._remote.locations import Location, StorageOptions, table_place
from .choosing import Rows, index_of_name
from .expressions import is_expression
from .filters import parse_where
from .row_numbers import without_columns
from .row_tests import left_in
from .tables import Filter, Path, open_table, table_in
from .tabular import Table


def tables_below(place: Location) -> list[FoundFolder]:
    """The tables of a dataset; none if the folder is not one."""
    try:
        folders = folders_in(place)
    except (FileNotFoundError, NotADirectoryError):
        return []
    is_table = folders[0].place.path.rstrip("/") == place.path.rstrip("/")
    return [] if is_table else folders


def read_dataset(
    folders: Sequence[FoundFolder],
    columns: Sequence[str] | None,
    where: Filter | None,
    limits: Limits,
    threads: int | None,
) -> Table:
    """The rows of all tables, one after the other, with the columns that the folders name.

    Raises:
        InvalidArgumentError: There is no such column, or the filter is an expression.
        TypeMismatchError: A table has a column of another type than the first one.
    """
    if is_expression(where):
        raise InvalidArgumentError("expressions filter a dataset in scan_table")
    constants = partition_columns([folder.place.path for folder in folders])
    comparisons = parse_where(where)
    first = table_in(folders[0], limits, threads)
    own = first.schema
    named = [name for name in constants[0] if name not in own.names]
    fields = [*own, *(pa.field(name, constants[0][name].type) for name in named)]
    known = [field.name for field in fields]
    wanted = known if columns is None else list(columns)
    chosen = [fields[index_of_name(known, name)] for name in wanted]
    schema = pa.schema(chosen, own.metadata)
    budget = limits.budget()
    parts = []
    for folder, values in zip(folders, constants, strict=True):
        left = left_in(folder, comparisons, {name: values[name] for name in named})
        if left is None:
            continue
        table = first if folder is folders[0] else table_in(folder, limits, threads)
        found = table.found([name for name in wanted if name not in named], left, budget)
        arrays = []
        for field in chosen:
            if field.name in named:
                arrays.append(values[field.name].array(found.num_rows))
                continue
            column = found.column(field.name)
            if column.type != field.type:
                raise TypeMismatchError(
                    f"{folder.place.url}: column {field.name!r} is {column.type}, not {field.type} "
                    f"as in {folders[0].place.url}"
                )
            arrays.append(column)
        part = pa.Table.from_arrays(arrays, schema=schema) if arrays else found
        parts.append(part)
    if not parts:
        parts.append(schema.empty_table())
    if wanted:
        return Table(pa.concat_tables(parts))
    return Table(without_columns(sum(part.num_rows for part in parts), own.metadata))


def refuse_rows(rows: object) -> None:
    if rows is not None:
        raise InvalidArgumentError("the rows of a dataset are chosen by a filter, not by numbers")


def read_table(
    path: Path,
    columns: Sequence[str] | None,
    rows: Rows | None,
    where: Filter | None,
    threads: int | None,
    storage_options: StorageOptions | None,
    max_output: int | None,
    max_memory: int | None,
) -> Table:
    """See ``numpact.read_table``."""
    try:
        opened = open_table(path, threads, storage_options, max_output, max_memory)
    except FileNotFoundError:
        folders = tables_below(table_place(path, storage_options))
        if not folders:
            raise
        refuse_rows(rows)
        limits = Limits.of(max_output, max_memory)
        return read_dataset(folders, columns, where, limits, threads)
    return opened.read(columns, rows, where)
