# SPDX-License-Identifier: Apache-2.0
"""Checks which rows a caller wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of, indices_of, is_boolean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._info import Info

_CODE_TYPES = {
    "fp16": "float16",
    "bfloat16": "uint16",
    "int8": "uint8",
    "int8_row": "uint8",
    "int8_dim": "uint8",
    "int4": "uint8",
    **{f"rot{bits}": "uint8" for bits in (1, 2, 3, 4)},
}


def first_and_count(first: int, count: int | None, rows: int) -> tuple[int, int]:
    """The first row and the count of a range in a file of ``rows`` rows."""
    first = index_of(first, "first")
    stop = rows if count is None else first + index_of(count, "count")
    if first < 0 or stop < first or stop > rows:
        raise InvalidArgumentError(f"rows {first} to {stop} of {rows}")
    return first, stop - first


def rows_of(requested: Any, rows: int) -> npt.NDArray[np.integer[Any]]:
    """Row indices in a file of ``rows`` rows, from indices or a mask; negative ones count from the
    end, as with arrays.

    Raises:
        InvalidArgumentError: Not integers, a mask of another length, or a row outside of the file,
            which is named with its position.
    """
    import numpy as np

    if hasattr(requested, "dtype"):
        requested = np.asarray(requested)
    elif isinstance(requested, list) and requested and all(map(is_boolean, requested)):
        requested = np.array(requested, bool)
    if isinstance(requested, np.ndarray) and requested.dtype.kind == "b":
        if requested.shape != (rows,):
            raise InvalidArgumentError(
                f"a mask has a value for each of the {rows} rows, not shape {requested.shape}"
            )
        return np.flatnonzero(requested)
    try:
        indices = indices_of(requested, "rows")
    except TypeMismatchError as error:
        raise InvalidArgumentError(str(error)) from None
    is_negative = indices < 0
    outside = (indices < -rows) | (indices >= rows) if is_negative.any() else indices >= rows
    if outside.any():
        at = int(outside.argmax())
        known = f"rows 0 to {rows - 1}" if rows else "no rows"
        raise InvalidArgumentError(f"rows[{at}] is {indices[at]}: the file has {known}")
    if not is_negative.any():
        return indices
    wide = indices.astype(np.int64)
    return np.where(is_negative, wide + rows, wide)


def _packed_bytes(compression: str, dimension: int) -> int | None:
    """The bytes of a row of codes that share bytes."""
    if compression == "int4":
        return (dimension + 1) // 2
    if compression.startswith("rot"):  # the scale, and the codes
        return dimension and 4 + (dimension * int(compression[3:]) + 7) // 8
    return None


def code_type(info: Info, index: int) -> tuple[str, int | None]:
    """The type of the stored codes of a column, and the bytes of a row if they share bytes.

    Raises:
        InvalidArgumentError: The chunks have codes of different types, or none.
    """
    column = info.columns[index]
    types = {**_CODE_TYPES, "none": column.dtype}
    stored = {chunk.slices[index].compression for chunk in info.chunks} or {column.compression}
    kinds = {(types.get(name), _packed_bytes(name, column.dimension)) for name in stored}
    kind, row_bytes = kinds.pop()
    if kinds or kind is None:
        raise InvalidArgumentError(f"codes of {', '.join(sorted(stored))} are of no one type")
    return kind, row_bytes
