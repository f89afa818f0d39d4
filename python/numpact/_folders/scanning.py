# SPDX-License-Identifier: Apache-2.0
"""Reads the rows that match a filter, by the scans of the library.

These leave out chunks whose ranges exclude a match, and read the others in windows of rows: first
the columns of the filter, then the others where rows match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import _core
from .._errors import InvalidArgumentError
from .._limits import Budget, Limits
from .._threads import resolve
from .choosing import index_of_name
from .filters import Comparison
from .other_filters import OtherCondition, bind_other
from .sources import Folder, NumberSource, OtherSource, Source, Span
from .writing import shared_out

if TYPE_CHECKING:
    from .._types import Array

#: Rows of a window: some chunks of the usual 2^18 numbers, 8 MiB of a column.
WINDOW_ROWS = 1 << 20
# Values of a window of a scan, which keeps all its columns in memory. It has no fewer rows than a
# batch of other columns, and a multiple of what the library decodes at once on one thread.
_WINDOW_VALUES = 1 << 23
_MIN_WINDOW_ROWS = 1 << 16
_DECODED_ROWS = 1 << 17
# For a name that was meant as a text.
_TEXT_ADVICE = " (text is written in single quotes)"


class Condition(NamedTuple):
    """A comparison with a column by its position among some sources."""

    column: int
    comparison: Comparison
    other: int | None = None  #: the position of the column that takes the place of the value


class Rows(NamedTuple):
    """Rows that match, with the arrays of each column."""

    matching: int  #: how many
    columns: list[list[pa.Array]]
    numbers: Array | None = None  #: (matching,) of their numbers, if they were asked for


def conditions_of(comparisons: Sequence[Comparison], names: Sequence[str]) -> list[Condition]:
    """The comparisons with columns of a table.

    Raises:
        InvalidArgumentError: There is no such column, or more than one.
    """
    known: dict[str, int] = {}

    def find(name: str, advice: str = "") -> int:
        if name not in known:
            try:
                known[name] = index_of_name(names, name)
            except InvalidArgumentError as error:
                raise InvalidArgumentError(f"where: {error}{advice}") from None
        return known[name]

    made: list[Condition] = []
    for item in comparisons:
        column = find(item.column)
        other = None if item.other is None else find(item.other, _TEXT_ADVICE)
        made.append(Condition(column, item, other))
    return made


class _OtherTests:
    """The conditions of columns that the library does not read, as it calls them.

    By their positions in the table.
    """

    def __init__(self, sources: Sequence[OtherSource]) -> None:
        self._sources = {source.index: source for source in sources}
        self._bound: list[OtherCondition] = []

    def bind(self, test: int, column: int, comparisons: list[tuple[Any, ...]]) -> None:
        """Binds comparisons with a column; errors as for ``bind_other``."""
        made = [Comparison.of_core(item) for item in comparisons]
        assert test == len(self._bound)
        self._bound.append(bind_other(made, self._sources[column].field.type))

    def narrow(self, test: int, column: int, first: int, kept: Array) -> None:
        """Sets ``kept`` to 0 for the rows that do not match; it begins with the row ``first``."""
        self._sources[column].narrow(first, kept, self._bound[test])


class Scan:
    """The rows of some columns that satisfy conditions.

    Args:
        folder: The table.
        sources: Its columns, to which positions refer.
        columns: Positions of those whose values are read.
        conditions: Joined as their comparisons say.
        span: The rows.
        threads: As for ``open_table``.
        window_rows: Of a window; None: as many as suit the count of columns.

    Raises:
        TypeMismatchError: A value is of another kind than its column.
        CorruptError: A file is damaged.
    """

    def __init__(
        self,
        folder: Folder,
        sources: Sequence[Source],
        columns: Sequence[int],
        conditions: Sequence[Condition],
        span: Span,
        threads: int | None,
        window_rows: int | None = None,
    ) -> None:
        self._sources = [sources[column] for column in columns]
        self._threads = resolve(threads)
        positions = {i for item in conditions for i in (item.column, item.other) if i is not None}
        tested = [sources[i] for i in positions]
        others = [source for source in tested if isinstance(source, OtherSource)]
        tests = _OtherTests(others) if others else None
        used = {source.index for source in (*self._sources, *tested)}
        if window_rows is None:
            fitting = _WINDOW_VALUES // max(1, len(used))
            fitting -= fitting % _DECODED_ROWS if fitting > _DECODED_ROWS else 0
            window_rows = max(_MIN_WINDOW_ROWS, min(WINDOW_ROWS, fitting))
        self._scan = _core.TableScan(
            folder.reader,
            [source.index for source in self._sources],
            [
                (
                    sources[item.column].index,
                    item.comparison,
                    0 if item.other is None else sources[item.other].index,
                )
                for item in conditions
            ],
            span,
            window_rows,
            window_rows,
            tests,
        )

    @property
    def spans(self) -> list[Span]:
        """The rows that may match, in order."""
        return self._scan.ranges

    def rows(self, budget: Budget, are_numbered: bool = False) -> Iterator[Rows]:
        """The rows that match, in order, which count in the budget."""
        return self._rows((0, self._scan.rows), self._threads, budget, are_numbered)

    def numbers(self) -> Array:
        """The rows that match, by their numbers in the table: (n,) of int64 that increase."""
        found = [rows.numbers for rows in self.rows(Limits().budget(), are_numbered=True)]
        return np.concatenate(
            [np.empty(0, np.int64), *(rows for rows in found if rows is not None)]
        )

    def all_rows(self, budget: Budget) -> Iterator[Rows]:
        """As ``rows``, but by several threads, which do not wait for the caller."""
        spans = self.spans
        workers, inner = shared_out(self._threads, len(spans))
        if workers < 2:
            yield from self.rows(budget)
            return

        def part(span: Span) -> list[Rows]:
            return list(self._rows(span, inner, budget))

        yield from (rows for part in in_order(part, spans, workers) for rows in part)

    def _rows(
        self, span: Span, threads: int, budget: Budget, are_numbered: bool = False
    ) -> Iterator[Rows]:
        cursor = self._scan.cursor(threads)
        cursor.start(*span)
        while (batch := cursor.next(are_numbered)) is not None:
            first, window, mask, count, columns = batch
            picked = None if mask is None else np.flatnonzero(mask.view(np.bool_)) + first
            made: list[list[pa.Array]] = []
            for source, buffers in zip(self._sources, columns, strict=True):
                if isinstance(source, NumberSource):
                    source.count(count, budget)
                    assert buffers is not None
                    made.append(source.arrays(buffers, count, budget))
                elif picked is None:
                    made.append(source.read(first, window, self._threads, budget))
                else:
                    made.append(source.take(picked, self._threads, budget))
            if are_numbered and picked is None:
                picked = np.arange(first, first + window)
            yield Rows(count, made, picked)


def in_order(work: Callable[[Any], Any], items: Sequence[Any], workers: int) -> Iterator[Any]:
    """The results of threads, in the order of the items; few are kept that nobody took."""
    waiting: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
