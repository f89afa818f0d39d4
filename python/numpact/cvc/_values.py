# SPDX-License-Identifier: Apache-2.0
"""The types of values, and the conversion of rows to arrays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._sequences import array_of_range, array_of_sequence, is_sequence
from ._info import Column
from ._lists import refuse_missing, rows_of_lists

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import Array

#: Compressions that store integers unchanged.
_UNCHANGED = ("none", "pco")
_INTEGERS = ("int32", "int64", "int8", "uint8")
_WIDER = {"int16": "int32", "uint16": "int32", "uint32": "int64", "uint64": "int64"}


def result_dtype(column: Column, dtype: npt.DTypeLike | str | None) -> tuple[np.dtype[Any], bool]:
    """The array type for values of a column, and whether it is uint16 with bits of bfloat16.

    Args:
        column: The column.
        dtype: The type that the caller wants. None: float32, but the column's own type for integers
            that are stored unchanged.
    """
    import numpy as np

    if dtype is None:
        keeps = column.compression in _UNCHANGED and column.dtype in _INTEGERS
        return np.dtype(column.dtype if keeps else "float32"), False
    if isinstance(dtype, str) and dtype == "bfloat16":
        try:
            import ml_dtypes  # pyright: ignore[reportMissingImports]
        except ImportError:
            return np.dtype(np.uint16), True
        return np.dtype(ml_dtypes.bfloat16), True
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        raise TypeMismatchError(
            f"there is no type {dtype!r}: float32, float16 or bfloat16, and integers that are "
            "stored unchanged in their own type"
        ) from None
    if not found.isnative:
        raise TypeMismatchError(f"values are read in the machine's byte order, not as {found.str}")
    return found, found.name == "bfloat16"


def type_of_rows(columns: Sequence[Column], is_columnar: bool) -> str | list[Any]:
    """The type that reading gives: a name; for several columns fields of a structured type."""
    if len(columns) == 1:
        return type_name(columns[0], None, None)
    return [(c.name, type_name(c, None, None), shape_of(c, is_columnar, 0)[1:]) for c in columns]


def type_name(column: Column, dtype: Any, out: Any) -> str:
    """The name of the type of a result; ``dtype`` is a type of NumPy or PyTorch or its name."""
    if dtype is None and out is not None:
        dtype = out.dtype
    if type(dtype).__module__ == "torch":
        return str(dtype).removeprefix("torch.")
    found, is_bfloat16 = result_dtype(column, dtype)
    return "bfloat16" if is_bfloat16 else found.name


def item_bytes(name: str) -> int:
    """The size of a value, in bytes, by the name of its type."""
    import numpy as np

    return 2 if name == "bfloat16" else np.dtype(name).itemsize


def as_core(array: Array, is_bfloat16: bool) -> Array:
    """A view of an array for ``numpact._core``."""
    import numpy as np

    return array.view(np.uint16) if is_bfloat16 and array.dtype != np.uint16 else array


def shape_of(column: Column, is_columnar: bool, rows: int) -> tuple[int, ...]:
    """The shape of a result: (rows,) for scalars of a columnar file, else (rows, values)."""
    if is_columnar and column.dimension == 1 and not column.is_vector:
        return (rows,)
    return (rows, column.dimension)


def first_dims(column: Column, dims: int | None) -> Column:
    """A column as results have it: with its first dimensions; None: all."""
    if dims is None:
        return column
    dims = index_of(dims, "dims")
    if not 1 <= dims <= column.dimension:
        raise InvalidArgumentError(f"dims is from 1 to {column.dimension}, not {dims}")
    return replace(column, dimension=dims, is_vector=column.is_vector or column.dimension > 1)


def check_out(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raises unless ``out`` is writable and has this shape and type."""
    if not out.flags.writeable:
        raise InvalidArgumentError("out is read-only")
    if out.dtype != dtype:
        raise TypeMismatchError(f"out is of {out.dtype}, not of {dtype}")
    if out.shape != shape:
        raise InvalidArgumentError(f"out has shape {out.shape}, not {shape}")


