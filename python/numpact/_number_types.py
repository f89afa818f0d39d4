# SPDX-License-Identifier: Apache-2.0
"""The number types of Pco ("u8", ..., "f64") and the NumPy types that they store."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ._convert import check_unit
from ._errors import InvalidArgumentError, TypeMismatchError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_KINDS = {"u": "uint", "i": "int", "f": "float"}
TYPES = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64")
_DTYPES = {name: _KINDS[name[0]] + name[1:] for name in TYPES}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
# Names that NumPy reads as 8 bytes and Pco as 8 bits.
_AMBIGUOUS = ("u8", "i8")


def dtype_of(name: str) -> np.dtype[Any]:
    """The NumPy type of a number type: float64 for "f64"."""
    import numpy as np

    return np.dtype(_DTYPES[name])


def as_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """``numpy.dtype(dtype)``, except that None is an error.

    Raises:
        TypeMismatchError: NumPy does not accept it, or it is None.
    """
    import numpy as np

    if dtype is None:
        raise TypeMismatchError("a dtype is needed, not None")
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError) as error:
        raise TypeMismatchError(str(error)) from None


def stated_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A ``dtype`` argument as a NumPy type in native byte order; "f64" means float64.

    Raises:
        TypeMismatchError: No number type stores it, or it is a time type without a unit.
        InvalidArgumentError: "u8" or "i8", which NumPy and Pco read differently.
    """
    name = type_name(dtype)
    if isinstance(dtype, str) and dtype in _DTYPES:
        return dtype_of(name)
    given: np.dtype[Any] = as_dtype(dtype).newbyteorder("=")
    check_unit(given)
    return given


def type_name(dtype: npt.DTypeLike) -> str:
    """The number type that stores a NumPy type: "i64" for datetime64 and timedelta64, "u8" for
    bool.

    Raises:
        TypeMismatchError: No number type stores it.
        InvalidArgumentError: "u8" or "i8", which NumPy and Pco read differently.
    """
    if isinstance(dtype, str) and dtype in _DTYPES:
        if dtype in _AMBIGUOUS:
            raise InvalidArgumentError(
                f"{dtype!r} is {as_dtype(dtype)} to NumPy and {_DTYPES[dtype]} to Pco: say which"
            )
        return dtype
    given = as_dtype(dtype)
    name = _name_of(given)
    if name is None:
        raise TypeMismatchError(
            f"arrays of {given} cannot be compressed; there are integers of 8 to 64 bits, "
            "float16, float32 and float64, datetime64, timedelta64 and bool"
        )
    return name


def stored_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The NumPy type of the numbers that stand for another NumPy type: int64 for datetime64.

    Raises:
        TypeMismatchError: No number type stores it.
    """
    return dtype_of(type_name(dtype))


def is_stored(dtype: np.dtype[Any]) -> bool:
    """Whether a number type stores a NumPy type, in any byte order."""
    return _name_of(dtype) is not None


# The cache matters: without it a lookup takes as long as decoding a thousand numbers.
@functools.lru_cache(maxsize=256)
def _name_of(dtype: np.dtype[Any]) -> str | None:
    if dtype.kind in "mM":
        return "i64"
    if dtype.kind == "b":
        return "u8"
    return _NAMES.get(dtype.newbyteorder("=").name)


@functools.lru_cache(maxsize=256)
def is_stored_unchanged(dtype: np.dtype[Any]) -> bool:
    """Whether it is the NumPy type of a number type, in native byte order."""
    return dtype.isnative and dtype.name in _NAMES
