# SPDX-License-Identifier: Apache-2.0
"""How many bytes arrays of Arrow take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _compute

from .columns import large_of_views, storage_array, text_family

pc: Any = _compute  # its functions are made when it is imported

_VIEW_BYTES = 16


def bytes_of_rows(array: pa.Array) -> int:
    """Without dictionaries, which all batches of a file share.

    The values of views count as often as there are rows with them.
    """
    array = storage_array(array)
    if isinstance(array, pa.DictionaryArray):
        return _referenced(array.indices)
    if large_of_views(array.type):
        return len(array) * _VIEW_BYTES + spread_bytes(array)
    return max(0, _referenced(array) - _in_dictionaries(array))


def spread_bytes(array: pa.Array) -> int:
    """Of values that are copied out of their dictionary, or out of the buffers that views share.

    0 for other types, whose values are copied as they are.
    """
    array = storage_array(array)
    if large_of_views(array.type):
        return int(_view_lengths(array).sum())
    if not isinstance(array, pa.DictionaryArray):
        return 0
    values = storage_array(array.dictionary)
    if large_of_views(values.type):
        lengths = pa.array(_view_lengths(values))
    elif text_family(values.type):
        lengths = pc.binary_length(values).cast(pa.int64())
    else:
        # No value takes more than all of them.
        each: int = _width(values.type) or _referenced(values)
        return (len(array) - int(array.null_count)) * each
    total: int = pc.sum(lengths.take(array.indices.cast(pa.int64()))).as_py() or 0
    return total


def _width(type: pa.DataType) -> int:
    """Bytes of each value; 0: they differ."""
    try:
        return -(-int(type.bit_width) // 8)
    except ValueError:
        return 0


def _view_lengths(array: pa.Array) -> Any:
    """(rows,) of int64: the lengths of the values, 0 for nulls."""
    if not len(array):
        return np.empty(0, np.int64)
    heads = np.frombuffer(array.buffers()[1], np.int32)[::4]
    lengths = heads[array.offset : array.offset + len(array)].astype(np.int64)
    if array.null_count:
        lengths[np.asarray(array.is_null().to_numpy(zero_copy_only=False))] = 0
    return lengths


def _referenced(array: pa.Array) -> int:
    try:
        return int(array.nbytes)
    except (pa.ArrowException, NotImplementedError):  # not for all types
        return int(array.get_total_buffer_size())


def _in_dictionaries(array: pa.Array) -> int:
    """Of the dictionaries inside of nested types, as ``_referenced`` counts them."""
    array = storage_array(array)
    if isinstance(array, pa.DictionaryArray):
        return _referenced(array.dictionary)
    return sum(map(_in_dictionaries, _children(array)))


def _children(array: pa.Array) -> list[pa.Array]:
    if isinstance(array, (pa.StructArray, pa.UnionArray)):
        return [array.field(index) for index in range(array.type.num_fields)]
    if isinstance(array, pa.MapArray):
        return [array.keys, array.items]
    # Of lists and run ends.
    values = getattr(array, "values", None) if array.type.num_fields else None
    return [values] if isinstance(values, pa.Array) else []
