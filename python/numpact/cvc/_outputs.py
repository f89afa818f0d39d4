# SPDX-License-Identifier: Apache-2.0
"""Results in the memory of the CPU: NumPy arrays, and PyTorch tensors that share their memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import InvalidArgumentError, OutOfMemoryError, TypeMismatchError
from .._optional import require
from ._info import Column
from ._values import as_core, check_out, result_dtype, shape_of

if TYPE_CHECKING:
    from .._types import Array

FRAMEWORKS = ("numpy", "torch")


class Output(NamedTuple):
    """The destination of the rows of a column."""

    column: int
    array: Array  #: the memory, for numpact._core
    is_bfloat16: bool  #: ``array`` is uint16 with bits of bfloat16
    result: Any  #: the array or tensor for the caller
    is_fresh: bool  #: not given by the caller

    @property
    def target(self) -> tuple[int, Array, bool]:
        return self.column, self.array, self.is_bfloat16


def check_framework(framework: str) -> str:
    """Raises unless it is a framework for the CPU, and installed."""
    if framework == "cupy":
        raise InvalidArgumentError("framework 'cupy' requires device='cuda'")
    if framework not in FRAMEWORKS:
        raise InvalidArgumentError(f"unknown framework {framework!r}: 'numpy', 'torch' or 'cupy'")
    if framework == "torch":
        require("torch", "torch")
    return framework


def is_of_torch(thing: Any, name: str) -> bool:
    """Whether it is an instance of a class of PyTorch; does not import PyTorch."""
    torch = sys.modules.get("torch")
    kind = getattr(torch, name, None)
    return kind is not None and isinstance(thing, kind)


def name_of_type(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def as_tensor(array: Array, is_bfloat16: bool) -> Any:
    """A tensor that shares the memory of an array."""
    import numpy as np

    torch = require("torch", "torch")
    if is_bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _array_of(tensor: Any) -> Array:
    """An array that shares the memory of a tensor; uint16 for bfloat16."""
    import numpy as np

    torch = require("torch", "torch")
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise InvalidArgumentError("out must be a dense tensor on the CPU")
    if tensor.requires_grad:
        raise InvalidArgumentError("out requires a gradient: give out.detach()")
    if tensor.dtype == torch.bfloat16:
        bits: Array = tensor.view(torch.int16).numpy().view(np.uint16)
        return bits
    array: Array = tensor.numpy()
    return array


def empty(shape: tuple[int, ...], dtype: Any) -> Array:
    """A new array; OutOfMemoryError if memory is insufficient for the claims of a header."""
    import numpy as np

    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        raise OutOfMemoryError(
            f"out of memory: {shape} values of {np.dtype(dtype)}: {error}"
        ) from None


def output_for(
    index: int,
    column: Column,
    is_columnar: bool,
    rows: int,
    dtype: Any,
    out: Any,
    framework: str,
) -> Output:
    """Memory for rows of a column: a new array or tensor, or ``out`` if it fits.

    Args:
        dtype: One of NumPy or of PyTorch, by name or not; None: that of ``out``, else the column's
            (see ``result_dtype``).
    """
    import numpy as np

    is_tensor = is_of_torch(out, "Tensor")
    if dtype is None and out is not None:
        dtype = out.dtype
    if is_of_torch(dtype, "dtype"):
        dtype = name_of_type(dtype)
        framework = "torch"
    found, is_bfloat16 = result_dtype(column, dtype)
    shape = shape_of(column, is_columnar, rows)
    if out is not None and is_tensor:
        if name_of_type(out.dtype) != ("bfloat16" if is_bfloat16 else found.name):
            raise TypeMismatchError(f"out is of {name_of_type(out.dtype)}, not of {dtype}")
        array = _array_of(out)
        check_out(array, shape, np.dtype(np.uint16) if is_bfloat16 else found)
        return Output(index, array, is_bfloat16, out, False)
    if out is not None:
        check_out(out, shape, found)
        return Output(index, as_core(out, is_bfloat16), is_bfloat16, out, False)
    made = empty(shape, found)
    array = as_core(made, is_bfloat16)
    result = as_tensor(array, is_bfloat16) if framework == "torch" else made
    return Output(index, array, is_bfloat16, result, True)
