#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A cast of 2.5 to an integer gives one number in DuckDB, whatever the type that holds 2.5.
# Seen: DuckDB 2.0.1: 2 from a double, 3 from a decimal (which the literal 2.5 is) and from text;
#   round(2.5) is 3 for both. A column read from CSV is double, the same text in a query decimal.
#   polars 2.1.0, DataFusion 55.0.0 and pyarrow 26.0.1 cut to 2, or refuse.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 datafusion==55.0.0 pyarrow==26.0.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datafusion
import duckdb
import polars as pl
import pyarrow as pa

query = """select 2.5::double::int, 3.5::double::int, 2.5::int, 2.5::decimal(2, 1)::int, '2.5'::int,
    round(2.5::double), round(2.5)"""
seen = [int(x) for x in duckdb.sql(query).fetchall()[0]]
print("double 2.5, double 3.5, literal, decimal, text, round(double), round(literal):", seen)
assert seen == [2, 4, 3, 3, 3, 3, 3], "changed"
with open("a.csv", "w") as file:
    file.write("x\n2.5\n")
seen = duckdb.sql("select x::int, 2.5::int from 'a.csv'").fetchall()[0]
print("2.5 of a CSV file, 2.5 in the query:", seen)
assert seen == (2, 3), "changed"
select = "select cast(cast(2.5 as double) as int) a, cast(cast(2.5 as decimal(2, 1)) as int) b"
others = pl.Series([2.5]).cast(pl.Int32)[0], datafusion.SessionContext().sql(select).to_pydict()
print("polars, DataFusion:", others)
assert others == (2, {"a": [2], "b": [2]}), "changed"
try:
    pa.array([2.5]).cast(pa.int32())
except pa.ArrowInvalid as error:
    print("pyarrow:", error)
else:
    raise AssertionError("changed")
PY
echo "as recorded"
