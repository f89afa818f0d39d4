#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A Bloom filter in a Parquet file makes a query for a number faster and changes nothing
#   that it finds.
# Seen: DataFusion 55.0.0 finds none of 1000 rows of -0.0 with x = 0.0, and none of 0.0 with x =
#   -0.0, if the column has a Bloom filter, written by pyarrow 26.0.1 or by itself; without one it
#   finds all, as DuckDB 2.0.1, polars 2.1.0 and pyarrow do with and without.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  datafusion==55.0.0 duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1000


def by_datafusion(file, number):
    context = datafusion.SessionContext()
    context.register_parquet("t", file)
    return context.sql(f"select count(*) n from t where x = {number}").to_pylist()[0]["n"]


def by_others(file, number):
    return {
        duckdb.sql(f"select count(*) from '{file}' where x = {number}::double").fetchall()[0][0],
        pl.scan_parquet(file).filter(pl.col("x") == number).collect().height,
        pq.read_table(file, filters=[("x", "=", number)]).num_rows,
    }


for stored, other in ((-0.0, 0.0), (0.0, -0.0)):
    table = pa.table({"x": [stored] * ROWS + [5.0] * ROWS})
    pq.write_table(table, "without.parquet")
    pq.write_table(table, "pyarrow.parquet", bloom_filter_options={"x": True})
    context = datafusion.SessionContext()
    context.from_arrow(table, "t")
    context.sql("set datafusion.execution.parquet.bloom_filter_on_write = true")
    context.sql("copy t to 'datafusion.parquet'").collect()
    for file, expected in (("without", ROWS), ("pyarrow", 0), ("datafusion", 0)):
        name = f"{file}.parquet"
        found = by_datafusion(name, other)
        print(f"{stored} in a file '{file}', x = {other}: {found} of {ROWS}")
        assert found == expected and by_datafusion(name, stored) == ROWS, "changed"
        assert by_others(name, other) == {ROWS}, "changed"
PY
echo "as recorded"
