# SPDX-License-Identifier: Apache-2.0
"""Converts integers of any class to Python's int, which does not overflow."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._errors import TypeMismatchError
from ._sequences import array_of_range, array_of_sequence, is_sequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def is_boolean(value: object) -> bool:
    """Whether it is a bool of Python or NumPy; these are not accepted as integers."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def index_of(value: object, name: str) -> int:
    """An integer of any class as an int; sums of ``np.uint8`` would wrap around.

    Args:
        value: The argument of a caller.
        name: How messages call the argument.

    Raises:
        TypeMismatchError: Not an integer, or a bool.
    """
    try:
        if not is_boolean(value):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeMismatchError(f"{name} must be an integer, not {type(value).__name__}")


def indices_of(values: Any, name: str) -> npt.NDArray[np.integer[Any]]:
    """An array, (n,) of an integer type, from an array or sequence of integers.

    Raises:
        TypeMismatchError: Not a sequence of integers; also for bools.
    """
    import numpy as np

    if isinstance(values, range):
        array = array_of_range(values)
    elif is_sequence(values):
        values = values if isinstance(values, (list, tuple)) else list(values)
        if any(map(is_boolean, values)):
            raise TypeMismatchError(f"{name} must be integers, not booleans")
        array = array_of_sequence(values) if values else np.empty(0, np.int64)
    else:
        array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise TypeMismatchError(f"{name} must be a sequence of integers")
    return array if array.dtype.kind in "iu" else array.astype(np.int64)
