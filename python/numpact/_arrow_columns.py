# SPDX-License-Identifier: Apache-2.0
"""Reads Arrow columns through the PyCapsule interface; pyarrow is not needed.

The formats are those of Arrow's C data interface: "g" is float64, "tsn:UTC" a timestamp in
nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import InvalidArgumentError, TypeMismatchError
from ._number_types import dtype_of

if TYPE_CHECKING:
    from ._types import Array

#: The format of plain numbers, by number type.
FORMATS = {
    "u8": "C", "u16": "S", "u32": "I", "u64": "L", "i8": "c", "i16": "s", "i32": "i", "i64": "l",
    "f16": "e", "f32": "f", "f64": "g",
}  # fmt: skip
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_ZONE_AT = 4  # in the format of a timestamp, "tsn:UTC"


def is_column(x: object) -> bool:
    """Whether it implements one of the two protocols, that of arrays or that of streams."""
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def read_column(x: Any) -> tuple[str, list[_core.ArrowBlock]]:
    """The format and the blocks of a column.

    Args:
        x: An object for which ``is_column`` is true.

    Raises:
        TypeMismatchError: The column does not hold numbers.
        InvalidArgumentError: A table of several columns.
    """
    if hasattr(x, "__arrow_c_array__"):
        return _core.import_arrow_array(*x.__arrow_c_array__())
    return _core.import_arrow_stream(x.__arrow_c_stream__())


def joined_values(blocks: list[_core.ArrowBlock], format: str) -> Array:
    """The numbers of all blocks in their stored type, with unspecified values at nulls.

    Copies them unless there is one block.
    """
    import numpy as np

    parts = [block.values() for block in blocks]
    if len(parts) == 1:
        return parts[0]
    if parts:
        return np.concatenate(parts)
    name = _core.arrow_type(format)
    assert name is not None, "read_column refuses other formats"
    return np.empty(0, dtype_of(name))


def joined_validity(blocks: list[_core.ArrowBlock]) -> Array | None:
    """A bool for each row, True where there is a number; None if no row is null."""
    import numpy as np

    masks = [block.validity() for block in blocks]
    if all(mask is None for mask in masks):
        return None
    parts = [
        np.ones(block.length, np.bool_) if mask is None else mask.view(np.bool_)
        for block, mask in zip(blocks, masks, strict=True)
    ]
    whole: Array = np.concatenate(parts)
    return None if whole.all() else whole


def dense_numbers(x: Any, is_logical: bool = False) -> Array | None:
    """The numbers of a column without nulls.

    Args:
        x: An object for which ``is_column`` is true.
        is_logical: Return bool, datetime64 and timedelta64 instead of the stored numbers; a time
            of day becomes the duration since midnight.

    Returns:
        The numbers; None if the object implements the protocol but cannot use it (pandas without
        pyarrow).

    Raises:
        InvalidArgumentError: The column has nulls.
        TypeMismatchError: It does not hold numbers; or with ``is_logical`` it holds times with a
            time zone, which NumPy does not have.
    """
    try:
        format, blocks = read_column(x)
    except ImportError:
        return None
    nulls = sum(block.null_count for block in blocks)
    if nulls:
        raise InvalidArgumentError(f"{nulls} nulls: compress_arrow keeps them")
    numbers = joined_values(blocks, format)
    return _lossless_logical(numbers, format) if is_logical else numbers


def as_logical(values: Array, format: str) -> Array:
    """Stored numbers in NumPy's type for their meaning, for display.

    Drops time zones; times of day stay integers. Copies only 32-bit dates.
    """
    import numpy as np

    if format == "b":
        return values.view(np.bool_)
    if format == "tdD":
        return values.astype("datetime64[D]")
    if format == "tdm":
        return values.view("datetime64[ms]")
    if format.startswith("ts"):
        return values.view(f"datetime64[{_UNITS[format[2]]}]")
    if format.startswith("tD"):
        return values.view(f"timedelta64[{_UNITS[format[2]]}]")
    return values


def _lossless_logical(values: Array, format: str) -> Array:
    """As ``as_logical``, but the NumPy type keeps the full meaning of the format."""
    if format.startswith("ts") and len(format) > _ZONE_AT:
        raise TypeMismatchError(
            f"times of the zone {format[_ZONE_AT:]} are not converted to datetime64, which has no "
            "zone: take the zone off first"
        )
    if format.startswith("tt"):
        unit = f"timedelta64[{_UNITS[format[2]]}]"
        return values.astype("int64", copy=False).view(unit)
    return as_logical(values, format)
