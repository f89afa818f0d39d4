#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: DuckDB reads from a Parquet file the interval that it wrote.
# Seen: DuckDB 2.0.1 cuts it to milliseconds, the unit of Parquet's INTERVAL: 1.234567 s is 1.234 s
#   and 999 us nothing; negative ones are refused. pyarrow 26.0.1 reads 12 bytes. Through Arrow
#   nothing is lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import duckdb
import pyarrow.parquet as pq

con = duckdb.connect()
query = "select interval '1.234567 seconds' a, interval '999 microseconds' b"
con.execute(f"copy ({query}) to 'a.parquet'")
direct = [x.total_seconds() for x in con.execute(query).fetchall()[0]]
stored = [x.total_seconds() for x in con.execute("from 'a.parquet'").fetchall()[0]]
arrow = con.sql(query).to_arrow_table().to_pylist()[0]["a"].nanoseconds
kind = str(pq.read_schema("a.parquet").field("a").type)
print(f"{direct} s from Parquet: {stored}; pyarrow: {kind}; through Arrow: {arrow} ns")
assert (direct, stored) == ([1.234567, 0.000999], [1.234, 0.0]), "changed"
assert (kind, arrow) == ("fixed_size_binary[12]", 1234567000), "changed"
try:
    con.execute("copy (select interval '-1 second') to 'b.parquet'")
except duckdb.Error as error:
    print(error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
