#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A table without columns keeps its number of rows through methods that only change the
#   schema's metadata, and through Parquet.
# Seen: pyarrow 26.0.1: select([]) of three rows has three, replace_schema_metadata makes 0 of
#   them, and so does Parquet. DuckDB 2.0.1 refuses that Parquet file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 duckdb==2.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({"a": [1, 2, 3]}).select([])
seen = [table.num_rows, table.replace_schema_metadata({"k": "v"}).num_rows]
pq.write_table(table, "rows.parquet")
seen.append(pq.read_table("rows.parquet").num_rows)
print("rows: select([]), with metadata, by Parquet:", seen)
assert seen == [3, 0, 0], "changed"
try:
    seen = str(duckdb.sql("select * from 'rows.parquet'").fetchall())
except duckdb.Error as error:
    seen = str(error)
print("duckdb ->", seen)
assert "at least one non-root column" in seen, "changed"
PY
echo "as recorded"
