#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A column of instants with a time zone compares with a datetime of another zone by the
#   instant, as in Python, pandas, pyarrow and DuckDB.
# Seen: polars 2.1.0 raises SchemaError for the same instant in UTC; it takes the datetime in the
#   zone of the column. DuckDB 2.0.1 and pyarrow 26.0.1 find both rows by the UTC datetime.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 tzdata==2025.2 pytz==2025.2 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datetime
import zoneinfo

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

ZONE = "America/New_York"
rows = pa.table({"t": pa.array([0, 10**6], pa.timestamp("us", ZONE))})
utc = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
frame = pl.from_arrow(rows)
try:
    seen = frame.filter(pl.col("t") >= utc).height
except pl.exceptions.SchemaError as error:
    seen = type(error).__name__
print("polars, UTC ->", seen)
assert seen == "SchemaError", "changed"
there = utc.astimezone(zoneinfo.ZoneInfo(ZONE))
assert frame.filter(pl.col("t") >= there).height == 2, "changed"
assert pc.sum(pc.greater_equal(rows["t"], pa.scalar(utc))).as_py() == 2, "changed"
found = duckdb.sql("select count(*) from rows where t >= '1970-01-01 00:00:00+00'").fetchall()
assert found == [(2,)], "changed"
PY
echo "as recorded"
