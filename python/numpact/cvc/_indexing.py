# SPDX-License-Identifier: Apache-2.0
"""Rows of a reader by keys, as arrays take them, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._errors import TypeMismatchError
from .._integers import index_of

# Its module imports this one.
Reader = Any

# Rows that a slice with a step gathers at a time: their indices take 8 MiB.
_MAX_WINDOW = 1 << 20
# Rows that an iteration reads at a time: as many as outweigh a call.
_ITERATED_ROWS = 1024


def by_key(reader: Reader, key: Any) -> Any:
    """``reader[key]``.

    Raises:
        IndexError: A row outside of the file, or a key of another kind.
    """
    if isinstance(key, str):
        return reader.read(column=key)
    columns = reader.info.columns
    if len(columns) == 1:
        return _rows(reader, key, 0)
    return {column.name: _rows(reader, key, index) for index, column in enumerate(columns)}


def iterated(reader: Reader) -> Iterator[Any]:
    """All rows, as ``reader[i]`` gives them."""
    columns = reader.info.columns
    for first in range(0, len(reader), _ITERATED_ROWS):
        count = min(_ITERATED_ROWS, len(reader) - first)
        arrays = reader.read_ranges([(first, count)])
        if len(arrays) == 1:
            yield from arrays[0]
            continue
        for row in zip(*arrays, strict=True):
            yield {column.name: value for column, value in zip(columns, row, strict=True)}


def _rows(reader: Reader, key: Any, column: int) -> Any:
    if key is Ellipsis:
        key = slice(None)
    if isinstance(key, slice):
        return _slice(reader, *key.indices(len(reader)), column)
    is_one = isinstance(key, tuple) or getattr(key, "ndim", None) == 0
    if not is_one and hasattr(key, "__len__"):
        return reader.gather(key, column=column)
    try:
        index = index_of(key, "an index")
    except TypeMismatchError:
        raise IndexError("readers take integers, slices, lists of rows and masks") from None
    if not -len(reader) <= index < len(reader):
        raise IndexError(f"row {index} of a file of {len(reader)} rows")
    return reader.read(index % len(reader), 1, column=column)[0]


def _slice(reader: Reader, start: int, stop: int, step: int, column: int) -> Any:
    import numpy as np

    count = len(range(start, stop, step))
    if step == 1 or count == 0:
        return reader.read(start if count else 0, count, column=column)
    # In windows: the indices of all rows may need more memory than there is.
    out = reader._fresh(count, column)
    for done in range(0, count, _MAX_WINDOW):
        n = min(_MAX_WINDOW, count - done)
        rows = np.arange(n, dtype=np.int64) * step + (start + done * step)
        reader.gather(rows, column=column, out=out[done : done + n])
    return out
