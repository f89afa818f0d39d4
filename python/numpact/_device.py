# SPDX-License-Identifier: Apache-2.0
"""Decompression into the memory of a GPU."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from ._errors import InvalidArgumentError, UnavailableError, warn_of_end
from ._optional import require
from ._specs import core_limit, core_policy
from ._threads import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from typing_extensions import Buffer

    from ._specs import TrailerPolicy

_DEVICE = re.compile(r"cuda(?::(\d+))?")


class DeviceArray:
    """Numbers in the memory of a GPU: shape (n,), contiguous; consumers must not write to it.

    PyTorch, CuPy, JAX and others use it without a copy through DLPack
    (``torch.from_dlpack(array)``) or the CUDA array interface. The memory is freed when this object
    and all arrays that share it are gone. Decoding has finished: no stream has pending work.
    """

    def __init__(self, exporter: Any, pointer: int, count: int, name: str) -> None:
        self._exporter = exporter
        self._pointer = pointer
        self._count = count
        self._name = name

    @property
    def shape(self) -> tuple[int]:
        """(n,): the count of numbers."""
        return (self._count,)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of the numbers."""
        import numpy as np

        return np.dtype(f"{self._name[0]}{int(self._name[1:]) // 8}")

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"DeviceArray({self._count:,} x {self.dtype})"

    def __dlpack__(self, **arguments: Any) -> Any:
        """A capsule of DLPack; the arguments are those of the protocol."""
        return self._exporter.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The device type (2: CUDA) and the device number."""
        kind, number = self._exporter.__dlpack_device__()
        return int(kind), int(number)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the interface of Numba and CuPy."""
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._pointer, False),
            "strides": None,
            "stream": None,
        }


def device_number(device: object) -> int | None:
    """The number in "cuda" (0), "cuda:1" or a device of PyTorch; None for the CPU.

    Raises:
        InvalidArgumentError: Not a device.
    """
    name = str(device)
    if name == "cpu":
        return None
    found = _DEVICE.fullmatch(name)
    if found is None:
        shown = repr(name) if isinstance(device, str) else type(device).__name__
        raise InvalidArgumentError(f"device must be 'cpu', 'cuda' or 'cuda:N', not {shown}")
    return int(found[1] or 0)


def load_extension() -> Any:
    """Imports ``numpact._cuda``; ImportError if it was not built."""
    return importlib.import_module("numpact._cuda")


def cuda_module() -> Any:
    """The extension that decodes on GPUs.

    Raises:
        UnavailableError: It was not built, or there is no GPU that it can use.
    """
    try:
        module = load_extension()
    except ImportError as error:
        raise UnavailableError(
            f"numpact was built without CUDA, which decoding on GPUs needs: {error}"
        ) from error
    if module.device_count() == 0:
        raise UnavailableError("there is no GPU of NVIDIA")
    return module


def decompress_to_device(
    source: Buffer | Sequence[Buffer],
    device: int,
    framework: str | None,
    threads: int | None,
    max_output: int | None,
    trailer: TrailerPolicy,
) -> Any:
    """``decompress`` for a GPU; the parameters are those of that function."""
    if isinstance(source, (list, tuple)):
        files = [[file] for file in source]
        return arrays_on_device(files, device, framework, threads, max_output, trailer)
    return arrays_on_device([[source]], device, framework, threads, max_output, trailer)[0]


def arrays_on_device(
    files: Sequence[Sequence[Any]],
    device: int,
    framework: str | None,
    threads: int | None,
    max_output: int | None,
    trailer: TrailerPolicy,
) -> list[Any]:
    """An array for each list of files of one type, decoded one behind the other; all in one call.

    ``max_output`` is that of each file.
    """
    import numpy as np

    if framework not in (None, "torch", "cupy"):
        raise InvalidArgumentError(f"framework must be None, 'torch' or 'cupy', not {framework!r}")
    policy, limit = core_policy(trailer), core_limit(max_output)
    wrap = None if framework is None else require(framework, framework)
    module = cuda_module()
    exported = module.pco_decompress(
        [[np.frombuffer(memoryview(one).cast("B"), np.uint8) for one in some] for some in files],
        device,
        threads=resolve(threads),
        max_output=limit,
        trailer=policy,
        on_end=warn_of_end,
    )
    arrays = [DeviceArray(*one) for one in exported]
    return arrays if wrap is None else [wrap.from_dlpack(array) for array in arrays]
