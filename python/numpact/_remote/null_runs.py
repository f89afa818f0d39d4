# SPDX-License-Identifier: Apache-2.0
"""The null rows of a column, as lengths of runs (docs/format/arrow-column.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._codec import decompress
from .._errors import CorruptError, LimitExceededError
from .._limits import Limits
from .locations import named_errors

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    Array = npt.NDArray[Any]


_MAX_LIMIT = (1 << 64) - 1  # of a max_output for numpact._core
_RUN_BYTES = 16  # of a run: decoded, and as int64


@dataclass(frozen=True)
class NullRuns:
    """Alternating runs of rows with numbers and of null rows; a length may be 0. Can be pickled."""

    lengths: Array  #: (n,) of int64

    @property
    def rows(self) -> int:
        return int(self.lengths.sum())

    @property
    def numbers(self) -> int:
        """The count of rows that are not null."""
        return int(self.lengths[::2].sum())

    def part(self, first: int, count: int) -> NullRuns:
        """The runs of the rows from ``first`` to before ``first + count``."""
        import numpy as np

        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths)])
        return NullRuns(np.diff(np.clip(bounds, first, first + count)))

    def numbers_of_rows(self, rows: Array) -> tuple[Array, Array]:
        """For rows: the index of their number, and (n,) of bool, True where there is one."""
        import numpy as np

        ends = np.cumsum(self.lengths)
        run = np.searchsorted(ends, rows, "right")
        is_number = run % 2 == 0
        nulls = np.where(np.arange(len(self.lengths)) % 2 == 1, self.lengths, 0)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(nulls)])
        return rows - before[run], is_number

    def rows_of_numbers(self, indices: Array) -> Array:
        """The rows of numbers by their indices."""
        import numpy as np

        counts = np.where(np.arange(len(self.lengths)) % 2 == 0, self.lengths, 0)
        run = np.searchsorted(np.cumsum(counts), indices, "right")
        nulls = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths - counts)])
        rows: Array = indices + nulls[run]
        return rows

    def validity(self) -> Array:
        """(rows,) of bool, True where there is a number."""
        import numpy as np

        return np.repeat(np.arange(len(self.lengths)) % 2 == 0, self.lengths)

    def spread(self, numbers: Array) -> Array:
        """(rows,): the numbers in their rows, with 0 in null rows."""
        import numpy as np

        spread = np.zeros(self.rows, numbers.dtype)
        spread[self.validity()] = numbers
        return spread


class RunsBuilder:
    """Collects the runs of rows that come block by block."""

    def __init__(self) -> None:
        self.null_count = 0
        self._last_is_null = False
        self._last = 0  # length of the last run so far
        self._parts: list[Array] = []  # lengths of the runs before it

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


def read_null_runs(
    data: Buffer,
    url: str,
    rows: int,
    nulls: int,
    limits: Limits = Limits(),  # noqa: B008 # immutable
) -> NullRuns:
    """Decodes the file of null runs of a column.

    Args:
        data: The bytes of the file.
        url: How messages call it.
        rows, nulls: The counts in the manifest.
        check: Called with the bytes that the runs take, before they are decoded.

    Raises:
        CorruptError: It does not contain runs, or contradicts the counts of rows and nulls.
    """
    import numpy as np

    max_runs = _core.max_null_runs(rows - nulls, nulls)
    if limits:
        with named_errors(url):
            count = _core.count_numbers(data)
        limits.check_decoded(_RUN_BYTES * count, url)
    try:
        with named_errors(url):
            lengths = decompress(data, None, 1, min(max_runs * 8, _MAX_LIMIT))
    except LimitExceededError:
        raise CorruptError(f"{url}: holds more runs than there can be") from None
    if lengths.dtype != np.uint64:
        raise CorruptError(f"{url}: holds {lengths.dtype} numbers, not the lengths of runs")
    _core.check_null_runs(lengths, rows - nulls, nulls, url)
    return NullRuns(lengths.astype(np.int64))
