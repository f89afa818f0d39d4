# SPDX-License-Identifier: Apache-2.0
"""Results in the memory of a device: tensors of PyTorch, arrays of CuPy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ..._errors import InvalidArgumentError, TypeMismatchError
from .._backends import Place, is_interpreted
from ._blocks import SIZES
from ._packages import import_cupy, import_torch


class DeviceArray(Protocol):
    """Rows of a column on a device; the values of a row are contiguous."""

    column: int
    dtype: str
    rows: int
    dimension: int
    stride: int  #: distance of rows, in values
    result: Any  #: the tensor or array for the caller
    device: int

    @property
    def pointer(self) -> int: ...
    def bits(self) -> Any:
        """A tensor of PyTorch with integers of the same size, in the same memory."""
        ...

    def fill(self, first: int, count: int, bits: int) -> None:
        """Sets all values of rows to these bits, given as a signed integer."""
        ...

    def stream(self) -> int:
        """The handle of the framework's current stream."""
        ...


_BITS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}


def _check_stride(shape: tuple[int, ...], steps: tuple[int, ...], expected: tuple[int, ...]) -> int:
    """The distance of rows, in values; raises unless shape and strides are usable."""
    if shape != expected:
        raise InvalidArgumentError(f"out has shape {shape}, not {expected}")
    rows, width = shape[0], shape[1] if len(shape) == 2 else 1
    if rows == 0 or width == 0:
        return width
    if len(shape) == 2 and width > 1 and steps[1] != 1:
        raise TypeMismatchError("the values of a row must be contiguous")
    if rows > 1 and steps[0] < width:
        raise InvalidArgumentError("rows must come one after the other, and not overlap")
    return steps[0] if rows > 1 else width


class TorchArray:
    """A tensor; ``out`` if there is one."""

    def __init__(
        self, column: int, shape: tuple[int, ...], dtype: str, device: Any, out: Any
    ) -> None:
        torch = import_torch()
        kind = getattr(torch, dtype)
        if out is None:
            out = torch.empty(shape, dtype=kind, device=device)
        if out.layout != torch.strided or out.device.type != device.type:
            raise InvalidArgumentError(f"out must be a dense tensor on {device}, not {out.device}")
        if device.index is not None and out.device.index != device.index:
            raise InvalidArgumentError(f"out is on {out.device}, not on {device}")
        if out.requires_grad:
            raise InvalidArgumentError("out requires a gradient: give out.detach()")
        if out.dtype != kind:
            raise TypeMismatchError(f"out is of {out.dtype}, not of {dtype}")
        self.column = column
        self.dtype = dtype
        self.stride = _check_stride(tuple(out.shape), tuple(out.stride()), shape)
        self.rows = shape[0]
        self.dimension = shape[1] if len(shape) == 2 else 1
        self.result = out
        self.device = int(out.device.index or 0)

    @property
    def pointer(self) -> int:
        return int(self.result.data_ptr())

    def bits(self) -> Any:
        torch = import_torch()
        return self.result.view(getattr(torch, _BITS[SIZES[self.dtype]]))

    def fill(self, first: int, count: int, bits: int) -> None:
        self.bits()[first : first + count] = bits

    def stream(self) -> int:
        torch = import_torch()
        return int(torch.cuda.current_stream(self.device).cuda_stream)


class CupyArray:
    """An array of CuPy; uint16 with the bits of bfloat16."""

    def __init__(
        self, column: int, shape: tuple[int, ...], dtype: str, device: int, out: Any
    ) -> None:
        cupy = import_cupy()
        kind = cupy.dtype("uint16" if dtype == "bfloat16" else dtype)
        if out is None:
            with cupy.cuda.Device(device):
                out = cupy.empty(shape, kind)
        if out.device.id != device:
            raise InvalidArgumentError(f"out is on device {out.device.id}, not on {device}")
        if out.dtype != kind:
            raise TypeMismatchError(f"out is of {out.dtype}, not of {kind}")
        steps = tuple(step // kind.itemsize for step in out.strides)
        self.column = column
        self.dtype = dtype
        self.stride = _check_stride(tuple(out.shape), steps, shape)
        self.rows = shape[0]
        self.dimension = shape[1] if len(shape) == 2 else 1
        self.result = out
        self.device = device

    @property
    def pointer(self) -> int:
        return int(self.result.data.ptr)

    def bits(self) -> Any:
        torch = import_torch()
        return torch.from_dlpack(self.result.view(_BITS[SIZES[self.dtype]]))

    def fill(self, first: int, count: int, bits: int) -> None:
        cupy = import_cupy()
        with cupy.cuda.Device(self.device):
            self.result.view(_BITS[SIZES[self.dtype]])[first : first + count] = bits

    def stream(self) -> int:
        cupy = import_cupy()
        with cupy.cuda.Device(self.device):
            return int(cupy.cuda.get_current_stream().ptr)


def device_of(out: Any) -> str | None:
    """The device of an array on a GPU, as PyTorch names it; None for other arrays."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    tensor, array = getattr(torch, "Tensor", None), getattr(cupy, "ndarray", None)
    if tensor is not None and isinstance(out, tensor):
        return str(out.device) if out.device.type == "cuda" else None
    if array is not None and isinstance(out, array):
        return f"cuda:{out.device.id}"
    return None


def framework_of(out: Any) -> str | None:
    """The framework of a tensor or an array of CuPy; None for other arrays."""
    for framework, name in (("torch", "Tensor"), ("cupy", "ndarray")):
        kind = getattr(sys.modules.get(framework), name, None)
        if kind is not None and isinstance(out, kind):
            return framework
    return None


def make_array(
    column: int, shape: tuple[int, ...], dtype: str, place: Place, out: Any
) -> DeviceArray:
    """Memory for rows, allocated on the framework's current stream, or a suitable ``out``.

    Raises:
        InvalidArgumentError, TypeMismatchError: ``out`` is not suitable.
    """
    if dtype not in SIZES:
        raise TypeMismatchError(f"the column's values cannot be read as {dtype}")
    if out is not None and framework_of(out) != place.framework:
        raise InvalidArgumentError(
            f"out must be an array of {place.framework}, not {type(out).__name__}"
        )
    if place.framework == "cupy":
        return CupyArray(column, shape, dtype, device_number(place.device, "cupy"), out)
    return TorchArray(column, shape, dtype, torch_device(place), out)


def torch_device(place: Place) -> Any:
    """The device of tensors: the CPU if Triton's interpreter runs the kernels."""
    torch = import_torch()
    if place.backend == "triton" and is_interpreted():
        return torch.device("cpu")
    return torch.device("cuda", device_number(place.device))


def device_number(device: str, framework: str = "torch") -> int:
    """The number in "cuda:N"; for "cuda" that of the framework's current device."""
    _, _, number = device.partition(":")
    if number:
        return int(number)
    if framework == "cupy":
        cupy = import_cupy()
        return int(cupy.cuda.runtime.getDevice())
    torch = import_torch()
    return int(torch.cuda.current_device())


@contextmanager
def on_stream(array: DeviceArray) -> Iterator[None]:
    """Makes the stream of the array's framework PyTorch's current one in the ``with`` block."""
    torch = import_torch()
    if isinstance(array, TorchArray):
        with torch.cuda.device(array.device):
            yield
        return
    handle = array.stream()
    if handle == 0:
        stream = torch.cuda.default_stream(array.device)
    else:
        stream = torch.cuda.ExternalStream(handle, device=array.device)
    with torch.cuda.device(array.device), torch.cuda.stream(stream):
        yield
