# SPDX-License-Identifier: Apache-2.0
"""Rows of columns that Pco cannot hold, which may have several files.

docs/format/table-folder.md calls them parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
        begin: The row of the column with which the first of them begins.

    Raises:
        CorruptError: As for ``OtherReader``.
    """

    def __init__(
        self, parts: Sequence[Part], open_part: Callable[[Part], OtherReader], begin: int = 0
    ) -> None:
        self._parts = parts
        self._open = open_part
        self._readers: dict[int, OtherReader] = {}
        self._begin = begin
        self._ends = list(accumulate((part.rows for part in parts), initial=begin))[1:]
        #: The reader of the first file, for what is the same in all of them.
        self.first = self._reader(0)
        self.field: pa.Field = self.first.field

    def read(self, first: int, count: int, budget: Budget | None = None) -> list[pa.Array]:
        """The rows from ``first`` to before ``first + count``; errors as for ``OtherReader``."""
        arrays: list[pa.Array] = []
        for reader, begin, rows in self._parts_of(first, count):
            arrays += reader.read(begin, rows, budget).chunks
        return arrays

    def read_coded(self, first: int, count: int) -> list[tuple[OtherReader, pa.Array]]:
        """As ``OtherReader.read_coded``, each array with the reader that decodes it."""
        return [
            (reader, array)
            for reader, begin, rows in self._parts_of(first, count)
            for array in reader.read_coded(begin, rows)
        ]

    def _parts_of(self, first: int, count: int) -> Iterator[tuple[OtherReader, int, int]]:
        """The parts of a range of rows, with its first row and its rows in each."""
        if first < self._begin or count < 0 or first + count > self._ends[-1]:
            raise InvalidArgumentError(f"{self.first.place}: has no such rows")
        for index, (begin, end) in enumerate(pairwise((self._begin, *self._ends))):
            a, b = max(first, begin), min(first + count, end)
            if a < b:
                yield self._reader(index), a - begin, b - a

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
