# SPDX-License-Identifier: Apache-2.0
"""Checks arguments as ``pcodec`` does; accepts hardly more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

import numpy as np

from .._errors import InvalidArgumentError, TypeMismatchError
from .._number_types import TYPES, dtype_of
from .._threads import resolve
from ._errors import not_an_instance

if TYPE_CHECKING:
    from .._types import Array

#: pcodec accepts bytes only.
BytesLike = Union[bytes, bytearray, memoryview]

#: Names of number types, by NumPy's.
NAMES = {dtype_of(name): name for name in TYPES}

# Smaller files and arrays, in bytes, use one thread: determining the number costs more.
_SMALL_FILE = 1 << 13
_SMALL_INPUT = 1 << 16


def check_bytes(src: object) -> None:
    if not isinstance(src, (bytes, bytearray, memoryview)):
        raise not_an_instance("src", src, "bytes")


def check_numbers(array: object) -> str:
    """The number type of an array to be compressed."""
    if not isinstance(array, np.ndarray):
        raise not_an_instance("src", array, "ndarray")
    name = _type_of(array)
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        raise TypeMismatchError("the array is not contiguous or is misaligned")
    return name


def check_destination(array: object) -> str:
    """The number type of an array to be decoded into."""
    if not isinstance(array, np.ndarray):
        raise not_an_instance("dst", array, "ndarray")
    name = _type_of(array)
    flags = array.flags
    if flags.carray:  # contiguous, aligned, writable
        return name
    if not flags.writeable:
        raise InvalidArgumentError("dst is read-only")
    raise TypeMismatchError("the array is not contiguous or is misaligned")


def _type_of(array: Array) -> str:
    name = NAMES.get(array.dtype)
    if name is None:
        raise TypeMismatchError(f"Unsupported data type: {array.dtype!r}")
    if array.ndim != 1:
        raise TypeMismatchError(
            f"{array.ndim}D {array.dtype} numpy array could not be cast to 1D {name} array"
        )
    return name


def threads_for_file(size: int) -> int:
    return 1 if size < _SMALL_FILE else resolve(None)


def threads_for_numbers(size: int) -> int:
    return 1 if size < _SMALL_INPUT else resolve(None)
