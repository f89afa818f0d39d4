# SPDX-License-Identifier: Apache-2.0
"""Decodes with the extension ``numpact._cuda``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..._device import load_extension
from ._arrays import DeviceArray
from ._blocks import SIZES, Rows

if TYPE_CHECKING:
    from ..._core import CvcSlice

#: Stored bytes that are collected for one call; bytes of remote files are in memory meanwhile.
_BATCH_BYTES = 256 << 20


class _Task(NamedTuple):
    stored: CvcSlice
    first_row: int  #: of the slice
    rows: int
    out_row: int


def _runs(rows: Rows) -> list[tuple[int, int, int]]:
    """Runs of adjacent rows with adjacent destinations: first row, count, row of the output."""
    if rows.picked is None:
        return [(rows.first, rows.count, rows.out_row)]
    import numpy as np

    chosen, places = rows.picked
    breaks = np.flatnonzero((np.diff(chosen) != 1) | (np.diff(places) != 1)) + 1
    starts = np.concatenate(([0], breaks))
    counts = np.diff(np.concatenate((starts, [len(chosen)])))
    return [
        (int(chosen[start]), int(count), int(places[start]))
        for start, count in zip(starts, counts, strict=True)
    ]


class CudaDecoder:
    """Collects rows and decodes them in batches; ``finish`` decodes the last one."""

    def __init__(self) -> None:
        self._module = load_extension()
        self._tasks: dict[int, tuple[DeviceArray, list[_Task]]] = {}
        self._bytes = 0

    def add(self, stored: CvcSlice, rows: Rows, output: DeviceArray) -> None:
        tasks = self._tasks.setdefault(id(output), (output, []))[1]
        tasks += [_Task(stored, *run) for run in _runs(rows)]
        self._bytes += stored.bytes.size
        if self._bytes > _BATCH_BYTES:
            self.finish()

    def finish(self) -> None:
        """Decodes the collected rows, on the current stream of the output's framework."""
        for output, tasks in self._tasks.values():
            self._module.cvc_decode(
                [tuple(task) for task in tasks],
                out_ptr=output.pointer,
                out_dtype=output.dtype,
                out_stride=output.stride * SIZES[output.dtype],
                device=output.device,
                stream=output.stream(),
            )
        self._tasks.clear()
        self._bytes = 0
