# SPDX-License-Identifier: Apache-2.0
"""integrations/duckdb by the stable C API: one file for several versions of DuckDB."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest
from conftest import locked, run
from tables_support import nulls_of, number_columns, words

import numpact

# The oldest with the functions that the extension uses, one in between, the one that the other
# build serves, and one that it does not.
VERSIONS = ["1.3.2", "1.5.0", "2.0.0", "2.0.1"]
ROWS = 140_000

# Runs queries, one a line of standard input, and prints their rows, or the error.
SCRIPT = """
import sys, duckdb
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
db.load_extension(sys.argv[1])
print(duckdb.__version__)
for query in sys.stdin.read().splitlines():
    try:
        print(db.execute(query).fetchall())
    except Exception as error:
        print(str(error).splitlines()[0])
"""

Query = Callable[..., list[str]]


@pytest.fixture(scope="module", params=VERSIONS)
def query(request: pytest.FixtureRequest, duckdb_extensions: Path) -> Query:
    """Runs queries in a process with the version.

    `./dev engines` and `./dev world` share the folder and have different Pythons: some versions
    hold code for one Python alone, so each Python has its own copy.
    """
    version = request.param
    with locked(f"duckdb-{version}-{sys.implementation.cache_tag}") as packages:
        if not (packages / "duckdb").exists():
            pip = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", packages)
            try:
                run(*pip, f"duckdb=={version}", "pytz")
            except AssertionError:
                pytest.skip(f"DuckDB {version} cannot be installed: no package index")
    extension = duckdb_extensions / "stable/numpact.duckdb_extension"

    def run_queries(*queries: str) -> list[str]:
        command = (sys.executable, "-c", SCRIPT, extension)
        environment = os.environ | {"PYTHONPATH": str(packages)}
        found = run(*command, input="\n".join(queries), env=environment).stdout.splitlines()
        assert found[0] == version
        return found[1:]

    return run_queries


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, and table.parquet with the same values, as DuckDB has their types."""
    rows = np.arange(ROWS)
    nulls = nulls_of(ROWS)
    columns = number_columns(ROWS)
    columns["flag"] = pa.array(rows % 3 == 0, mask=nulls)
    columns["day"] = pa.array((rows // 100 - 500).astype(np.int32), pa.date32())
    columns["noon"] = pa.array((rows // 100 - 500) * 86_400_000, pa.date64())
    columns["t_ms"] = pa.array((rows * 7).astype(np.int32), pa.time32("ms"))
    columns["t_ns"] = pa.array(rows * 1000, pa.time64("ns"))
    for unit in ("s", "ms", "us", "ns"):
        columns[f"at_{unit}"] = pa.array(rows * 1_003 - 7, pa.timestamp(unit), mask=nulls)
        columns[f"utc_{unit}"] = pa.array(rows * 1_000 - 7_000, pa.timestamp(unit, "UTC"))
    columns["word"] = words(ROWS)
    table = pa.table(columns)
    path = tmp_path_factory.mktemp("duckdb") / "table"
    numpact.write_table(table, path)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    del columns["word"]
    columns["f16"] = columns["f16"].cast(pa.float32())
    columns["noon"] = columns["noon"].cast(pa.date32())
    for name in ("t_ns", "utc_ns"):
        type_ = pa.time64("us") if name == "t_ns" else pa.timestamp("us", "UTC")
        columns[name] = columns[name].cast(type_)
    pq.write_table(pa.table(columns), path.parent / "table.parquet")
    return path


def test_rows_and_types(query: Query, folder: Path) -> None:
    source = f"read_pco('{folder}')"
    columns = f"SELECT * EXCLUDE (word) FROM {source}"
    parquet = f"FROM '{folder.parent}/table.parquet'"
    days = "day >= DATE '1969-01-01' AND u16 < 900"
    found = query(
        f"SELECT count(*) FROM ({columns} EXCEPT SELECT * {parquet})",
        f"SELECT count(*) FROM (SELECT * {parquet} EXCEPT {columns})",
        f"SELECT count(*) FROM {source}",
        f"SELECT count(*), sum(i32) FROM {source} WHERE {days}",
        f"SELECT count(*), sum(i32) {parquet} WHERE {days}",
        f"SELECT name, nulls FROM pco_columns('{folder}') WHERE name IN ('flag', 'i8', 'word')",
        f"SELECT type FROM pco_columns('{folder}') WHERE name IN ('t_ns', 'utc_ns', 'at_ns')",
        f"SELECT max(u8) FROM read_pco('{folder}/u8*.pco')",
        "SET threads = 1",  # only then rows keep their order
        f"SELECT first(day), last(day) FROM {source}",
        f"SELECT first(day), last(day) {parquet}",
    )
    assert found[:3] == ["[(0,)]", "[(0,)]", f"[({ROWS},)]"]
    assert found[3] == found[4]
    assert found[9] == found[10]
    nulls = int(nulls_of(ROWS).sum())
    assert f"('flag', {nulls})" in found[5]
    assert "('word', None)" in found[5]
    for name in ("'TIME'", "'TIMESTAMP WITH TIME ZONE'", "'TIMESTAMP_NS'"):
        assert name in found[6]
    assert found[7] == f"[({pa.compute.max(number_columns(ROWS)['u8'])},)]"


def test_errors(query: Query, folder: Path, tmp_path: Path) -> None:
    fine = pa.array([1000, 1001], pa.timestamp("ns", "UTC"))
    numpact.write_table(pa.table({"t": fine}), tmp_path / "fine")
    numbers = numpact.compress(np.arange(100_000) ** 2)
    (tmp_path / "damaged.pco").write_bytes(numbers[: len(numbers) // 2])
    found = query(
        f"SELECT word FROM read_pco('{folder}')",
        f"SELECT * FROM read_pco('{tmp_path}/fine')",
        f"SELECT * FROM read_pco('{tmp_path}/damaged.pco')",
        f"SELECT * FROM read_pco('{tmp_path}/absent')",
        "SELECT * FROM read_pco(NULL)",
        f"SELECT count(*) FROM read_pco('{folder}')",
    )
    for line, expected in zip(
        found,
        (
            'column "word" is of type string', "1001 is no whole count of the microseconds",
            "damaged.pco: ", "absent: No such file", "", f"[({ROWS},)]",
        ),
        strict=True,
    ):  # fmt: skip
        assert expected in line
    assert "not text" in found[4] or "NULL" in found[4]
