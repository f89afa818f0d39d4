# SPDX-License-Identifier: Apache-2.0
"""Rows of a table whose columns are Pco files, as pandas frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ._arrow import ArrowArray
from ._errors import InvalidArgumentError
from ._manifest import LogicalType
from ._optional import require
from ._parts import Part

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Array = npt.NDArray[Any]

Backend = Literal["numpy", "pyarrow"]
BACKENDS = ("numpy", "pyarrow")


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table. Can be pickled."""

    columns: tuple[tuple[str, Part, LogicalType], ...]
    first: int  #: rows of the table before these
    count: int
    state: str  #: changes when a file does

    def load(self, columns: Sequence[str] | None, backend: Backend) -> pd.DataFrame:
        """Fetches and decodes the columns asked for, and no others, in the order asked for."""
        known = {name: (part, logical) for name, part, logical in self.columns}
        names = list(known) if columns is None else columns
        loaded = {name: (known[name][0].load(), known[name][1]) for name in names if name in known}
        if len(loaded) < len(names):
            raise InvalidArgumentError(f"no such columns: {sorted(set(names) - set(known))}")
        return frame(loaded, backend, self.first, self.count)


def frame(
    columns: dict[str, tuple[Array, LogicalType]], backend: Backend, first: int, count: int
) -> pd.DataFrame:
    """Columns of stored numbers as a frame, its rows numbered from ``first`` on."""
    pandas = require("pandas", "dask")
    index = pandas.RangeIndex(first, first + count)
    convert = _pyarrow_series if backend == "pyarrow" else _numpy_series
    series = {name: convert(pandas, index, *column) for name, column in columns.items()}
    made: pd.DataFrame = pandas.DataFrame(series, index=index, copy=False)
    return made


def _numpy_series(pandas: Any, index: Any, numbers: Array, logical: LogicalType) -> Any:
    series = pandas.Series(logical.as_numpy(numbers), index=index, copy=False)
    if logical.timezone:
        series = series.dt.tz_localize("UTC").dt.tz_convert(logical.timezone)
    return series


def _pyarrow_series(pandas: Any, index: Any, numbers: Array, logical: LogicalType) -> Any:
    pyarrow = require("pyarrow", "dask")
    column = pyarrow.array(ArrowArray(numbers, None, logical.arrow_format()))
    return pandas.Series(pandas.arrays.ArrowExtensionArray(column), index=index, copy=False)
