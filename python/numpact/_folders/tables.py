# SPDX-License-Identifier: Apache-2.0
"""Open folders of tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._device import arrays_on_device, device_number
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._integers import index_of
from .._limits import Budget, Limits
from .._remote.dataset import FoundFolder
from .._remote.locations import StorageOptions, table_place
from .._remote.manifest import Column, Manifest
from .._shown import few
from .._threads import resolve
from .._views import View
from .choosing import Rows, check_unique, index_of_name, indices_of, names_in, within
from .columns import chunked, schema_metadata, with_extensions
from .expressions import (
    BLOCK_ROWS,
    columns_of,
    conditions_of_expression,
    is_expression,
    matching_places,
)
from .filters import Comparison, Where, parse_where
from .row_numbers import (
    is_key_of_rows,
    is_row_number,
    numbers_of,
    row_of,
    taken_rows,
    without_columns,
)
from .scanning import Condition, Scan, conditions_of
from .sources import Folder, NumberSource, OtherSource, Source, Span, TextSource, not_a_table
from .tabular import Table, Tabular
from .writing import in_parallel, shared_out

if TYPE_CHECKING:
    import polars as pl
    import pyarrow.dataset as ds
    from typing_extensions import Self

    from .._types import Array
    from ..cvc import Reader

Path = Union[str, "os.PathLike[str]"]
#: A filter: as text, a list, or an expression of polars or pyarrow.
Filter = Union[Where, "pl.Expr", "pc.Expression"]

# Rows of a batch of the Arrow stream of an open table: a chunk of the usual size.
_STREAM_ROWS = 1 << 18


class OpenTable(Tabular):
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
        self._path = folder.path
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
        where: Filter | None = None,
    ) -> Table:
        """Reads columns, rows, or the rows that match a filter; arguments as for ``read_table``."""
        requested = self._of_columns(columns)
        if is_expression(where):
            found_rows = self._numbers_of_expression(where, rows)
            return self._rows_by_number([self._sources[i] for i in requested], found_rows)
        comparisons = parse_where(where)
        if not comparisons:
            chosen = [self._sources[index] for index in requested]
            numbers = numbers_of(rows, self._of(chosen).num_rows)
            if numbers is not None:
                return self._rows_by_number(chosen, numbers)
            span = within(self._of(chosen)._span, rows)
            return self._whole(chosen, span, self._limits.budget())
        return self._matching_rows(requested, rows, comparisons, self._limits.budget())

    def _matching_rows(
        self,
        requested: Sequence[int],
        rows: Rows | None,
        comparisons: Sequence[Comparison],
        budget: Budget,
    ) -> Table:
        scan, chosen = self._scan(requested, rows, comparisons, None)
        collected: list[list[pa.Array]] = [[] for _ in requested]
        count = 0
        for found in scan.all_rows(budget):
            count += found.matching
            for part, arrays in zip(collected, found.columns, strict=True):
                part += arrays
        return _table_of(chosen, self._manifest, collected, count)

    def found(
        self, columns: Sequence[str], comparisons: Sequence[Comparison], budget: Budget
    ) -> pa.Table:
        """The rows that match, for the other modules of the package."""
        requested = self._of_columns(columns)
        return self._matching_rows(requested, None, comparisons, budget).to_arrow()

    def batches(
        self,
        columns: Sequence[str] | None = None,
        rows: Rows | None = None,
        where: Filter | None = None,
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
        where: Filter | None,
        batch_rows: int,
        are_kept: bool,
    ) -> Iterator[Table]:
        """As ``batches``; ``are_kept``: the consumer may keep all of them."""
        size = index_of(batch_rows, "batch_rows")
        if size < 1:
            raise InvalidArgumentError("batch_rows must be 1, 2, ...")
        if is_expression(where):
            numbers = self._numbers_of_expression(where, rows)
            parts = [numbers[at : at + size] for at in range(0, len(numbers), size)]
            return (self.read(columns, part) for part in parts)
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

    def vectors(self, column: str, **options: Any) -> Reader:
        """The reader of a column of vectors, which decodes rows without Arrow, also on a GPU.

        Its rows are those of the table::

            rows = table.row_numbers("year >= 2015")
            batch = table.vectors("embedding", device="cuda").gather(rows)

        Files are as the manifest says by their size; as of any file of CVC, checksums of chunks are
        compared where chunks are read whole.

        Args:
            column: Its name.
            options: Of ``numpact.cvc.Reader``.

        Raises:
            InvalidArgumentError: The table is a slice of another one, whose rows the reader has; or
                several files are in a store.
            TypeMismatchError: The column has no vectors, or a null, so that rows are in a file of
                Arrow.
        """
        source = self._sources[index_of_name(self.column_names, column)]
        if not isinstance(source, OtherSource):
            raise TypeMismatchError(f"column {column!r}: values of type {source.field.type}")
        if self._given is not None:
            raise InvalidArgumentError("a slice of a table has no reader of vectors")
        self._opened()
        return source.vectors(**options)

    def row_numbers(self, where: Filter, rows: Rows | None = None) -> Array:
        """The numbers of the rows that match a filter: (n,) of int64 that increase.

        Args:
            where, rows: As for ``read_table``; numbers count from the first row of the table.
        """
        if is_expression(where):
            return self._numbers_of_expression(where, rows)
        scan, _ = self._scan([], rows, parse_where(where), None)
        return scan.numbers() - (self._given[0] if self._given else 0)

    def _numbers_of_expression(self, where: Any, rows: Rows | None) -> Array:
        names = columns_of(where, self.column_names)
        view = self[names]
        first, stop = within((0, view.num_rows), rows)
        numbers = np.arange(first, stop, dtype=np.int64)
        conditions = conditions_of_expression(where, self.column_names, self._sources)
        if conditions:
            begin = view._span[0]
            scan = self.scan([], conditions, (begin + first, begin + stop))
            numbers = scan.numbers() - begin
        found = [np.empty(0, np.int64)]
        for at in range(0, max(1, len(numbers)), BLOCK_ROWS):  # once without rows, for its errors
            block = numbers[at : at + BLOCK_ROWS]
            whole = len(block) and block[-1] - block[0] + 1 == len(block)
            budget = Limits().budget()  # only rows that match count
            table = (
                view.part(names, (int(block[0]), int(block[-1]) + 1), budget)
                if whole
                else view.picked(names, block, budget)
            )
            found.append(block[matching_places(where, table.to_arrow())])
        return np.concatenate(found)

    def pruned(self, predicate: pl.Expr) -> list[Condition]:
        """Conditions that all rows satisfy that an expression of polars selects."""
        return conditions_of_expression(predicate, self.column_names, self._sources)

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
        self,
        columns: Sequence[str],
        conditions: Sequence[Condition],
        span: Span | None = None,
    ) -> Iterator[pa.Table]:
        """The rows of a span, or all, that satisfy conditions, for the other modules of the
        package, which count what they use."""
        requested = self._of_columns(columns)
        chosen = [self._sources[index] for index in requested]
        for found in self.scan(requested, conditions, span or self._span).all_rows(
            Limits().budget()
        ):
            yield _table_of(chosen, self._manifest, found.columns, found.matching).to_arrow()

    def source(self, index: int) -> Source:
        """A column for the other modules of the package."""
        return self._sources[index]

    def viewed(self) -> OpenTable:
        """The table with views of the texts that repeat, for the other modules of the package."""
        made = [one.viewed() if isinstance(one, TextSource) else one for one in self._sources]
        return self._of(made)

    def dataset(self, *, dictionaries: bool = True) -> ds.Dataset:
        """The table as a dataset of pyarrow, for DuckDB and others that request columns and rows.

        DuckDB hands over its columns and filters, of which the library leaves out chunks and rows::

            trades = numpact.open_table("trades").dataset()
            duckdb.sql("SELECT symbol, sum(size) FROM trades WHERE price > 100 GROUP BY symbol")

        It reads by ``scanner``; what needs files, as ``join``, ``sort_by`` and Arrow's own
        execution plans, raises NotImplementedError. The table must stay open.

        Args:
            dictionaries: Text that repeats is a dictionary, which is faster; False: of its type.

        Raises:
            InvalidArgumentError: Names of columns repeat, or columns differ in length.
        """
        from .arrow_dataset import TableDataset  # pyarrow.dataset takes time to load

        check_unique(self.column_names)
        made = self
        if dictionaries:
            made = self._of([s.coded() if isinstance(s, TextSource) else s for s in self._sources])
        return TableDataset(made)

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
        parts = in_parallel(lambda source: source.take(given, inner, budget), chosen, workers)
        return _table_of(chosen, self._manifest, parts, len(rows))

    def to_device(
        self,
        columns: Sequence[str] | None = None,
        *,
        device: object = "cuda",
        framework: str | None = None,
    ) -> dict[str, Any]:
        """Decodes columns of numbers into the memory of a GPU, all in one call.

        Args:
            columns: Names of columns without nulls; None: all. Dates, times and decimals are the
                integers that are stored, booleans bytes of 0 and 1.
            device, framework: As for ``decompress``.

        Returns:
            The arrays by the names of their columns.

        Raises:
            TypeMismatchError: A column holds no numbers, or has nulls.
            InvalidArgumentError: Not a local table, or rows of one; no such column.
            The errors of ``decompress``.
        """
        number = device_number(device)
        if number is None:
            raise InvalidArgumentError("device must be a GPU; read() decodes on the CPU")
        folder = self._opened()
        if self._given is not None:
            raise InvalidArgumentError(f"{self.path}: only whole columns can go to a GPU")
        chosen = [self._sources[i] for i in self._of_columns(columns)]
        names = [source.entry.name for source in chosen]
        check_unique(names)
        files = [folder.number_files(source.entry) for source in chosen]
        budget = self.budget()
        for source in chosen:
            if isinstance(source, NumberSource):
                source.count(source.rows, budget)
        arrays = arrays_on_device(
            files,
            number,
            framework,
            self._threads,
            self._limits.max_output,
            "use",
        )
        for source, array in zip(chosen, arrays, strict=True):
            if array.shape[0] != source.rows:
                raise CorruptError(
                    f"{self.path}: column {source.entry.name!r} has another length than the "
                    "manifest says"
                )
        return dict(zip(names, arrays, strict=True))

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

    return in_parallel(read, sources, workers)


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
    threads: int | None,
    storage_options: StorageOptions | None,
    max_output: int | None,
    max_memory: int | None,
) -> OpenTable:
    """See ``numpact.open_table``."""
    limits = Limits.of(max_output, max_memory)
    place = table_place(path, storage_options)
    if place.local_path is not None:
        not_a_table(place.local_path)
    return table_in(FoundFolder(place), limits, threads)


def table_in(found: FoundFolder, limits: Limits, threads: int | None) -> OpenTable:
    """Opens a folder, for the other modules of the package."""
    folder = Folder(found.place, limits, found)
    return OpenTable(folder, folder.sources(), None, threads)
