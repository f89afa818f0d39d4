# SPDX-License-Identifier: Apache-2.0
"""Tables in memory, and what they have in common with open ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .._views import MAX_SHOWN_ROWS, View, as_html, count_text
from .._views import Table as ViewTable
from .choosing import check_unique, index_of_name, indices_of, names_in, span_of
from .columns import numpy_of
from .pandas_frame import frame_of
from .polars_frame import polars_frame
from .row_numbers import is_key_of_rows, is_row_number, numbers_of, row_of, taken_rows

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .._types import Array

# Columns that a representation shows.
_MAX_SHOWN = 12


# polars.from_arrow makes a Series of Struct of an object with a stream, but a frame of batches in
# an iterable that derives from a class of pyarrow. This one adds weak references and nothing else.
_OfArrow: Any = getattr(pa.lib, "_Weakrefable", object)


class Tabular(_OfArrow):  # type: ignore[misc]
    """The common base of tables in memory and open tables."""

    @property
    def schema(self) -> pa.Schema:
        """Names, types and metadata of the columns, as a schema of pyarrow."""
        raise NotImplementedError

    @property
    def num_rows(self) -> int:
        """The count of rows."""
        raise NotImplementedError

    def to_arrow(self) -> pa.Table:
        """The table as one of pyarrow."""
        raise NotImplementedError

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order; they may repeat."""
        return list(self.schema.names)

    @property
    def num_columns(self) -> int:
        """The count of columns."""
        return len(self.schema)

    @property
    def shape(self) -> tuple[int, int]:
        """The counts of rows and columns."""
        return self.num_rows, self.num_columns

    def __len__(self) -> int:
        """The count of rows."""
        return self.num_rows

    def __bool__(self) -> bool:
        """True, with rows or without: ask ``num_rows``."""
        return True

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The rows as record batches of pyarrow, at least one."""
        reader = pa.RecordBatchReader.from_stream(self)
        batch = None
        for batch in reader:
            yield batch
        if batch is None:
            yield pa.RecordBatch.from_pylist([], reader.schema)

    def to_pandas(self) -> pd.DataFrame:
        """The table as a data frame of pandas, as pyarrow converts it.

        But 64-bit integers with nulls are ``Int64`` or ``UInt64`` of pandas (objects in lists),
        since floats would round them.
        """
        return frame_of(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """The table as a data frame of polars; names must not repeat."""
        return polars_frame(self.to_arrow())

    def to_numpy(self) -> dict[str, Array]:
        """The columns as arrays of (rows,), by name.

        Dates and times are datetime64 or timedelta64, text and other columns arrays of objects.

        Raises:
            InvalidArgumentError: A column has nulls, which NumPy does not have; or names repeat.
        """
        table = self.to_arrow()
        check_unique(table.column_names)
        return {name: numpy_of(table, name) for name in table.column_names}

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __repr__(self) -> str:
        shown = [f"{field.name}: {field.type}" for field in list(self.schema)[:_MAX_SHOWN]]
        shown += ["..."] if self.num_columns > _MAX_SHOWN else []
        rows = f"{self.num_rows:,} row{'s' * (self.num_rows != 1)}"
        return f"<numpact.{type(self).__name__}{self._where()}: {rows} of {', '.join(shown)}>"

    def _repr_html_(self) -> str:
        return as_html(self._view())

    def _view(self) -> View:
        """The report for notebooks; reads nothing but the manifest."""
        shown = list(self.schema)[:MAX_SHOWN_ROWS]
        cells = [[f.name, str(f.type), "" if f.nullable else "not null"] for f in shown]
        columns = ViewTable("", ["column", "type", ""], cells, self.num_columns)
        heading = f"{type(self).__name__}{self._where()}: {count_text(self.num_rows, 'row')}"
        return View(heading, (), [columns])

    def _where(self) -> str:
        return ""


class Table(Tabular):
    """A table in memory: the result of ``read_table``.

    ``len(t)``, ``t.schema``, ``t["price"]`` (a chunked array of pyarrow), ``t[["at", "price"]]``
    and ``t[100:200]`` (tables). Every consumer of ``__arrow_c_stream__`` (pyarrow, polars, pandas,
    DuckDB) accepts it without a copy. Immutable; threads may share it.
    """

    def __init__(self, arrow: pa.Table) -> None:
        self._arrow = arrow

    @property
    def schema(self) -> pa.Schema:
        return self._arrow.schema

    @property
    def num_rows(self) -> int:
        return int(self._arrow.num_rows)

    def to_arrow(self) -> pa.Table:
        return self._arrow

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a table of columns by a list of names; a row by its number (a
        dictionary), or a table of rows by a slice, a list of numbers or a mask."""
        if isinstance(key, str):
            return self._arrow.column(index_of_name(self.column_names, key))
        if is_row_number(key):
            return row_of(self[[key]].to_arrow())
        if is_key_of_rows(key):
            numbers = numbers_of(key, self.num_rows)
            if numbers is not None:
                return Table(taken_rows(self._arrow, numbers))
            first, stop = span_of(key, self.num_rows)
            return Table(self._arrow.slice(first, stop - first))
        return Table(self._arrow.select(indices_of(self.column_names, names_in(key))))
