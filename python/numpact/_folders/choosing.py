# SPDX-License-Identifier: Apache-2.0
"""Columns and rows that a caller names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from .._errors import InvalidArgumentError
from .._integers import index_of
from .._shown import few

if TYPE_CHECKING:
    import numpy.typing as npt

#: A range of rows: a slice, or a tuple of the first row and the row after the last one. Or rows by
#: their numbers in any order, or by a mask: a list or an array.
Rows = Union[slice, range, tuple[int, int], Sequence[int], "npt.NDArray[Any]"]
_Span = tuple[int, int]  # the first row, and the row after the last one


def check_unique(names: Sequence[str]) -> None:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InvalidArgumentError(f"columns of the same name: {few(twice)}")


def names_in(key: Any) -> list[str]:
    if isinstance(key, str):
        raise InvalidArgumentError(f"columns is a list of names: [{few(key)}]")
    try:
        names = list(key)
    except TypeError:
        names = [key]
    if not all(isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"columns are chosen by names, rows by slices, not by {few(key)}"
        )
    return names


def index_of_name(names: Sequence[str], name: str) -> int:
    return indices_of(names, [name])[0]


def indices_of(names: Sequence[str], requested: Sequence[str]) -> list[int]:
    counts = Counter(names)
    places = {name: index for index, name in enumerate(names)}
    for name in requested:
        if counts[name] != 1:
            what = f"there are {counts[name]} columns" if counts[name] else "there is no column"
            raise InvalidArgumentError(f"{what} {name!r}; the columns are {few(list(names))}")
    return [places[name] for name in requested]


def span_of(rows: Rows, count: int) -> _Span:
    """The first row and the row after the last one, of a table of ``count`` rows."""
    if isinstance(rows, slice):
        first, stop, _ = rows.indices(count)
        return first, max(first, stop)
    pair = (rows.start, rows.stop) if isinstance(rows, range) else rows
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InvalidArgumentError(
            f"a range of rows is a slice, or a tuple of the first row and the one after the last, "
            f"not {few(rows)}"
        )
    first, stop = index_of(pair[0], "rows"), index_of(pair[1], "rows")
    if not 0 <= first <= stop <= count:
        raise InvalidArgumentError(f"there are {count} rows, not rows {first} to {stop}")
    return first, stop


def within(span: _Span, rows: Rows | None) -> _Span:
    if rows is None:
        return span
    first, stop = span_of(rows, span[1] - span[0])
    return span[0] + first, span[0] + stop
