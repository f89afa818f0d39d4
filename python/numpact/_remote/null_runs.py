# SPDX-License-Identifier: Apache-2.0
"""Which rows of a column are null, as the lengths of runs (docs/format/arrow-column.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._codec import decompress
from .._errors import CorruptError, LimitExceededError
from .locations import Location

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


_MAX_LIMIT = (1 << 64) - 1  # as numpact._core takes it


@dataclass(frozen=True)
class NullRuns:
    """Rows in runs: with numbers, null, with numbers, and so on; a run may be 0. Can be pickled."""

    lengths: Array  #: int64

    @property
    def rows(self) -> int:
        return int(self.lengths.sum())

    @property
    def numbers(self) -> int:
        """Rows that are not null."""
        return int(self.lengths[::2].sum())

    def part(self, first: int, count: int) -> NullRuns:
        """The runs of some rows in a row."""
        import numpy as np

        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths)])
        return NullRuns(np.diff(np.clip(bounds, first, first + count)))

    def validity(self) -> Array:
        """True where there is a number."""
        import numpy as np

        return np.repeat(np.arange(len(self.lengths)) % 2 == 0, self.lengths)

    def spread(self, numbers: Array) -> Array:
        """The numbers at their rows, with 0 at those that are null."""
        import numpy as np

        spread = np.zeros(self.rows, numbers.dtype)
        spread[self.validity()] = numbers
        return spread


def read_null_runs(place: Location, rows: int, nulls: int) -> NullRuns:
    """Reads the file of null runs beside a column.

    Raises:
        CorruptError: Not such a file, or one that contradicts the counts.
    """
    import numpy as np

    most = 2 * min(nulls, rows - nulls) + 2  # runs: more do not fit
    try:
        lengths = decompress(place.read_all(), None, 1, min(most * 8, _MAX_LIMIT))
    except LimitExceededError:
        raise CorruptError(f"{place.url}: holds more runs than there can be") from None
    if lengths.dtype != np.uint64:
        raise CorruptError(f"{place.url}: holds {lengths.dtype} numbers, not the lengths of runs")
    # Each alone before their sum, which could wrap.
    if len(lengths) == 0 or (lengths > rows).any() or (lengths[1:] == 0).any():
        raise CorruptError(f"{place.url}: a run has a length that cannot be")
    runs = NullRuns(lengths.astype(np.int64))
    if runs.rows != rows or runs.numbers != rows - nulls:
        raise CorruptError(f"{place.url}: its runs contradict the manifest")
    return runs
