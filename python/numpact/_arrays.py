# SPDX-License-Identifier: Apache-2.0
"""Whatever holds numbers, as one contiguous NumPy array of a type that Pco has."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from ._arrow_columns import dense_numbers, is_column
from ._convert import converted
from ._errors import InvalidArgumentError, TypeMismatchError
from ._number_types import is_stored_unchanged, stored_dtype
from ._sequences import array_of_sequence, is_sequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]


def stored(array: Array) -> Array:
    """The array as it is stored: native, contiguous, of a number type. Copies only if it must."""
    import numpy as np

    flags = array.flags
    is_plain = type(array) is np.ndarray and flags.c_contiguous and flags.aligned
    if is_plain and is_stored_unchanged(array.dtype):
        return array
    _check_no_mask(array)
    _check_no_objects(array)
    target = stored_dtype(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = np.require(array, requirements=("C", "A")).view(np.ndarray)
    return array if is_stored_unchanged(array.dtype) else array.view(target)


def _check_no_mask(array: Array) -> None:
    import numpy as np

    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise InvalidArgumentError(
            "some elements are masked, which Pco cannot keep: fill them with filled(), or give "
            "compress_arrow an Arrow array of them"
        )


def _check_no_objects(array: Array) -> None:
    if array.dtype.kind == "O" and array.size > 0:
        kind = type(array.flat[0]).__name__
        raise TypeMismatchError(f"an array of Python objects, the first of the type {kind}")


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
    if is_stored_unchanged(array.dtype):
        return array
    return array.view(stored_dtype(array.dtype))


def check_truth(numbers: Array) -> None:
    """Raises unless uint8 numbers can be seen as bool; NumPy misbehaves on other values."""
    if numbers.size > 0 and numbers.max() > 1:
        raise TypeMismatchError("the file holds numbers over 1, not truth values")


def numbers_of(x: object, wanted: np.dtype[Any] | None = None) -> Array:
    """The numbers of any object that has some, in C order, as they are stored; see compress.

    Args:
        wanted: A type that they become, by the rule of ``converted``; None: they keep theirs, and
            times and truth values become the integers that stand for them.
    """
    import numpy as np

    if isinstance(x, np.ndarray):
        array = x
        if wanted is None:
            return stored(x)
    elif isinstance(x, (str, dict, set, frozenset)):
        raise TypeMismatchError(f"{type(x).__name__} is not an array of numbers")
    elif wanted is not None and _is_empty(x):
        return np.empty(0, stored_dtype(wanted))
    else:
        array = _array_of(x, is_logical=wanted is not None)
    if wanted is not None:
        _check_no_mask(array)
        _check_no_objects(array)
        array = converted(array, wanted)
    return stored(array)


def _is_empty(x: Any) -> bool:
    """Whether it holds nothing, so that its type, which may be one of objects, says nothing."""
    try:
        return len(x) == 0
    except TypeError:
        return False


def _array_of(x: Any, is_logical: bool) -> Array:
    """An array of the values of any object but NumPy's own arrays.

    Args:
        is_logical: Columns of Arrow keep what their numbers mean: times and truth values.
    """
    import numpy as np

    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    if isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "__array__"):
        # Pandas' columns among them: through Arrow its NaN would become nulls.
        return _from_array_like(x)
    if is_column(x):
        numbers = dense_numbers(x, is_logical)
        if numbers is not None:
            return numbers
    if hasattr(x, "__dlpack__") and not isinstance(x, memoryview):
        return _from_dlpack(x)
    if hasattr(x, "isna"):
        _check_no_nulls(x)
    if isinstance(x, (int, float, datetime.date, datetime.timedelta)) or is_sequence(x):
        return array_of_sequence(x)
    return _from_array_like(x)


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
    if array.dtype == object and (array.ndim == 0 or array.size == 0):
        raise TypeMismatchError(f"{type(x).__name__} is not an array of numbers")
    return array
