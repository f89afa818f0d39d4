# SPDX-License-Identifier: Apache-2.0
"""Whole numbers of any class, as Python's own, which never overflow."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._errors import TypeMismatchError
from ._sequences import array_of_range, array_of_sequence, is_sequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def is_truth(value: object) -> bool:
    """Whether it is True or False, also one of NumPy's, which no index may be."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def index_of(value: object, name: str) -> int:
    """An integer of Python's for one of any class; ``np.uint8`` would wrap around in sums.

    Raises:
        TypeMismatchError: Not an integer; a truth value, which NumPy takes for a mask.
    """
    try:
        if not is_truth(value):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeMismatchError(f"{name} must be an integer, not {type(value).__name__}")


def indices_of(values: Any, name: str) -> npt.NDArray[np.integer[Any]]:
    """A one-dimensional array of integers from an array or any sequence of them.

    Raises:
        TypeMismatchError: Something else, truth values among it.
    """
    import numpy as np

    if isinstance(values, range):
        array = array_of_range(values)
    elif is_sequence(values):
        values = values if isinstance(values, (list, tuple)) else list(values)
        if any(map(is_truth, values)):
            raise TypeMismatchError(f"{name} must be integers, not truth values")
        array = array_of_sequence(values) if values else np.empty(0, np.int64)
    else:
        array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise TypeMismatchError(f"{name} must be a sequence of integers")
    return array if array.dtype.kind in "iu" else array.astype(np.int64)
