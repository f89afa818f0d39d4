#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: x = 0.1 on a column of float32 compares in float64 and finds nothing, or in float32 and
#   finds 0.1: one of the two for each engine.
# Seen: It depends on how 0.1 is written. DuckDB 2.0.1 finds the row by a literal, not by a
#   parameter; polars 2.1.0 by ==, not by is_in; pyarrow 26.0.1 by "in", not by "="; Lance 14.0.2
#   by both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 pylance==14.0.2 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import lance
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

tenth = pa.table({"x": pa.array([0.1], pa.float32())})
pq.write_table(tenth, "x.parquet")
frame = polars.from_arrow(tenth)
rows = lance.write_dataset(tenth, "x.lance")
found = {
    "DuckDB, x = 0.1": len(duckdb.sql("select * from tenth where x = 0.1").fetchall()),
    "DuckDB, x in (0.1)": len(duckdb.sql("select * from tenth where x in (0.1)").fetchall()),
    "DuckDB, x = ?": len(duckdb.execute("select * from tenth where x = ?", [0.1]).fetchall()),
    "polars, x == 0.1": frame.filter(polars.col("x") == 0.1).height,
    "polars, x.is_in([0.1])": frame.filter(polars.col("x").is_in([0.1])).height,
    "Lance, x = 0.1": rows.count_rows("x = 0.1"),
    "Lance, x in (0.1)": rows.count_rows("x in (0.1)"),
    "pyarrow, filter": tenth.filter(pc.field("x") == 0.1).num_rows,
    "pyarrow, Parquet": pq.read_table("x.parquet", filters=[("x", "=", 0.1)]).num_rows,
    "pyarrow, is in": pq.read_table("x.parquet", filters=[("x", "in", [0.1])]).num_rows,
}
for how, count in found.items():
    print(f"{how}: {count} of 1 row")
assert list(found.values()) == [1, 1, 0, 1, 0, 1, 1, 0, 0, 1], "changed"
PY
echo "as recorded"
