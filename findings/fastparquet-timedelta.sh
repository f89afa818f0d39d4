#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A pandas column of timedelta64 comes back from a Parquet file of fastparquet, and other
#   readers see a duration or an integer.
# Seen: fastparquet 2026.9.0 stores it as Parquet's TIME in microseconds: 90 s in timedelta64[s]
#   come back as 0, in [ms], [us] and [ns] right but for parts of a microsecond. pyarrow 26.0.1,
#   polars 2.1.0 and DuckDB 2.0.1 read a time of day: 30 hours are 06:00 in pyarrow.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fastparquet==2026.9.0 pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq

for unit, count, expected in (("s", 90, 0.0), ("ms", 90000, 90.0), ("us", 90000000, 90.0)):
    frame = pd.DataFrame({"x": np.array([count], f"m8[{unit}]")})
    fastparquet.write("a.parquet", frame)
    seen = fastparquet.ParquetFile("a.parquet").to_pandas().x[0].total_seconds()
    print(f"90 s as timedelta64[{unit}] -> {seen} s")
    assert seen == expected, "changed"
hours = pd.DataFrame({"x": np.array([30 * 3600 * 10**9 + 1], "m8[ns]")})
fastparquet.write("a.parquet", hours)
own = fastparquet.ParquetFile("a.parquet").to_pandas().x[0]
kind, time = str(pq.read_schema("a.parquet").field("x").type), pq.read_table("a.parquet")["x"][0]
other = str(pl.read_parquet("a.parquet")["x"].dtype), str(duckdb.read_parquet("a.parquet").types[0])
print("30 hours and 1 ns:", own, "; pyarrow", kind, time, "; polars, DuckDB", other)
assert (own.total_seconds(), own.nanoseconds) == (108000.0, 0), "changed"
assert (kind, str(time)) == ("time64[us]", "06:00:00") and other == ("Time", "TIME"), "changed"
PY
echo "as recorded"
