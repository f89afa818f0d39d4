# SPDX-License-Identifier: Apache-2.0
"""Frames of polars from tables of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from .._optional import require
from .._tables.columns import storage_of

if TYPE_CHECKING:
    import polars as pl


def polars_frame(table: pa.Table) -> pl.DataFrame:
    """A frame of the rows of a table.

    polars refuses slices of fixed-size lists with nulls: it compares the nulls with all values of
    the array behind the slice. Such columns are copied, in batches, which polars makes itself.
    """
    has_lists = [_has_fixed_size_lists(type) for type in table.schema.types]
    if any(has_lists):
        batches = [
            pa.RecordBatch.from_arrays(
                [
                    pa.concat_arrays([array]) if is_copied else array
                    for array, is_copied in zip(batch.columns, has_lists, strict=True)
                ],
                schema=table.schema,
            )
            for batch in table.to_batches()
        ]
        table = pa.Table.from_batches(batches, table.schema)
    made: pl.DataFrame = require("polars", "polars").from_arrow(table)
    return made


def _has_fixed_size_lists(type: pa.DataType) -> bool:
    type = storage_of(type)
    fields = [type.field(index) for index in range(type.num_fields)]
    return pa.types.is_fixed_size_list(type) or any(_has_fixed_size_lists(f.type) for f in fields)
