# SPDX-License-Identifier: Apache-2.0
"""Tables as frames of pandas, without a change of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .._optional import require

if TYPE_CHECKING:
    import pandas as pd


def frame_of(table: pa.Table) -> pd.DataFrame:
    """As pyarrow converts it, but with 64-bit integers that pyarrow would round.

    It makes floats of columns with nulls. Those of 64 bits, which a float does not hold, become
    ``Int64`` or ``UInt64`` of pandas, and those in lists objects.
    """
    pandas = require("pandas", "dask")
    frame: pd.DataFrame = table.to_pandas()
    exact = {i: _exact(pandas, table.column(i)) for i in range(table.num_columns)}
    exact = {i: series for i, series in exact.items() if series is not None}
    if not exact:
        return frame
    described = (table.schema.pandas_metadata or {}).get("index_columns", [])
    levels = [name for name in described if isinstance(name, str)]
    names = table.column_names
    in_frame = [i for i, name in enumerate(names) if name not in levels]
    for i, series in exact.items():
        if i in in_frame:
            frame.isetitem(in_frame.index(i), series.array)
    level_at = [names.index(name) for name in levels if name in names]
    if exact.keys() & set(level_at):
        frame.index = _index(pandas, frame.index, [exact.get(i) for i in level_at])
    return frame


def _index(pandas: Any, index: Any, exact: list[Any]) -> Any:
    """An index, some levels of which are replaced."""
    levels = [
        index.get_level_values(at) if series is None else series.array
        for at, series in enumerate(exact)
    ]
    if len(levels) == 1:
        return pandas.Index(levels[0], name=index.name)
    return pandas.MultiIndex.from_arrays(levels, names=index.names)


def _exact(pandas: Any, column: pa.ChunkedArray) -> Any:
    """A column that pyarrow would round, as a series; None for others."""
    wide = {pa.int64(): pandas.Int64Dtype(), pa.uint64(): pandas.UInt64Dtype()}
    if column.type in wide:
        return column.to_pandas(types_mapper=wide.get) if column.null_count else None
    is_nested = not isinstance(column.type, pa.BaseExtensionType) and column.type.num_fields > 0
    if is_nested and _holds(column.type, set(wide)):
        return column.to_pandas(integer_object_nulls=True)
    return None


def _holds(type: pa.DataType, wide: set[pa.DataType]) -> bool:
    return type in wide or any(_holds(type.field(i).type, wide) for i in range(type.num_fields))
