# SPDX-License-Identifier: Apache-2.0
"""Filters that are expressions of polars or pyarrow, which judge the rows themselves.

What the library knows of an expression leaves out chunks and rows before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._errors import InvalidArgumentError
from .._optional import require
from .arrow_predicates import columns_of_arrow, pruning_of_arrow
from .polars_frame import polars_frame
from .polars_predicates import kind_of, pruning
from .scanning import Condition
from .sources import Source

if TYPE_CHECKING:
    from .._types import Array

# Rows that are judged at a time: a chunk of the usual size.
BLOCK_ROWS = 1 << 18


def is_expression(where: Any) -> bool:
    """Whether a filter is an expression of polars or pyarrow."""
    return isinstance(where, pc.Expression) or _is_of_polars(where)


def _is_of_polars(where: Any) -> bool:
    return type(where).__module__.startswith("polars.") and hasattr(where, "meta")


def columns_of(where: Any, names: Sequence[str]) -> list[str]:
    """The columns that an expression needs, or more; at least one if there are any.

    Raises:
        InvalidArgumentError: There is no such column, or more than one.
    """
    known = where.meta.root_names() if _is_of_polars(where) else columns_of_arrow(where)
    if known is None:  # its text has all names
        text = str(where)
        known = [name for name in names if name in text and names.count(name) == 1]
    found = list(dict.fromkeys(known))
    for name in found:
        if names.count(name) != 1:
            many = "several columns" if name in names else "no column"
            raise InvalidArgumentError(
                f"where: there {'are' if name in names else 'is'} {many} {name!r}"
            )
    return found or list(names[:1])


def conditions_of_expression(
    where: Any, names: Sequence[str], sources: Sequence[Source]
) -> list[Condition]:
    """Conditions that every row that matches satisfies."""
    prune = pruning if _is_of_polars(where) else pruning_of_arrow
    return prune(where, names, lambda index: kind_of(sources[index]))


def matching_places(where: Any, table: pa.Table) -> Array:
    """Which rows of a table match: (n,) of int64 that increase.

    Raises:
        InvalidArgumentError: The expression is no filter of rows one by one, or fails.
    """
    if _is_of_polars(where):
        return np.flatnonzero(_mask_of_polars(where, table))
    name = "row"
    while name in table.column_names:
        name += "_"
    numbered = table.append_column(name, pa.array(np.arange(len(table))))
    try:
        found = numbered.filter(where).column(name)
    except (pa.ArrowException, TypeError) as error:
        raise InvalidArgumentError(f"where: {error}") from error
    places: Array = found.to_numpy()
    return places


def _mask_of_polars(where: Any, table: pa.Table) -> Array:
    polars = require("polars", "polars")
    frame = polars_frame(table)
    try:
        mask = frame.select(where.alias("mask")).to_series()
    except polars.exceptions.PolarsError as error:
        raise InvalidArgumentError(f"where: {error}") from error
    if mask.dtype != polars.Boolean or mask.len() not in (1, frame.height):
        raise InvalidArgumentError(f"where: {where} is no filter of rows one by one")
    found: Array = mask.fill_null(False).to_numpy()
    return np.repeat(found, frame.height) if mask.len() != frame.height else found
