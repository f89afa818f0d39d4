# SPDX-License-Identifier: Apache-2.0
"""Rows of columns that Pco cannot hold, which may have several files.

docs/format/table-folder.md calls them parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import pyarrow as pa

from .._errors import CorruptError, InvalidArgumentError
from .._limits import Budget
from .._remote.manifest import Part
from .others import OtherReader


class PartsReader:
    """Reads rows of a column. Not thread-safe.

    Args:
        parts: Its files, at least one.
        open_part: Opens one of them; called when its rows are needed, and for the first at once.

    Raises:
        CorruptError: As for ``OtherReader``.
    """

    def __init__(self, parts: Sequence[Part], open_part: Callable[[Part], OtherReader]) -> None:
        self._parts = parts
        self._open = open_part
        self._readers: dict[int, OtherReader] = {}
        self._ends = list(accumulate(part.rows for part in parts))
        self.rows = self._ends[-1]
        #: The reader of the first file, for what is the same in all of them.
        self.first = self._reader(0)
        self.field: pa.Field = self.first.field

    def read(self, first: int, count: int, budget: Budget | None = None) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``; errors as for ``OtherReader``."""
        if first < 0 or count < 0 or first + count > self.rows:
            raise InvalidArgumentError(f"{self.first.place}: has no such rows")
        arrays: list[pa.Array] = []
        for index, (begin, end) in enumerate(pairwise((0, *self._ends))):
            a, b = max(first, begin), min(first + count, end)
            if a < b:
                arrays += self._reader(index).read(a - begin, b - a, budget).chunks
        return arrays

    def _reader(self, index: int) -> OtherReader:
        if index not in self._readers:
            reader = self._open(self._parts[index])
            if index and not reader.field.type.equals(self.field.type):
                raise CorruptError(
                    f"{reader.place}: is of type {reader.field.type}, other parts of the column "
                    f"of {self.field.type}"
                )
            self._readers[index] = reader
        return self._readers[index]
