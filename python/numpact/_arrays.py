# SPDX-License-Identifier: Apache-2.0
"""Whatever holds numbers, as one contiguous NumPy array of a type that Pco has."""

from __future__ import annotations

import functools
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
_TWO_MEANINGS = ("u8", "i8")
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def dtype_of(name: str) -> np.dtype[Any]:
    """The NumPy type of a number type: "f64" gives float64."""
    import numpy as np

    return np.dtype(_DTYPES[name])


def type_name(dtype: npt.DTypeLike) -> str:
    """The number type that holds a NumPy type: datetime64 and timedelta64 are i64, bool is u8."""
    import numpy as np

    if isinstance(dtype, str) and dtype in _DTYPES:
        if dtype in _TWO_MEANINGS:
            raise InvalidArgumentError(
                f"{dtype!r} is {np.dtype(dtype)} to NumPy and {_DTYPES[dtype]} to Pco: say which"
            )
        return dtype
    try:
        given = np.dtype(dtype)
    except TypeError as error:
        raise TypeMismatchError(str(error)) from None
    name = _name_of(given)
    if name is None:
        raise TypeMismatchError(
            f"arrays of {given} cannot be compressed; there are integers of 8 to 64 bits, "
            "float16, float32 and float64, datetime64, timedelta64 and bool"
        )
    return name


@functools.lru_cache(maxsize=256)  # what follows takes as long as decoding a thousand numbers
def _name_of(dtype: np.dtype[Any]) -> str | None:
    if dtype.kind in "mM":
        return "i64"
    if dtype.kind == "b":
        return "u8"
    return _NAMES.get(dtype.newbyteorder("=").name)


@functools.lru_cache(maxsize=256)
def _is_stored_as_it_is(dtype: np.dtype[Any]) -> bool:
    return dtype.isnative and dtype.name in _NAMES


def stored(array: Array) -> Array:
    """The array as it is stored: native, contiguous, of a number type. Copies only if it must."""
    import numpy as np

    flags = array.flags
    is_plain = type(array) is np.ndarray and flags.c_contiguous and flags.aligned
    if is_plain and _is_stored_as_it_is(array.dtype):
        return array
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise InvalidArgumentError(
            "some elements are masked, which Pco cannot keep: fill them with filled(), or give "
            "compress_arrow an Arrow array of them"
        )
    name = type_name(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = np.require(array, requirements=("C", "A")).view(np.ndarray)
    return array if _is_stored_as_it_is(array.dtype) else array.view(_DTYPES[name])


def output_of(out: object) -> Array:
    """An array over the memory to decode into, of its own type. Raises where it would be a copy."""
    import numpy as np

    if type(out) is np.ndarray and out.flags.carray and out.dtype.isnative:
        return out
    if isinstance(out, np.ma.MaskedArray):
        raise InvalidArgumentError("out is a masked array: give its data")
    if not isinstance(out, np.ndarray):
        out = _shared(out)
    if not out.flags.writeable:
        raise InvalidArgumentError("out is read-only")
    if not out.flags.c_contiguous:
        raise InvalidArgumentError("out must be contiguous in C order")
    if not out.flags.aligned:
        raise InvalidArgumentError("out must be aligned to the size of its numbers")
    if not out.dtype.isnative:
        raise InvalidArgumentError("out must have the machine's byte order")
    return out.view(np.ndarray)


def _shared(out: Any) -> Array:
    import numpy as np

    try:
        try:
            return np.asarray(memoryview(out))
        except TypeError:
            if not hasattr(out, "__dlpack__"):
                raise
            return np.from_dlpack(out)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InvalidArgumentError(f"out is not memory to write to: {error}") from None


def writable(out: object) -> Array:
    """An array to decode into, as its stored type. Raises where it would have to be copied."""
    array = output_of(out)
    if _is_stored_as_it_is(array.dtype):
        return array
    return array.view(_DTYPES[type_name(array.dtype)])


def check_truth(numbers: Array) -> None:
    """Raises unless uint8 numbers can be seen as bool; NumPy misbehaves on other values."""
    if numbers.size > 0 and numbers.max() > 1:
        raise TypeMismatchError("the file holds numbers over 1, not truth values")


def numbers_of(x: object, wanted: str | None = None) -> Array:
    """The numbers of any object that has some, in C order; see numpact.compress.

    Args:
        wanted: The number type that sequences become; other objects have one already.
    """
    import numpy as np

    if isinstance(x, np.ndarray):
        return stored(x)
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    if isinstance(x, (str, dict, set)):
        raise TypeMismatchError(f"{type(x).__name__} is not an array of numbers")
    if isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "__array__"):
        # Pandas' columns among them: through Arrow its NaN would become nulls.
        return stored(_from_array_like(x))
    if hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__"):
        from ._arrow import dense_numbers

        numbers = dense_numbers(x)
        if numbers is not None:
            return stored(numbers)
    if hasattr(x, "__dlpack__") and not isinstance(x, memoryview):
        return stored(_from_dlpack(x))
    if hasattr(x, "isna"):
        _check_no_nulls(x)
    if isinstance(x, (list, tuple, int, float)):
        return stored(_from_sequence(x, wanted))
    return stored(_from_array_like(x))


def _check_no_nulls(x: Any) -> None:
    """For pandas' nullable arrays where pyarrow is missing: NumPy would get NaN of them."""
    nulls = int(x.isna().sum())
    if nulls:
        raise InvalidArgumentError(f"{nulls} nulls: compress_arrow keeps them")


def _from_dlpack(x: Any) -> Array:
    import numpy as np

    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        name = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeMismatchError(f"{name} cannot be read through DLPack: {error}") from error


def _from_array_like(x: Any) -> Array:
    import numpy as np

    try:
        array = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeMismatchError(f"not an array of numbers: {error}") from error
    if array.dtype == object:
        what = "a sequence of unlike things" if isinstance(x, Sequence) else type(x).__name__
        raise TypeMismatchError(f"{what} is not an array of numbers")
    return array


def _from_sequence(x: Any, wanted: str | None) -> Array:
    import numpy as np

    array = _from_array_like(x)
    if array.dtype.kind == "f":
        # NumPy makes floats of [2 ** 63, -1], and of [2 ** 60 + 1, 0.5].
        things = np.asarray(x, object).ravel()
        if any(isinstance(thing, int) and float(thing) != thing for thing in things):
            raise TypeMismatchError("no one type holds all of these integers")
    if wanted is None or array.dtype.kind not in "iuf":
        return array
    target = dtype_of(wanted)
    if array.size > 0 and array.dtype.kind in "iu" and target.kind in "iu":
        limits = np.iinfo(target)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise TypeMismatchError(f"some of these integers are out of the range of {target}")
    elif array.size > 0 and target.kind != "f":
        return array
    return array.astype(target)
