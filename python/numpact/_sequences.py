# SPDX-License-Identifier: Apache-2.0
"""Python's sequences and scalars as arrays, where NumPy would round, drop or guess in silence."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._convert import converted
from ._errors import InvalidArgumentError, TypeMismatchError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

# Types whose mixtures NumPy makes int64, uint64, float64 or bool of, or no numbers at all.
_PLAIN = frozenset({bool, int, float})
# Python's times, none of which is finer. Classes made of these may be, pandas.Timestamp say.
_TIMES = {
    datetime.date: "datetime64[D]",
    datetime.datetime: "datetime64[us]",
    datetime.timedelta: "timedelta64[us]",
}
_MAX_UINT64 = (1 << 64) - 1
_MIN_INT64 = -(1 << 63)


def array_of_sequence(x: Any) -> Array:
    """An array of a number, or of lists and tuples of numbers, with the values that they have.

    Raises:
        TypeMismatchError: Something that is no number, which is named; numbers that no one type
            holds.
        InvalidArgumentError: Masked elements.
    """
    import numpy as np

    leaves = list(_leaves(x))
    types = {type(leaf) for leaf in leaves}
    if len(types) == 1 and (times := _TIMES.get(next(iter(types)))) is not None:
        _check_no_zone(leaves)
        return np.asarray(x, times)
    if not types <= _PLAIN:
        for index, leaf in enumerate(leaves):
            _check_leaf(index, leaf)
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeMismatchError(f"not an array of numbers: {error}") from error
    if array.dtype == object:
        raise _no_numbers(leaves)
    if types <= _PLAIN:
        # NumPy makes floats of [2 ** 63, -1], and of [2 ** 60 + 1, 0.5].
        may_round = array.dtype.kind == "f" and int in types
        if may_round and any(type(leaf) is int and float(leaf) != leaf for leaf in leaves):
            raise TypeMismatchError("no one type holds all of these integers")
    elif len(types) > 1 or not issubclass(types.pop(), np.generic) or array.dtype.kind in "mM":
        _check_parts(leaves, array.dtype)
    return array


def _leaves(x: Any) -> Iterator[Any]:
    """What is no list or tuple, in order."""
    if not isinstance(x, (list, tuple)):
        yield x
        return
    for item in x:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _check_no_zone(leaves: list[Any]) -> None:
    for index, leaf in enumerate(leaves):
        if getattr(leaf, "tzinfo", None) is not None:
            raise TypeMismatchError(
                f"item {index} is a datetime with a time zone, which datetime64 lacks: "
                "take the zone off first"
            )


def _check_leaf(index: int, leaf: Any) -> None:
    import numpy as np

    if isinstance(leaf, np.ma.MaskedArray) and np.ma.is_masked(leaf):
        raise InvalidArgumentError(f"item {index} is masked, which Pco cannot keep")
    is_array = hasattr(leaf, "__array__") or hasattr(leaf, "__array_interface__")
    if not isinstance(leaf, (int, float)) and not is_array and not isinstance(leaf, Sequence):
        raise _no_number(index, leaf)
    if isinstance(leaf, (str, bytes)):
        raise _no_number(index, leaf)


def _no_number(index: int, leaf: Any) -> TypeMismatchError:
    return TypeMismatchError(f"item {index} is {_shown(leaf)}, which is no number of NumPy's")


def _shown(leaf: Any) -> str:
    kind = type(leaf)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return "None" if leaf is None else f"of the type {module}{kind.__qualname__}"


def _no_numbers(leaves: list[Any]) -> TypeMismatchError:
    """Why NumPy makes objects of these."""
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


def _check_parts(leaves: list[Any], dtype: np.dtype[Any]) -> None:
    """Raises where NumPy changed the value of an item to give all of them one type."""
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
        except TypeMismatchError as error:
            raise TypeMismatchError(f"no one type holds all of these items: {error}") from None
