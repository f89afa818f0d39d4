# SPDX-License-Identifier: Apache-2.0
"""Tables and datasets as lazy frames of polars."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._errors import InvalidArgumentError, TypeMismatchError
from .._limits import Budget, Limits
from .._optional import require
from .._remote.dataset import FoundFolder, folders_in, partition_columns
from .._remote.locations import StorageOptions, table_place
from .._remote.partitions import Constant
from .._shown import few
from .._tables.columns import logical_of
from .columns import empty_table
from .filters import Comparison
from .polars_frame import polars_frame
from .polars_predicates import Kind, pruning
from .row_tests import left_in, schema_in
from .scanning import WINDOW_ROWS, Condition
from .sources import Span, not_a_table
from .tables import OpenTable, Path, table_in

if TYPE_CHECKING:
    import polars as pl


def scan_table(
    path: Path,
    threads: int | None,
    storage_options: StorageOptions | None,
    ignore_index: bool,
    max_output: int | None,
    max_memory: int | None,
) -> pl.LazyFrame:
    """See ``numpact.scan_table``."""
    polars = require("polars", "polars")
    plugins = require("polars.io.plugins", "polars")
    limits = Limits.of(max_output, max_memory)
    place = table_place(path, storage_options)
    folders = folders_in(place, ignore_index)
    constants = partition_columns([folder.place.path for folder in folders])
    if folders[0].place.path.rstrip("/") == place.path.rstrip("/"):
        constants = [{}]  # a table by itself, whatever its name
        if place.local_path is not None:
            not_a_table(place.local_path)
    parts = [_Part(*of, limits, threads) for of in zip(folders, constants, strict=True)]
    scan = _Scan(polars, parts, place.url)

    def source(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # A query that only counts rows needs a column, too. The size of batches is a hint: frames
        # are windows as they are decoded, since slices of them made groups of a key and a number
        # take up to 1.7 times as long.
        chosen = scan.names if with_columns is None else with_columns or scan.names[:1]
        return scan.frames(chosen, predicate, n_rows, limits.budget())

    with warnings.catch_warnings():
        # The interface may change, which the tests of this package would show.
        warnings.simplefilter("ignore", getattr(polars.exceptions, "UnstableWarning", UserWarning))
        frame: pl.LazyFrame = plugins.register_io_source(
            source, schema=scan.empty.schema, is_pure=True
        )
    return frame


@dataclass
class _Part:
    """A table: the only one, or one of a dataset, which is opened when it is read."""

    found: FoundFolder
    constants: dict[str, Constant]  #: the columns that its name stands for
    limits: Limits
    threads: int | None

    @cached_property
    def _opened(self) -> OpenTable:
        return table_in(self.found, self.limits, self.threads)

    @cached_property
    def table(self) -> OpenTable:
        return self._opened.viewed()  # as polars keeps texts

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the table, without those of its name."""
        entry = self.found.entry
        return self._opened.schema if entry is None else schema_in(entry)

    def is_excluded(self, comparisons: Sequence[Comparison], constants: Sequence[str]) -> bool:
        """Whether no row matches, by its name and the index of the dataset; reads nothing.

        ``constants``: the columns that its name stands for and the table does not have.
        """
        values = {name: self.constants[name] for name in constants}
        return left_in(self.found, comparisons, values) is None


class _Scan:
    """The tables of a frame, which have the same columns."""

    def __init__(self, polars: Any, parts: Sequence[_Part], place: str) -> None:
        self._polars = polars
        self._parts = parts
        schema = parts[0].schema
        if len(set(schema.names)) < len(schema.names):
            raise InvalidArgumentError(f"{place}: names of columns repeat: {few(schema.names)}")
        own = polars.from_arrow(empty_table(schema))
        self._own_schema = own.schema
        # A column of the table goes before one of the folder's name.
        self._constants = [name for name in parts[0].constants if name not in own.columns]
        values = self._values(parts[0])
        self.empty: pl.DataFrame = own.with_columns(values).clear() if values else own
        self.names: list[str] = self.empty.columns
        self._kinds: list[Kind] = [logical_of(field) or field.type for field in schema]
        for name in self._constants:
            self._kinds.append(parts[0].constants[name].logical or pa.string())

    def _values(self, part: _Part) -> list[pl.Expr]:
        """The values that the name of a folder stands for."""
        return [
            _value_of(self._polars, part.constants[name]).alias(name) for name in self._constants
        ]

    def frames(
        self, chosen: Sequence[str], predicate: pl.Expr | None, n_rows: int | None, budget: Budget
    ) -> Iterator[pl.DataFrame]:
        """The rows that match, in order; they count in the budget."""
        comparisons: list[Comparison] = []
        if predicate is not None and n_rows is None and len(self._parts) > 1:
            found = pruning(predicate, self.names, self._kinds.__getitem__)
            comparisons = [condition.comparison for condition in found]
        is_empty = True
        for part in self._parts:
            if n_rows == 0:
                break
            if comparisons and part.is_excluded(comparisons, self._constants):
                continue
            rows = self._checked(part).num_rows
            span = (0, rows if n_rows is None else min(n_rows, rows))
            n_rows = None if n_rows is None else n_rows - span[1]
            reader = _Reader(
                self._polars, part.table, self._values(part), chosen, predicate, budget
            )
            for frame in reader.frames(span):
                if frame.height:
                    is_empty = False
                    yield frame
        if is_empty:
            empty = self.empty
            if predicate is not None:  # which may be an error of polars, also without rows
                empty = empty.filter(predicate)
            yield empty.select(chosen)

    def _checked(self, part: _Part) -> OpenTable:
        """The table of a part, which has the columns of the first one."""
        if part is not self._parts[0]:
            schema = self._polars.from_arrow(empty_table(part.schema)).schema
            for name, dtype in self._own_schema.items():
                if schema.get(name) != dtype:
                    raise TypeMismatchError(
                        f"{part.table.path}: column {name!r} is {schema.get(name, 'absent')}, not "
                        f"{dtype} as in {self._parts[0].found.place.url}"
                    )
        return part.table


