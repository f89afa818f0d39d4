# SPDX-License-Identifier: Apache-2.0
"""Rows of a table whose columns are Pco files, as pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._arrow import ArrowArray
from .._errors import InvalidArgumentError
from .._optional import require
from .manifest import LogicalType
from .null_runs import NullRuns
from .parts import Part

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Array = npt.NDArray[Any]

Backend = Literal["numpy", "pyarrow"]
BACKENDS = ("numpy", "pyarrow")


@dataclass(frozen=True)
class ColumnPart:
    """A range of rows of a column: its numbers, and the positions of nulls."""

    numbers: Part
    logical: LogicalType
    is_nullable: bool  #: the column has nulls, maybe in other rows
    nulls: NullRuns | None  #: None if there are none in these rows


@dataclass(frozen=True)
class Rows:
    """Rows of a column, decoded."""

    values: Array  #: (rows,) of the stored type, 0 in null rows
    validity: Array | None  #: (rows,) of bool, True where there is a number; None: no nulls
    logical: LogicalType
    is_nullable: bool


@dataclass(frozen=True)
class TablePart:
    """A range of rows of a table. Can be pickled."""

    columns: tuple[tuple[str, ColumnPart], ...]
    first: int  #: index of the first row
    count: int
    state: str  #: versions of the files

    def load(self, columns: Sequence[str] | None, backend: Backend) -> pd.DataFrame:
        """Fetches and decodes the given columns only, and returns them in the given order.

        Raises:
            InvalidArgumentError: There is no such column.
            CorruptError: A file is damaged or was replaced.
        """
        known = dict(self.columns)
        names = list(known) if columns is None else columns
        loaded = {name: _load(known[name]) for name in names if name in known}
        if len(loaded) < len(names):
            raise InvalidArgumentError(f"no such columns: {sorted(set(names) - set(known))}")
        return frame(loaded, backend, self.first, self.count)


def _load(column: ColumnPart) -> Rows:
    numbers = column.numbers.load()
    if column.nulls is None:
        return Rows(numbers, None, column.logical, column.is_nullable)
    spread = column.nulls.spread(numbers)
    return Rows(spread, column.nulls.validity(), column.logical, column.is_nullable)


def frame(columns: dict[str, Rows], backend: Backend, first: int, count: int) -> pd.DataFrame:
    """Columns of stored numbers as a frame with the index from ``first`` on."""
    pandas = require("pandas", "dask")
    index = pandas.RangeIndex(first, first + count)
    convert = _pyarrow_series if backend == "pyarrow" else _numpy_series
    series = {name: convert(pandas, index, column) for name, column in columns.items()}
    made: pd.DataFrame = pandas.DataFrame(series, index=index, copy=False)
    return made


def _numpy_series(pandas: Any, index: Any, rows: Rows) -> Any:
    import numpy as np

    logical = rows.logical
    values = logical.as_numpy(rows.values)
    if rows.is_nullable:
        null = np.zeros(values.size, np.bool_) if rows.validity is None else ~rows.validity
        values = _with_nulls(pandas, values, null)
    series = pandas.Series(values, index=index, copy=False)
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


def _pyarrow_series(pandas: Any, index: Any, rows: Rows) -> Any:
    pyarrow = require("pyarrow", "dask")
    column = pyarrow.array(ArrowArray(rows.values, rows.validity, rows.logical.arrow_format()))
    return pandas.Series(pandas.arrays.ArrowExtensionArray(column), index=index, copy=False)
