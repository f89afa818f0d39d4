# SPDX-License-Identifier: Apache-2.0
"""Chunks that zarr wants on a GPU, decoded there: after ``zarr.config.enable_gpu()``."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import _core
from .._device import arrays_on_device, cuda_module
from .._errors import CorruptError, LimitExceededError, UnavailableError
from .._number_types import dtype_of
from .._optional import require_cupy
from ._imagecodecs import check_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer

    Chunks: TypeAlias = Sequence[tuple[Buffer | None, ArraySpec]]


def device_of_chunks(chunks: Chunks) -> int | None:
    """The GPU that decodes these chunks; None: the CPU does, and zarr copies the numbers."""
    gpu = sys.modules.get("zarr.core.buffer.gpu")
    if gpu is None or all(data is None for data, _ in chunks):
        return None
    if not all(issubclass(spec.prototype.nd_buffer, gpu.NDBuffer) for _, spec in chunks):
        return None
    try:
        cuda_module()
    except UnavailableError:
        return None
    return int(require_cupy().cuda.Device().id)


def decoded_on_device(chunks: Chunks, device: int) -> list[NDBuffer | None] | None:
    """The chunks, decoded by one call; None if one is of another type than its array.

    Raises:
        CorruptError: A chunk has another count of numbers.
    """
    files: list[Any] = [None if data is None else data.as_numpy_array() for data, _ in chunks]
    dtypes = [_declared(spec) for _, spec in chunks]
    for file, dtype, (_, spec) in zip(files, dtypes, chunks, strict=True):
        if file is None:
            continue
        name = _core.read_header(file)["number_type"]
        if name is None or dtype_of(name) != dtype:
            return None
        check_size(spec.shape, dtype)
    present = [i for i, file in enumerate(files) if file is not None]
    counts = [math.prod(spec.shape) for _, spec in chunks]
    limit = max((counts[i] * dtypes[i].itemsize for i in present), default=0)
    try:
        arrays = arrays_on_device([[files[i]] for i in present], device, "cupy", 1, limit, "use")
    except LimitExceededError as error:
        raise CorruptError("a chunk holds more numbers than belong into it") from error
    found: list[Any] = [None] * len(chunks)
    for i, array in zip(present, arrays, strict=True):
        if array.size != counts[i]:
            raise CorruptError(f"the chunk holds {array.size} numbers; {counts[i]} belong into it")
        spec = chunks[i][1]
        found[i] = spec.prototype.nd_buffer.from_ndarray_like(array.reshape(spec.shape))
    return found


def _declared(spec: ArraySpec) -> np.dtype[Any]:
    dtype: np.dtype[Any] = spec.dtype.to_native_dtype().newbyteorder("=")
    return dtype