_MAX_SECONDS = (2**63 - 1) // 1000


def _value_of(polars: Any, part: Constant) -> pl.Expr:
    values = polars.from_arrow(part.array(1))
    made: pl.Expr = polars.lit(values[0], dtype=values.dtype)
    return made


def _in_range(table: pa.Table) -> pa.Table:
    """The table, if polars can hold its seconds: it multiplies them by 1,000, and wraps around."""
    for field in table.schema:
        if not pa.types.is_temporal(field.type) or getattr(field.type, "unit", "") != "s":
            continue
        found = pc.min_max(table[field.name].cast(f"int{field.type.bit_width}")).as_py()
        for seconds in found.values():
            if seconds is not None and abs(seconds) > _MAX_SECONDS:
                raise TypeMismatchError(
                    f"column {field.name!r}: polars cannot hold {seconds} seconds as milliseconds"
                )
    return table


@dataclass(frozen=True)
class _Reader:
    """Reads the rows of a table that match."""

    polars: Any
    table: OpenTable
    constants: Sequence[pl.Expr]  #: columns that it does not have
    chosen: Sequence[str]
    predicate: pl.Expr | None
    budget: Budget

    def frames(self, span: Span) -> Iterator[pl.DataFrame]:
        """The rows of a span that match, in order."""
        predicate = self.predicate
        tested = [] if predicate is None else sorted(set(predicate.meta.root_names()))
        conditions = [] if predicate is None else self.table.pruned(predicate)
        if predicate is not None and conditions:
            yield from self._matching(predicate, tested, conditions, span)
            return
        for at in range(*span, WINDOW_ROWS):
            part = at, min(at + WINDOW_ROWS, span[1])
            if predicate is None or not self._own(tested):
                frame = self._read(self.chosen, part, self.budget)
                frame = frame if predicate is None else frame.filter(predicate)
                yield frame.select(self.chosen)
            else:
                yield self._tested(predicate, tested, part)

    def _own(self, names: Sequence[str]) -> list[str]:
        """Those that the table has."""
        known = set(self.table.column_names)
        return [name for name in names if name in known]

    def _frame(self, table: pa.Table) -> pl.DataFrame:
        frame = polars_frame(_in_range(table))
        return frame.with_columns(self.constants) if self.constants else frame

    def _read(self, names: Sequence[str], span: Span, budget: Budget) -> pl.DataFrame:
        own = self._own(names)
        if own:
            return self._frame(self.table.part(own, span, budget).to_arrow())
        rows = self.polars.repeat(None, span[1] - span[0], eager=True)
        frame: pl.DataFrame = rows.alias("").to_frame().with_columns(self.constants)
        return frame

    def _matching(
        self,
        predicate: pl.Expr,
        tested: Sequence[str],
        conditions: Sequence[Condition],
        span: Span,
    ) -> Iterator[pl.DataFrame]:
        """The rows that satisfy conditions, of which polars judges each once more."""
        chosen = self._own(self.chosen)
        columns = [*chosen, *(name for name in self._own(tested) if name not in chosen)]
        for found in self.table.matching(columns, conditions, span):
            frame = self._frame(found)
            mask = frame.select(predicate.alias("mask")).to_series().fill_null(False)
            if self.budget:
                picked = np.flatnonzero(mask.to_numpy())
                self.table.count(found.select(chosen), picked, self.budget)
            yield frame.select(self.chosen).filter(mask)

    def _tested(self, predicate: pl.Expr, tested: Sequence[str], span: Span) -> pl.DataFrame:
        """The rows of a span that match."""
        table, budget = self.table, self.budget
        # Of the columns of the predicate only rows that match count.
        own = self._own(tested)
        values = table.part(own, span, Limits().budget()).to_arrow()
        front = self._frame(values)
        mask = front.select(predicate.alias("mask")).to_series()
        if mask.len() != front.height:  # not a filter of rows one by one
            both = self._read(sorted({*self.chosen, *tested}), span, budget)
            return both.filter(predicate).select(self.chosen)
        mask = mask.fill_null(False)
        rows = np.flatnonzero(mask.to_numpy())
        if budget:
            returned = [name for name in own if name in self.chosen]
            table.count(values.select(returned), rows, budget)
        rest = [name for name in self._own(self.chosen) if name not in own]
        front = front.filter(mask)
        if not rest:
            return front.select(self.chosen)
        if not len(rows):
            arrow = table.part(rest, (span[0], span[0]), budget)
        elif len(rows) == span[1] - span[0]:
            arrow = table.part(rest, span, budget)
        else:
            arrow = table.picked(rest, rows + span[0], budget)
        others = polars_frame(_in_range(arrow.to_arrow()))
        whole: pl.DataFrame = self.polars.concat([front, others], how="horizontal")
        return whole.select(self.chosen)
