# SPDX-License-Identifier: Apache-2.0
"""Rows of values of any type by their numbers. pyarrow takes none of views, nor of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from .columns import large_of_views


def taken(array: pa.Array, rows: Any) -> pa.Array:
    """Some rows of an array of any type, by an array of their numbers."""
    if not len(rows):
        return array[:0]
    return _of_plain(_plain(array), array.type, rows)


def kept(values: pa.ChunkedArray, mask: pa.Array) -> pa.ChunkedArray:
    """The rows of values of any type for which a mask has True."""
    try:
        return values.filter(mask)
    except NotImplementedError:
        rows = np.flatnonzero(mask.to_numpy(zero_copy_only=False))
        return _of_plain(_plain(values), values.type, rows) if rows.size else values[:0]


class RowTaker:
    """Takes rows of a table by their numbers."""

    def __init__(self, table: pa.Table) -> None:
        self._schema = table.schema
        self._columns = [_plain(column) for column in table.combine_chunks().columns]

    def take(self, rows: pa.Array) -> pa.Table:
        columns = [
            _of_plain(column, field.type, rows)
            for column, field in zip(self._columns, self._schema, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=self._schema)


def _plain(values: Any) -> Any:
    """The values of an array or a chunked array in a type without views, if there is one."""
    type = _without_views(values.type)
    # Not a cast to the same type, after which pyarrow's lists of nulls are not valid.
    if type == values.type:
        return values
    try:
        return values.cast(type)
    except NotImplementedError:
        return values


def _without_views(type: pa.DataType) -> pa.DataType:
    if large := large_of_views(type):
        return large
    inner = _without_views
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(inner(field.type)) for field in type])
    if pa.types.is_map(type):
        key, item = type.key_field, type.item_field
        fields = [field.with_type(inner(field.type)) for field in (key, item)]
        return pa.map_(*fields, keys_sorted=type.keys_sorted)
    for of_form, make in (
        (pa.types.is_list, pa.list_),
        (pa.types.is_large_list, pa.large_list),
        (pa.types.is_fixed_size_list, lambda item: pa.list_(item, type.list_size)),
    ):
        if of_form(type):
            return make(type.value_field.with_type(inner(type.value_type)))
    return type


def _of_plain(values: Any, type: pa.DataType, rows: Any) -> Any:
    """Rows of what ``_plain`` gives for values of a type, in this type."""
    try:
        found = values.take(pa.array(rows))
    except NotImplementedError:
        found = _joined(values, np.asarray(rows))
    return found if found.type == type else found.cast(type)


def _joined(values: Any, rows: Any) -> Any:
    """Rows as slices of neighbours, which pyarrow joins for every type."""
    runs = np.split(rows, np.flatnonzero(rows[1:] != rows[:-1] + 1) + 1) if len(rows) else []
    slices = [values[int(run[0]) : int(run[-1]) + 1] for run in runs] or [values[:0]]
    if isinstance(values, pa.ChunkedArray):
        chunks = [chunk for part in slices for chunk in part.chunks]
        return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], values.type)
    return pa.concat_arrays(slices)
