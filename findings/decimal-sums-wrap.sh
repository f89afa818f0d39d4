#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The sum of decimals that needs more than 38 digits is an error, as engines for money
#   promise it, or null.
# Seen: DataFusion 55.0.0 and Daft 0.7.26 give a negative number of 39 digits for 10^38 - 1 twice,
#   and leave it in a column of decimal(38, 0). polars 2.1.0 and DuckDB 2.0.1 raise an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  datafusion==55.0.0 daft==0.7.26 duckdb==2.0.1 polars==2.1.0 pyarrow==25.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from decimal import Decimal

import daft
import datafusion
import duckdb
import polars as pl
import pyarrow as pa

largest = Decimal("9" * 38)
WRAPPED = Decimal("-140282366920938463463374607431768211458")  # 2 (10^38 - 1) - 2^128
arrow = pa.table({"d": pa.array([largest] * 2, pa.decimal128(38, 0))})
context = datafusion.SessionContext()
context.from_arrow(arrow, "t")
found = context.sql("select sum(d) s from t").to_arrow_table()["s"]
print("DataFusion:", found[0].as_py(), found.type)
assert found[0].as_py() == WRAPPED and found.type.precision == 38, "changed"
frame = daft.from_arrow(arrow)
found = frame.agg(frame["d"].sum()).to_pylist()[0]["d"]
print("Daft:", found)
assert found == WRAPPED, "changed"
for name, action in (
    ("polars", lambda: pl.from_arrow(arrow)["d"].sum()),
    ("DuckDB", lambda: duckdb.sql("select sum(d) from arrow").fetchall()),
):
    try:
        action()
    except Exception as error:
        print(f"{name}: {str(error).splitlines()[0]}")
    else:
        raise AssertionError("changed")
PY
echo "as recorded"
