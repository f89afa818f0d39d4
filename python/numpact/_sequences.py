# SPDX-License-Identifier: Apache-2.0
"""Converts Python's sequences and scalars to arrays without a silent change of values.

NumPy rounds integers to float64, drops masks and makes arrays of objects; here this is an error.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._convert import converted
from ._errors import InvalidArgumentError, TypeMismatchError
from ._shown import few

if TYPE_CHECKING:
    import numpy as np

    from ._types import Array

# Mixtures of these become int64, uint64, float64 or bool in NumPy, or arrays of objects.
_PLAIN = frozenset({bool, int, float})
# Python's times and their resolutions. Subclasses may have a finer one, as pandas.Timestamp has.
_TIMES = {
    datetime.date: "datetime64[D]",
    datetime.datetime: "datetime64[us]",
    datetime.timedelta: "timedelta64[us]",
}
_MAX_UINT64 = (1 << 64) - 1
_MAX_INT64 = (1 << 63) - 1
_MIN_INT64 = -(1 << 63)


def is_sequence(x: Any) -> bool:
    """Whether NumPy would convert it item by item: not for arrays, buffers and text."""
    kind: Any = type(x)
    if kind is list or kind is tuple:
        return True
    return _is_sequence_type(kind) and not _has_buffer(x)


@functools.lru_cache(maxsize=256)
def _is_sequence_type(kind: type) -> bool:
    if issubclass(kind, (list, tuple)):
        return True
    if issubclass(kind, (str, bytes, bytearray, Mapping)):
        return False
    if hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return False
    if hasattr(kind, "__array_struct__") or hasattr(kind, "dtype"):
        return False
    # The protocol that NumPy uses for sequences.
    return issubclass(kind, Sequence) or (
        hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not hasattr(kind, "keys")
    )


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def array_of_range(x: range) -> Array:
    """The numbers of a range, (len(x),) of int64 if possible, else of uint64.

    Raises:
        TypeMismatchError: Neither type can represent all of them.
    """
    import numpy as np

    if not x:
        return np.empty(0, np.int64)
    low, high = min(x[0], x[-1]), max(x[0], x[-1])
    if low < _MIN_INT64 or high > _MAX_UINT64 or (low < 0 and high > _MAX_INT64):
        raise TypeMismatchError(f"no one type holds all of {few(x)}")
    wrap = 1 << 64
    # Arithmetic modulo 2**64: intermediate results cannot overflow.
    steps = np.arange(len(x), dtype=np.uint64) * np.uint64(x.step % wrap)
    numbers: Array = steps + np.uint64(x.start % wrap)
    return numbers if high > _MAX_INT64 else numbers.view(np.int64)


def array_of_sequence(x: Any) -> Array:
    """An array with the exact values of a number, or of nested sequences of numbers.

    Raises:
        TypeMismatchError: An item is not a number (the message names it), or no single type can
            represent all items.
        InvalidArgumentError: Masked elements.
    """
    import numpy as np

    if isinstance(x, range):
        return array_of_range(x)
    if is_sequence(x) and not isinstance(x, (list, tuple)):
        x = list(x)
    leaves, types = _leaves(x)
    if len(types) == 1 and (times := _TIMES.get(next(iter(types)))) is not None:
        _check_no_zone(leaves)
        return np.asarray(x, times)
    _check_leaves(leaves, types)
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeMismatchError(f"not an array of numbers: {error}") from error
    if array.dtype == object:
        raise _no_numbers(leaves)
    if types <= _PLAIN:
        # NumPy converts [2 ** 63, -1] and [2 ** 60 + 1, 0.5] to floats, which rounds.
        if array.dtype.kind == "f" and int in types:
            _check_integers(leaves, array.dtype)
    elif len(types) > 1 or not issubclass(types.pop(), np.generic) or array.dtype.kind in "mM":
        _check_parts(leaves, array.dtype)
    return array


def _leaves(x: Any) -> tuple[Sequence[Any], set[type]]:
    """The items of nested sequences that are not sequences, in order, and their types."""
    if not is_sequence(x):
        return [x], {type(x)}
    if not isinstance(x, (list, tuple)):
        x = list(x)
    types = set(map(type, x))
    if not any(map(_is_sequence_type, types)):
        return x, types
    leaves: list[Any] = []
    types = set()
    for item in x:
        inner, kinds = _leaves(item)
        leaves += inner
        types |= kinds
    return leaves, types


def _check_no_zone(leaves: Sequence[Any]) -> None:
    for index, leaf in enumerate(leaves):
        if getattr(leaf, "tzinfo", None) is not None:
            raise TypeMismatchError(
                f"item {index} is a datetime with a time zone, which datetime64 lacks: "
                "take the zone off first"
            )


def _check_leaves(leaves: Sequence[Any], types: set[type]) -> None:
    """Raises for items that are not numbers or arrays of numbers, and for masked elements."""
    import numpy as np

    wrong = {kind for kind in types if not _may_be_numbers(kind)}
    masked = {kind for kind in types if issubclass(kind, np.ma.MaskedArray)}
    if not wrong and not masked:
        return
    for index, leaf in enumerate(leaves):
        if type(leaf) in wrong:
            raise _no_number(index, leaf)
        if type(leaf) in masked and np.ma.is_masked(leaf):
            raise InvalidArgumentError(f"item {index} is masked, which Pco cannot keep")


def _may_be_numbers(kind: type) -> bool:
    if issubclass(kind, (str, bytes)):
        return False
    is_array = hasattr(kind, "__array__") or hasattr(kind, "__array_interface__")
    return is_array or issubclass(kind, (int, float, Sequence))


def _no_number(index: int, leaf: Any) -> TypeMismatchError:
    return TypeMismatchError(f"item {index} is {_shown(leaf)}, of which NumPy makes no number")


def _shown(leaf: Any) -> str:
    kind = type(leaf)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return "None" if leaf is None else f"of the type {module}{kind.__qualname__}"


def _no_numbers(leaves: Sequence[Any]) -> TypeMismatchError:
    """The error for items that NumPy converts to objects."""
    for index, leaf in enumerate(leaves):
        if isinstance(leaf, int) and not _MIN_INT64 <= leaf <= _MAX_UINT64:
            return TypeMismatchError(
                f"item {index}, the int {_short(leaf)}, is out of the range of 64 bits"
            )
    names = sorted({type(leaf).__name__ for leaf in leaves})
    return TypeMismatchError(f"no one type holds all of these: {', '.join(names)}")


def _short(number: int) -> str:
    # Python refuses to print integers of more than 4300 digits.
    return str(number) if number.bit_length() <= 256 else f"of {number.bit_length()} bits"


def _check_integers(leaves: Sequence[Any], dtype: np.dtype[Any]) -> None:
    for index, leaf in enumerate(leaves):
        if type(leaf) is int and float(leaf) != leaf:
            raise TypeMismatchError(
                f"no one type holds all of these: item {index}, the int {leaf}, "
                f"does not fit {dtype}"
            )


def _check_parts(leaves: Sequence[Any], dtype: np.dtype[Any]) -> None:
    """Raises if NumPy changed the value of an item to give all items the same type."""
    import numpy as np

    groups: dict[tuple[Any, ...], list[int]] = {}
    arrays = [np.asarray(leaf) for leaf in leaves]
    for index, array in enumerate(arrays):
        groups.setdefault((array.dtype, array.shape), []).append(index)
    for (kind, _), group in groups.items():
        if kind == dtype:
            continue
        part = np.stack([arrays[index] for index in group])
        try:
            converted(part, dtype)
        except TypeMismatchError:
            for index in group:
                _check_item(index, arrays[index], dtype)
            raise


def _check_item(index: int, item: Array, dtype: np.dtype[Any]) -> None:
    try:
        converted(item.reshape(-1), dtype)
    except TypeMismatchError as error:
        raise TypeMismatchError(f"no one type holds all of these: item {index}: {error}") from None
