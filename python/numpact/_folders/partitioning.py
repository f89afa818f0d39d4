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

from .. import _core
from .._errors import InvalidArgumentError, TypeMismatchError
from .._remote.dataset import FoundFolder
from .._remote.locations import local_place
from .._remote.partitions import partition_name
from .._shown import few
from .._tables.columns import is_bytes, is_text_type
from .._tables.taking import RowTaker
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
        is_text = is_text_type(type) and not is_bytes(type)
        if type != pa.date32() and not pa.types.is_integer(type) and not is_text:
            raise TypeMismatchError(
                f"partition_by: column {name!r} is {type}: folders are named by whole numbers, "
                "dates and text, so convert it"
            )
    if len(names) == len(schema):
        raise InvalidArgumentError("partition_by: tables need a column besides those of names")


def _partitions(table: pa.Table, names: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """The path of each folder and its rows, in the order in which the table has them."""
    keys = [table.column(name) for name in names]
    keys = [k.cast(k.type.value_type) if pa.types.is_dictionary(k.type) else k for k in keys]
    labels = [str(at) for at in range(len(names))]
    numbered = pa.table([*keys, np.arange(len(table))], [*labels, "row"])
    groups = numbered.group_by(labels, use_threads=False).aggregate([("row", "list")])
    if len(groups) > _core.MAX_PARTITIONS:
        raise InvalidArgumentError(
            f"partition_by: {len(groups)} folders, more than {_core.MAX_PARTITIONS}: choose a "
            "column with fewer values"
        )
    rest = RowTaker(table.drop_columns(list(names)))
    values = zip(*(groups.column(label).to_pylist() for label in labels), strict=True)
    for of_folder, rows in zip(values, groups.column("row_list"), strict=True):
        yield "/".join(map(partition_name, names, of_folder)), rest.take(rows.values)
