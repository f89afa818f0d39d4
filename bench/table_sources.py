# SPDX-License-Identifier: Apache-2.0
"""Tables for the benchmark of table formats: columns as their sources have them, queries of them,
and a comparison of tables bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from trades import trades

# (column, operator, value); a row must meet all of them.
Conditions = list[tuple[str, str, Any]]

# Shares of the rows that filters keep, about: of the trades the least is a minute, the most half an
# hour.
NARROW, KEPT, WIDE = 0.0026, 0.01, 0.077
UNITS = ("s", "ms", "us", "ns")
TEST = {">=": pc.greater_equal, "<": pc.less, "=": pc.equal}
MADE = {"trades": trades}


@dataclass(frozen=True)
class Spec:
    """Differences of a table of the shared data, which has numbers only, from its source."""

    time: str = ""  # column whose ranges are filters; "": the first column of times
    value: str = ""  # column whose largest values are another; "": the last of floats
    key: str = ""  # column one of whose values is another; "": the first of text
    texts: dict[str, Callable[[int], str]] = field(default_factory=dict)  # text by number


# The stations in the order of the source's files, which is that of their codes.
STATIONS = ("Aotizhongxin", "Changping", "Dingling", "Dongsi", "Guanyuan", "Gucheng", "Huairou",
            "Nongzhanguan", "Shunyi", "Tiantan", "Wanliu", "Wanshouxigong")

TABLES = {
    "nyc_green_taxi_2023": Spec("lpep_pickup_datetime", "total_amount",
                                texts={"store_and_fwd_flag_code": lambda code: "NY"[code]}),
    "beijing_air_quality": Spec("time", "PM2.5",
                                texts={"station_code": lambda code: STATIONS[code]}),
    "aircraft_positions": Spec("time", "altitude", texts={"icao24": lambda code: f"{code:06x}"}),
    "trades": Spec("ts", "price"),
}


@dataclass(frozen=True)
class Query:
    """The rows that meet all conditions; `columns` of them, or all."""

    conditions: Conditions
    columns: list[str] | None = None


@dataclass(frozen=True)
class Source:
    name: str
    table: pa.Table
    queries: dict[str, Query]
    group: tuple[str, str]  # a key, and what is summed for each of its values; "": none

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


def _value(scalar: pa.Scalar) -> Any:
    """A value that all readers take: Python's times have microseconds."""
    value = scalar.as_py()
    return value.floor("us").to_pydatetime() if hasattr(value, "nanosecond") else value


def middle_range(table: pa.Table, name: str, share: float = KEPT) -> Conditions:
    """From the median on, as many rows as a share; more where values are equal."""
    values = _sorted_values(table[name])
    first = len(values) // 2
    last = min(len(values) - 1, first + round(table.num_rows * share))
    return [(name, ">=", _value(values[first])), (name, "<", _value(values[last]))]


def middling_key(table: pa.Table, name: str) -> Conditions:
    """The value whose share of the rows is nearest to 1 %."""
    counts = table[name].drop_null().value_counts()
    best = min(counts.to_pylist(), key=lambda one: abs(one["counts"] - table.num_rows * KEPT))
    return [(name, "=", best["values"])]


def largest_values(table: pa.Table, name: str) -> Conditions:
    values = _sorted_values(table[name])
    return [(name, ">=", _value(values[max(0, len(values) - round(table.num_rows * KEPT))]))]


def _first_column(table: pa.Table, *tests: Callable[[pa.DataType], bool]) -> str:
    """The first column that meets a test; those of the first test are preferred."""
    for test in tests:
        for column in table.schema:
            if test(column.type):
                return column.name
    raise ValueError("the table has no column of times or numbers to filter by")


def is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def source_of(name: str, table: pa.Table, spec: Spec) -> Source:
    """Raises ValueError if the table has no rows or nothing to filter by."""
    if table.num_rows == 0:
        raise ValueError(f"{name}: has no rows")
    time = spec.time or _first_column(table, pa.types.is_timestamp, is_number)
    value = spec.value or _first_column(table.select(table.column_names[::-1]),
                                        pa.types.is_floating, is_number)
    key = spec.key or next((one.name for one in table.schema if _is_text(one.type)), "")
    queries = {"narrow": Query(middle_range(table, time, NARROW)),
               "by_time": Query(middle_range(table, time)),
               "by_value": Query(largest_values(table, value),
                                 [one for one in dict.fromkeys((time, key, value)) if one])}
    if key:
        wide = middle_range(table, time, WIDE)
        key_is = middling_key(table.filter(expression(wide, table.schema)), key)
        queries["by_key"] = Query(key_is, [time, value])
        queries["by_both"] = Query(key_is + wide, [time, key, value])
    return Source(name, table, queries, (key, value))


def load(path: Path) -> Source:
    """The table of a Parquet file, or the made one of this name."""
    spec = TABLES.get(path.stem, Spec())
    made = MADE.get(path.stem)
    return source_of(path.stem, made() if made else source_columns(pq.read_table(path), spec), spec)


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


def comparable(table: pa.Table, schema: pa.Schema | None = None) -> pa.Table:
    """A table in the types of a schema, as far as they say the same otherwise: readers have views
    of text, categories or none, and other units; what cannot be cast stays."""
    columns = []
    for name in table.column_names:
        column = table[name]
        known = schema is None or schema.get_field_index(name) < 0
        kind = column.type if known else schema.field(name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        try:
            columns.append(column.cast(kind).combine_chunks())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            columns.append(column)
    return pa.table([pa.chunked_array(one) if isinstance(one, pa.ChunkedArray) else
                     pa.chunked_array([one]) for one in columns], names=table.column_names)


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
