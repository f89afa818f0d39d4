#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Float statistics of a Parquet column with NaN are left out or ignored: a query gives the
#   same rows from the file as from memory.
# Seen: pyarrow 26.0.1 and polars 2.1.0 write the minimum and maximum of the other numbers. In
#   DuckDB 2.0.1 and DataFusion 55.0.0 NaN is greater than all numbers, yet `x > 5` finds 0 rows
#   in these files, DuckDB's isnan(x) finds 0; max(x) of pyarrow's file is 3 in both. DuckDB's own
#   files have no statistics then.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 datafusion==55.0.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datafusion
import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

values = [1.0, float("nan"), 3.0]
pq.write_table(pa.table({"x": values}), "pyarrow.parquet")
polars.DataFrame({"x": values}).write_parquet("polars.parquet")
con = duckdb.connect()
con.execute("copy (select unnest([1, 'nan'::double, 3]) x) to 'duckdb.parquet'")
for writer, rows, greatest in (("pyarrow", 0, "3.0"), ("polars", 0, "nan"), ("duckdb", 1, "nan")):
    path = f"{writer}.parquet"
    greater = con.sql(f"select count(*) from '{path}' where x > 5").fetchall()[0][0]
    nan = con.sql(f"select count(*) from '{path}' where isnan(x)").fetchall()[0][0]
    largest = con.sql(f"select max(x) from '{path}'").fetchall()[0][0]
    print(f"{writer}: DuckDB x > 5: {greater}, isnan(x): {nan}, max(x): {largest}")
    assert (greater, nan, str(largest)) == (rows, rows, greatest), "changed"
session = datafusion.SessionContext()
session.register_parquet("t", "pyarrow.parquet")
seen = session.sql("select count(*) n from t where x > 5").to_pydict()["n"][0]
largest = session.sql("select max(x) m from t").to_pydict()["m"][0]
print(f"pyarrow: DataFusion x > 5: {seen}, max(x): {largest}")
assert (seen, largest) == (0, 3.0), "changed"
PY
echo "as recorded"
