# SPDX-License-Identifier: Apache-2.0
"""Rows that a caller names by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from .. import _integers
from .._errors import InvalidArgumentError
from .._integers import is_boolean
from .._shown import few
from .._tables.taking import taken
from .choosing import Rows, check_unique
from .columns import chunked

if TYPE_CHECKING:
    from .._types import Array


def is_key_of_rows(key: Any) -> bool:
    """Whether rows are meant by ``table[key]``, rather than columns."""
    if isinstance(key, (slice, range)) or getattr(key, "dtype", None) is not None:
        return getattr(getattr(key, "dtype", None), "kind", "i") in "biu"
    return isinstance(key, (list, tuple)) and len(key) > 0 and not isinstance(key[0], str)


def numbers_of(rows: Rows | None, count: int) -> Array | None:
    """Rows of a table of ``count`` rows by their numbers, (n,) of int64; None: they are a range.

    Raises:
        InvalidArgumentError: There is no such row; or a mask of another length.
        TypeMismatchError: Not integers or booleans.
    """
    if rows is None or isinstance(rows, tuple):
        return None
    if isinstance(rows, slice):
        start, stop, step = rows.indices(count)
        return None if step == 1 else np.arange(start, stop, step, dtype=np.int64)
    if isinstance(rows, range) and rows.step == 1:
        return None
    if isinstance(rows, str) or not hasattr(rows, "__len__"):
        raise InvalidArgumentError(
            f"rows are a slice, a tuple of the first row and the one after the last, or a list of "
            f"numbers, not {few(rows)}"
        )
    if not isinstance(rows, range) and np.asarray(rows).dtype.kind == "b":
        mask = np.asarray(rows)
        if mask.shape != (count,):
            raise InvalidArgumentError(f"a mask of shape {mask.shape} for {count} rows")
        return np.flatnonzero(mask)
    given = _integers.indices_of(rows, "rows")
    wrong = given[(given < -count) | (given >= count)] if count else given
    if len(wrong):
        raise InvalidArgumentError(f"there are {count} rows, not row {wrong[0]}")
    numbers = given.astype(np.int64)
    return np.where(numbers < 0, numbers + count, numbers)


def is_row_number(key: Any) -> bool:
    """Whether one row is meant by ``table[key]``."""
    return hasattr(key, "__index__") and not is_boolean(key) and not getattr(key, "shape", ())


def row_of(table: pa.Table) -> dict[str, Any]:
    """The values of a table of one row, by the names of its columns."""
    check_unique(table.column_names)
    row: dict[str, Any] = table.to_pylist()[0]
    return row


def taken_rows(table: pa.Table, numbers: Array) -> pa.Table:
    """Rows of a table in memory, of columns of any type."""
    if not table.num_columns:
        return without_columns(len(numbers), table.schema.metadata)
    columns = [
        chunked([taken(column.combine_chunks(), numbers)], column.type) for column in table.columns
    ]
    return pa.Table.from_arrays(columns, schema=table.schema)


def without_columns(rows: int, metadata: Any) -> pa.Table:
    """A table of Arrow has its count of rows from a column, which is then left out."""
    counted = pa.schema([pa.field("", pa.null())], metadata)
    return pa.table([pa.nulls(rows)], schema=counted).select([])
