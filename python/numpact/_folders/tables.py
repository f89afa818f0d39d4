# SPDX-License-Identifier: Apache-2.0
"""Tables in memory and open folders of tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa

from .._errors import InvalidArgumentError
from .._integers import index_of
from .._limits import Budget, Limits
from .._optional import require
from .._remote.locations import StorageOptions, table_place
from .._remote.manifest import Column, Manifest
from .._shown import few
from .._threads import resolve
from .._views import MAX_SHOWN_ROWS, View, as_html, count_text
from .._views import Table as ViewTable
from .choosing import (
    Rows,
    check_unique,
    index_of_name,
    indices_of,
    names_in,
    span_of,
    within,
)
from .columns import chunked, numpy_of, schema_metadata, with_extensions
from .filters import Comparison, Where, parse_where
from .pandas_frame import frame_of
from .row_numbers import (
    is_key_of_rows,
    is_row_number,
    numbers_of,
    row_of,
    taken_rows,
    without_columns,
)
from .scanning import Condition, Scan, conditions_of
from .sources import Folder, Source, Span, not_a_table
from .writing import shared_out

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import polars as pl
    from typing_extensions import Self

    Array = npt.NDArray[Any]

Path = Union[str, "os.PathLike[str]"]

# Rows of a batch of the Arrow stream of an open table: a chunk of the usual size.
_STREAM_ROWS = 1 << 18
# Columns that a representation shows.
_MAX_SHOWN = 12


# polars.from_arrow makes a Series of Struct of an object with a stream, but a frame of batches in
# an iterable that derives from a class of pyarrow. This one adds weak references and nothing else.
_OfArrow: Any = getattr(pa.lib, "_Weakrefable", object)


class _Tabular(_OfArrow):  # type: ignore[misc]
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
        polars = require("polars", "polars")
        frame: pl.DataFrame = polars.from_arrow(self.to_arrow())
        return frame

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


class Table(_Tabular):
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


class OpenTable(_Tabular):
    """A folder of a table that is open: the result of ``open_table``. Nothing is decoded yet.

    ``len(t)``, ``t.schema`` and ``t.column_names`` come from the manifest. ``t["price"]`` decodes a
    column (a chunked array of pyarrow), ``t.read(...)`` and ``to_arrow`` the requested rows.
    ``t[["at", "price"]]`` and ``t[100:200]`` are open tables again. Local files are mapped, so that
    the table stays the same if the folder is replaced. Thread-safe.
    """

    def __init__(
        self,
        folder: Folder,
        sources: Sequence[Source],
        span: Span | None,
        threads: int | None,
    ) -> None:
        self._folder: Folder | None = folder
        self._path = folder.place.url
        self._limits = folder.limits
        self._manifest = folder.manifest
        self._sources = list(sources)
        self._given = span
        self._threads = threads

    # ---- contents ----

    @property
    def column_names(self) -> list[str]:
        return [source.entry.name for source in self._sources]

    @property
    def num_columns(self) -> int:
        return len(self._sources)

    @property
    def num_rows(self) -> int:
        first, stop = self._span
        return stop - first

    @property
    def schema(self) -> pa.Schema:
        self._opened()
        return _schema_of(self._sources, self._manifest)

    @property
    def path(self) -> str:
        """The folder, or its URL."""
        return self._path

    @property
    def _span(self) -> Span:
        if self._given is not None:
            return self._given
        # Without columns the rows of the table count.
        entries = [source.entry for source in self._sources] or self._manifest.ordered()
        dropped = any(isinstance(entry, Column) and entry.nulls_dropped for entry in entries)
        counts = {entry.rows for entry in entries}
        if len(counts) > 1 or (dropped and len(entries) > 1):
            raise InvalidArgumentError(
                f"{self.path}: columns differ in length or rows where nulls were left out; choose "
                f"one of {few([entry.name for entry in entries])}"
            )
        return 0, max(counts, default=0)

    # ---- reading ----

    def read(
        self,
        columns: Sequence[str] | None = None,
        rows: Rows | None = None,
        where: Where | None = None,
    ) -> Table:
        """Reads columns, rows, or the rows that match a filter; arguments as for ``read_table``."""
        requested = self._of_columns(columns)
        comparisons = parse_where(where)
        if not comparisons:
            chosen = [self._sources[index] for index in requested]
            numbers = numbers_of(rows, self._of(chosen).num_rows)
            if numbers is not None:
                return self._rows_by_number(chosen, numbers)
            span = within(self._of(chosen)._span, rows)
            return self._whole(chosen, span, self._limits.budget())
        scan, chosen = self._scan(requested, rows, comparisons, None)
        collected: list[list[pa.Array]] = [[] for _ in requested]
        count = 0
        for found in scan.all_rows(self._limits.budget()):
            count += found.matching
            for part, arrays in zip(collected, found.columns, strict=True):
                part += arrays
        return _table_of(chosen, self._manifest, collected, count)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        rows: Rows | None = None,
        where: Where | None = None,
        batch_rows: int = _STREAM_ROWS,
    ) -> Iterator[Table]:
        """As ``read``, in tables that are decoded one by one.

        Args:
            columns, rows, where: As for ``read_table``.
            batch_rows: Maximum rows that are read for a batch.
        """
        return self._batches(columns, rows, where, batch_rows, are_kept=False)

    def _batches(
        self,
        columns: Sequence[str] | None,
        rows: Rows | None,
        where: Where | None,
        batch_rows: int,
        are_kept: bool,
    ) -> Iterator[Table]:
        """As ``batches``; ``are_kept``: the consumer may keep all of them."""
        size = index_of(batch_rows, "batch_rows")
        if size < 1:
            raise InvalidArgumentError("batch_rows must be 1, 2, ...")
        scan, chosen = self._scan(self._of_columns(columns), rows, parse_where(where), size)

        def tables() -> Iterator[Table]:
            budget = self._limits.budget()
            for found in scan.rows(budget):
                yield _table_of(chosen, self._manifest, found.columns, found.matching)
                if not are_kept:
                    budget.begin_part()

        return tables()

    def take(self, rows: Rows, columns: Sequence[str] | None = None) -> Table:
        """Rows by their numbers, in the order that is given; as ``read(columns, rows)``.

        Only what holds the rows is decoded: with restart points, some thousand numbers for each.
        """
        return self.read(columns, rows)

    def row_numbers(self, where: Where, rows: Rows | None = None) -> Array:
        """The numbers of the rows that match a filter: (n,) of int64 that increase.

        Args:
            where, rows: As for ``read_table``; numbers count from the first row of the table.
        """
        scan, _ = self._scan([], rows, parse_where(where), None)
        return scan.numbers() - (self._given[0] if self._given else 0)

    def _rows_by_number(self, chosen: Sequence[Source], numbers: Array) -> Table:
        different, places = np.unique(numbers, return_inverse=True)
        budget = self._limits.budget()
        table = self._picked(chosen, different, budget)
        if len(different) == len(numbers) and np.array_equal(different, numbers):
            return table
        made = table.to_arrow()
        if len(different) < len(numbers):
            budget = self._limits.budget()
            for source, column in zip(chosen, made.columns, strict=True):
                source.count_rows(column.chunks, np.sort(places), budget)
        return Table(taken_rows(made, places))

    def _scan(
        self,
        requested: Sequence[int],
        rows: Rows | None,
        comparisons: Sequence[Comparison],
        window_rows: int | None,
    ) -> tuple[Scan, list[Source]]:
        """A scan of columns, and these."""
        conditions = conditions_of(comparisons, self.column_names)
        involved = sorted({*requested, *(item.column for item in conditions)})
        whole = self._of([self._sources[i] for i in involved])._span
        if numbers_of(rows, whole[1] - whole[0]) is not None:
            raise InvalidArgumentError(
                "a filter and batches take a range of rows, not rows by number: take() reads those"
            )
        span = within(whole, rows)
        scan = self.scan(requested, conditions, span, window_rows)
        return scan, [self._sources[index] for index in requested]

    def scan(
        self,
        columns: Sequence[int],
        conditions: Sequence[Condition],
        span: Span,
        window_rows: int | None = None,
    ) -> Scan:
        """A scan of columns by their positions, for the other modules of the package."""
        threads, opened = self._threads, self._opened()
        return Scan(opened, self._sources, columns, conditions, span, threads, window_rows)

    def matching(
        self, columns: Sequence[str], conditions: Sequence[Condition], span: Span
    ) -> Iterator[pa.Table]:
        """The rows of a span that satisfy conditions, for the other modules of the package, which
        count what they use."""
        requested = self._of_columns(columns)
        chosen = [self._sources[index] for index in requested]
        for found in self.scan(requested, conditions, span).all_rows(Limits().budget()):
            yield _table_of(chosen, self._manifest, found.columns, found.matching).to_arrow()

    def source(self, index: int) -> Source:
        """A column for the other modules of the package."""
        return self._sources[index]

    def budget(self) -> Budget:
        """Counts what a caller takes by the methods below."""
        return self._limits.budget()

    def count(self, table: pa.Table, rows: Array, budget: Budget) -> None:
        """Counts some rows, (n,) of indices that increase, of columns read without a budget."""
        for name in table.column_names:
            source = self._sources[index_of_name(self.column_names, name)]
            source.count_rows(table.column(name).chunks, rows, budget)

    def part(self, columns: Sequence[str], span: Span, budget: Budget) -> Table:
        """The rows of a span."""
        chosen = [self._sources[index] for index in self._of_columns(columns)]
        return self._whole(chosen, within(self._of(chosen)._span, span), budget)

    def _whole(self, chosen: Sequence[Source], span: Span, budget: Budget) -> Table:
        first, stop = span
        parts = _read_all(chosen, span, self._threads, budget)
        return _table_of(chosen, self._manifest, parts, stop - first)

    def picked(self, columns: Sequence[str], rows: Array, budget: Budget) -> Table:
        """As ``take``, for the other modules of the package: (n,) of int64 that increase."""
        return self._picked([self._sources[i] for i in self._of_columns(columns)], rows, budget)

    def _picked(self, chosen: Sequence[Source], rows: Array, budget: Budget) -> Table:
        given = rows + self._of(chosen)._span[0]
        workers, inner = shared_out(resolve(self._threads), len(chosen))
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(lambda source: source.take(given, inner, budget), chosen))
        return _table_of(chosen, self._manifest, parts, len(rows))

    def to_arrow(self) -> pa.Table:
        """Reads the whole table as one of pyarrow."""
        return self.read().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        schema = self.schema
        tables = self._batches(None, None, None, _STREAM_ROWS, are_kept=True)
        found = (batch for table in tables for batch in table.to_arrow().to_batches())
        reader = pa.RecordBatchReader.from_batches(schema, found)
        return reader.__arrow_c_stream__(requested_schema)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, an open table of columns by a list of names, or of rows by a slice.

        A row by its number is a dictionary; rows by a list of numbers, a mask or a slice with a
        step are a table in memory.

        Raises:
            InvalidArgumentError: There is no such column, or more than one of the name.
        """
        self._opened()
        if isinstance(key, str):
            return self.read([key]).to_arrow().column(0)
        if is_row_number(key):
            return row_of(self.read(rows=[key]).to_arrow())
        if is_key_of_rows(key):
            if numbers_of(key, self.num_rows) is not None:
                return self.read(rows=key)
            return self._of(self._sources, within(self._span, key))
        return self._of([self._sources[index] for index in self._of_columns(key)])

    def _of(self, sources: Sequence[Source], span: Span | None = None) -> OpenTable:
        given = self._given if span is None else span
        return OpenTable(self._opened(), sources, given, self._threads)

    def _of_columns(self, columns: Sequence[str] | None) -> list[int]:
        self._opened()
        if columns is None:
            return list(range(len(self._sources)))
        return indices_of(self.column_names, names_in(columns))

    # ---- life ----

    def close(self) -> None:
        """Releases the files; tables and arrays stay valid. May be called repeatedly."""
        self._folder = None
        self._sources = []

    def _opened(self) -> Folder:
        if self._folder is None:
            raise ValueError("the table is closed")
        return self._folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._folder is None:
            return f"<numpact.OpenTable {self.path!r}, closed>"
        return super().__repr__()

    def _view(self) -> View:
        if self._folder is None:
            return View(f"OpenTable {self.path!r}: closed")
        return super()._view()

    def _where(self) -> str:
        return f" {self.path!r}"


