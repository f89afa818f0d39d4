# SPDX-License-Identifier: Apache-2.0
"""The null rows of a column, as lengths of runs (docs/format/arrow-column.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._codec import decompress
from .._errors import CorruptError, LimitExceededError
from .locations import Location

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


_MAX_LIMIT = (1 << 64) - 1  # of a max_output for numpact._core


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


def read_null_runs(place: Location, rows: int, nulls: int) -> NullRuns:
    """Reads the file of null runs of a column.

    Raises:
        CorruptError: It does not contain runs, or contradicts the counts of rows and nulls.
    """
    import numpy as np

    max_runs = 2 * min(nulls, rows - nulls) + 2
    try:
        lengths = decompress(place.read_all(), None, 1, min(max_runs * 8, _MAX_LIMIT))
    except LimitExceededError:
        raise CorruptError(f"{place.url}: holds more runs than there can be") from None
    if lengths.dtype != np.uint64:
        raise CorruptError(f"{place.url}: holds {lengths.dtype} numbers, not the lengths of runs")
    # Single lengths first, because their sum may overflow.
    if len(lengths) == 0 or (lengths > rows).any() or (lengths[1:] == 0).any():
        raise CorruptError(f"{place.url}: a run has a length that cannot be")
    runs = NullRuns(lengths.astype(np.int64))
    if runs.rows != rows or runs.numbers != rows - nulls:
        raise CorruptError(f"{place.url}: its runs contradict the manifest")
    return runs
