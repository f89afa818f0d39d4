#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The average of integers is computed without overflow, as in DuckDB, polars, DataFusion and
#   pyarrow.
# Seen: ClickHouse (chDB 4.4.0) divides a sum that wraps at 64 bits: the average of three times
#   2^62 is -1.5e18, that of 2^64 - 1 and 1 is 0. DuckDB 2.0.1, polars 2.1.0 and pyarrow 26.0.1 say
#   4.6e18 and 9.2e18.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  chdb==4.4.0 duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import chdb
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

for numbers, click, sql, kind, expected in (
    ([2**62] * 3, "Int64", "bigint", pa.int64(), -1537228672809129200),
    ([2**64 - 1, 1], "UInt64", "ubigint", pa.uint64(), 0),
):
    table = f"(select arrayJoin({numbers}::Array({click})) x)"
    seen = float(str(chdb.query(f"select avg(x) from {table}")))
    array = pa.array(numbers, kind)
    others = (
        duckdb.sql(f"select avg(x::{sql}) from (select unnest({numbers}) x)").fetchall()[0][0],
        pl.from_arrow(array).mean(),
        pc.mean(array).as_py(),
    )
    print(f"average of {numbers}: ClickHouse {seen}; DuckDB, polars, pyarrow {others}")
    assert abs(seen - expected) <= 1e6, "changed"
    right = sum(numbers) / len(numbers)
    assert all(abs(x / right - 1) < 1e-12 for x in others), "changed"
PY
echo "as recorded"
