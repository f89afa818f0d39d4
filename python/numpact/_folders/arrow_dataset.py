# SPDX-License-Identifier: Apache-2.0
"""Open tables as datasets of pyarrow, of which engines request columns and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs

from .._errors import InvalidArgumentError
from .._limits import Budget, Limits
from .._tables.taking import RowTaker
from .expressions import columns_of, conditions_of_expression, matching_places
from .scanning import WINDOW_ROWS

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Protocol

    from .scanning import Condition
    from .sources import Source, Span
    from .tabular import Table

    Columns = Sequence[str] | dict[str, pc.Expression] | None

    class _Table(Protocol):
        """What a dataset needs of an ``OpenTable``."""

        path: str
        schema: pa.Schema
        column_names: list[str]
        num_rows: int

        def source(self, index: int) -> Source: ...

        def part(self, columns: Sequence[str], span: Span, budget: Budget) -> Table: ...

        def row_numbers(self, where: pc.Expression) -> npt.NDArray[Any]: ...

        def matching(
            self, columns: Sequence[str], conditions: Sequence[Condition]
        ) -> Iterator[pa.Table]: ...


_ADVICE = "a table of numpact is read by scanner(), to_table(), to_batches() and similar methods"


def _refused(*_: Any, **__: Any) -> NoReturn:
    raise NotImplementedError(_ADVICE)


class _NoFiles(pyarrow.fs.FileSystemHandler):  # type: ignore[misc]
    """The file system of the dataset's file, which cannot be read.

    What Arrow reads by itself, without ``scanner``, is an error and not an empty table.
    """

    copy_file = create_dir = delete_dir = delete_dir_contents = delete_file = _refused
    delete_root_dir_contents = get_file_info_selector = move = open_append_stream = _refused
    open_input_file = open_input_stream = open_output_stream = _refused

    def get_type_name(self) -> str:
        return "numpact"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: Sequence[str]) -> list[pyarrow.fs.FileInfo]:
        return [pyarrow.fs.FileInfo(path, pyarrow.fs.FileType.File) for path in paths]


class TableDataset(ds.FileSystemDataset):  # type: ignore[misc]
    """See ``OpenTable.dataset``. Thread-safe."""

    def __init__(self, table: _Table, where: pc.Expression | None = None) -> None:
        form, system = ds.IpcFileFormat(), pyarrow.fs.PyFileSystem(_NoFiles())
        fragment = form.make_fragment(table.path, filesystem=system)
        super().__init__([fragment], table.schema, form, system)
        self._table = table
        self._where = where

    def scanner(
        self, columns: Columns = None, filter: pc.Expression | None = None, **options: Any
    ) -> ds.Scanner:
        """As for every dataset of pyarrow; only the columns that are used are decoded, and of the
        filter's comparisons with values the chunks and rows that may match.

        ``batch_size`` is the maximum of rows; other options have no effect.
        """
        names = self._table.column_names
        where = _both(self._where, filter)
        if columns is None:
            requested = names
        elif isinstance(columns, dict):
            requested = _used(columns, names)
        else:
            requested = list(columns)
            unknown = [name for name in requested if name not in names]
            if unknown:
                raise InvalidArgumentError(f"there is no column {unknown[0]!r}")
        schema = pa.schema([self.schema.field(name) for name in requested], self.schema.metadata)
        batches = self._batches(requested, where, int(options.get("batch_size", WINDOW_ROWS)))
        reader = pa.RecordBatchReader.from_batches(schema, batches)
        if not isinstance(columns, dict):
            return ds.Scanner.from_batches(reader)
        return ds.Scanner.from_batches(reader, columns=columns)

    def _batches(
        self, requested: Sequence[str], where: pc.Expression | None, size: int
    ) -> Iterator[pa.RecordBatch]:
        table = self._table
        if where is None:
            for at in range(0, table.num_rows, WINDOW_ROWS):
                part = at, min(at + WINDOW_ROWS, table.num_rows)
                found = table.part(requested, part, Limits().budget()).to_arrow()
                yield from found.to_batches(size)
            return
        names = table.column_names
        tested = columns_of(where, names)
        sources = [table.source(index) for index in range(len(names))]
        conditions = conditions_of_expression(where, names, sources)
        both = list(dict.fromkeys([*requested, *tested]))
        for found in table.matching(both, conditions):
            rows = matching_places(where, _decoded(found.select(tested)))
            if len(rows) < len(found):
                found = RowTaker(found).take(pa.array(rows))
            yield from found.select(requested).to_batches(size)

    def count_rows(self, filter: pc.Expression | None = None, **options: Any) -> int:
        """The count of rows, or of those that match."""
        where = _both(self._where, filter)
        if where is None:
            return self._table.num_rows
        return len(self._table.row_numbers(where))

    def filter(self, expression: pc.Expression) -> TableDataset:
        """The dataset of the rows that match."""
        return TableDataset(self._table, _both(self._where, expression))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a dataset of an open table cannot be pickled; open the table there")

    get_fragments = join = join_asof = replace_schema = sort_by = _refused


def _both(one: pc.Expression | None, other: pc.Expression | None) -> pc.Expression | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _used(columns: dict[str, pc.Expression], names: list[str]) -> list[str]:
    """The columns that projections use."""
    found = [name for one in columns.values() for name in columns_of(one, names)]
    return list(dict.fromkeys(found))


def _decoded(table: pa.Table) -> pa.Table:
    """The table with texts in place of dictionaries, for which pyarrow has fewer functions."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(index).cast(field.type.value_type)
            table = table.set_column(index, field.name, column)
    return table