# ---- columns and rows ----


def _read_all(
    sources: Sequence[Source], span: Span, threads: int | None, budget: Budget
) -> list[list[pa.Array]]:
    """The rows of a span, of each column."""
    first, count = span[0], span[1] - span[0]
    workers, inner = shared_out(resolve(threads), len(sources))

    def read(source: Source) -> list[pa.Array]:
        return source.read(first, count, inner, budget)

    if workers == 1:
        return list(map(read, sources))
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(read, sources))


def _table_of(
    sources: Sequence[Source], manifest: Manifest, parts: Sequence[list[pa.Array]], rows: int
) -> Table:
    schema = _schema_of(sources, manifest)
    if not sources:
        return Table(without_columns(rows, schema.metadata))
    columns = [chunked(arrays, field.type) for arrays, field in zip(parts, schema, strict=True)]
    return Table(pa.Table.from_arrays(columns, schema=schema))


def _schema_of(sources: Sequence[Source], manifest: Manifest) -> pa.Schema:
    fields = [source.field for source in sources]
    return with_extensions(pa.schema(fields, schema_metadata(manifest)))


# ---- opening ----


def open_table(
    path: Path,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> OpenTable:
    """See ``numpact.open_table``."""
    limits = Limits.of(max_output, max_memory)
    place = table_place(path, storage_options)
    if place.local_path is not None:
        not_a_table(place.local_path)
    folder = Folder(place, limits)
    return OpenTable(folder, folder.sources(), None, threads)


def read_table(
    path: Path,
    columns: Sequence[str] | None = None,
    rows: Rows | None = None,
    where: Where | None = None,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Table:
    """See ``numpact.read_table``."""
    opened = open_table(
        path,
        threads=threads,
        storage_options=storage_options,
        max_output=max_output,
        max_memory=max_memory,
    )
    return opened.read(columns, rows, where)
