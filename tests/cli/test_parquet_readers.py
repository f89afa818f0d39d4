# SPDX-License-Identifier: Apache-2.0
"""What pyarrow, polars, DuckDB and pandas read from the Parquet files of both commands."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from programs import Tool, tool  # noqa: F401

pytestmark = pytest.mark.usefixtures("arrow")

NANOSECONDS = [0, -1, None, 1_732_000_000_123_456_789]
COLUMNS = {
    "u64": pa.array([0, 2**63, 2**64 - 1, None], pa.uint64()),
    "i64": pa.array([-(2**63), 2**63 - 1, 0, None], pa.int64()),
    "u8": pa.array([0, 255, 128, None], pa.uint8()),
    "i8": pa.array([-128, 127, 0, None], pa.int8()),
    "f16": pa.array(np.array([1.5, -0.0, 65504, 6e-8], np.float16)),
    "f64": pa.array([math.nan, -0.0, None, math.inf]),
    "decimal9": pa.array([decimal.Decimal("-12345.67"), decimal.Decimal("0.01"), None,
                          decimal.Decimal("9999999.99")], pa.decimal128(9, 2)),
    "decimal38": pa.array([decimal.Decimal(10) ** 36, decimal.Decimal(-1), None,
                           decimal.Decimal(7)], pa.decimal128(38, 1)),
    "day": pa.array([dt.date(1969, 12, 31), dt.date(9999, 12, 31), None, dt.date(2024, 2, 29)]),
    "time": pa.array([0, 86_399_999_999, None, 1], pa.time64("us")),
    "s": pa.array([0, -1, None, 1_732_000_000], pa.timestamp("s")),
    "ms": pa.array([0, -1, None, 1_732_000_000_123], pa.timestamp("ms", "Europe/Berlin")),
    "us": pa.array([0, -1, None, 1_732_000_000_123_456], pa.timestamp("us", "UTC")),
    "ns": pa.array(NANOSECONDS, pa.timestamp("ns")),
    "flag": pa.array([True, False, None, True]),
    "text": pa.array(["", "é", None, "x" * 100]),
    "code": pa.array(["a", "b", None, "a"]).dictionary_encode(),
}  # fmt: skip


def by_polars(path: Path) -> pa.Table:
    return pytest.importorskip("polars").read_parquet(path).to_arrow()


def by_duckdb(path: Path) -> pa.Table:
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("set timezone = 'UTC'")
    found = connection.sql(f"select * from '{path}'").arrow()
    return found.read_all() if isinstance(found, pa.RecordBatchReader) else found


def by_pandas(path: Path) -> pa.Table:
    pandas = pytest.importorskip("pandas")
    return pa.Table.from_pandas(pandas.read_parquet(path, dtype_backend="pyarrow"))


READERS: dict[str, Callable[[Path], pa.Table]] = {
    "pyarrow": pa.parquet.read_table, "polars": by_polars, "duckdb": by_duckdb,
    "pandas": by_pandas}


def plain(column: pa.ChunkedArray) -> list[object]:
    """Values that can be compared whatever type a reader has for them: moments as nanoseconds in
    UTC, floats by their digits, so that NaN equals NaN and -0.0 is not 0.0."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("ns", column.type.tz)).cast(pa.int64()).to_pylist()
    return [repr(v) if isinstance(v, float) else v for v in column.to_pylist()]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table(COLUMNS)


@pytest.mark.parametrize("reader", READERS)
def test_values_of_each_type(reader: str, table: pa.Table, tmp_path: Path,
                             tool: Tool) -> None:  # noqa: F811
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    tool.run("compress", tmp_path / "t.arrow", "-o", tmp_path / "folder")
    tool.run("decompress", tmp_path / "folder", "-o", tmp_path / "t.parquet")
    found = READERS[reader](tmp_path / "t.parquet")
    assert found.column_names == table.column_names
    for name in table.column_names:
        assert plain(found[name]) == plain(table[name]), (name, found[name].type)
