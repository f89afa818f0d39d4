# SPDX-License-Identifier: Apache-2.0
"""Columns of pandas, polars and Arrow whose rows are lists."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._sequences import array_of_sequence, is_sequence
from .._shown import few

if TYPE_CHECKING:
    from .._types import Array


def refuse_missing(x: Any) -> None:
    """Raises InvalidArgumentError for masked and null values, rows as well as items of rows."""
    # If the module was not imported, there are no masked arrays.
    ma: Any = sys.modules.get("numpy.ma")
    if ma is not None and isinstance(x, ma.MaskedArray) and bool(ma.getmaskarray(x).any()):
        raise InvalidArgumentError("masked values cannot be stored")
    # For Arrow and polars: NumPy would convert nulls to NaN.
    column: Any = x
    nulls: Any = getattr(column, "null_count", 0)
    is_of_polars = callable(nulls)
    if is_of_polars:
        nulls = nulls()
    if nulls:
        raise InvalidArgumentError(f"{nulls} null rows cannot be stored")
    if is_of_polars:
        nulls = column.explode().null_count() if column.dtype.is_nested() else 0
    elif hasattr(column, "null_count") and hasattr(column, "flatten"):
        nulls = getattr(column.flatten(), "null_count", 0)
    if nulls:
        raise InvalidArgumentError(f"{nulls} nulls in rows cannot be stored")


def rows_of_lists(array: Array) -> Array:
    """An array, (rows, values), from an array of objects, each a row of numbers.

    Raises:
        InvalidArgumentError: Rows have different lengths.
        TypeMismatchError: A row is not a list of numbers, or rows have different types.
    """
    import numpy as np

    if array.ndim != 1 or len(array) == 0:
        raise TypeMismatchError(f"vectors of {array.dtype} cannot be stored")
    rows = [_row(value, index) for index, value in enumerate(array)]
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InvalidArgumentError(
                f"row {index} has {len(row)} numbers, row 0 has {len(rows[0])}"
            )
        if row.dtype != rows[0].dtype:
            raise TypeMismatchError(f"row {index} is of {row.dtype}, row 0 of {rows[0].dtype}")
    return np.stack(rows)


def _row(value: Any, index: int) -> Array:
    import numpy as np

    if value is None or isinstance(value, (str, bytes)):
        raise TypeMismatchError(f"row {index} is {few(value)}, no list of numbers")
    try:
        row = np.asarray(value)
        if row.dtype.kind == "f" and is_sequence(value):
            row = array_of_sequence(value)  # without rounding
    except ValueError:  # lists of lists that are not equally long
        raise TypeMismatchError(f"row {index} is not a list of numbers") from None
    if row.ndim != 1:
        raise TypeMismatchError(f"row {index} is not a list of numbers")
    if row.dtype.kind not in "fiu":
        raise TypeMismatchError(f"row {index} has values of {row.dtype}, which cannot be stored")
    return row
