# SPDX-License-Identifier: Apache-2.0
"""Rows of a table whose columns are Pco files, as pandas frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

from .. import _core
from .._arrow import ArrowArray
from .._errors import InvalidArgumentError
from .._limits import Budget, Limits
from .._number_types import dtype_of
from .._optional import require
from .._shown import few
from .checked_file import Blocks, blocks_of, source_of_file
from .locations import Location, Stamp
from .manifest import LogicalType
from .manifest import Part as ArrowFile
from .parts import Part
from .table_folder import TableVersion

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Array = npt.NDArray[Any]

Backend = Literal["numpy", "pyarrow"]
BACKENDS = ("numpy", "pyarrow")


@dataclass(frozen=True)
class Rows:
    """Rows of a column, decoded."""

    values: Array  #: (rows,) of the stored type, 0 in null rows
    validity: Array | None  #: (rows,) of bool, True where there is a number; None: no nulls
    logical: LogicalType
    is_nullable: bool


@dataclass(frozen=True)
class ArrowRows:
    """Rows of a column that Pco cannot hold, as a chunked array of pyarrow."""

    values: Any


@dataclass(frozen=True)
class FilePart:
    """A range of numbers of a file whose chunks are known, as rows without nulls."""

    numbers: Part
    logical: LogicalType
    is_nullable: bool  #: the column has nulls, in other parts

    def load(self, limits: Limits, budget: Budget) -> Rows:
        """The rows, which count in the budget."""
        size = dtype_of(self.logical.number_type).itemsize
        budget.take(self.numbers.count * size, self.numbers.place.url)
        if self.numbers.held > self.numbers.count:
            limits.check_decoded(self.numbers.held * size, self.numbers.place.url)
        return Rows(self.numbers.load(), None, self.logical, self.is_nullable)


@dataclass(frozen=True)
class NumberPart:
    """A range of rows of a column of numbers of a table."""

    table: TableVersion
    index: int  #: of the column in it
    name: str  #: for messages: the file and the column
    logical: LogicalType
    is_nullable: bool  #: the column has nulls, maybe in other rows
    first: int
    count: int

    def load(self, limits: Limits, budget: Budget) -> Rows:
        """The rows, which count in the budget."""
        import numpy as np

        budget.take(self.count * dtype_of(self.logical.number_type).itemsize, self.name)
        scan = _core.TableScan(self.table.reader(self.index, limits.max_memory), [self.index], [])
        values, valid = scan.cursor(1).read(self.index, self.first, self.count, False)
        validity = None if valid is None else valid.view(np.bool_)
        return Rows(values, validity, self.logical, self.is_nullable)


@dataclass(frozen=True)
class ArrowPiece:
    """A range of rows of a file of Arrow IPC."""

    place: Location  #: of the file
    rows: int  #: in the file
    first: int
    count: int
    blocks: Blocks | None  #: that are read; None: without checksums, the whole file is read

    def load(self, name: str, type: Any, limits: Limits, budget: Budget) -> Any:
        """A chunked array of pyarrow, in a type of it; None: in its own."""
        others = require("numpact._tables.others", "dask")
        source = source_of_file(self.place, None, self.place.contents(), self.blocks)
        reader = others.OtherReader(source, self.rows, self.place.url, name)
        reader.limits = limits
        values = reader.read(self.first, self.count, budget)
        if type is None:
            return values
        for array in () if hasattr(type, "index_type") else values.chunks:
            reader.check_spread(array, is_output=True)
        return require("numpact._tables.unifying", "dask").as_common(values, type, self.place.url)


@dataclass(frozen=True)
class OtherPart:
    """A range of rows of a column that Pco cannot hold."""

    name: str  #: of the column
    pieces: tuple[ArrowPiece, ...]  #: at least one
    type: Any = None  #: of pyarrow, which other files of the column made necessary; None: its own

    def load(self, limits: Limits, budget: Budget) -> ArrowRows:
        """The rows, which count in the budget."""
        loaded = [piece.load(self.name, self.type, limits, budget) for piece in self.pieces]
        if len(loaded) == 1:
            return ArrowRows(loaded[0])
        pyarrow = require("pyarrow", "dask")
        chunks = [array for values in loaded for array in values.chunks]
        return ArrowRows(pyarrow.chunked_array(chunks, loaded[0].type))


@dataclass(frozen=True)
class OtherColumn:
    """A column that Pco cannot hold."""

    name: str
    files: tuple[tuple[Location, Stamp], ...]  #: of Arrow IPC
    parts: tuple[ArrowFile, ...]  #: what the manifest says of them
    count: int
    type: Any  #: of pyarrow; that of the table, after all folders are known
    is_coded: bool  #: the file has dictionaries, of which other batches may have pieces

    def part(self, first: int, count: int, is_nullable: bool) -> OtherPart:
        """A range of rows."""
        pieces: list[ArrowPiece] = []
        begin = 0
        for (place, _), part in zip(self.files, self.parts, strict=True):
            a, b = max(first, begin), min(first + count, begin + part.rows)
            if a < b or (not count and not pieces):
                held = max(0, b - a)
                blocks = blocks_of(part, a - begin, None if self.is_coded else held)
                pieces.append(ArrowPiece(place, part.rows, a - begin, held, blocks))
            begin += part.rows
        return OtherPart(self.name, tuple(pieces), self.type)


@dataclass(frozen=True)
class ReadPart(OtherPart):
    """A range of rows of a column of texts or decimals, which the library reads."""

    table: TableVersion | None = None
    index: int = 0  #: of the column in it
    logical: LogicalType = field(default=LogicalType("number", "u8"))
    place: str = ""  #: for messages: the file and the column
    first: int = 0
    count: int = 0

    def load(self, limits: Limits, budget: Budget) -> ArrowRows:
        """The rows, which count in the budget."""
        assert self.table is not None
        pyarrow = require("pyarrow", "dask")
        coded = require("numpact._tables.coded", "dask")
        types = require("numpact._tables.columns", "dask")
        logical = self.logical
        reader = self.table.reader(self.index, limits.max_memory)
        cursor = _core.TableScan(reader, [self.index], []).cursor(1)
        if logical.kind == "text":
            texts = coded.Texts.of(reader, self.index, logical.text_type, limits, self.place)
            found = cursor.read(self.index, self.first, self.count)
            values = pyarrow.chunked_array(texts.arrays(*found, budget), texts.type)
        else:
            budget.take(self.count * logical.bits // 8, self.place)
            numbers, valid = cursor.read(self.index, self.first, self.count)
            bits = None if valid is None else pyarrow.py_buffer(valid)
            type = types.arrow_type(asdict(logical))
            values = pyarrow.chunked_array([types.decimal_array(type, numbers, bits)])
        if self.type in (None, values.type):
            return ArrowRows(values)
        unifying = require("numpact._tables.unifying", "dask")
        return ArrowRows(unifying.as_common(values, self.type, self.place))


@dataclass(frozen=True)
class ReadColumn(OtherColumn):
    """A column of texts or decimals of a folder, which the library reads."""

    table: TableVersion | None = None
    index: int = 0  #: of the column in it
    logical: LogicalType = field(default=LogicalType("number", "u8"))

    def part(self, first: int, count: int, is_nullable: bool) -> ReadPart:
        place = f"{self.files[0][0].url}: column {self.name!r}"
        of = (self.table, self.index, self.logical, place)
        return ReadPart(self.name, (), self.type, *of, first, count)


@dataclass(frozen=True)
class ConstantPart:
    """A value that all rows have, such as that of the folder ``day=2024-01-01``."""

    value: int | str | None  #: a whole number, the days since 1970-01-01, or text; None: null
    logical: LogicalType | None  #: None: text
    count: int
    is_nullable: bool = False  #: the column has nulls, maybe in other parts

    def load(self) -> Rows | ArrowRows:
        import numpy as np

        if self.logical is None:
            pyarrow = require("pyarrow", "dask")
            value = pyarrow.scalar(self.value, pyarrow.string())
            return ArrowRows(pyarrow.chunked_array([pyarrow.repeat(value, self.count)]))
        dtype = dtype_of(self.logical.number_type)
        validity = np.zeros(self.count, np.bool_) if self.value is None else None
        values = np.full(self.count, self.value or 0, dtype)
        return Rows(values, validity, self.logical, self.is_nullable)


class RowTest(Protocol):
    """A part of a filter."""

    def mask(self, load: Callable[[str], Rows | ArrowRows]) -> Array:
        """(rows,) of bool: which rows satisfy it. ``load``: the rows of a column by its name."""
        ...


AnyPart = Union[NumberPart, FilePart, OtherPart, ConstantPart]


def _traits_of(part: AnyPart) -> tuple[object, ...]:
    """What is not in the state of the files: the store, and how values are given."""
    traits = (type(part).__name__, part.logical if not isinstance(part, OtherPart) else None)
    if isinstance(part, ConstantPart):
        return (*traits, part.value, part.is_nullable)
    if isinstance(part, FilePart):
        return (*traits, _token_of(part.numbers.place), part.is_nullable)
    if isinstance(part, NumberPart):
        return (*traits, *map(_token_of, part.table.files[:1]), part.is_nullable)
    files = part.table.files if isinstance(part, ReadPart) and part.table else ()
    places = [*files, *(piece.place for piece in part.pieces)]
    return (*traits, *map(_token_of, places[:1]), str(part.type))


def _token_of(place: Location) -> str:
    return str(getattr(place.fs, "_fs_token", ""))


@dataclass(frozen=True)
class TablePart:
    """A range of rows of a table. Can be pickled."""

    columns: tuple[tuple[str, AnyPart], ...]
    first: int  #: index of the first row
    count: int
    state: str  #: versions of the files
    tests: tuple[RowTest, ...] = ()  #: rows that do not satisfy all are left out
    hidden: tuple[tuple[str, AnyPart], ...] = field(default=())  #: columns of tests only
    limits: Limits = field(default=Limits())

    def __dask_tokenize__(self) -> tuple[object, ...]:
        """What the rows depend on.

        Dask's own walk over all members took 50 of 55 seconds for 1,000 folders of 12 columns.
        """
        columns = [(name, *_traits_of(part)) for name, part in (*self.columns, *self.hidden)]
        limits = (self.limits.max_output, self.limits.max_memory)
        return (self.state, self.first, self.count, len(self.columns), columns, limits)

    def load(self, columns: Sequence[str] | None, backend: Backend) -> pd.DataFrame:
        """Fetches and decodes the given columns only, and returns them in the given order.

        Raises:
            InvalidArgumentError: There is no such column.
            LimitExceededError: They exceed the limits.
            CorruptError: A file is damaged or was replaced.
        """
        budget = self.limits.budget()
        known = dict(self.columns)
        names = list(known) if columns is None else columns
        if not set(names) <= set(known):
            raise InvalidArgumentError(f"no such columns: {few(sorted(set(names) - set(known)))}")
        if not self.tests:
            is_empty = not self.count
            loaded = {name: self._load(name, known[name], budget, is_empty) for name in names}
            return frame(loaded, backend, self.first, self.count)
        return self._filtered({**dict(self.hidden), **known}, names, backend, budget)

    def _load(
        self, name: str, column: AnyPart, budget: Budget, is_empty: bool = False
    ) -> Rows | ArrowRows:
        if isinstance(column, ConstantPart):
            return column.load()
        if is_empty and isinstance(column, OtherPart) and column.type is not None:
            return ArrowRows(require("pyarrow", "dask").chunked_array([], column.type))
        if is_empty and not isinstance(column, OtherPart):
            import numpy as np

            dtype = dtype_of(column.logical.number_type)
            return Rows(np.empty(0, dtype), None, column.logical, column.is_nullable)
        return column.load(self.limits, budget)

    def _filtered(
        self, known: dict[str, AnyPart], names: Sequence[str], backend: Backend, budget: Budget
    ) -> pd.DataFrame:
        import numpy as np

        tested: dict[str, Rows | ArrowRows] = {}

        def load(name: str) -> Rows | ArrowRows:
            if name not in tested:
                tested[name] = self._load(name, known[name], budget)
            return tested[name]

        mask = np.ones(self.count, np.bool_)
        for test in self.tests:
            mask &= test.mask(load)
        # Without matches nothing more is fetched: empty rows have the same types.
        loaded = {
            name: tested[name]
            if name in tested
            else self._load(name, known[name], budget, is_empty=not mask.any())
            for name in names
        }
        if not mask.any():
            empty = {name: _first_rows(rows, 0) for name, rows in loaded.items()}
            return frame(empty, backend, self.first, 0)
        made: pd.DataFrame = frame(loaded, backend, self.first, self.count)[mask]
        return made


def _first_rows(rows: Rows | ArrowRows, count: int) -> Rows | ArrowRows:
    if isinstance(rows, ArrowRows):
        return ArrowRows(rows.values[:count])
    validity = None if rows.validity is None else rows.validity[:count]
    return Rows(rows.values[:count], validity, rows.logical, rows.is_nullable)


def frame(
    columns: Mapping[str, Rows | ArrowRows], backend: Backend, first: int, count: int
) -> pd.DataFrame:
    """Columns of stored numbers as a frame with the index from ``first`` on."""
    pandas = require("pandas", "dask")
    index = pandas.RangeIndex(first, first + count)
    convert = _pyarrow_series if backend == "pyarrow" else _numpy_series
    series = {
        name: _arrow_series(pandas, index, column, backend)
        if isinstance(column, ArrowRows)
        else convert(pandas, index, column)
        for name, column in columns.items()
    }
    made: pd.DataFrame = pandas.DataFrame(series, index=index, copy=False)
    return made


def _arrow_series(pandas: Any, index: Any, rows: ArrowRows, backend: Backend) -> Any:
    if backend == "pyarrow":
        return pandas.Series(pandas.arrays.ArrowExtensionArray(rows.values), index=index)
    series = rows.values.to_pandas()
    series.index = index
    if series.dtype == "category" and series.cat.categories.empty:
        # Their type, which pandas compares, is lost.
        values = require("pyarrow", "dask").array([], rows.values.type.value_type).to_pandas()
        series = series.cat.set_categories(pandas.Index(values))
    return series


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
