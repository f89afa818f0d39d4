# SPDX-License-Identifier: Apache-2.0
"""Converts all accepted inputs to one contiguous NumPy array of a number type."""

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

    from ._types import Array


def stored(array: Array) -> Array:
    """The array in native byte order, C-contiguous, aligned, of a number type.

    Copies only if the array is not so already. Times and booleans become views of their integers.

    Raises:
        InvalidArgumentError: Masked elements.
        TypeMismatchError: No number type stores the elements.
    """
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
    """The ``out`` argument of a caller as a plain array that shares its memory, in its own type.

    Raises:
        InvalidArgumentError: It is masked, read-only, not C-contiguous, not aligned, big-endian, or
            not memory at all.
    """
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
    """As ``output_of``, but viewed in its stored type: int64 for datetime64."""
    array = output_of(out)
    if is_stored_unchanged(array.dtype):
        return array
    return array.view(stored_dtype(array.dtype))


def check_boolean(numbers: Array) -> None:
    """Raises TypeMismatchError unless all uint8 numbers are 0 or 1.

    In NumPy, arrays of bool with other bytes have undefined behaviour.
    """
    if numbers.size > 0 and numbers.max() > 1:
        raise TypeMismatchError("the file holds numbers over 1, not booleans")


def numbers_of(x: object, requested: np.dtype[Any] | None = None) -> Array:
    """The numbers of an argument of ``compress``, in C order, in their stored type.

    Args:
        x: An array, Arrow column, DLPack tensor, sequence or number; see ``compress``.
        wanted: Convert to this type first, by the rule of ``converted``. None: keep the type; times
            and booleans become the integers that represent them.

    Raises:
        TypeMismatchError: ``x`` does not contain numbers, or none that ``requested`` can represent.
        InvalidArgumentError: Nulls or masked elements.
    """
    import numpy as np

    if isinstance(x, np.ndarray):
        array = x
        if requested is None:
            return stored(x)
    elif isinstance(x, (str, dict, set, frozenset)):
        raise TypeMismatchError(f"{type(x).__name__} is not an array of numbers")
    elif requested is not None and _is_empty(x):
        return np.empty(0, stored_dtype(requested))
    else:
        array = _array_of(x, is_logical=requested is not None)
    if requested is not None:
        _check_no_mask(array)
        _check_no_objects(array)
        array = converted(array, requested)
    return stored(array)


def _is_empty(x: Any) -> bool:
    """Whether it has no elements; its type is ignored then, since [] is an array of objects."""
    try:
        return len(x) == 0
    except TypeError:
        return False


def _array_of(x: Any, is_logical: bool) -> Array:
    """The values of any object except NumPy's own arrays.

    Args:
        is_logical: Convert columns of Arrow to bool, datetime64 and timedelta64, not to integers.
    """
    import numpy as np

    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    if isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "__array__"):
        # Includes columns of pandas: through Arrow their NaN would become nulls.
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
    """For nullable arrays of pandas without pyarrow: NumPy would convert nulls to NaN."""
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
