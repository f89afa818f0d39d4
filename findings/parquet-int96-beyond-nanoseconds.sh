#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: pyarrow reads the INT96 timestamps that it writes, or refuses those that its nanoseconds
#   cannot hold.
# Seen: pyarrow 26.0.1 writes microseconds of the year 3000 as INT96 and reads 1831, and 2084 for
#   1500; fastparquet 2026.9.0 does, too. polars 2.1.0, DuckDB 2.0.1 and DataFusion 55.0.0 read the
#   same file right, as does pyarrow with coerce_int96_timestamp_unit='us'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 datafusion==55.0.0 fastparquet==2026.9.0 \
  pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datafusion
import duckdb
import fastparquet
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

times = np.array(["1500-06-01", "2020-06-01", "3000-06-01"], "M8[us]")
pq.write_table(pa.table({"t": times}), "a.parquet", use_deprecated_int96_timestamps=True)
seen = {
    "pyarrow": pq.read_table("a.parquet")["t"].to_pylist(),
    "fastparquet": fastparquet.ParquetFile("a.parquet").to_pandas().t.tolist(),
    "pyarrow, us": pq.read_table("a.parquet", coerce_int96_timestamp_unit="us")["t"].to_pylist(),
    "polars": pl.read_parquet("a.parquet")["t"].to_list(),
    "DuckDB": [row[0] for row in duckdb.sql("from 'a.parquet'").fetchall()],
    "DataFusion": datafusion.SessionContext().read_parquet("a.parquet").to_pydict()["t"],
}
for name, column in seen.items():
    years = [time.year for time in column]
    print(f"{name}: {years}")
    wrong = name in ("pyarrow", "fastparquet")
    assert years == ([2084, 2020, 1831] if wrong else [1500, 2020, 3000]), "changed"
PY
echo "as recorded"
