# SPDX-License-Identifier: Apache-2.0
"""Reads the rows that match a filter.

Chunks whose range excludes a match are skipped before anything is decoded. The others are read
in windows of rows: first the columns of the filter, then the others where rows match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa

from .._errors import InvalidArgumentError
from .._limits import Budget
from .._shown import few
from .filters import Comparison, NumberCondition
from .other_filters import OtherCondition, bind_other
from .sources import NumberSource, Source

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

#: Rows of a window: some chunks of the usual 2^18 numbers, 8 MiB of a column.
WINDOW_ROWS = 1 << 20

Span = tuple[int, int]  #: the first row, and the row after the last one


Condition = Union[NumberCondition, OtherCondition]


@dataclass(frozen=True)
class Bound:
    """The comparisons of a filter with a certain column."""

    column: int
    source: Source
    condition: Condition
    keeps_nan: bool = False  #: chunks with NaNs may always match


def bind(
    comparisons: Sequence[Comparison], names: list[str], sources: Sequence[Source]
) -> list[Bound]:
    """The comparisons with each column of a table.

    Raises:
        InvalidArgumentError: There is no such column, or more than one.
        TypeMismatchError: A value is of another kind than its column.
    """
    by_column: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        by_column.setdefault(comparison.column, []).append(comparison)
    counts = Counter(names)
    places = {name: index for index, name in enumerate(names)}
    made: list[Bound] = []
    for name, compared in by_column.items():
        count = counts[name]
        if count != 1:
            what = "there is no" if count == 0 else f"there are {count} columns"
            raise InvalidArgumentError(
                f"where: {what} {'column ' if count == 0 else ''}{name!r}; "
                f"the columns are {few(names)}"
            )
        column = places[name]
        source = sources[column]
        condition: Condition
        if isinstance(source, NumberSource):
            condition = NumberCondition(compared, source.logical)
        else:
            condition = bind_other(compared, source.field.type)
        made.append(Bound(column, source, condition))
    return made


def candidates(bound: Sequence[Bound], span: Span) -> list[Span]:
    """The rows that may match, as spans in order, by the ranges of chunks in trailers."""
    spans = [span] if span[0] < span[1] else []
    for item in bound:
        source, condition = item.source, item.condition
        if not spans:
            break
        if not isinstance(condition, NumberCondition) or not isinstance(source, NumberSource):
            continue
        if condition.matches_null:
            spans = spans if source.entry.null_count else []
        elif not condition.matches_valid:
            spans = _pruned(source, item, condition, spans)
    return spans


def _pruned(
    source: NumberSource, item: Bound, condition: NumberCondition, spans: list[Span]
) -> list[Span]:
    if source.entry.count == 0 or (condition.is_empty and not item.keeps_nan):
        return []
    trailer = source.trailer()
    if trailer is None:
        return spans
    kept: list[Span] = []
    for chunk, matches in zip(trailer.chunks, condition.chunks(trailer).tolist(), strict=True):
        if not matches and not (item.keeps_nan and chunk.nan_count):
            continue
        first, stop = source.rows_of_numbers(chunk.first, chunk.count)
        if kept and kept[-1][1] >= first:
            kept[-1] = (kept[-1][0], stop)
        else:
            kept.append((first, stop))
    return _intersection(spans, kept)


def _intersection(one: list[Span], other: list[Span]) -> list[Span]:
    made: list[Span] = []
    i = j = 0
    while i < len(one) and j < len(other):
        first, stop = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if first < stop:
            made.append((first, stop))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return made


def windows(spans: Sequence[Span], rows: int) -> Iterator[Span]:
    """Spans cut into blocks of at most that many rows."""
    for first, stop in spans:
        for at in range(first, stop, rows):
            yield at, min(at + rows, stop)


class Window:
    """A window of rows: which of them match, and their values."""

    def __init__(self, span: Span, bound: Sequence[Bound], threads: int) -> None:
        self._span = span
        self._threads = threads
        self._numbers: dict[int, tuple[Array, Array | None]] = {}
        self._mask = np.ones(span[1] - span[0], np.bool_)
        # Numbers first: of the other columns, only rows that still match are read.
        for item in sorted(bound, key=lambda item: not isinstance(item.source, NumberSource)):
            if not self._mask.any():
                break
            self._narrow(item)
        self._picked = np.flatnonzero(self._mask) + span[0]
        self.rows = int(self._picked.size)  #: that match

    def _narrow(self, item: Bound) -> None:
        if isinstance(item.source, NumberSource):
            self._mask &= self._mask_of(item.source, item)
            return
        rows = np.flatnonzero(self._mask)
        arrays = item.source.take(rows + self._span[0], self._threads, None)
        assert isinstance(item.condition, OtherCondition)
        found = np.concatenate([item.condition.mask(array) for array in arrays])
        self._mask[rows[~found]] = False

    def _mask_of(self, source: NumberSource, item: Bound) -> Array:
        condition = item.condition
        assert isinstance(condition, NumberCondition)
        first, count = self._span[0], self._span[1] - self._span[0]
        if condition.matches_null or condition.matches_valid:
            nulls = source.nulls()
            is_valid = np.ones(count, np.bool_)
            if nulls is not None:
                is_valid = nulls.part(first, count).validity()
            return ~is_valid if condition.matches_null else is_valid
        if item.column not in self._numbers:
            self._numbers[item.column] = source.decode(first, count, self._threads)
        numbers, validity = self._numbers[item.column]
        found = condition.mask(numbers)
        if validity is None:
            return found
        spread = np.zeros(count, np.bool_)
        spread[validity] = found
        return spread

    def column(self, index: int, source: Source, threads: int, budget: Budget) -> list[pa.Array]:
        """The values of a column in the rows that match, which count in the budget."""
        if self.rows == 0:
            return []
        if index in self._numbers and isinstance(source, NumberSource):
            source.count(self.rows, budget)
            numbers, validity = self._numbers[index]
            if validity is None:
                return [source.spread(numbers[self._mask], None)]
            kept = self._mask[validity]
            return [source.spread(numbers[kept], validity[self._mask])]
        first, stop = self._span
        if self.rows == stop - first:
            return source.read(first, self.rows, threads, budget)
        return source.take(self._picked, threads, budget)
