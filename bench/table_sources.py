# SPDX-License-Identifier: Apache-2.0
"""Tables for the benchmark of table formats: columns as their sources have them, filters that keep
about 1 % of the rows, and a comparison of tables bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# (column, operator, value); a row must meet all of them.
Conditions = list[tuple[str, str, Any]]

KEPT = 0.01  # share of the rows that a filter keeps, about
UNITS = ("s", "ms", "us", "ns")
TEST = {">=": pc.greater_equal, "<": pc.less}


@dataclass(frozen=True)
class Spec:
    """Differences of a table of the shared data, which has numbers only, from its source."""

    by_time: str = ""  # column whose range is the first filter; "": the first column of times
    by_value: str = ""  # column whose largest values are the second; "": the last of floats
    texts: dict[str, Callable[[int], str]] = field(default_factory=dict)  # text by number


# The stations in the order of the source's files, which is that of their codes.
STATIONS = ("Aotizhongxin", "Changping", "Dingling", "Dongsi", "Guanyuan", "Gucheng", "Huairou",
            "Nongzhanguan", "Shunyi", "Tiantan", "Wanliu", "Wanshouxigong")

TABLES = {
    "nyc_green_taxi_2023": Spec("lpep_pickup_datetime", "total_amount",
                                {"store_and_fwd_flag_code": lambda code: "NY"[code]}),
    "beijing_air_quality": Spec("time", "PM2.5", {"station_code": lambda code: STATIONS[code]}),
    "aircraft_positions": Spec("time", "altitude", {"icao24": lambda code: f"{code:06x}"}),
}


@dataclass(frozen=True)
class Source:
    name: str
    table: pa.Table
    by_time: Conditions  # a range of times
    by_value: Conditions  # the largest values of a column

    @property
    def middle(self) -> tuple[int, int]:
        """The first of 1,000 rows in the middle and the row behind them."""
        rows = self.table.num_rows
        first = max(0, rows // 2 - 500)
        return first, min(rows, first + 1000)


def source_columns(table: pa.Table, spec: Spec) -> pa.Table:
    """Times as timestamps, text as text. Suffixes of names that say how a column was recoded, such
    as _us and _code, are removed."""
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        stem, _, unit = name.rpartition("_")
        if name in spec.texts:
            texts = {code: spec.texts[name](code) for code in pc.unique(column).to_pylist()}
            columns[name.removesuffix("_code")] = pa.array(map(texts.get, column.to_pylist()))
        elif column.type == pa.int64() and stem and unit in UNITS:
            columns[stem] = column.cast(pa.timestamp(unit))
        else:
            columns[name] = column
    return pa.table(columns)


def _sorted_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without nulls; NaN comes last, and is left out."""
    values = column.drop_null()
    if pa.types.is_floating(values.type):
        values = values.filter(pc.invert(pc.is_nan(values)))
    return values.take(pc.sort_indices(values))


def middle_range(table: pa.Table, name: str) -> Conditions:
    """From the median on, as many rows as a filter keeps; more where values are equal."""
    values = _sorted_values(table[name])
    first = len(values) // 2
    last = min(len(values) - 1, first + round(table.num_rows * KEPT))
    return [(name, ">=", values[first].as_py()), (name, "<", values[last].as_py())]


def largest_values(table: pa.Table, name: str) -> Conditions:
    values = _sorted_values(table[name])
    return [(name, ">=", values[max(0, len(values) - round(table.num_rows * KEPT))].as_py())]


def _first_column(table: pa.Table, *tests: Callable[[pa.DataType], bool]) -> str:
    """The first column that meets a test; those of the first test are preferred."""
    for test in tests:
        for column in table.schema:
            if test(column.type):
                return column.name
    raise ValueError("the table has no column of times or numbers to filter by")


def is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def load(path: Path) -> Source:
    """The table of a Parquet file; ValueError if it has no rows or nothing to filter by."""
    spec = TABLES.get(path.stem, Spec())
    table = source_columns(pq.read_table(path), spec)
    if table.num_rows == 0:
        raise ValueError(f"{path}: has no rows")
    times = spec.by_time or _first_column(table, pa.types.is_timestamp, is_number)
    values = spec.by_value or _first_column(table.select(table.column_names[::-1]),
                                            pa.types.is_floating, is_number)
    return Source(path.stem, table, middle_range(table, times), largest_values(table, values))


def expression(conditions: Conditions, schema: pa.Schema) -> pc.Expression:
    """The conditions for pyarrow; values get the types of their columns."""
    tests = [TEST[operator](pc.field(name), pa.scalar(value, schema.field(name).type))
             for name, operator, value in conditions]
    return reduce(lambda a, b: a & b, tests)


def _bits(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats as integers, so that NaN is equal to NaN of the same bits, and -0 differs from 0."""
    integers = {"halffloat": pa.uint16(), "float": pa.uint32(), "double": pa.uint64()}
    kind = integers.get(str(column.type))
    if kind is None:
        return column
    return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)


def difference(found: pa.Table, expected: pa.Table) -> str | None:
    """How two tables differ: names, types, nulls, or values bit by bit; None if they do not."""
    if found.schema.names != expected.schema.names:
        return f"columns {found.schema.names}, not {expected.schema.names}"
    if found.num_rows != expected.num_rows:
        return f"{found.num_rows} rows, not {expected.num_rows}"
    for one, other in zip(found.schema, expected.schema):
        if one.type != other.type:
            return f"{one.name}: type {one.type}, not {other.type}"
        # Arrow compares nulls by their positions, not by the values that lie under them.
        if not _bits(found[one.name]).equals(_bits(expected[one.name])):
            return f"{one.name}: values differ"
    return None
