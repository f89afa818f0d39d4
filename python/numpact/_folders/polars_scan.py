# SPDX-License-Identifier: Apache-2.0
"""Tables as lazy frames of polars."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import InvalidArgumentError
from .._limits import Budget, Limits
from .._optional import require
from .._remote.locations import StorageOptions
from .._shown import few
from .columns import empty_table
from .scanning import WINDOW_ROWS, Condition
from .sources import Span
from .tables import OpenTable, Path, open_table

if TYPE_CHECKING:
    import polars as pl


def scan_table(
    path: Path,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> pl.LazyFrame:
    """See ``numpact.scan_table``."""
    polars = require("polars", "polars")
    plugins = require("polars.io.plugins", "polars")
    table = open_table(
        path,
        threads=threads,
        storage_options=storage_options,
        max_output=max_output,
        max_memory=max_memory,
    )
    table = table.viewed()  # as polars keeps texts
    names = table.column_names
    if len(set(names)) < len(names):
        raise InvalidArgumentError(f"{table.path}: names of columns repeat: {few(names)}")

    def source(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # A query that only counts rows needs a column, too.
        chosen = names if with_columns is None else with_columns or names[:1]
        span = (0, table.num_rows if n_rows is None else min(n_rows, table.num_rows))
        found = _frames(polars, table, chosen, predicate, span, table.budget())
        for frame in found:
            yield from frame.iter_slices(batch_size) if batch_size else (frame,)

    schema = polars.from_arrow(empty_table(table.schema)).schema
    with warnings.catch_warnings():
        # The interface may change, which the tests of this package would show.
        warnings.simplefilter("ignore", getattr(polars.exceptions, "UnstableWarning", UserWarning))
        frame: pl.LazyFrame = plugins.register_io_source(source, schema=schema, is_pure=True)
    return frame


def _frames(
    polars: Any,
    table: OpenTable,
    chosen: Sequence[str],
    predicate: pl.Expr | None,
    span: Span,
    budget: Budget,
) -> Iterator[pl.DataFrame]:
    """The rows that match, in order; they count in the budget."""
    conditions = [] if predicate is None else table.pruned(predicate)
    tested = [] if predicate is None else sorted(set(predicate.meta.root_names()))
    is_empty = True
    if predicate is not None and conditions:
        frames = _matching(polars, table, chosen, predicate, tested, conditions, span, budget)
    else:
        windows = _windows(span)
        frames = (
            _window(polars, table, chosen, predicate, tested, part, budget) for part in windows
        )
    for frame in frames:
        is_empty = is_empty and not frame.height
        if frame.height:
            yield frame
    if is_empty:
        empty = polars.from_arrow(empty_table(table.schema))
        if predicate is not None:  # which may be an error of polars, also without rows
            empty = empty.filter(predicate)
        yield empty.select(chosen)


def _windows(span: Span) -> Iterator[Span]:
    for at in range(*span, WINDOW_ROWS):
        yield at, min(at + WINDOW_ROWS, span[1])


def _matching(
    polars: Any,
    table: OpenTable,
    chosen: Sequence[str],
    predicate: pl.Expr,
    tested: Sequence[str],
    conditions: Sequence[Condition],
    span: Span,
    budget: Budget,
) -> Iterator[pl.DataFrame]:
    """The rows that satisfy conditions, of which polars judges each once more."""
    columns = [*chosen, *(name for name in tested if name not in chosen)]
    for found in table.matching(columns, conditions, span):
        frame: pl.DataFrame = polars.from_arrow(found)
        mask = frame.select(predicate.alias("mask")).to_series().fill_null(False)
        if budget:
            table.count(found.select(chosen), np.flatnonzero(mask.to_numpy()), budget)
        yield frame.select(chosen).filter(mask)


def _window(
    polars: Any,
    table: OpenTable,
    chosen: Sequence[str],
    predicate: pl.Expr | None,
    tested: Sequence[str],
    span: Span,
    budget: Budget,
) -> pl.DataFrame:
    if predicate is None or not tested:
        frame = _read(polars, table, chosen, span, budget)
        return frame if predicate is None else frame.filter(predicate)
    # Of the columns of the predicate only rows that match count.
    tables = table.part(tested, span, Limits().budget())
    front: pl.DataFrame = polars.from_arrow(tables.to_arrow())
    mask = front.select(predicate.alias("mask")).to_series()
    if mask.len() != front.height:  # not a filter of rows one by one
        both = _read(polars, table, sorted({*chosen, *tested}), span, budget)
        return both.filter(predicate).select(chosen)
    mask = mask.fill_null(False)
    rows = np.flatnonzero(mask.to_numpy())
    if budget:
        returned = [name for name in tested if name in chosen]
        table.count(tables.to_arrow().select(returned), rows, budget)
    rest = [name for name in chosen if name not in tested]
    front = front.filter(mask)
    if not rest:
        return front.select(chosen)
    if not len(rows):
        rest_frame = _read(polars, table, rest, (span[0], span[0]), budget)
    elif len(rows) == span[1] - span[0]:
        rest_frame = _read(polars, table, rest, span, budget)
    else:
        rest_frame = polars.from_arrow(table.picked(rest, rows + span[0], budget).to_arrow())
    whole: pl.DataFrame = polars.concat([front, rest_frame], how="horizontal")
    return whole.select(chosen)


def _read(
    polars: Any, table: OpenTable, columns: Sequence[str], span: Span, budget: Budget
) -> pl.DataFrame:
    frame: pl.DataFrame = polars.from_arrow(table.part(columns, span, budget).to_arrow())
    return frame
