#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Decimals of more than 38 digits (Arrow's decimal256) are exact or refused.
# Seen: From Parquet, DuckDB 2.0.1 returns them as DOUBLE without a word: two numbers that differ
#   by 0.01 are equal. polars 2.1.0 refuses them; pyarrow 26.0.1, DataFusion 55.0.0 and chDB 4.4.0
#   keep them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 datafusion==55.0.0 chdb==4.4.0 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import chdb
import datafusion
import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

numbers = [Decimal(text) for text in ("0.25", "99999999999999999.99", "99999999999999999.98")]
pq.write_table(pa.table({"x": pa.array(numbers, pa.decimal256(39, 2))}), "x.parquet")
seen = duckdb.sql("select x, typeof(x) from 'x.parquet'").fetchall()
print("DuckDB:", seen)
assert [row[1] for row in seen] == ["DOUBLE"] * 3 and seen[1][0] == seen[2][0] == 1e17, "changed"
try:
    print("polars:", polars.read_parquet("x.parquet")["x"].to_list())
except polars.exceptions.InvalidOperationError as error:
    print("polars:", str(error)[:90])
else:
    raise AssertionError("changed")
seen = datafusion.SessionContext().read_parquet("x.parquet").to_pydict()["x"]
print("DataFusion:", seen)
assert seen == pq.read_table("x.parquet")["x"].to_pylist() == numbers, "changed"
seen = str(chdb.query("select x from file('x.parquet')")).split()
print("chDB:", seen)
assert [Decimal(number) for number in seen] == numbers, "changed"
PY
echo "as recorded"
