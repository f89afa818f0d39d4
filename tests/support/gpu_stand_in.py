# SPDX-License-Identifier: Apache-2.0
"""What stands for the extension for GPUs and for CuPy where there is no GPU: all on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np


class FakeArray(np.ndarray):  # type: ignore[type-arg]
    """Stands for the arrays of CuPy."""


class Exporter:
    """The array of the extension: here in the memory of the CPU."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.numbers.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.numbers.__dlpack_device__()


def exported(numbers: np.ndarray) -> tuple[Exporter, int, int, str]:
    """An array of the extension: what gives it by DLPack, its address, count and type."""
    name = f"{numbers.dtype.kind}{8 * numbers.itemsize}"
    return Exporter(numbers), numbers.ctypes.data, numbers.size, name
