# SPDX-License-Identifier: Apache-2.0
"""Writes the rows of a table to folders by the values of some columns: ``day=2024-01-01``."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Union

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._remote.dataset import FoundFolder
from .._remote.locations import local_place
from .._remote.partitions import Value, partition_name
from .._shown import few
from .._tables.joining import RowTaker
from .indexing import entry_in, write_index
from .writing import final_path, source_of


def write_partitioned(
    table: Any,
    path: Union[str, os.PathLike[str]],
    partition_by: Sequence[str],
    write: Callable[[pa.Table, str], None],
) -> None:
    """Writes a dataset: a folder of tables, which appears in one step, with its index.

    Args:
        table: As for ``write_table``. A stream is read into memory.
        path: The folder, which must not exist.
        partition_by: The columns, by which folders are nested in this order.
        write: Writes a table to a folder.

    Raises:
        As for ``write_table`` with ``partition_by``.
    """
    if isinstance(partition_by, str) or not partition_by:
        raise InvalidArgumentError("partition_by is a list of names of columns, at least one")
    final = final_path(path)
    if os.path.lexists(final):
        raise FileExistsError(errno.EEXIST, "exists already", final)
    source = source_of(table)
    whole = (
        pa.Table.from_batches(source.batches, source.schema)
        if source.table is None
        else source.table
    )
    _check_columns(whole.schema, partition_by)
    parent, name = os.path.split(final)
    os.makedirs(parent, exist_ok=True)
    staging = os.path.join(parent, f".{name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        entries = []
        for folder, rows in _partitions(whole, partition_by):
            made = os.path.join(staging, folder)
            write(rows, made)
            entries.append(entry_in(FoundFolder(local_place(made)), folder))
        os.makedirs(staging, exist_ok=True)  # without rows
        write_index(local_place(staging), sorted(entries, key=lambda entry: entry.path))
        os.rename(staging, final)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _check_columns(schema: pa.Schema, names: Sequence[str]) -> None:
    for name in names:
        if schema.names.count(name) != 1 or names.count(name) != 1:
            raise InvalidArgumentError(
                f"partition_by: {name!r} is not one of the columns {few(schema.names)}, once"
            )
        type = schema.field(name).type
        if pa.types.is_dictionary(type):
            type = type.value_type
        tests = (pa.types.is_integer, pa.types.is_string, pa.types.is_large_string)
        if type != pa.date32() and not any(test(type) for test in tests):
            raise TypeMismatchError(
                f"partition_by: column {name!r} is {type}: folders are named by whole numbers, "
                "dates and text, so convert it"
            )
    if len(names) == len(schema):
        raise InvalidArgumentError("partition_by: tables need a column besides those of names")


def _partitions(table: pa.Table, names: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """The path of each folder and its rows, in the order in which the table has them."""
    codes = np.zeros(len(table), np.int64)
    for name in names:
        # Each combination so far, and each value of this column, has a number.
        values = _codes(table.column(name))
        codes = np.unique(codes * (int(values.max(initial=0)) + 1) + values, return_inverse=True)[1]
    count = int(codes.max(initial=-1)) + 1
    if count > _core.MAX_PARTITIONS:
        raise InvalidArgumentError(
            f"partition_by: {count} folders, more than {_core.MAX_PARTITIONS}: choose a column "
            "with fewer values"
        )
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=count))
    rest = RowTaker(table.drop_columns(list(names)))
    begin = 0
    for end in ends:
        rows = order[begin:end]
        begin = int(end)
        first = [table.column(name)[int(rows[0])].as_py() for name in names]
        yield _path_of(names, first), rest.take(pa.array(rows))


def _codes(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """(rows,) of a number for each value; 0: null."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    indices = pc.dictionary_encode(column.combine_chunks()).indices
    made: np.ndarray[Any, np.dtype[np.int64]] = pc.add(
        pc.fill_null(indices.cast(pa.int64()), -1), 1
    ).to_numpy(zero_copy_only=False)
    return made


def _path_of(names: Sequence[str], values: Sequence[Value]) -> str:
    return "/".join(map(partition_name, names, values))
