# SPDX-License-Identifier: Apache-2.0
"""Whatever holds numbers, as one contiguous NumPy array of a type that Pco has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._errors import InvalidArgumentError, TypeMismatchError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_KINDS = {"u": "uint", "i": "int", "f": "float"}
TYPES = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64")
_DTYPES = {name: _KINDS[name[0]] + name[1:] for name in TYPES}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def dtype_of(name: str) -> np.dtype[Any]:
    """The NumPy type of a number type: "f64" gives float64."""
    import numpy as np

    return np.dtype(_DTYPES[name])


def type_name(dtype: npt.DTypeLike) -> str:
    """The number type that holds a NumPy type: datetime64 and timedelta64 are i64, bool is u8."""
    import numpy as np

    if isinstance(dtype, str) and dtype in _DTYPES:
        return dtype
    try:
        given = np.dtype(dtype)
    except TypeError as error:
        raise TypeMismatchError(str(error)) from None
    if given.kind in "mM":
        return "i64"
    if given.kind == "b":
        return "u8"
    name = _NAMES.get(given.newbyteorder("=").name)
    if name is None:
        raise TypeMismatchError(
            f"{given} numbers cannot be compressed; there are integers of 8 to 64 bits, "
            "float16, float32 and float64, datetime64, timedelta64 and bool"
        )
    return name


def stored(array: Array) -> Array:
    """The array as it is stored: native, contiguous, of a number type. Copies only if it must."""
    name = type_name(array.dtype)
    import numpy as np

    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = np.ascontiguousarray(array)
    return array if array.dtype.name == _DTYPES[name] else array.view(_DTYPES[name])


def writable(out: object) -> Array:
    """An array to decode into, as its stored type. Raises where it would have to be copied."""
    import numpy as np

    if not isinstance(out, np.ndarray):
        try:
            out = np.asarray(out)
        except (TypeError, ValueError, BufferError) as error:
            raise InvalidArgumentError(f"out cannot be written to: {error}") from None
    if not out.flags.writeable:
        raise InvalidArgumentError("out is read-only")
    if not out.flags.c_contiguous:
        raise InvalidArgumentError("out must be contiguous in C order")
    if not out.dtype.isnative:
        raise InvalidArgumentError("out must have the machine's byte order")
    name = type_name(out.dtype)
    return out if out.dtype.name == _DTYPES[name] else out.view(_DTYPES[name])


def numbers_of(x: object) -> Array:
    """The numbers of any object that has some, in C order; see numpact.compress."""
    import numpy as np

    if isinstance(x, np.ndarray):
        return stored(x)
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    if isinstance(x, (str, dict, set)):
        raise TypeMismatchError(f"{type(x).__name__} is not an array of numbers")
    if hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__"):
        from ._arrow import dense_numbers

        numbers = dense_numbers(x)
        if numbers is not None:
            return stored(numbers)
    if hasattr(x, "__dlpack__") and not isinstance(x, (memoryview, np.generic)):
        return stored(_from_dlpack(x))
    return stored(_from_sequence(x))


def _from_dlpack(x: Any) -> Array:
    import numpy as np

    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeMismatchError(f"{name} cannot be read through DLPack: {error}") from error


def _from_sequence(x: Any) -> Array:
    import numpy as np

    try:
        array = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeMismatchError(f"not an array of numbers: {error}") from None
    if array.dtype == object:
        what = "a sequence of unlike things" if isinstance(x, Sequence) else type(x).__name__
        raise TypeMismatchError(f"{what} is not an array of numbers")
    return array