def _as_array(x: Any) -> Array:
    import numpy as np

    if isinstance(x, range):
        return array_of_range(x)
    if is_sequence(x) and not isinstance(x, (list, tuple)):
        x = list(x)
    try:
        array: Array = np.asarray(x)
    except ValueError:  # lists that are not equally long
        array = np.empty(len(x), object)
        array[:] = [*x]
        return array
    # NumPy converts [2 ** 60 + 1, 0.5] to floats, which rounds.
    return array_of_sequence(x) if array.dtype.kind == "f" and is_sequence(x) else array


def _widened(array: Array) -> Array:
    """Integers of types that files do not support, in the next wider type that they do."""
    import numpy as np

    wider = _WIDER.get(array.dtype.name)
    if wider is None:
        return array
    if array.dtype.name == "uint64":
        past = np.argwhere(array > np.iinfo(np.int64).max)
        if len(past):
            value = array[tuple(past[0])]
            raise InvalidArgumentError(f"row {past[0][0]}: {value} is past the range of int64")
    return array.astype(wider)


def _bits_of_bfloat16(x: Any) -> Array | None:
    """The bits of an array or tensor of bfloat16, which NumPy has no type for; None for others."""
    import numpy as np

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16:
        # The copy to the CPU is none where the tensor is there already.
        bits: Array = x.detach().cpu().view(torch.int16).numpy().view(np.uint16)
        return bits
    array = x if isinstance(x, np.ndarray) else None
    if array is None or array.dtype.name != "bfloat16":
        return None
    if not array.dtype.isnative:
        array = array.byteswap().view(array.dtype.newbyteorder("="))
    return array.view(np.uint16)


class Input(NamedTuple):
    """Rows as files store them, and the type that the caller has them in."""

    array: Array
    type: str  #: such as "float32", "bfloat16" or "int16"
    item_bytes: int  #: the size of a value of that type


def vectors_of(x: Any) -> Array:
    """An array of rows, of a type that files support, from an array, sequence or column.

    Converts 16-bit integers to int32, uint32 and uint64 to int64, and bfloat16 to float32, as the
    command does. Values of a row are contiguous in memory, and rows do not overlap.

    Raises:
        InvalidArgumentError: Nulls, masked values, or integers outside of int64.
        TypeMismatchError: The values are not numbers.
    """
    return input_of(x).array


def input_of(x: Any) -> Input:
    """The same, with the type that the values had before they were converted."""
    import numpy as np

    refuse_missing(x)
    bits = _bits_of_bfloat16(x)
    array = bits if bits is not None else x if isinstance(x, np.ndarray) else _as_array(x)
    if array.dtype.kind == "O":
        array = rows_of_lists(array)
    if bits is None:
        bits = _bits_of_bfloat16(array)  # as NumPy makes arrays of JAX's
    if bits is not None:
        array = (bits.astype(np.uint32) << 16).view(np.float32)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise TypeMismatchError(f"vectors of {array.dtype} cannot be stored")
    name = "bfloat16" if bits is not None else array.dtype.name
    return Input(_contiguous_rows(array), name, item_bytes(name))


def _contiguous_rows(array: Array) -> Array:
    """An array of a type that files support, with contiguous rows apart from each other."""
    import numpy as np

    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = _widened(array)
    is_tight = array.ndim < 2 or array.shape[1] <= 1 or array.strides[1] == array.itemsize
    row_bytes = array.itemsize * (array.shape[1] if array.ndim == 2 else 1)
    # Broadcast arrays and sliding windows have overlapping rows.
    is_apart = array.ndim == 0 or array.strides[0] >= row_bytes
    is_aligned = array.flags.aligned and all(step % array.itemsize == 0 for step in array.strides)
    if not (is_tight and is_apart and is_aligned):
        array = np.ascontiguousarray(array)
    return array
