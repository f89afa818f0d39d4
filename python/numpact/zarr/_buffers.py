# SPDX-License-Identifier: Apache-2.0
"""Decoded chunks whose type only a filter can turn into the type of the array."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from .._errors import TypeMismatchError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from zarr.core.buffer import NDBuffer


def undeclared(array: npt.NDArray[Any], declared: np.dtype[Any], base: Any) -> NDBuffer:
    """A chunk of another type than zarr declares for it, for the filter that made this type.

    Several filters of numcodecs change the type of a chunk and do not tell zarr: BitRound makes
    integers of floats, Quantize other floats. They restore the type when they decode. Without such
    a filter, zarr would convert the numbers to the type of the array in silence: zarr copies parts
    of the chunk then, which is an error here, while filters take the whole chunk.

    Args:
        array: The chunk in the type of its file.
        declared: The type that zarr expects.
        base: The class of zarr for decoded chunks.
    """
    buffer: NDBuffer = _class_for(base, str(declared)).from_numpy_array(array)
    return buffer


@lru_cache(maxsize=64)
def _class_for(base: Any, declared: str) -> type[NDBuffer]:
    def refuse(self: NDBuffer, *_: Any) -> NoReturn:
        raise TypeMismatchError(f"a chunk of {self.dtype} numbers in an array of {declared}")

    methods: dict[str, Any] = {"__getitem__": refuse, "__setitem__": refuse}
    found: type[NDBuffer] = type(f"Undeclared{base.__name__}", (base,), methods)
    return found
