# SPDX-License-Identifier: Apache-2.0
"""The null rows of a column, as lengths of runs (docs/format/arrow-column.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


class RunsBuilder:
    """Collects the runs of rows that come block by block."""

    def __init__(self) -> None:
        self.null_count = 0
        self._last_is_null = False
        self._last = 0  # length of the last run so far
        self._parts: list[Array] = []  # lengths of the runs before it

    def begin(self, lengths: Array) -> None:
        """Sets the runs of the rows so far, (runs,) of uint64 that begin with one of numbers."""
        self.null_count = int(lengths[1::2].sum())
        self._last_is_null = len(lengths) % 2 == 0
        self._last = int(lengths[-1])
        self._parts = [lengths[:-1]]

    def add(self, validity: Array | None, count: int) -> None:
        """Adds rows.

        Args:
            validity: (count,) of bool, True where there is a number; None: no row is null.
            count: How many rows.
        """
        import numpy as np

        if count == 0:
            return
        if validity is None:
            self._run(False, count)
            return
        self.null_count += count - int(np.count_nonzero(validity))
        edges = np.flatnonzero(validity[1:] != validity[:-1]) + 1
        lengths = np.diff(np.concatenate([[0], edges, [count]]))
        is_null = not validity[0]
        self._run(is_null, int(lengths[0]))
        if len(lengths) > 1:
            self._parts.append(np.array([self._last], np.uint64))
            self._parts.append(lengths[1:-1].astype(np.uint64))
            self._last = int(lengths[-1])
            self._last_is_null = not validity[-1]

    def _run(self, is_null: bool, length: int) -> None:
        import numpy as np

        if is_null != self._last_is_null:
            self._parts.append(np.array([self._last], np.uint64))
            self._last, self._last_is_null = 0, is_null
        self._last += length

    def lengths(self) -> Array:
        """(runs,) of uint64."""
        import numpy as np

        return np.concatenate([*self._parts, np.array([self._last], np.uint64)])
