# SPDX-License-Identifier: Apache-2.0
"""Partitions of tables: ranges of rows, which become pandas frames."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

from .._errors import InvalidArgumentError
from .._limits import Budget, Limits
from .._number_types import dtype_of
from .._optional import require
from .._remote.locations import Location
from .._remote.manifest import LogicalType
from .._remote.partitions import Constant
from .._remote.parts import Part
from .._remote.table_folder import StoredPart, TableVersion
from .._shown import few

if TYPE_CHECKING:
    import pandas as pd

    from .._folders.filters import Comparison
    from .._types import Array

Backend = Literal["numpy", "pyarrow"]
BACKENDS = ("numpy", "pyarrow")
# Two threads that change an option of Dask would restore what the other one has set.
_CONFIGURING = threading.Lock()


@dataclass(frozen=True)
class FilePart:
    """A range of numbers of a file whose chunks are known, as rows without nulls."""

    numbers: Part
    logical: LogicalType
    is_nullable: bool  #: the column has nulls, in other parts

    def array(self, limits: Limits, budget: Budget) -> Any:
        """The rows, which count in the budget."""
        size = dtype_of(self.logical.number_type).itemsize
        budget.take(self.numbers.count * size, self.numbers.place.url)
        if self.numbers.held > self.numbers.count:
            limits.check_decoded(self.numbers.held * size, self.numbers.place.url)
        return require("numpact._folders.columns", "dask").array_of_numbers(
            self.numbers.load(), self.logical
        )


AnyPart = Union[FilePart, StoredPart, Constant]


def arrow_type(part: AnyPart) -> Any:
    """The type of a column in pyarrow."""
    if not isinstance(part, FilePart) and part.type is not None:
        return part.type
    return require("numpact._folders.columns", "dask").arrow_type_of(part.logical)


@dataclass(frozen=True)
class TablePart:
    """A range of rows of a table. Can be pickled."""

    columns: tuple[tuple[str, AnyPart], ...]
    version: TableVersion | None  #: of the table; None: all columns are files
    first: int  #: index of the first row in the frame
    begin: int  #: its number in the table
    count: int
    state: str  #: versions of the files, the filter, and how values are given
    where: tuple[Comparison, ...] = ()  #: rows that do not satisfy it are left out
    hidden: tuple[tuple[str, AnyPart], ...] = ()  #: columns of the filter only
    limits: Limits = field(default=Limits())

    def __dask_tokenize__(self) -> tuple[object, ...]:
        """What the rows depend on.

        Dask's own walk over all members took 50 of 55 seconds for 1,000 folders of 12 columns.
        """
        names = [name for name, _ in self.columns]
        limits = (self.limits.max_output, self.limits.max_memory)
        return (self.state, self.first, self.begin, self.count, names, limits)

    def places(self) -> Iterator[Location]:
        """The files that it may read."""
        if self.version is not None:
            yield from self.version.files
        for _, column in (*self.columns, *self.hidden):
            if isinstance(column, FilePart):
                yield column.numbers.place
            elif isinstance(column, StoredPart):
                yield from (one.file for one in column.other_blocks)

    def load(
        self, columns: Sequence[str] | None, backend: Backend, as_strings: bool
    ) -> pd.DataFrame:
        """Fetches and decodes the given columns only, and returns them in the given order.

        Raises:
            InvalidArgumentError: There is no such column.
            LimitExceededError: They exceed the limits.
            CorruptError: A file is damaged or was replaced.
        """
        known = dict(self.columns)
        names = list(known) if columns is None else columns
        if not set(names) <= set(known):
            raise InvalidArgumentError(f"no such columns: {few(sorted(set(names) - set(known)))}")
        budget = self.limits.budget()
        index = require("pandas", "dask").RangeIndex(self.first, self.first + self.count)
        found, rows = self._stored(names, budget)
        if rows is not None:
            index = index.take(rows - self.begin) if len(rows) else index[:0]
        values = {}
        for name in names:
            if name not in found:
                found[name] = self._other(known[name], rows, len(index), budget)
            values[name] = (found[name], known[name])
        return frame(values, backend, as_strings, index)

    def _stored(self, names: Sequence[str], budget: Budget) -> tuple[dict[str, Any], Array | None]:
        """Columns of the table, and the numbers of the rows that match; None: all."""
        both = (*self.columns, *self.hidden)
        stored = {name: column for name, column in both if isinstance(column, StoredPart)}
        chosen = [name for name in names if name in stored]
        if self.version is None or not self.count or not (chosen or self.where):
            return {}, None
        span = (self.begin, self.begin + self.count)
        versions = require("numpact._folders.versions", "dask")
        made: tuple[dict[str, Any], Array | None] = versions.rows_of(
            self.version, stored, chosen, self.where, span, self.limits, budget
        )
        return made

    def _other(self, column: AnyPart, rows: Array | None, count: int, budget: Budget) -> Any:
        """A column that is not read from the table."""
        if isinstance(column, Constant):
            return column.array(count)
        pyarrow = require("pyarrow", "dask")
        if not count or isinstance(column, StoredPart):
            return pyarrow.chunked_array([], arrow_type(column))
        values = column.array(self.limits, budget)
        return values if rows is None else values.take(pyarrow.array(rows - self.begin))


@contextmanager
def objects_stay() -> Iterator[bool]:
    """Keeps ``from_map`` from making text of all objects: of decimals, lists and bytes, too.

    Gives whether text is to be string[pyarrow], by the option of Dask that ``from_map`` reads in
    its call only.
    """
    with _CONFIGURING:
        as_strings = bool(require("dask.dataframe.utils", "dask").pyarrow_strings_enabled())
        with require("dask", "dask").config.set({"dataframe.convert-string": False}):
            yield as_strings


def frame(
    columns: Mapping[str, tuple[Any, AnyPart]],
    backend: Backend,
    as_strings: bool,
    index: pd.Index[Any],
) -> pd.DataFrame:
    """Arrays of pyarrow, and what they are, as a frame; ``as_strings``: text as string[pyarrow]."""
    pandas = require("pandas", "dask")
    series = {
        name: _series(pandas, index, values, column, backend, as_strings)
        for name, (values, column) in columns.items()
    }
    made: pd.DataFrame = pandas.DataFrame(series, index=index, copy=False)
    return made


def _series(
    pandas: Any, index: Any, values: Any, column: AnyPart, backend: Backend, as_strings: bool
) -> Any:
    if backend == "pyarrow":
        array = pandas.arrays.ArrowExtensionArray(values)
        return pandas.Series(array, index=index, copy=False)
    if column.logical is not None:
        return _numpy_series(pandas, index, values, column.logical, column.is_nullable)
    series = values.to_pandas()
    series.index = index
    family = require("numpact._tables.columns", "dask").text_family(values.type)
    if as_strings and family == "string":
        return series.astype(pandas.StringDtype("pyarrow"))
    if series.dtype == "category" and series.cat.categories.empty:
        # Their type, which pandas compares, is lost.
        kinds = require("pyarrow", "dask").array([], values.type.value_type).to_pandas()
        series = series.cat.set_categories(pandas.Index(kinds))
    return series


def _numpy_series(
    pandas: Any, index: Any, values: Any, logical: LogicalType, is_nullable: bool
) -> Any:
    import numpy as np

    columns = require("numpact._folders.columns", "dask")
    numbers, valid = columns.rows_in(columns.one_array(values), logical)
    numbers = logical.as_numpy(numbers if numbers.flags.writeable else numbers.copy())
    if is_nullable:
        null = np.zeros(numbers.size, np.bool_) if valid is None else valid == 0
        numbers = _with_nulls(pandas, numbers, null)
    series = pandas.Series(numbers, index=index, copy=False)
    if logical.timezone:
        series = series.dt.tz_localize("UTC").dt.tz_convert(logical.timezone)
    return series


def _with_nulls(pandas: Any, values: Array, null: Array) -> Any:
    """Values with nulls: NaT in dates and times, else pandas' masked types (NaN is not null)."""
    if values.dtype.kind in "mM":
        values = values.copy()
        values[null] = "NaT"
        return values
    masked = {"b": "BooleanArray", "i": "IntegerArray", "u": "IntegerArray", "f": "FloatingArray"}
    if values.dtype.itemsize == 2 and values.dtype.kind == "f":
        raise InvalidArgumentError(
            'pandas has no float16 with nulls; dtype_backend="pyarrow" has it'
        )
    return getattr(pandas.arrays, masked[values.dtype.kind])(values, null)
